#include "chat/render/markdown/markdown_lines.h"

#include <algorithm>

namespace acp::chat::markdown {
namespace {

// Without an indentation of up to three spaces; empty if there is a deeper one.
std::string_view start_of(std::string_view line) {
  const std::size_t indent = indent_of(line);
  return indent > 3 ? std::string_view() : line.substr(indent);
}

std::size_t run_of(std::string_view text, char mark) {
  return std::min(text.find_first_not_of(mark), text.size());
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view trim(std::string_view text) {
  text.remove_prefix(indent_of(text));
  const auto last = text.find_last_not_of(' ');
  return last == text.npos ? std::string_view() : text.substr(0, last + 1);
}

std::optional<Heading> heading(std::string_view line) {
  const std::string_view start = start_of(line);
  const std::size_t level = run_of(start, '#');
  if (level < 1 || level > 6 || (level < start.size() && start[level] != ' ')) return {};
  std::string_view text = trim(start.substr(level));
  const auto last = text.find_last_not_of('#');
  if (last == text.npos)
    text = {};
  else if (text[last] == ' ')
    text = trim(text.substr(0, last));
  return Heading{static_cast<int>(level), text};
}

std::optional<Fence> fence(std::string_view line) {
  const std::string_view start = start_of(line);
  if (start.empty() || (start[0] != '`' && start[0] != '~')) return {};
  const std::size_t length = run_of(start, start[0]);
  const std::string_view info = trim(start.substr(length));
  if (length < 3 || (start[0] == '`' && info.find('`') != info.npos)) return {};
  return Fence{start[0], length, indent_of(line), info.substr(0, info.find(' '))};
}

bool closes(std::string_view line, char mark, std::size_t length) {
  const std::string_view start = start_of(line);
  const std::size_t run = run_of(start, mark);
  return run >= length && is_blank(start.substr(run));
}

bool is_rule(std::string_view line) {
  const std::string_view start = start_of(line);
  if (start.empty() || (start[0] != '-' && start[0] != '*' && start[0] != '_')) return false;
  std::size_t count = 0;
  for (const char c : start) {
    if (c != start[0] && c != ' ') return false;
    if (c == start[0]) ++count;
  }
  return count >= 3;
}

int underline_level(std::string_view line) {
  const std::string_view start = trim(start_of(line));
  if (start.empty() || (start[0] != '=' && start[0] != '-')) return 0;
  if (run_of(start, start[0]) != start.size()) return 0;
  return start[0] == '=' ? 1 : 2;
}

std::optional<Bullet> bullet(std::string_view line) {
  const std::string_view start = start_of(line);
  if (start.empty()) return {};
  Bullet found;
  std::size_t size = 0;
  while (size < start.size() && size < 9 && is_digit(start[size]))
    found.number = found.number * 10 + static_cast<unsigned>(start[size++] - '0');
  if (size == start.size()) return {};
  found.delimiter = start[size++];
  const bool known = size > 1 ? ordered(found.delimiter)
                              : std::string_view("-+*").find(found.delimiter) != line.npos;
  if (!known || (size < start.size() && start[size] != ' ')) return {};
  const std::string_view after = start.substr(size);
  found.empty = is_blank(after);
  // Five spaces and more: one belongs to the marker, the others to indented code.
  std::size_t spaces = indent_of(after);
  if (found.empty || spaces > 4) spaces = 1;
  found.indent = indent_of(line) + size + spaces;
  found.rest = found.empty ? std::string_view() : after.substr(spaces);
  return found;
}

std::size_t row_columns(std::string_view line) {
  line = trim(line);
  if (!line.empty() && line.front() == '|') line.remove_prefix(1);
  std::size_t columns = 1;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == '|' && i + 1 < line.size())
      ++columns;
  }
  return columns;
}

std::size_t delimiter_columns(std::string_view line) {
  line = trim(line);
  if (line.find('|') == line.npos || line.find_first_not_of("|:- ") != line.npos) return 0;
  const std::size_t columns = row_columns(line);
  if (line.front() == '|') line.remove_prefix(1);
  if (!line.empty() && line.back() == '|') line.remove_suffix(1);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t end = std::min(line.find('|'), line.size());
    std::string_view cell = trim(line.substr(0, end));
    if (!cell.empty() && cell.front() == ':') cell.remove_prefix(1);
    if (!cell.empty() && cell.back() == ':') cell.remove_suffix(1);
    if (cell.empty() || run_of(cell, '-') != cell.size()) return 0;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return columns;
}

std::string long_delimiters(std::string_view line) {
  std::string out;
  char before = '|';
  for (const char c : trim(line)) {
    if (c == ' ') continue;
    if (c != '-' || before != '-') out += c == '-' ? "---" : std::string(1, c);
    before = c;
  }
  return out;
}

}  // namespace acp::chat::markdown
