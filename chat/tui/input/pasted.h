// Long pastes, folded to a few words in the input line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acp::chat {

class Pasted {
 public:
  // Returns what the line shows for a paste: the text itself if it is short.
  std::string fold(std::string_view text);
  // Returns the line with every folded paste in its place.
  std::string unfold(std::string_view line) const;
  // How many bytes at the end of `before` are one folded paste; 0: none.
  std::size_t ends_in(std::string_view before) const;
  void clear() { folded_.clear(); }

 private:
  std::vector<std::pair<std::string, std::string>> folded_;  // the words for it, and the text
};

}  // namespace acp::chat
