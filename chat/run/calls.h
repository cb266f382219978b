// The tool calls of a run, as `acp run` prints them: the name and the result of each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/client.h"

namespace acp::chat {

struct ShownCall {
  std::string title;        // on one line
  bool is_command = false;  // shows its last lines, of others the first
  std::vector<v1::ToolCallContent> content = {};
  bool cancelled = false;  // the turn was, and the user knows
  bool told = true;        // its beginning was shown
  std::string kind = "other";
  std::optional<std::int64_t> exit_code = {};  // of its command, as the agent tells it
  std::vector<v1::ToolCallLocation> locations = {};
};

// "[tool] edit: Write a.txt (/project/a.txt)"
std::string first_line(const ShownCall& call);

// The output of commands at our terminals: the last part of each, how much was before, and how it
// ended.
class TerminalTails {
 public:
  struct Tail {
    std::string text;
    std::size_t lines_before = 0;
    std::optional<io::ExitStatus> exit = {};
  };

  void add(const std::string& id, std::string_view text);
  void end(const std::string& id, const io::ExitStatus& exit);
  const Tail* find(const std::string& id) const;
  void forget(const std::string& id) { tails_.erase(id); }

 private:
  std::map<std::string, Tail> tails_;
};

// How its command failed: "exit code 1", "killed by SIGSEGV". Empty if it did not, or it is not
// known.
std::string how_it_failed(const ShownCall& call, const TerminalTails& tails);

// A few lines of the call's text, indented, and how many more there are; empty if it has no text.
// With `all` every line, but without the output of terminals, which was shown when it came.
std::string excerpt(const ShownCall& call, const TerminalTails& tails, bool all);

}  // namespace acp::chat
