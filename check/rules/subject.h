// The subject of a tool call: the files that it changes, the command that it runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"

namespace acp::check {

struct Subject {
  std::vector<std::string> paths;  // of diffs, and of the raw input
  std::string command;             // of the raw input; empty if it names none
  std::string title;
  bool reads = false;  // the kind says that nothing is changed

  // Adds the data of a ToolCall or a ToolCallUpdate.
  void add(JsonView tool_call);
  bool names_path(std::string_view path) const;
  // Whether the command line runs the command; or is the title, if no command is named.
  bool names_command(std::string_view line) const;
};

// The command of terminal/create, with its arguments.
std::string command_line(JsonView params);
// Whether the line contains the command, whatever shell and quotes are around it.
bool runs(std::string_view line, std::string_view command);

}  // namespace acp::check
