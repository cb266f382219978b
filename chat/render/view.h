// How a session is drawn.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "acp/session_state.h"

namespace acp::chat {

struct View {
  std::size_t columns = 80;
  // Paths below it are shown relative to it.
  std::string cwd = {};
  // Shows the content of tool calls, of summaries, and for the assistant alone.
  bool unfolded = false;
  // Limits a terminal's output to its last lines, other content of a tool call to the first; 0 is
  // all.
  std::size_t output_lines = 10;
  std::size_t content_lines = 40;
  // Shows very long lines of a diff completely.
  bool whole_lines = false;
  // Of a folded call: the last lines of a terminal while it runs; when it has ended, the first of
  // its diffs, and of its other content the last if it was a command, else the first. 0 is none.
  std::size_t live_lines = 0;
  std::size_t diff_lines = 0;
  std::size_t ended_lines = 0;
  // The number by which the user can show the whole call.
  std::function<std::size_t(const SessionState&, const v1::ToolCallId&)> number = {};
  // Whether the person has rejected the call.
  std::function<bool(const v1::ToolCallId&)> rejected = {};
  // How long a call has been running, or ran.
  std::function<std::optional<std::chrono::milliseconds>(const v1::ToolCallId&)> elapsed = {};
};

}  // namespace acp::chat
