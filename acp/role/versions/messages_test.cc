// Requests, answers and capabilities, where the versions differ.
#include "acp/role/versions/capabilities.h"
#include "acp/role/versions/content.h"
#include "acp/role/versions/elicitation.h"
#include "acp/role/versions/initialize.h"
#include "acp/role/versions/mcp_server.h"
#include "acp/role/versions/permission.h"
#include "acp/role/versions/session_parts.h"
#include "acp/role/versions/session_requests.h"
#include "acp/role/versions/testing/strict.h"

namespace acp::detail::versions {
namespace {

TEST(Messages, InitializeRequest) {
  const auto request = from<v1::InitializeRequest>(
      R"({"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},"_meta":{"k":1},
          "clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":false},"terminal":true,
          "auth":{"terminal":true},"elicitation":{"form":{}}}})");
  const v2::InitializeRequest there = to_v2(request);
  expect_json(strict(there), R"({"protocolVersion":2,"info":{"name":"c","version":"1"},
      "capabilities":{"auth":{"terminal":{}},"elicitation":{"form":{}}},"_meta":{"k":1}})");
  const v1::InitializeRequest back = to_v1(there);
  expect_json(strict(back), R"({"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},
      "clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,
      "session":{"compaction":{},"configOptions":{"boolean":{}},"notices":{}},
      "subagents":{},"plan":{},"auth":{"terminal":true},"elicitation":{"form":{}}},
      "_meta":{"k":1}})");
  EXPECT_EQ(to_v2(v1::InitializeRequest()).info.name, "unknown");
}

TEST(Messages, InitializeParamsForBothVersions) {
  const auto request = from<v1::InitializeRequest>(
      R"({"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},
          "clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}})");
  const Json params = Json::parse(params_for_both(request)).value();
  EXPECT_EQ(params["protocolVersion"].as_int64(), 2);
  const auto as_v1 = read_as_v1(params);
  ASSERT_TRUE(as_v1.has_value());
  EXPECT_EQ(as_v1->protocolVersion, 2);
  EXPECT_EQ(as_v1->clientCapabilities, request.clientCapabilities);
  EXPECT_EQ(as_v1->clientInfo, request.clientInfo);
  EXPECT_EQ(json::encode(json::decode<v2::InitializeRequest>(params.text()).value()),
            strict(to_v2(request)));
  // Of a client that has version 2's names alone.
  const auto plain = read_as_v1(Json::from_valid(strict(to_v2(request))));
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->clientInfo->name, "c");
  EXPECT_TRUE(plain->clientCapabilities.plan.has_value());
  EXPECT_FALSE(plain->clientCapabilities.terminal);
  EXPECT_FALSE(read_as_v1(Json::array()).has_value());
}

TEST(Messages, InitializeResponse) {
  const auto response = from<v1::InitializeResponse>(
      R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,
          "promptCapabilities":{"image":true,"audio":false,"embeddedContext":true},
          "mcpCapabilities":{"http":true,"sse":true},
          "sessionCapabilities":{"list":{},"delete":{},"resume":{},"close":{},"fork":{}},
          "auth":{"logout":{},"status":{}},"providers":{}},
          "authMethods":[{"id":"a","name":"A"},
            {"type":"terminal","id":"t","name":"T","args":["x"],"env":{"K":"V"}}]})");
  const v2::InitializeResponse there = to_v2(response);
  expect_json(strict(there), R"({"protocolVersion":2,
      "info":{"name":"unknown","version":"unknown"},
      "capabilities":{"session":{"prompt":{"image":{},"embeddedContext":{}},
        "mcp":{"stdio":{},"http":{}},"delete":{},"fork":{}},"auth":{"status":{}},"providers":{}},
      "authMethods":[{"type":"agent","methodId":"a","name":"A"},
        {"type":"terminal","methodId":"t","name":"T","args":["x"],
         "env":[{"name":"K","value":"V"}]}]})");
  v1::InitializeResponse back = to_v1(there);
  strict(back);
  EXPECT_FALSE(back.agentCapabilities.mcpCapabilities.sse);
  back.agentCapabilities.mcpCapabilities.sse = true;
  EXPECT_EQ(back.agentCapabilities, response.agentCapabilities);
  EXPECT_EQ(back.authMethods, response.authMethods);
  EXPECT_FALSE(to_v1(v2::AgentCapabilities(), false).auth.logout.has_value());
  EXPECT_FALSE(to_v1(v2::AgentCapabilities(), false).loadSession);
}

TEST(Messages, McpServers) {
  const auto servers = from<std::vector<v1::McpServer>>(
      R"([{"name":"a","command":"/a","args":["x"],"env":[{"name":"K","value":"V"}]},
          {"type":"http","name":"h","url":"https://x/","headers":[{"name":"H","value":"V"}]},
          {"type":"sse","name":"s","url":"https://x/","headers":[]},
          {"type":"acp","name":"c","serverId":"id"}])");
  ASSERT_NE(inexpressible(servers), nullptr);
  EXPECT_EQ(std::get<v1::McpServerSse>(*inexpressible(servers)).name, "s");
  const std::vector<v2::McpServer> there = to_v2(servers);
  expect_json(json::encode(there),
              R"([{"type":"stdio","name":"a","command":"/a","args":["x"],
                   "env":[{"name":"K","value":"V"}]},
                  {"type":"http","name":"h","url":"https://x/","headers":[{"name":"H","value":"V"}]},
                  {"type":"acp","name":"c","serverId":"id"}])");
  for (const v2::McpServer& server : there) strict(server);
  auto rest = servers;
  rest.erase(rest.begin() + 2);
  EXPECT_EQ(inexpressible(rest), nullptr);
  EXPECT_EQ(json::encode(to_v1(there)), json::encode(rest));
}

TEST(Messages, LoadIsResumeWithAReplay) {
  const auto load = from<v1::LoadSessionRequest>(
      R"({"mcpServers":[],"cwd":"/","additionalDirectories":["/a"],"sessionId":"s","_meta":{"k":1}})");
  const v2::ResumeSessionRequest there = to_v2(load);
  expect_json(strict(there), R"({"sessionId":"s","cwd":"/","additionalDirectories":["/a"],
      "replayFrom":{"type":"start"},"_meta":{"k":1}})");
  const auto back = to_v1(there);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(std::get<v1::LoadSessionRequest>(*back), load);
  const auto resume =
      to_v1(from<v2::ResumeSessionRequest>(R"({"sessionId":"s","cwd":"/","replayFrom":null})"));
  ASSERT_TRUE(resume.has_value());
  EXPECT_TRUE(std::holds_alternative<v1::ResumeSessionRequest>(*resume));
  EXPECT_FALSE(to_v1(from<v2::ResumeSessionRequest>(
                         R"({"sessionId":"s","cwd":"/","replayFrom":{"type":"_middle"}})"))
                   .has_value());
}

TEST(Messages, NewSessionResponse) {
  const auto response = from<v1::NewSessionResponse>(
      R"({"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]},
          "configOptions":[{"type":"boolean","id":"mode","name":"M","currentValue":true}]})");
  OptionsToV2 options;
  v2::NewSessionResponse there = to_v2(response, options);
  strict(there);
  ASSERT_EQ(there.configOptions.size(), 2u);
  EXPECT_EQ(there.configOptions[0].configId, "mode2");
  there.availableCommands = to_v2(from<v1::AvailableCommandsUpdate>(
                                      R"({"availableCommands":[{"name":"n","description":"d"}]})"))
                                .availableCommands;
  const auto back = to_v1(there, true);
  EXPECT_EQ(strict(back.response), json::encode(response));
  EXPECT_EQ(back.mode_id, "mode2");
  ASSERT_TRUE(back.commands.has_value());
  EXPECT_EQ(back.commands->availableCommands[0].name, "n");

  // The client sets the mode.
  v1::SetSessionModeRequest set;
  set.sessionId = "s";
  set.modeId = "b";
  const v2::SetSessionConfigOptionRequest asked = to_v2(set, back.mode_id);
  expect_json(strict(asked), R"({"sessionId":"s","configId":"mode2","type":"id","value":"b"})");
  const auto got = options.request(asked);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(std::get<v1::SetSessionModeRequest>(*got), set);
  options.set_mode("b");
  const auto answered = to_v2(v1::SetSessionModeResponse(), options);
  EXPECT_EQ(std::get<v2::SessionConfigSelect>(answered.configOptions[0].type).currentValue, "b");
  strict(answered);
  const auto other = options.request(from<v2::SetSessionConfigOptionRequest>(
      R"({"sessionId":"s","configId":"mode","type":"boolean","value":true})"));
  ASSERT_TRUE(other.has_value());
  EXPECT_TRUE(std::holds_alternative<v1::SetSessionConfigOptionRequest>(*other));
  EXPECT_FALSE(options
                   .request(from<v2::SetSessionConfigOptionRequest>(
                       R"({"sessionId":"s","configId":"mode2","type":"boolean","value":true})"))
                   .has_value());
}

TEST(Messages, AnOptionOfTheModesCategoryStandsForThem) {
  OptionsToV2 options(
      from<v1::SessionModeState>(
          R"({"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]})"),
      from<std::vector<v1::SessionConfigOption>>(
          R"([{"id":"x","name":"X","category":"mode","type":"select","currentValue":"a","options":[]}])"));
  ASSERT_EQ(options.list().size(), 1u);
  options.set_mode("b");
  EXPECT_EQ(std::get<v2::SessionConfigSelect>(options.list()[0].type).currentValue, "b");
  strict(options.update());
}

const char* const option = R"([{"optionId":"y","name":"Y","kind":"allow_once"},)"
                           R"({"optionId":"n","name":"N","kind":"reject_once"}])";

TEST(Messages, PermissionRequestsToV2) {
  const auto request = [](const std::string& call, const std::string& options = option) {
    return from<v1::RequestPermissionRequest>(R"({"sessionId":"s","toolCall":{"toolCallId":"t")" +
                                              call + R"(},"options":)" + options + "}");
  };
  const auto there = to_v2(request(R"(,"title":"T","kind":"edit")"), "known");
  ASSERT_TRUE(there.has_value());
  expect_json(strict(*there), R"({"sessionId":"s","title":"T","subject":{"type":"tool_call",
      "toolCall":{"toolCallId":"t","title":"T","kind":"edit"}},"options":)" +
                                  std::string(option) + "}");
  EXPECT_EQ(strict(to_v1(*there, {})), json::encode(request(R"(,"kind":"edit","title":"T")")));
  EXPECT_EQ(to_v2(request(""), "known")->title, "known");
  EXPECT_FALSE(to_v2(request(""), "")->title.empty());
  EXPECT_FALSE(to_v2(request("", "[]"), "").has_value());
}

TEST(Messages, PermissionRequestsToV1) {
  const auto request = [](const std::string& rest) {
    return from<v2::RequestPermissionRequest>(
        R"({"sessionId":"s","title":"T","options":[{"optionId":"y","name":"Y","kind":"allow_once"},)"
        R"({"optionId":"z","name":"Z","kind":"_maybe"}])" +
        rest + "}");
  };
  const auto command =
      request(R"(,"description":"D","subject":{"type":"command","command":"rm -r x","cwd":"/a"})");
  expect_json(strict(to_v1(command, {.made_id = "made"})),
              R"({"sessionId":"s","toolCall":{"toolCallId":"made","title":"T","kind":"execute",
      "rawInput":{"command":"rm -r x","cwd":"/a"},
      "content":[{"type":"content","content":{"type":"text","text":"D"}},
                 {"type":"content","content":{"type":"text","text":"```\nrm -r x\n```"}}]},
      "options":[{"optionId":"y","name":"Y","kind":"allow_once"}],
      "_meta":{"libacp/v2":{"description":"D"}}})");
  EXPECT_EQ(asked_call(command), "");
  const auto named = request(
      R"(,"subject":{"type":"command","command":"a","cwd":"/","toolCallId":"t","terminalId":"x"})");
  EXPECT_EQ(asked_call(named), "t");
  EXPECT_EQ(to_v1(named, {.made_id = "made"}).toolCall.toolCallId, "t");
  EXPECT_EQ(to_v1(named, {}).toolCall.content->size(), 2u);
  const auto none = to_v1(request(""), {.made_id = "made"});
  EXPECT_EQ(none.toolCall.toolCallId, "made");
  EXPECT_EQ(none.toolCall.title, "T");
  const auto odd = to_v1(request(R"(,"subject":{"type":"_x","y":1})"), {.made_id = "made"});
  EXPECT_EQ(odd._meta.text(), R"({"libacp/v2":{"subject":{"type":"_x","y":1}}})");
  // What the call shows stays below the description.
  const std::vector<v1::ToolCallContent> shown = {v1::Terminal{.terminalId = "x"}};
  const auto call = request(
      R"(,"description":"D","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"U"}})");
  const auto described = to_v1(call, {.made_id = "made", .shown = &shown});
  EXPECT_EQ(described.toolCall.toolCallId, "t");
  EXPECT_EQ(described.toolCall.title, "U");
  ASSERT_EQ(described.toolCall.content->size(), 2u);
  EXPECT_TRUE(std::holds_alternative<v1::Terminal>((*described.toolCall.content)[1]));
  EXPECT_EQ(to_v2(described, "")->title, "T");
}

TEST(Messages, PermissionOutcomes) {
  const auto options = from<std::vector<v1::PermissionOption>>(option);
  const auto selected = from<v2::RequestPermissionResponse>(
      R"({"outcome":{"outcome":"selected","optionId":"y","_meta":{"k":1}},"_meta":{"l":2}})");
  EXPECT_EQ(strict(to_v2(to_v1(selected, options, false))), json::encode(selected));
  const auto cancelled =
      from<v2::RequestPermissionResponse>(R"({"outcome":{"outcome":"cancelled"}})");
  EXPECT_EQ(strict(to_v1(cancelled, options, true)), R"({"outcome":{"outcome":"cancelled"}})");
  EXPECT_EQ(strict(to_v1(cancelled, options, false)),
            R"({"outcome":{"outcome":"selected","optionId":"n"}})");
  // Nobody cancelled anything, and nothing that was not chosen is remembered.
  const auto no_once = from<std::vector<v1::PermissionOption>>(
      R"([{"optionId":"y","name":"Y","kind":"allow_once"},{"optionId":"v","name":"V","kind":"reject_always"}])");
  for (const auto& without : {std::vector<v1::PermissionOption>(), no_once}) {
    const auto rejected = to_v1(cancelled, without, false);
    EXPECT_EQ(json::encode(rejected), R"({"outcome":{"outcome":"_rejected"}})");
    EXPECT_EQ(strict(to_v2(rejected)), json::encode(cancelled));
  }
  EXPECT_EQ(strict(to_v2(to_v1(cancelled, {}, true))), json::encode(cancelled));
  const auto odd =
      to_v1(from<v2::RequestPermissionResponse>(R"({"outcome":{"outcome":"_x"}})"), options, true);
  EXPECT_TRUE(std::holds_alternative<v1::CancelledPermissionOutcome>(odd.outcome));
  const auto unknown =
      to_v1(from<v2::RequestPermissionResponse>(R"({"outcome":{"outcome":"_x"}})"), {}, false);
  EXPECT_TRUE(std::holds_alternative<Unknown>(unknown.outcome));
}

TEST(Messages, Elicitation) {
  const auto request = from<v1::CreateElicitationRequest>(
      R"({"message":"m","mode":"form","sessionId":"s","requestedSchema":{"required":["b","c"],
          "properties":{"a":{"type":"string","enum":[],"format":"date"},
            "b":{"type":"array","items":{"type":"string","enum":[]}},"c":{"type":"boolean"}}}})");
  const auto there = to_v2(request);
  ASSERT_TRUE(there.has_value());
  expect_json(strict(*there), R"({"message":"m","mode":"form","sessionId":"s",
      "requestedSchema":{"type":"object","required":["c"],
      "properties":{"a":{"type":"string","format":"date"},"c":{"type":"boolean"}}}})");
  const auto back = to_v1(*there);
  ASSERT_TRUE(back.has_value());
  strict(*back);
  EXPECT_FALSE(to_v2(from<v1::CreateElicitationRequest>(
                         R"({"message":"m","mode":"url","requestId":null,"elicitationId":"e",
                             "url":"https://x"})"))
                   .has_value());
  const auto odd = to_v1(from<v2::CreateElicitationRequest>(
      R"({"message":"m","mode":"form","sessionId":"s","requestedSchema":{"type":"object",
          "properties":{"a":{"type":"string","format":"_phone"}}}})"));
  ASSERT_TRUE(odd.has_value());
  strict(*odd);

  const auto answer = to_v1(from<v2::CreateElicitationResponse>(
      R"({"action":"accept","content":{"a":"x","b":1,"c":[true],"d":["y"]}})"));
  expect_json(strict(answer),
              R"({"action":"accept","content":{"a":"x","b":1,"c":"[true]","d":["y"]}})");
  strict(to_v2(answer));
  EXPECT_TRUE(std::holds_alternative<v1::ElicitationCancelAction>(
      to_v1(from<v2::CreateElicitationResponse>(R"({"action":"_later"})")).action));
  EXPECT_EQ(strict(to_v2(from<v1::CreateElicitationResponse>(R"({"action":"decline"})"))),
            R"({"action":"decline"})");
}

TEST(Messages, Diffs) {
  const auto there = to_v2(
      from<v1::Diff>(R"({"path":"/a b","oldText":"1\n2\n","newText":"1\n3\n","_meta":{"k":1}})"));
  expect_json(strict(there), R"({"changes":[{"operation":"modify","path":"/a b","fileType":"text"}],
      "patch":{"format":"git_patch","text":"diff --git /a b /a b\n--- /a b\t\n+++ /a b\t\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"},
      "_meta":{"k":1}})");
  const auto back = to_v1(there);
  ASSERT_EQ(back.size(), 1u);
  const auto& diff = std::get<v1::Diff>(back[0]);
  EXPECT_EQ(diff.path, "/a b");
  EXPECT_EQ(diff.oldText, "1\n2\n");
  EXPECT_EQ(diff.newText, "1\n3\n");
  EXPECT_EQ(strict(to_v2(diff)), json::encode(there));
  strict(diff);
  // Metadata without members stays, too.
  const auto bare = to_v2(from<v1::Diff>(R"({"path":"/n","newText":"x","_meta":{}})"));
  EXPECT_EQ(json::encode(to_v2(std::get<v1::Diff>(to_v1(bare).at(0)))), json::encode(bare));
  EXPECT_EQ(bare._meta.text(), "{}");
  // A new file has no old text, and may be empty.
  const auto added = to_v1(to_v2(from<v1::Diff>(R"({"path":"/n","newText":""})")));
  ASSERT_EQ(added.size(), 1u);
  EXPECT_FALSE(std::get<v1::Diff>(added[0]).oldText.has_value());

  const auto several = to_v1(from<v2::Diff>(
      R"({"changes":[{"operation":"move","oldPath":"/r/a","path":"/r/b"},
          {"operation":"delete","path":"/r/c"},{"operation":"modify","path":"/r/pic","fileType":"binary"}],
          "patch":{"format":"git_patch","text":"diff --git a/c b/c\ndeleted file mode 100644\n--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/a b/b\nrename from a\nrename to b\n"}})"));
  ASSERT_EQ(several.size(), 3u);
  EXPECT_EQ(std::get<v1::TextContent>(std::get<v1::Content>(several[0]).content).text,
            "move /r/a → /r/b");
  EXPECT_EQ(std::get<v1::Diff>(several[1]).oldText, "x\n");
  EXPECT_EQ(std::get<v1::Diff>(several[1]).newText, "");
  EXPECT_EQ(std::get<v1::TextContent>(std::get<v1::Content>(several[2]).content).text,
            "modify /r/pic");
  for (const v1::ToolCallContent& one : several) strict(one);
}

std::string text_of(const v1::ToolCallContent& content) {
  const auto* one = std::get_if<v1::Content>(&content);
  return one ? std::get<v1::TextContent>(one->content).text : std::string();
}

// What a patch says beyond its changes, or against them, is shown under its own name.
TEST(Messages, PatchesThatSayMoreThanTheirChanges) {
  const std::string hook =
      "diff --git a/.git/hooks/x b/.git/hooks/x\n--- a/.git/hooks/x\n+++ b/.git/hooks/x\n"
      "@@ -1 +1 @@\n-a\n+b\n";
  const auto diff = [](std::string changes, const std::string& patch) {
    auto read = from<v2::Diff>(R"({"changes":)" + changes + "}");
    if (!patch.empty()) read.patch.emplace().text = patch;
    return to_v1(std::move(read));
  };
  const std::string notes = R"([{"operation":"modify","path":"/r/notes"}])";
  const auto other = diff(notes, hook);
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(text_of(other[0]), "modify /r/notes");
  EXPECT_EQ(std::get<v1::Diff>(other[1]).path, ".git/hooks/x");
  EXPECT_EQ(std::get<v1::Diff>(other[1])._meta["libacp/v2"]["change"]["path"].as_string(),
            ".git/hooks/x");
  EXPECT_EQ(std::get<v1::Diff>(diff("[]", hook).at(0)).path, ".git/hooks/x");
  // An addition that removes lines.
  const auto added = diff(R"([{"operation":"add","path":"/r/.git/hooks/x"}])", hook);
  EXPECT_EQ(std::get<v1::Diff>(added.at(0)).oldText, "a\n");
  // A move with texts, and a mode.
  const auto moved = diff(
      R"([{"operation":"move","oldPath":"/r/.env","path":"/r/b"}])",
      "diff --git a/.env b/b\nold mode 100644\nnew mode 100755\nrename from .env\nrename to b\n"
      "--- a/.env\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n");
  ASSERT_EQ(moved.size(), 3u);
  EXPECT_EQ(text_of(moved[0]), "move /r/.env → /r/b");
  EXPECT_EQ(std::get<v1::Diff>(moved[1])._meta["libacp/v2"]["change"]["oldPath"].as_string(),
            "/r/.env");
  EXPECT_EQ(text_of(moved[2]), "mode 100755 /r/b");
  EXPECT_EQ(text_of(diff("[]", "no patch").at(0)), "a patch that cannot be read");
}

// What belongs to all changes is not copied for each, and their number has a limit.
TEST(Messages, DiffsWithManyChanges) {
  std::string changes = "[";
  for (int i = 0; i < 5000; ++i)
    changes += (i ? "," : "") + (R"({"operation":"modify","path":"/f)" + std::to_string(i) + "\"}");
  auto diff = from<v2::Diff>(R"({"changes":)" + changes + R"(],"_meta":{"a":"x"}})");
  diff.patch.emplace().text = std::string(100'000, 'x');
  const auto contents = to_v1(std::move(diff));
  ASSERT_EQ(contents.size(), 4097u);
  std::size_t bytes = 0;
  for (const auto& one : contents) bytes += json::encode(one).size();
  EXPECT_LT(bytes, 2'000'000u);
  EXPECT_EQ(text_of(contents.back()), "904 more changes, which are not shown");
  EXPECT_EQ(std::get<v1::Content>(contents.back())._meta["libacp/v2"]["unread"].as_bool(), true);
}

TEST(Messages, WhatOneVersionDoesNotAllow) {
  EXPECT_EQ(as_uri("https://x/ok"), "https://x/ok");
  EXPECT_EQ(as_uri("/a b/\xC3\xA4%"), "file:///a%20b/%C3%A4%25");
  EXPECT_EQ(as_uri("x y"), "urn:text:x%20y");
  EXPECT_EQ(as_uri(as_uri("")), as_uri(""));
  const auto link = to_v2(from<v1::ContentBlock>(
      R"({"type":"resource_link","name":"n","uri":"a","size":-1,"annotations":{"priority":7}})"));
  ASSERT_TRUE(link.has_value());
  expect_json(strict(*link),
              R"({"type":"resource_link","name":"n","uri":"urn:text:a","annotations":{}})");
  const auto icons = from<v2::ContentBlock>(
      R"({"type":"resource_link","name":"n","uri":"x:a","icons":[{"src":"x:i"}],"size":18446744073709551615})");
  const auto back = to_v1(icons);
  ASSERT_TRUE(back.has_value());
  expect_json(strict(*back), R"({"type":"resource_link","name":"n","uri":"x:a",
      "_meta":{"libacp/v2":{"icons":[{"src":"x:i"}]}}})");
  expect_json(strict(to_v2(*back).value()),
              R"({"type":"resource_link","name":"n","uri":"x:a","icons":[{"src":"x:i"}]})");
  // An unknown block stays one.
  const auto odd = from<v2::ContentBlock>(R"({"type":"_x","y":1})");
  EXPECT_EQ(json::encode(to_v2(to_v1(odd).value()).value()), R"({"type":"_x","y":1})");
  EXPECT_EQ(to_v2(v1::PromptRequest()).prompt.size(), 1u);
  // An unknown command is left out, an unknown input kept.
  const auto commands = from<std::vector<v2::AvailableCommand>>(
      R"([{"type":"_macro","name":"m","description":"d"},{"type":"command","name":"n","description":"d","input":{"type":"_f","x":1}}])");
  const auto in_v1 = to_v1(commands);
  ASSERT_EQ(in_v1.size(), 1u);
  EXPECT_FALSE(in_v1[0].input.has_value());
  EXPECT_EQ(json::encode(to_v2(in_v1)[0]), json::encode(commands[1]));
}

}  // namespace
}  // namespace acp::detail::versions
