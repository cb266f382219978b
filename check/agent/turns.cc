// Prompt turns: what they may contain, files, terminals, plans, commands.
#include <algorithm>
#include <set>

#include "check/agent/scenarios.h"

namespace acp::check {

namespace {

// A picture of one point, and silence.
constexpr std::string_view picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg"
    "==";
constexpr std::string_view sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

Json text_block(const std::string& text) {
  return Json::object({{"type", "text"}, {"text", text}});
}

void expect_turn(AgentClient& client, const std::string& session, std::string_view id,
                 const Json& block) {
  AgentRun& run = client.run();
  const Json blocks = Json::array({text_block(run.prompt("hello")), block});
  const Reply reply =
      client.call("session/prompt", Json::object({{"sessionId", session}, {"prompt", blocks}}));
  run.report.expect(id, !stop_reason(reply).empty(),
                    "the prompt was answered with " + reply.describe());
}

void check_content(AgentClient& client, const std::string& session) {
  AgentRun& run = client.run();
  const std::string uri = "file://" + run.folder + "/notes.txt";
  expect_turn(client, session, "A-TURN-2", text_block(run.prompt("hello")));
  expect_turn(client, session, "A-TURN-3",
              Json::object({{"type", "resource_link"}, {"uri", uri}, {"name", "notes.txt"}}));
  const Json capabilities = client.agent_capabilities();
  const auto advertised = [&](std::string_view kind) {
    return capabilities["promptCapabilities"][kind].as_bool() == true;
  };
  if (advertised("image"))
    expect_turn(client, session, "A-TURN-4", picture_block());
  else
    run.report.skip("A-TURN-4", "pictures are not advertised");
  if (advertised("audio"))
    expect_turn(client, session, "A-TURN-5", sound_block());
  else
    run.report.skip("A-TURN-5", "sound is not advertised");
  if (advertised("embeddedContext"))
    expect_turn(client, session, "A-TURN-6", resource_block(uri));
  else
    run.report.skip("A-TURN-6", "embedded resources are not advertised");
}

}  // namespace

Json picture_block() {
  return Json::object({{"type", "image"}, {"data", picture}, {"mimeType", "image/png"}});
}
Json sound_block() {
  return Json::object({{"type", "audio"}, {"data", sound}, {"mimeType", "audio/wav"}});
}
Json resource_block(const std::string& uri) {
  const Json inside = Json::object({{"uri", uri}, {"text", "one\n"}, {"mimeType", "text/plain"}});
  return Json::object({{"type", "resource"}, {"resource", inside}});
}

void expect_commands(AgentRun& run, JsonView commands) {
  std::set<std::string> names;
  std::string spelt;
  for (const JsonView command : commands.elements()) {
    const std::string name = command["name"].as_string().value_or("");
    names.insert(name);
    if (name.find_first_of("/ \t\n") != std::string::npos) spelt = name;
  }
  run.report.expect(run.number("COMMAND-1"), names.size() == commands.size(),
                    "a name stands there twice: " + std::string(commands.text()));
  run.report.expect(run.number("COMMAND-2"), spelt.empty(), "a command is named \"" + spelt + "\"");
}

void expect_whole_plans(AgentRun& run, const std::vector<Json>& plans) {
  for (std::size_t i = 1; i < plans.size(); ++i)
    for (const JsonView old : plans[i - 1].elements()) {
      const auto status = old["status"].as_string();
      bool there = status == "completed" || status == "cancelled";
      for (const JsonView entry : plans[i].elements())
        there = there || entry["content"] == old["content"];
      run.report.expect(run.number("PLAN-1"), there,
                        "the next update is without " + std::string(old.text()));
    }
  if (plans.size() == 1) run.report.pass(run.number("PLAN-1"));
  if (plans.empty()) run.report.skip(run.number("PLAN-1"), "the agent made no plan");
}

namespace {

void check_commands(AgentClient& client) {
  AgentRun& run = client.run();
  bool any = false;
  for (const Update& update : client.updates) {
    const JsonView commands = update.update["availableCommands"];
    if (update.kind != "available_commands_update" || commands.size() == 0) continue;
    any = true;
    expect_commands(run, commands);
  }
  if (!any)
    skip_all(run, {"A-COMMAND-1", "A-COMMAND-2"}, "the agent sent no available_commands_update");
}

void check_plan(AgentClient& client, const std::string& session) {
  AgentRun& run = client.run();
  const std::size_t from = client.updates.size();
  client.prompt(session, run.prompt("plan"));
  std::vector<Json> plans;
  for (std::size_t i = from; i < client.updates.size(); ++i)
    if (client.updates[i].kind == "plan") plans.emplace_back(client.updates[i].update["entries"]);
  expect_whole_plans(run, plans);
}

// The prompt, with a client that fails at what it makes the agent ask for.
void check_failing(AgentClient& client, const std::string& session, std::string_view id,
                   const std::string& text, std::initializer_list<std::string_view> methods,
                   std::string_view otherwise) {
  AgentRun& run = client.run();
  const std::size_t from = client.calls.size();
  const Reply reply = client.prompt(session, text);
  const bool asked = std::ranges::any_of(
      methods, [&](std::string_view method) { return client.count_calls(method, from) > 0; });
  if (!asked) return run.report.skip(id, std::string(otherwise));
  run.report.expect(id, reply.answered(), "the prompt got " + reply.describe());
}

}  // namespace

void check_turns(AgentRun& run) {
  AgentClient& client = run.client();
  const auto session = open_session(
      client, {"A-TURN-1", "A-TURN-2", "A-TURN-3", "A-TURN-4", "A-TURN-5", "A-TURN-6",
               "A-COMMAND-1", "A-COMMAND-2", "A-PLAN-1", "A-FS-1", "A-FS-2", "A-TERM-11"});
  if (!session) return;
  const Reply hello = client.prompt(*session, run.prompt("hello"));
  run.report.expect("A-TURN-1", !stop_reason(hello).empty(),
                    "the prompt was answered with " + hello.describe());
  check_content(client, *session);
  check_plan(client, *session);
  // What works, for the rules to look at.
  client.prompt(*session, run.prompt("read"));
  client.prompt(*session, run.prompt("run"));
  check_commands(client);

  client.fs_fails = true;
  check_failing(client, *session, "A-FS-1", run.prompt("read"), {"fs/read_text_file"},
                "the agent read no file through the client");
  check_failing(client, *session, "A-FS-2", run.prompt("write", run.new_file()),
                {"fs/write_text_file"}, "the agent wrote no file through the client");
  client.fs_fails = false;
  client.terminal_fails = true;
  check_failing(client, *session, "A-TERM-11", run.prompt("run"), {"terminal/create"},
                "the agent asked for no terminal");
  client.terminal_fails = false;
  client.still_there();
}

void check_bare_client(AgentRun& run) {
  AgentClient client(run, AgentClient::no_capabilities());
  const auto session = open_session(client, {"A-TURN-7", "A-EXIT-3"});
  if (!session) return;
  for (const std::string& text :
       {run.prompt("read"), run.prompt("write", run.new_file()), run.prompt("run")}) {
    const Reply reply = client.prompt(*session, text);
    run.report.expect("A-TURN-7", reply.answered(), "\"" + text + "\" got " + reply.describe());
  }
  if (run.options.over_network)
    return run.report.skip("A-EXIT-3", "what is started here is only the way to the server");
  const std::size_t from = client.updates.size();
  const Json turn = client.ask_prompt(*session, run.prompt("slow"));
  client.until([&] { return client.updates.size() > from || client.gone(); },
               std::min(run.options.timeout, std::chrono::milliseconds(5000)));
  client.wire().close_output();
  const auto status = client.program().wait_exit(run.options.timeout);
  run.report.expect("A-EXIT-3", status.has_value(),
                    "still running when the time was over, with a turn that had begun");
}

}  // namespace acp::check
