// An agent with tools: it looks at a file, proposes a change, asks before it makes it, and runs the
// tests in the client's terminal. Where a model would decide, this one has a fixed plan; the tools
// of the session's MCP servers, which a model would be offered, it only names.
#include <acp/agent.h>
#include <acp/mcp/session_servers.h>
#include <acp/schema/v1.h>

#include <optional>

namespace {

using acp::StopReason;
using acp::Task;
using acp::ToolKind;
using acp::Turn;

// What is changed: every TODO becomes DONE.
std::string changed(std::string text) {
  for (std::size_t at = 0; (at = text.find("TODO", at)) != std::string::npos; at += 4)
    text.replace(at, 4, "DONE");
  return text;
}

// What a client cannot do is no failure of the turn: the call has failed, and the user hears why.
Task<void> say_failure(Turn turn, acp::ToolCall call, std::string what, std::string why) {
  co_await call.fail(why);
  co_await turn.say("I cannot " + what + ": " + why + "\n");
}

// Nothing if it cannot be read.
Task<std::optional<std::string>> read(Turn turn, std::string path) {
  const acp::ToolCall call = turn.tool_call("Reading " + path, ToolKind::read);
  std::string text, failure;
  try {
    co_await call.add_location(path);
    co_await call.start();
    text = co_await turn.read_file(path);
  } catch (const acp::CallFailed& failed) {
    failure = failed.what();
  } catch (const acp::Refused& refused) {  // not offered, or the path is not absolute
    failure = refused.what();
  }
  if (!failure.empty()) {
    co_await say_failure(turn, call, "read " + path, failure);
    co_return std::nullopt;
  }
  co_await call.complete(std::to_string(text.size()) + " bytes");
  co_return text;
}

// False if the user does not allow it, or it cannot be written.
Task<bool> write(Turn turn, std::string path, std::string before, std::string after) {
  const acp::ToolCall call = turn.tool_call("Editing " + path, ToolKind::edit);
  co_await call.add_diff(path, before, after);
  // Pending until it is allowed. "Always" is remembered for the session under this key.
  const acp::Permission permission = co_await call.ask_permission_for("edit");
  if (!permission.allowed) {
    co_await turn.say("As you wish: nothing was changed.");
    co_return false;
  }
  std::string failure;
  try {
    co_await call.start();
    co_await turn.write_file(path, after);
  } catch (const acp::CallFailed& failed) {
    failure = failed.what();
  } catch (const acp::Refused& refused) {
    failure = refused.what();
  }
  if (!failure.empty()) {
    co_await say_failure(turn, call, "write " + path, failure);
    co_return false;
  }
  co_await call.complete();
  co_return true;
}

Task<void> test(Turn turn) {
  const acp::ToolCall call = turn.tool_call("make test", ToolKind::execute);
  acp::CommandOptions options;
  options.args = {"test"};
  options.time_out = std::chrono::minutes(1);
  acp::CommandResult result;
  std::string failure;
  try {
    const acp::Terminal terminal = co_await turn.create_terminal("make", options);
    co_await call.add_terminal(terminal);
    co_await call.start();
    result = co_await terminal.finish();
  } catch (const acp::CallFailed& failed) {
    failure = failed.what();
  }
  if (!failure.empty())
    co_await say_failure(turn, call, "run the tests", failure);
  else if (result.exit_code == 0)
    co_await call.complete();
  else if (result.timed_out)
    co_await call.fail("timed out");
  else
    co_await call.fail("the tests fail");
}

Task<StopReason> work(Turn turn, acp::mcp::SessionServers servers) {
  const std::string path = turn.text();
  acp::Plan plan = turn.make_plan();
  co_await plan.add("Read the file", acp::PlanEntryPriority::high);
  co_await plan.add("Change it");
  co_await plan.add("Run the tests");

  const std::optional<std::string> found = co_await read(turn, path);
  if (!found) co_return StopReason::end_turn;
  const std::string& before = *found;
  co_await plan.set(0, acp::PlanEntryStatus::completed);
  const std::string after = changed(before);
  if (!co_await write(turn, path, before, after)) co_return StopReason::end_turn;
  co_await plan.set(1, acp::PlanEntryStatus::completed);
  if (turn.client_capabilities().terminal) co_await test(turn);
  co_await plan.set(2, acp::PlanEntryStatus::completed);
  co_await turn.say("Done.\n" + servers.describe(turn.session_id()));
  co_return StopReason::end_turn;
}

}  // namespace

int main() {
  acp::Agent agent("tools", "1.0");
  acp::mcp::SessionServers servers("tools", "1.0");
  servers.install(agent);
  return agent.on_prompt([servers](Turn turn) { return work(turn, servers); }).run(acp::stdio());
}
