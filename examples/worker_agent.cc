// An agent that works with files and commands, for clients of both versions of the protocol
// (ACP_V2=1 in the environment). Version 1: those of the client. Version 2, where clients have
// none: those of this machine. Its words:
//   read PATH, write PATH TEXT, run COMMAND, watch COMMAND
// Each is a tool call, which a client of version 2 may cancel alone. What is watched goes on in the
// background.
#include <acp/agent.h>
#include <acp/mcp/session_servers.h>
#include <acp/workspace/serve_locally.h>

#include <algorithm>
#include <string>
#include <utility>

namespace {

using acp::StopReason;
using acp::Task;
using acp::ToolKind;
using acp::Turn;

// The first word of a text, which loses it.
std::string take_word(std::string& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word = text.substr(0, end);
  text.erase(0, std::min(end + 1, text.size()));
  return word;
}

std::string absolute(const Turn& turn, const std::string& path) {
  return path.starts_with('/') ? path : turn.cwd() + "/" + path;
}

// Each returns what the tool call ends with. All they wait for ends when the call is cancelled.
Task<std::string> read(acp::SessionContext context, std::string path) {
  std::string text = co_await context.read_file(path);
  co_return text;
}

Task<std::string> write(acp::SessionContext context, std::string path, std::string text) {
  co_await context.write_file(path, text);
  co_return "written";
}

Task<std::string> run(acp::SessionContext context, acp::ToolCall call, std::string command) {
  const acp::Terminal terminal = co_await context.create_terminal(command);
  co_await call.add_terminal(terminal);
  const acp::CommandResult result = co_await terminal.finish();
  co_return result.signal ? "ended by " + *result.signal
                          : "exit code " + std::to_string(result.exit_code.value_or(0));
}

// Ends the call with what the work has given, or with the reason why it has not.
Task<std::string> end(acp::ToolCall call, Task<std::string> work) {
  std::string outcome, failure;
  try {
    co_await call.start();
    outcome = co_await std::move(work);
  } catch (const acp::Cancelled&) {
    failure = "cancelled";
  } catch (const acp::Error& error) {
    failure = error.what();
  }
  if (failure.empty())
    co_await call.complete(outcome);
  else
    co_await call.fail(failure);
  co_return failure.empty() ? outcome : "failed: " + failure;
}

Task<void> watch(acp::ToolCall call, std::string command) {
  co_await end(call, run(call.context(), call, command));
}

Task<StopReason> work(Turn turn) {
  std::string rest = turn.text();
  const std::string word = take_word(rest);
  if (word == "watch") {
    const acp::ToolCall call = turn.tool_call(rest, ToolKind::execute);
    const auto watching = [rest](acp::ToolCall call) { return watch(call, rest); };
    co_await call.background(watching);
    co_await turn.say("watching");
  } else if (word == "read" || word == "write" || word == "run") {
    const ToolKind kind = word == "read"    ? ToolKind::read
                          : word == "write" ? ToolKind::edit
                                            : ToolKind::execute;
    const acp::ToolCall call = turn.tool_call(turn.text(), kind);
    const acp::SessionContext context = call.context();
    const std::string path = word == "run" ? "" : absolute(turn, take_word(rest));
    Task<std::string> task = word == "read"    ? read(context, path)
                             : word == "write" ? write(context, path, rest)
                                               : run(context, call, rest);
    const std::string outcome = co_await end(call, std::move(task));
    co_await turn.say(outcome);
  } else {
    co_await turn.say("I understand: read PATH, write PATH TEXT, run COMMAND, watch COMMAND");
  }
  co_return StopReason::end_turn;
}

}  // namespace

int main() {
  acp::Agent agent("worker", "1.0");
  acp::mcp::SessionServers servers("worker", "1.0");
  servers.install(agent);
  agent.versions_from_environment().on_prompt(work);
  acp::workspace::serve_locally(agent);
  return agent.run(acp::stdio());
}
