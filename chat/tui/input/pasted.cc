#include "chat/tui/input/pasted.h"

#include <algorithm>

#include "chat/render/content.h"
#include "chat/render/text/text.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_lines = 8, most_bytes = 2000;

}  // namespace

std::string Pasted::fold(std::string_view text) {
  const std::size_t lines = count_lines(text);
  if (lines <= most_lines && text.size() <= most_bytes) return std::string(text);
  const std::string size =
      lines > most_lines ? std::to_string(lines) + " lines" : size_text(text.size());
  std::string words;
  std::size_t number = 1;
  do {
    words = "[" + size + " pasted" + (number > 1 ? " #" + std::to_string(number) : "") + "]";
    ++number;
  } while (std::any_of(folded_.begin(), folded_.end(),
                       [&](const auto& one) { return one.first == words; }));
  folded_.emplace_back(words, text);
  return words;
}

std::string Pasted::unfold(std::string_view line) const {
  std::string out;
  while (!line.empty()) {
    std::size_t first = line.size();
    const std::pair<std::string, std::string>* found = nullptr;
    for (const auto& one : folded_)
      if (const std::size_t at = line.find(one.first); at < first) {
        first = at;
        found = &one;
      }
    out += line.substr(0, first);
    if (found == nullptr) break;
    out += found->second;
    line.remove_prefix(first + found->first.size());
  }
  return out;
}

std::size_t Pasted::ends_in(std::string_view before) const {
  for (const auto& [words, text] : folded_)
    if (before.ends_with(words)) return words.size();
  return 0;
}

}  // namespace acp::chat
