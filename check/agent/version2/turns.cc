// Turns of version 2: what a prompt may contain, how it is answered, and how its turn ends.
#include <algorithm>

#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

Json text_block(const std::string& text) {
  return Json::object({{"type", "text"}, {"text", text}});
}

// The content of the user's message as it came back; null if it did not.
Json echoed(const AgentClient& client, const std::string& session, Turn& turn) {
  const std::string id = turn.message_id();
  Json content;
  for (std::size_t i = turn.first_update(); i < client.updates.size(); ++i) {
    const Update& update = client.updates[i];
    if (update.session != session || update.update["messageId"].as_string() != id) continue;
    if (update.kind == "user_message" && update.update["content"].is_array())
      content = Json(update.update["content"]);
    if (update.kind != "user_message_chunk") continue;
    if (content.absent()) content = Json::array();
    content.append(Json(update.update["content"]));
  }
  return content;
}

// What was sent, without what an agent may leave out or add.
bool same_content(const Json& sent, const Json& back) {
  if (sent.size() != back.size()) return false;
  std::vector<JsonView> blocks;
  for (const JsonView block : back.elements()) blocks.push_back(block);
  std::size_t i = 0;
  for (const JsonView block : sent.elements()) {
    for (const auto& [key, value] : block.members())
      if (!(blocks[i][key] == value)) return false;
    ++i;
  }
  return true;
}

void expect_echo(AgentClient& client, const std::string& session, Turn& turn, const Json& sent) {
  const Json back = echoed(client, session, turn);
  if (back.absent()) return client.run().report.skip("A2-TURN-7", "no message came back");
  client.run().report.expect("A2-TURN-7", same_content(sent, back),
                             "sent was " + sent.text() + ", back came " + back.text());
}

void expect_turn(AgentClient& client, const std::string& session, std::string_view id,
                 const Json& block) {
  AgentRun& run = client.run();
  const Json blocks = Json::array({text_block(run.prompt("hello")), block});
  Turn turn(client, session, blocks);
  turn.wait();
  run.report.expect(id, turn.well(), turn.describe());
  if (turn.well()) expect_echo(client, session, turn, blocks);
}

void check_content(AgentClient& client, const std::string& session) {
  AgentRun& run = client.run();
  const std::string uri = "file://" + run.folder + "/notes.txt";
  expect_turn(client, session, "A2-TURN-8", text_block(run.prompt("hello")));
  expect_turn(client, session, "A2-TURN-9",
              Json::object({{"type", "resource_link"}, {"uri", uri}, {"name", "notes.txt"}}));
  const Json capabilities = client.agent_capabilities();
  const JsonView prompt = capabilities.view()["session"]["prompt"];
  const auto try_kind = [&](std::string_view kind, std::string_view id, const Json& block) {
    if (prompt[kind].is_object())
      expect_turn(client, session, id, block);
    else
      run.report.skip(id, "session.prompt." + std::string(kind) + " is not advertised");
  };
  try_kind("image", "A2-TURN-10", picture_block());
  try_kind("audio", "A2-TURN-11", sound_block());
  try_kind("embeddedContext", "A2-TURN-12", resource_block(uri));

  Turn odd(client, session,
           Json::array({Json::object({{"type", "_acp.check/odd"}, {"of", "it"}})}));
  odd.wait();
  run.report.expect("A2-TURN-13", odd.answer().code() == -32602,
                    "for content of an unknown type, " + odd.describe());
  if (!odd.answer().refused()) return run.report.skip("A2-TURN-14", "the prompt was not refused");
  client.still_there();
  std::string left;
  for (std::size_t i = odd.first_update(); i < client.updates.size(); ++i)
    if (client.updates[i].session == session && client.updates[i].kind.starts_with("user_message"))
      left = client.updates[i].update.text();
  run.report.expect("A2-TURN-14", left.empty(), "of a prompt that was refused: " + left);
}

void check_plan(AgentClient& client, const std::string& session) {
  AgentRun& run = client.run();
  const std::size_t from = client.updates.size();
  client.prompt(session, run.prompt("plan"));
  std::vector<Json> plans;
  for (std::size_t i = from; i < client.updates.size(); ++i)
    if (client.updates[i].kind == "plan_update" &&
        client.updates[i].update["plan"]["type"].as_string() == "items")
      plans.emplace_back(client.updates[i].update["plan"]["entries"]);
  expect_whole_plans(run, plans);
}

void check_commands(AgentClient& client, JsonView opened) {
  bool any = opened["availableCommands"].size() > 0;
  if (any) expect_commands(client.run(), opened["availableCommands"]);
  for (const Update& update : client.updates) {
    const JsonView commands = update.update["availableCommands"];
    if (update.kind != "available_commands_update" || commands.size() == 0) continue;
    any = true;
    expect_commands(client.run(), commands);
  }
  if (!any) skip_all(client.run(), {"A2-COMMAND-1", "A2-COMMAND-2"}, "the agent has no commands");
}

}  // namespace

void check_turns(AgentRun& run) {
  AgentClient& client = run.client();
  const auto ids = {"A2-TURN-1",  "A2-TURN-3",    "A2-TURN-7",   "A2-TURN-8",  "A2-TURN-9",
                    "A2-TURN-10", "A2-TURN-11",   "A2-TURN-12",  "A2-TURN-13", "A2-TURN-14",
                    "A2-PLAN-1",  "A2-COMMAND-1", "A2-COMMAND-2"};
  Reply opened;
  if (client.open()) opened = client.new_session_in(run.folder);
  const auto session = opened["sessionId"].as_string();
  if (!opened.ok() || !session) {
    for (const char* const id : ids) run.report.skip(id, "no session could be opened");
    return;
  }
  Turn hello(client, *session, run.prompt("hello"));
  hello.wait();
  run.report.expect("A2-TURN-1", !hello.message_id().empty(), hello.describe());
  if (!hello.answer().ok())
    run.report.skip("A2-TURN-3", "the prompt was not taken");
  else
    run.report.expect("A2-TURN-3", hello.over(), hello.describe());
  if (hello.well()) expect_echo(client, *session, hello, text_blocks(run.prompt("hello")));
  check_content(client, *session);
  check_plan(client, *session);
  // What works, for the rules to look at.
  for (const char* const kind : {"read", "run"}) client.prompt(*session, run.prompt(kind));
  check_commands(client, opened.body);
  client.still_there();
}

void check_last_turn(AgentRun& run) {
  AgentClient client(run, AgentClient::no_capabilities(2));
  const auto session = open_session(client, {"A-EXIT-3"});
  if (!session) return;
  if (run.options.over_network)
    return run.report.skip("A-EXIT-3", "what is started here is only the way to the server");
  Turn turn(client, *session, run.prompt("slow"));
  wait_reported(client, turn);
  client.wire().close_output();
  const auto status = client.program().wait_exit(run.options.timeout);
  run.report.expect("A-EXIT-3", status.has_value(),
                    "still running when the time was over, with a turn that had begun");
}

}  // namespace acp::check::version2
