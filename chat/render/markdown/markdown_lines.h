// Recognizes how a line of Markdown begins a block.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace acp::chat::markdown {

inline std::size_t indent_of(std::string_view line) {
  const auto end = line.find_first_not_of(' ');
  return end == line.npos ? line.size() : end;
}
inline bool is_blank(std::string_view line) { return indent_of(line) == line.size(); }
std::string_view trim(std::string_view text);

struct Heading {
  int level = 0;
  std::string_view text;
};
std::optional<Heading> heading(std::string_view line);

struct Fence {
  char mark = '`';
  std::size_t length = 0;
  std::size_t indent = 0;
  std::string_view language;
};
std::optional<Fence> fence(std::string_view line);
bool closes(std::string_view line, char mark, std::size_t length);

bool is_rule(std::string_view line);
// The heading level of an underline: 1 or 2, or 0 if it is none.
int underline_level(std::string_view line);

struct Bullet {
  char delimiter = '-';
  unsigned number = 0;
  std::size_t indent = 0;  // columns to the content
  bool empty = false;      // nothing follows on its line
  std::string_view rest;
};
std::optional<Bullet> bullet(std::string_view line);
inline bool ordered(char delimiter) { return delimiter == '.' || delimiter == ')'; }

// The number of columns of the line below a table's head; 0 if it is none.
std::size_t delimiter_columns(std::string_view line);
std::size_t row_columns(std::string_view line);
// The line with three dashes in each column: md4c 0.4.8 accepts no shorter ones.
std::string long_delimiters(std::string_view line);

}  // namespace acp::chat::markdown
