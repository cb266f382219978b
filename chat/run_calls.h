// The tool calls of a run, as `acp run` tells of them in text: what each is called, and what it
// gave.
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
  bool is_command = false;  // its last lines say most, of others the first
  std::vector<v1::ToolCallContent> content = {};
  bool cancelled = false;  // the turn was, and the user knows
};

// What commands have printed at our terminals: of each the last part, and how much was before.
class TerminalTails {
 public:
  struct Tail {
    std::string text;
    std::size_t lines_before = 0;
  };

  void add(const std::string& id, std::string_view text);
  const Tail* find(const std::string& id) const;
  void forget(const std::string& id) { tails_.erase(id); }

 private:
  std::map<std::string, Tail> tails_;
};

// A few lines of what the call gave to people, indented, and how many more there are; empty if it
// gave no text. With `all` every line of its text; what its terminals printed is not among them,
// for that was shown when it came.
std::string excerpt(const ShownCall& call, const TerminalTails& tails, bool all);

}  // namespace acp::chat
