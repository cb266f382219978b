// Makes foreign text safe to print: nothing in it controls a terminal, is invisible, or changes the
// direction of the text. Only this file decides which characters do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace acp::io {

// Control characters (C0, DEL, C1), and what is invisible or changes the order in which others are
// seen: bidi controls, zero-width characters, soft hyphens, fillers, tags, line separators.
// Joiners and variation selectors are not among them: see is_joining().
bool is_hidden(std::uint32_t code);
// Zero-width characters that emoji and some scripts are written with. One may follow a character
// that is not ASCII, a joiner also a selector; elsewhere they only hide.
bool is_joining(std::uint32_t code);
// Whether `code` must not be shown as it is, between these two (0: nothing).
bool is_unsafe(std::uint32_t before, std::uint32_t code, std::uint32_t after);
// Appends what is shown instead: the picture of an ASCII control character (␛, ␊), <U+202E> for
// others.
void put_visible(std::string& out, std::uint32_t code);

// Returns the text with unsafe characters made visible; line ends and tabs stay. Bytes that are no
// UTF-8 become U+FFFD. Printable text is left as it is: printable(printable(x)) == printable(x).
std::string printable(std::string_view text);
inline constexpr std::size_t whole = static_cast<std::size_t>(-1);
// Returns the text on one line of at most so many characters, then …: line ends are shown as ␊,
// tabs become spaces.
std::string one_line(std::string_view text, std::size_t most = 200);
bool is_printable_line(std::string_view text);
// Returns JSON text with unsafe characters escaped as \u202e. It is the same value, if it was JSON.
std::string printable_json(std::string_view json);

// printable() for a text that comes in pieces: an emoji may be spread over two of them.
class PrintableStream {
 public:
  std::string operator()(std::string_view piece);

 private:
  std::uint32_t before_ = 0;
};

}  // namespace acp::io
