// An agent of plain functions, which block: it counts the lines of a file that the prompt names, by
// the client's terminal if the user allows it, else by reading the file.
#include <acp/agent.h>
#include <acp/mcp/session_servers.h>
#include <acp/schema/v1.h>

#include <algorithm>

namespace {

using acp::ToolKind;
using acp::Turn;

std::string count_by_command(const Turn& turn, const std::string& path) {
  const acp::ToolCall call = turn.tool_call("wc -l " + path, ToolKind::execute);
  if (!call.ask_permission_for("wc").wait().allowed) return {};
  call.start().wait();
  acp::CommandOptions options;
  options.args = {"-l", path};
  const acp::CommandResult result = turn.run_command("wc", options).wait();
  if (result.exit_code != 0) {
    call.fail(result.output).wait();
    return {};
  }
  call.complete(result.output).wait();
  return result.output.substr(0, result.output.find(' '));
}

std::string count_by_reading(const Turn& turn, const std::string& path) {
  const acp::ToolCall call = turn.tool_call("Reading " + path, ToolKind::read);
  call.start().wait();
  const std::string text = turn.read_file(path).wait();
  call.complete().wait();
  return std::to_string(std::ranges::count(text, '\n'));
}

acp::StopReason answer(const Turn& turn) {
  const std::string path = turn.text();
  if (!path.starts_with('/')) {
    turn.say("Which file? I need its absolute path.\n").wait();
    return acp::StopReason::end_turn;
  }
  try {
    std::string lines;
    if (turn.client_capabilities().terminal) lines = count_by_command(turn, path);
    if (lines.empty()) lines = count_by_reading(turn, path);
    turn.say(path + " has " + lines + " lines.\n").wait();
  } catch (const acp::Cancelled&) {
    throw;
  } catch (const acp::Error& error) {  // the client cannot do it: the user reads why
    turn.say(std::string("I cannot count them: ") + error.what() + "\n").wait();
  }
  return acp::StopReason::end_turn;
}

}  // namespace

int main() {
  acp::Agent agent("plain", "1.0");
  acp::mcp::SessionServers servers("plain", "1.0");
  servers.install(agent);
  return agent.on_prompt(answer).run(acp::stdio());
}
