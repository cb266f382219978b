#include "acp/role/versions/patch/git_patch.h"

#include <algorithm>

#include "acp/role/versions/patch/signed_lines.h"

namespace acp::detail::versions {

namespace {

constexpr std::size_t context = 3;

// Where the differing lines begin and end in both texts.
struct Difference {
  std::size_t begin = 0;  // in both
  std::size_t old_end = 0, new_end = 0;
};

bool begins_line(std::string_view text, std::size_t at) { return at == 0 || text[at - 1] == '\n'; }

Difference difference_of(std::string_view before, std::string_view after) {
  Difference found;
  const std::size_t shorter = std::min(before.size(), after.size());
  const auto same = std::mismatch(before.begin(), before.begin() + shorter, after.begin());
  found.begin = static_cast<std::size_t>(same.first - before.begin());
  found.begin = found.begin == 0 ? 0 : before.rfind('\n', found.begin - 1) + 1;
  std::size_t tail = 0;
  while (tail < shorter - found.begin &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  if (!begins_line(before, before.size() - tail) || !begins_line(after, after.size() - tail)) {
    const std::size_t end = before.find('\n', before.size() - tail);
    tail = end == std::string_view::npos ? 0 : before.size() - end - 1;
  }
  found.old_end = before.size() - tail;
  found.new_end = after.size() - tail;
  return found;
}

// So many lines before and after a place.
std::size_t lines_back(std::string_view text, std::size_t from) {
  for (std::size_t i = 0; i < context && from > 0; ++i)
    from = from == 1 ? 0 : text.rfind('\n', from - 2) + 1;
  return from;
}
std::size_t lines_on(std::string_view text, std::size_t from) {
  for (std::size_t i = 0; i < context && from < text.size(); ++i) {
    const std::size_t end = text.find('\n', from);
    from = end == std::string_view::npos ? text.size() : end + 1;
  }
  return from;
}

bool is_odd(unsigned char c) { return c < 0x20 || c >= 0x7F || c == '"' || c == '\\'; }

void append_escaped(std::string& out, unsigned char c) {
  constexpr std::string_view named = "\a\b\t\n\v\f\r\"\\", letters = "abtnvfr\"\\";
  out += '\\';
  if (const std::size_t at = named.find(static_cast<char>(c)); at != std::string_view::npos) {
    out += letters[at];
    return;
  }
  for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((c >> shift) & 7));
}

// In quotes if a byte of it is odd.
std::string quoted(std::string_view name) {
  if (std::none_of(name.begin(), name.end(), is_odd)) return std::string(name);
  std::string out = "\"";
  for (const char c : name)
    if (is_odd(static_cast<unsigned char>(c)))
      append_escaped(out, static_cast<unsigned char>(c));
    else
      out += c;
  return out += '"';
}

// `,count` is left out where it is one. An empty side begins at line 0, or after the line before.
void append_range(std::string& out, std::size_t begin, std::size_t count) {
  out += std::to_string(count == 0 ? begin : begin + 1);
  if (count != 1) (out += ',') += std::to_string(count);
}

}  // namespace

std::string write_git_patch(std::string_view path, std::optional<std::string_view> old_text,
                            std::string_view new_text) {
  if (path.empty() || old_text == new_text) return {};
  const std::string name = quoted(path);
  std::string head = "diff --git " + name + ' ' + name + '\n';
  if (!old_text) head += "new file mode 100644\n";
  const std::string_view before = old_text.value_or("");
  if (before.empty() && new_text.empty()) return head;
  // What follows a name with a space is marked off by a tab.
  const char* end = path.find(' ') == std::string_view::npos ? "\n" : "\t\n";
  head += "--- " + (old_text ? name + end : "/dev/null\n");
  head += "+++ " + name + end;

  const Difference found = difference_of(before, new_text);
  const std::size_t begin = lines_back(before, found.begin);
  const std::size_t end_kept = lines_on(before, found.old_end);
  // The lines come first, since they are counted on the way, and the head is put before them: large
  // texts are neither read twice nor moved while they grow.
  const std::size_t room = head.size() + 100;
  std::string out;
  out.reserve(room + (found.old_end - begin) * 9 / 8 + (found.new_end - begin) * 9 / 8 + 200);
  out.resize(room);
  const std::size_t led = append_signed(out, ' ', before.substr(begin, found.begin - begin));
  const std::size_t removed =
      append_signed(out, '-', before.substr(found.begin, found.old_end - found.begin));
  const std::size_t added =
      append_signed(out, '+', new_text.substr(found.begin, found.new_end - found.begin));
  const std::size_t kept =
      append_signed(out, ' ', before.substr(found.old_end, end_kept - found.old_end));

  const auto lines_before =
      static_cast<std::size_t>(std::count(before.begin(), before.begin() + begin, '\n'));
  head += "@@ -";
  append_range(head, lines_before, led + removed + kept);
  head += " +";
  append_range(head, lines_before, led + added + kept);
  head += " @@\n";
  out.replace(0, room, head);
  return out;
}

}  // namespace acp::detail::versions
