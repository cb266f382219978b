// Our client with an agent on the official SDK: what a turn shows, and what it asks of the client.
#include <set>

#include "interop/our_client.h"

namespace interop {
namespace {

class Turns : public OurClient {};
class TurnsUnstable : public OurClient {};

TEST_P(Turns, CarryEveryKindOfContent) {
  const acp::Session session = open_session();
  v1::ImageContent image;
  image.data = "iVBORw0KGgo=";
  image.mimeType = "image/png";
  v1::AudioContent audio;
  audio.data = "UklGRg==";
  audio.mimeType = "audio/wav";
  v1::ResourceLink link;
  link.name = "a.txt";
  link.uri = "file:///project/a.txt";
  v1::TextResourceContents text;
  text.uri = link.uri;
  text.text = "inside";
  v1::EmbeddedResource resource;
  resource.resource = text;
  v1::BlobResourceContents blob;
  blob.uri = "file:///project/a.bin";
  blob.blob = "AAEC";
  v1::EmbeddedResource binary;
  binary.resource = blob;
  const std::vector<acp::ContentBlock> blocks = {
      "look at ", image, audio, link, resource, binary, "these, ünd 🦊 that"};
  EXPECT_EQ(finish(session.prompt(blocks)).text, "look at these, ünd 🦊 that");

  std::vector<std::string> types;
  for (const acp::SessionUpdate& update : turn(session, "content").updates) {
    const Json json = as_json(update);
    types.push_back(json["content"]["type"].as_string().value_or(""));
  }
  const std::vector<std::string> expected = {"text",          "image",    "audio",
                                             "resource_link", "resource", "resource"};
  EXPECT_EQ(types, expected);
}

TEST_P(Turns, ShowEveryUpdate) {
  const acp::Session session = open_session();
  std::set<std::string> seen;
  for (const acp::SessionUpdate& update : turn(session, "updates").updates) {
    EXPECT_FALSE(std::holds_alternative<acp::Unknown>(update)) << kind_of(update);
    seen.insert(kind_of(update));
  }
  EXPECT_EQ(seen.size(), 14u);
  if (unstable()) {
    for (const acp::SessionUpdate& update : turn(session, "unstable").updates) {
      EXPECT_FALSE(std::holds_alternative<acp::Unknown>(update)) << kind_of(update);
      seen.insert(kind_of(update));
    }
    EXPECT_EQ(seen.size(), 19u);
  }
}

TEST_P(Turns, EndForEveryReason) {
  const acp::Session session = open_session();
  EXPECT_EQ(turn(session, "hello").reason, acp::StopReason::end_turn);
  EXPECT_EQ(turn(session, "stop refusal").reason, acp::StopReason::refusal);
  EXPECT_EQ(turn(session, "stop max_tokens").reason, acp::StopReason::max_tokens);
  EXPECT_EQ(turn(session, "stop max_turn_requests").reason, acp::StopReason::max_turn_requests);
  EXPECT_EQ(turn(session, "stop cancelled").reason, acp::StopReason::cancelled);
}

TEST_P(Turns, AskForPermission) {
  using Kind = acp::PermissionOptionKind;
  const acp::Session session = open_session();
  const std::pair<Kind, const char*> kinds[] = {{Kind::allow_once, "allow_once"},
                                                {Kind::allow_always, "allow_always"},
                                                {Kind::reject_once, "reject_once"},
                                                {Kind::reject_always, "reject_always"}};
  for (const auto& [kind, name] : kinds) {
    permission = [kind = kind](const auto&, const auto&) { return acp::Decision(kind); };
    EXPECT_EQ(turn(session, "permission").text, name);
  }
  permission = [](const auto&, const v1::RequestPermissionRequest& request) {
    return acp::Decision(request.options[2].optionId);
  };
  EXPECT_EQ(turn(session, "permission").text, "allow_always");
  for (const auto& answer : {acp::Decision::cancelled(), acp::Decision("no such option")}) {
    permission = [answer](const auto&, const auto&) { return answer; };
    EXPECT_EQ(turn(session, "permission").reason, acp::StopReason::cancelled);
  }
  permission = [](const auto&, const auto&) -> acp::Decision {
    throw std::runtime_error("a secret of the client's");
  };
  const std::string told = turn(session, "permission").text;
  EXPECT_TRUE(told.starts_with("failed -32603 ")) << told;
  EXPECT_EQ(told.find("secret"), std::string::npos) << told;
}

TEST_P(Turns, AreGrantedNothingByAClientWithoutAnAnswer) {
  acp::Client plain("plain", "1.0");
  std::vector<std::string> command = {"node", "interop/sdk_agent.mjs"};
  if (unstable()) command.push_back("unstable");
  const acp::Session session = plain.spawn(command).wait().new_session("/project").wait();
  EXPECT_EQ(turn(session, "permission").text, "reject_once");
  for (const char* words : {"read /project/a", "write /project/a x", "terminal echo", "elicit"}) {
    const std::string told = turn(session, words).text;
    EXPECT_TRUE(told.starts_with("failed -32601 ")) << words << ": " << told;
  }
}

TEST_P(Turns, ReadAndWriteFiles) {
  const acp::Session session = open_session();
  EXPECT_EQ(turn(session, "read /project/project/notes.txt").text, "one\ntwo\nthree\nfour\n");
  EXPECT_EQ(turn(session, "read /project/project/notes.txt 2 2").text, "two\nthree\n");
  const std::string missing = turn(session, "read /project/none").text;
  EXPECT_TRUE(missing.starts_with("failed -32002 ")) << missing;
  EXPECT_TRUE(missing.ends_with(R"({"uri":"/project/none"})")) << missing;
  EXPECT_EQ(turn(session, "write /project/project/new.txt some text").text, "written");
  EXPECT_EQ(files["/project/project/new.txt"], "some text");
  for (const char* words : {"read notes.txt", "write notes.txt x"}) {
    const std::string told = turn(session, words).text;
    EXPECT_TRUE(told.starts_with("failed -32602 ")) << told;
  }
}

TEST_P(Turns, UseTerminals) {
  const acp::Session session = open_session();
  EXPECT_EQ(turn(session, "terminal echo out").text, "out\n[0]");
  EXPECT_EQ(turn(session, "kill sleep").text, "[SIGKILL]");
  EXPECT_EQ(turn(session, "time-out sleep").text, "[SIGKILL]");
  EXPECT_EQ(terminals.open(), 0u);
  const Json unknown = Json::object({{"sessionId", session.id()}, {"terminalId", "none"}});
  const std::string told = turn(session, "ext terminal/output " + unknown.text()).text;
  EXPECT_TRUE(told.starts_with("failed -32002 ")) << told;
}

TEST_P(Turns, AskTheUser) {
  const acp::Session session = open_session();
  v1::ElicitationAcceptAction named;
  named.content.emplace();
  (*named.content)["name"] = std::string("Ada");
  const auto answer = [&](v1::ElicitationAction action) {
    elicitation = [action](const auto&) {
      v1::CreateElicitationResponse response;
      response.action = action;
      return response;
    };
  };
  answer(named);
  EXPECT_EQ(turn(session, "elicit").text, "accept Ada");
  answer(v1::ElicitationAcceptAction());
  EXPECT_EQ(turn(session, "elicit-url").text, "accept");
  EXPECT_EQ(inbox.take("elicitation/complete"), Json::object({{"elicitationId", "e1"}}));
  for (const char* word : {"elicit", "elicit-url"}) {
    answer(v1::ElicitationDeclineAction());
    EXPECT_EQ(turn(session, word).text, "decline");
    answer(v1::ElicitationCancelAction());
    EXPECT_EQ(turn(session, word).text, "cancel");
  }
  EXPECT_TRUE(inbox.empty("elicitation/complete"));
}

TEST_P(TurnsUnstable, SpeakMcpOverAcp) {
  const acp::AgentHandle agent = start();
  v1::NewSessionRequest request;
  request.cwd = "/project";
  v1::McpServerAcp server;
  server.name = "ours";
  server.serverId = "srv";
  request.mcpServers = {server};
  const acp::Session session = agent.new_session(request).wait();
  mcp = [] {
    v1::McpResult result;
    result.result = Json::object({{"tools", Json::array()}});
    return v1::MessageMcpResponse(result);
  };
  EXPECT_EQ(turn(session, "mcp tools/list").text, R"({"tools":[]})");
  const Json asked = inbox.take("mcp/message");
  EXPECT_EQ(asked["serverId"].as_string(), "srv");
  mcp = [] {
    v1::McpFailure failed;
    failed.error.code = -33001;
    failed.error.message = "gone";
    return v1::MessageMcpResponse(failed);
  };
  EXPECT_EQ(turn(session, "mcp tools/list").text, "-33001");
  v1::MessageMcpNotification note;
  note.serverId = "srv";
  note.requestId = "r9";
  note.method = "notifications/progress";
  note.params = Json::object();
  agent.peer().notify(note).wait();
  const Json noted = inbox.take("_agent/noted");
  EXPECT_EQ(noted["method"].as_string(), note.method);
  turn(session, "auth-update");
  const Json status = inbox.take("auth/status_update");
  EXPECT_EQ(status["state"].as_string(), "unknown");
}

const auto entry_point = [](const auto& info) -> std::string {
  return info.param ? "unstable" : "stable";
};
INSTANTIATE_TEST_SUITE_P(EntryPoint, Turns, testing::Bool(), entry_point);
INSTANTIATE_TEST_SUITE_P(EntryPoint, TurnsUnstable, testing::Values(true), entry_point);

}  // namespace
}  // namespace interop
