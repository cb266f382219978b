// Lines of styled text, and their output to a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace acp::chat {

// The terminal's own 16, which its user has chosen to be readable.
enum class Colour : std::uint8_t {
  normal,
  black,
  red,
  green,
  yellow,
  blue,
  magenta,
  cyan,
  white,
  bright_black,
  bright_red,
  bright_green,
  bright_yellow,
  bright_blue,
  bright_magenta,
  bright_cyan,
  bright_white,
};

struct Style {
  bool bold = false;
  bool dim = false;
  bool italic = false;
  bool underline = false;
  bool strike = false;
  Colour colour = Colour::normal;
  std::string link = {};  // where it leads, as the sender wrote it

  friend bool operator==(const Style&, const Style&) = default;
};

// The style of secondary text: counts, hints, labels.
inline const Style aside{.dim = true};

struct Span {
  Style style = {};
  std::string text = {};  // safe: see text.h

  friend bool operator==(const Span&, const Span&) = default;
};

using Line = std::vector<Span>;
using Lines = std::vector<Line>;

void append(Lines& lines, Lines more);

// Adds text, made safe, and joined with the span before it if that has the same style.
void add(Line& line, std::string_view text, const Style& style = {});
void add(Line& line, const Line& more);
Line line_of(std::string_view text, const Style& style = {});

enum class ColourMode : std::uint8_t {
  none,   // TERM=dumb, a pipe: text alone
  plain,  // NO_COLOR: bold, dim and the like
  ansi,   // SGR
  links,  // and OSC 8, for terminals that know it
};

// Converts a line, without a line end. Control characters are only its own; a link of a scheme that
// is not http, https, mailto or file stays text.
std::string to_ansi(const Line& line, ColourMode mode);
std::string to_plain(const Line& line);
// Converts lines to text; each ends in a newline.
std::string to_plain(const Lines& lines);

std::size_t width(const Line& line);
Line fit(const Line& line, std::size_t columns);
// The line with this style added to its own.
Line struck(Line line);
Line dimmed(Line line);

// The left margin of a wrapped text: of its first row, and of the others.
struct Margin {
  Line first = {};
  Line rest = {};
};

// Breaks between words, and between wide characters; a word that is wider than a row is cut. Spaces
// at a break are left out. At least one row; each has at least one character, however narrow.
Lines wrap(const Line& text, std::size_t columns, const Margin& margin = {});
// Breaks where the row is full, and keeps every space: for code.
Lines chop(const Line& text, std::size_t columns, const Margin& margin = {});

}  // namespace acp::chat
