// run: a command, in the client's terminal or here.
#include <algorithm>

#include "acp/workspace/command.h"
#include "acp/workspace/output_buffer.h"
#include "coder/tools/paced_progress.h"
#include "coder/tools/tool.h"

namespace acp::coder {

namespace {

constexpr std::uint64_t most_seconds = 3600;
// What is shown of a command that runs here.
constexpr std::size_t shown_bytes = 8 * 1024;

constexpr const char* warning =
    "A command can read, change and send anything that you can, inside this project or not.";

std::string how_it_ended(const CommandOutcome& outcome, std::uint64_t seconds) {
  if (outcome.timed_out) return "timed out: killed after " + std::to_string(seconds) + " s";
  if (outcome.lost)
    return "failed: it is not known how the command ended, because it or another one killed the "
           "process that watched over it; what the command had started was killed, too";
  if (outcome.exit_code) return "exit code " + std::to_string(*outcome.exit_code);
  return "ended by signal " + (outcome.signal.empty() ? "(unknown)" : outcome.signal);
}

// The last of what a command prints here, told as it comes.
class LiveOutput {
 public:
  explicit LiveOutput(const ToolProgress& progress) : progress_(progress) {}
  void add(std::string_view text) {
    buffer_.append(text);
    progress_.tell({text_content(buffer_.text())});
  }

 private:
  PacedProgress progress_;
  workspace::OutputBuffer buffer_{shown_bytes};
};

ToolResult run(ToolHost& host, const CommandWanted& wanted, std::size_t most,
               const ToolProgress& progress) {
  LiveOutput live(progress);
  std::string terminal_id;
  CommandProgress told;
  told.on_terminal = [&](const std::string& id) {
    terminal_id = id;
    v1::Terminal terminal;
    terminal.terminalId = id;
    progress({terminal});
  };
  told.on_output = [&](std::string_view text) { live.add(text); };
  CommandOutcome outcome;
  try {
    outcome = host.run(wanted, told);
  } catch (const workspace::CommandFailed& error) {
    throw ToolFailed(error.what());
  }

  ToolResult result;
  const std::string end = how_it_ended(outcome, wanted.seconds);
  workspace::OutputBuffer last(most);
  last.append(outcome.output);
  last.finish();
  const bool truncated = outcome.truncated || last.truncated();
  std::string output = truncated ? "[the beginning is left out]\n" : "";
  output += last.text();
  if (!output.empty() && !output.ends_with('\n')) output += '\n';
  result.text = output + "[" + end + "]";
  result.failed = outcome.timed_out || outcome.lost;
  const bool bad = result.failed || outcome.exit_code != 0u;
  std::vector<v1::ToolCallContent> as_text = {
      text_content(bad || output.empty() ? result.text : output)};
  if (terminal_id.empty()) {
    result.content = std::move(as_text);
  } else {
    v1::Terminal terminal;
    terminal.terminalId = terminal_id;
    result.content = {terminal};
    // The client's terminal shows no reason of ours.
    if (result.failed) result.content.push_back(text_content("[" + end + "]"));
    result.kept_content = std::move(as_text);
  }
  Json raw = Json::object({{"truncated", truncated}, {"timedOut", outcome.timed_out}});
  raw.set("output", bounded(std::string(last.text()), shown_bytes));
  if (outcome.exit_code) raw.set("exitCode", *outcome.exit_code);
  if (!outcome.signal.empty()) raw.set("signal", outcome.signal);
  result.raw_output = raw;
  return result;
}

PreparedCall prepare_run(JsonView arguments, ToolHost& host, const ToolLimits& limits) {
  CommandWanted wanted;
  wanted.command = string_argument(arguments, "command");
  if (wanted.command.find_first_not_of(" \t\r\n") == std::string::npos)
    throw ToolFailed("the command is empty");
  // What stands after it would be shown, asked for, and not run.
  if (wanted.command.find('\0') != std::string::npos)
    throw ToolFailed("the command has a NUL in it");
  wanted.cwd = absolute_path(host, optional_string(arguments, "cwd").value_or("."));
  wanted.seconds = std::clamp<std::uint64_t>(
      optional_number(arguments, "timeout_seconds").value_or(limits.command_seconds), 1,
      most_seconds);
  // Inside the session's directories, and there.
  host.files().boundary().open_directory(wanted.cwd);
  PreparedCall call;
  call.title = "`" + wanted.command + "`";
  const std::string where = shown_path(host, wanted.cwd);
  if (where != ".") call.title += " in " + where;
  call.locations = {location(wanted.cwd)};
  call.command = wanted.command;
  call.directory = wanted.cwd;
  call.content = {text_content(warning)};
  call.run = [&host, wanted, most = limits.output_bytes](const ToolProgress& progress) {
    return run(host, wanted, most, progress);
  };
  return call;
}

}  // namespace

std::unique_ptr<Tool> run_tool(const ToolLimits& limits) {
  return make_tool(
      tool_spec(
          "run",
          "Runs a command line in a shell, in the working directory unless cwd says another, and "
          "gives its output and exit code. There is no keyboard: a command that asks gets no "
          "answer. It is killed after timeout_seconds. The keys of model providers are not in its "
          "environment.",
          R"({"command":{"type":"string"},"cwd":{"type":"string"},"timeout_seconds":{"type":"integer","minimum":1}})",
          R"("command")"),
      v1::ToolKind::execute, false, [limits](JsonView arguments, ToolHost& host) {
        return prepare_run(arguments, host, limits);
      });
}

}  // namespace acp::coder
