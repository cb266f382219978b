#include "acp/role/versions/patch/git_patch.h"

#include <algorithm>

namespace acp::detail::versions {

namespace {

constexpr std::size_t context = 3;

// Each with its line end; the last one may lack it.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
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

void append_lines(std::string& out, char sign, const std::vector<std::string_view>& lines,
                  std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    (out += sign).append(lines[i]);
    if (lines[i].back() != '\n') out += "\n\\ No newline at end of file\n";
  }
}

}  // namespace

std::string write_git_patch(std::string_view path, std::optional<std::string_view> old_text,
                            std::string_view new_text) {
  if (path.empty() || old_text == new_text) return {};
  const std::string name = quoted(path);
  const std::vector<std::string_view> before = lines_of(old_text.value_or("")),
                                      after = lines_of(new_text);
  std::string out;
  // A sign for each line; large texts are not moved while they grow.
  out.reserve(old_text.value_or("").size() + new_text.size() + before.size() + after.size() +
              4 * name.size() + 200);
  out += "diff --git " + name + ' ' + name + '\n';
  if (!old_text) out += "new file mode 100644\n";
  if (before.empty() && after.empty()) return out;
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  const std::size_t begin = head - std::min(head, context), kept = std::min(tail, context);
  const std::size_t old_end = before.size() - tail, new_end = after.size() - tail;

  // What follows a name with a space is marked off by a tab.
  const char* end = path.find(' ') == std::string_view::npos ? "\n" : "\t\n";
  out += "--- " + (old_text ? name + end : "/dev/null\n");
  out += "+++ " + name + end;
  out += "@@ -";
  append_range(out, begin, old_end + kept - begin);
  out += " +";
  append_range(out, begin, new_end + kept - begin);
  out += " @@\n";
  append_lines(out, ' ', before, begin, head);
  append_lines(out, '-', before, head, old_end);
  append_lines(out, '+', after, head, new_end);
  append_lines(out, ' ', before, old_end, old_end + kept);
  return out;
}

}  // namespace acp::detail::versions
