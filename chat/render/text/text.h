// Text that is safe to print, and how wide it is. Widths are those of Unicode 14
// (libunistring 1.0), whatever the locale.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace acp::chat {

// One line that no terminal acts upon. Control characters become their pictures (ESC is ␛, a
// newline ␊), characters that hide or turn the text around become <U+202E>, bytes that are no UTF-8
// become U+FFFD, and so does what follows 16 combining marks. Tabs reach the next column of `tab`.
// Safe text is left as it is: safe(safe(x)) == safe(x).
std::string safe(std::string_view text, std::size_t tab = 4);
bool is_safe(std::string_view text);

// What a terminal would show of a line of output: what stands after the last carriage return,
// without its colours; the rest as safe() has it.
std::string safe_output(std::string_view line);

// What is seen as one character: a letter with its marks, a flag, a family of emoji.
struct Cluster {
  std::string_view text;
  std::size_t width = 0;
};
// The first of what is not empty.
Cluster first_cluster(std::string_view text);

// How many characters at its beginning are ASCII, printable, and one column each.
std::size_t plain_length(std::string_view text);

// In columns. The text is safe.
std::size_t width(std::string_view text);
// As much of its beginning as fits.
std::string_view cut(std::string_view text, std::size_t columns);
// Ends in … if it was cut.
std::string fit(std::string_view text, std::size_t columns);
// Begins with … if it was cut: of a path, the end says more.
std::string fit_end(std::string_view text, std::size_t columns);

// A last line without its end counts too.
std::size_t count_lines(std::string_view text);
// "1 line", "2 lines"
std::string counted(std::size_t count, std::string_view noun);
// Takes the first line off, without its end (\n or \r\n).
std::string_view take_line(std::string_view& text);
// A place at or before `at` where a character begins.
std::size_t character_start(std::string_view text, std::size_t at);

}  // namespace acp::chat
