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

// The text that a terminal would show for a line of output: after the last carriage return, without
// colours, and safe().
std::string safe_output(std::string_view line);

// One visible character: a letter with its marks, a flag, a family of emoji.
struct Cluster {
  std::string_view text;
  std::size_t width = 0;
};
// The first cluster of a text that is not empty.
Cluster first_cluster(std::string_view text);

// How many characters at its beginning are ASCII, printable, and one column each.
std::size_t plain_length(std::string_view text);

// The width of safe text in columns.
std::size_t width(std::string_view text);
// The part of the beginning that fits.
std::string_view cut(std::string_view text, std::size_t columns);
// Cuts the text to fit, with … at the end.
std::string fit(std::string_view text, std::size_t columns);
// Cuts the beginning, with … in its place: for paths, whose end is more important.
std::string fit_end(std::string_view text, std::size_t columns);

// Counts lines, also a last one without its end.
std::size_t count_lines(std::string_view text);
// "1 line", "2 lines"
std::string counted(std::size_t count, std::string_view noun);
// Takes the first line off, without its end (\n or \r\n).
std::string_view take_line(std::string_view& text);
// The nearest beginning of a character at or before `at`.
std::size_t character_start(std::string_view text, std::size_t at);

}  // namespace acp::chat
