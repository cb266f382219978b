#include "chat/tui/input/fuzzy.h"

#include <algorithm>
#include <utility>

namespace acp::chat {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_word(std::string_view name, std::size_t at) {
  if (at == 0) return true;
  const char before = name[at - 1];
  return std::string_view("/._- ").find(before) != std::string_view::npos ||
         (before >= 'a' && before <= 'z' && name[at] >= 'A' && name[at] <= 'Z');
}

std::size_t found_at(std::string_view typed, std::string_view name) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return static_cast<std::size_t>(
      std::search(name.begin(), name.end(), typed.begin(), typed.end(), same) - name.begin());
}

// Letters that begin a word, or follow the one before, count.
std::optional<int> letters_score(std::string_view typed, std::string_view name) {
  int score = 0;
  std::size_t at = 0;
  bool follows = false;
  for (const char letter : typed) {
    const std::size_t from = at;
    while (at < name.size() && lower(name[at]) != lower(letter)) ++at;
    if (at == name.size()) return {};
    follows = follows && at == from;
    score += follows ? 3 : begins_word(name, at) ? 5 : 0;
    follows = true;
    ++at;
  }
  return score;
}

std::optional<int> score_in(std::string_view typed, std::string_view name) {
  const std::size_t at = found_at(typed, name);
  if (at == 0) return typed.size() == name.size() ? 900 : 800;
  if (at < name.size()) return begins_word(name, at) ? 700 : 600;
  const auto letters = letters_score(typed, name);
  if (!letters) return {};
  return std::min(*letters, 300);
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view typed, std::string_view name) {
  if (typed.empty()) return 0;
  std::string_view whole = name;
  if (whole.ends_with('/')) whole.remove_suffix(1);
  const std::size_t slash = whole.rfind('/');
  const std::string_view last = slash == whole.npos ? whole : whole.substr(slash + 1);
  if (const auto in_last = score_in(typed, last)) return *in_last + 1000;
  return score_in(typed, name);
}

std::vector<std::size_t> fuzzy_best(std::string_view typed, const std::vector<std::string>& names,
                                    std::size_t most) {
  std::vector<std::pair<int, std::size_t>> found;
  std::vector<std::size_t> best;
  if (typed.empty()) {
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) best.push_back(i);
    return best;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const auto score = fuzzy_score(typed, names[i])) found.emplace_back(*score, i);
  const std::size_t count = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(),
                    [&](const auto& a, const auto& b) {
                      const std::string &x = names[a.second], &y = names[b.second];
                      if (a.first != b.first) return a.first > b.first;
                      return x.size() != y.size() ? x.size() < y.size() : x < y;
                    });
  for (std::size_t i = 0; i < count; ++i) best.push_back(found[i].second);
  return best;
}

}  // namespace acp::chat
