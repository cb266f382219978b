#include "chat/render/call_text.h"

#include <vector>

#include "acp/io/printable.h"
#include "acp/io/process/process.h"
#include "chat/render/question_view.h"

namespace acp::chat {

using io::one_line;

// Words that are no text make it a command that nobody knows.
std::string command_of(const ToolCallState& call) {
  const JsonView input = call.raw_input.view();
  const JsonView command = input["command"].absent() ? input["cmd"] : input["command"];
  const JsonView args = input["args"];
  std::vector<std::string> words;
  const auto take = [&](const JsonView& list) {
    for (const JsonView word : list.elements()) {
      const auto text = word.as_string();
      if (!text) return false;
      words.push_back(*text);
    }
    return list.is_array();
  };
  if (const auto line = command.as_string()) {
    if (args.absent() || args.is_null() || (args.is_array() && args.size() == 0)) return *line;
    words.push_back(*line);
    return take(args) ? io::command_line(words) : "";
  }
  return take(command) && !words.empty() ? io::command_line(words) : "";
}

std::string directory_said(const ToolCallState& call) {
  const JsonView input = call.raw_input.view();
  for (const char* name : {"cwd", "workdir", "working_directory", "workingDirectory", "directory"})
    if (const auto path = input[name].as_string(); path && !path->empty()) return *path;
  return {};
}

std::string failed_exit_said(const ToolCallState& call) {
  if (call.kind != v1::ToolKind::execute) return {};
  const JsonView output = call.raw_output.view();
  if (const auto signal = output["signal"].as_string(); signal && !signal->empty())
    return "killed by " + one_line(*signal);
  const auto code = output["exitCode"].as_int64();
  return code && *code != 0 ? "exit " + std::to_string(*code) : "";
}

std::string describe(const ToolCallState& call) {
  std::string text(to_string(call.kind));
  const std::string command = call.kind == v1::ToolKind::execute ? command_of(call) : "";
  if (!command.empty())
    text += " `" + command_line_of(command) + "`";
  else if (!call.title.empty())
    text += ": " + one_line(call.title);
  else
    text += ": " + one_line(call.id);
  return text;
}

}  // namespace acp::chat
