// Where in a value we are, for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace acp::json {

// A chain on the stack, from the inside out.
struct PathNode {
  const PathNode* up;
  std::string_view key;  // no data: an index
  std::size_t index = 0;
};

// `update.content[0].text`; names that are no identifiers stand in quotes and brackets.
std::string render(const PathNode* node);

}  // namespace acp::json
