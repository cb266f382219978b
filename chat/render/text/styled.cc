#include "chat/render/text/styled.h"

#include <algorithm>

#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

std::string sgr(const Style& style, ColourMode mode) {
  std::string codes;
  const auto put = [&](int code) {
    if (!codes.empty()) codes += ';';
    codes += std::to_string(code);
  };
  if (style.bold) put(1);
  if (style.dim) put(2);
  if (style.italic) put(3);
  if (style.underline) put(4);
  if (style.strike) put(9);
  if (style.colour != Colour::normal && mode != ColourMode::plain) {
    const int index = static_cast<int>(style.colour) - 1;
    put(index < 8 ? 30 + index : 90 + index - 8);
  }
  return codes;
}

// As a terminal may be given it; empty if it should not be.
std::string link_target(std::string_view link) {
  constexpr std::size_t longest = 2000;
  constexpr std::string_view schemes[] = {"http://", "https://", "mailto:", "file://"};
  const bool known = std::any_of(std::begin(schemes), std::end(schemes), [&](auto scheme) {
    return link.substr(0, scheme.size()) == scheme;
  });
  if (!known || link.size() > longest) return {};
  constexpr char digits[] = "0123456789ABCDEF";
  std::string target;
  for (const char c : link) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F)
      target += c;
    else
      target += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return target;
}

}  // namespace

void add(Line& line, std::string_view text, const Style& style) {
  if (text.empty()) return;
  if (!line.empty() && line.back().style == style)
    line.back().text += safe(text);
  else
    line.push_back({style, safe(text)});
}

void add(Line& line, const Line& more) {
  for (const Span& span : more) add(line, span.text, span.style);
}

Line line_of(std::string_view text, const Style& style) {
  Line line;
  add(line, text, style);
  return line;
}

std::string to_ansi(const Line& line, ColourMode mode) {
  std::string out;
  for (const Span& span : line) {
    // The code that made the span has done this already: what matters most is done twice.
    const std::string text = safe(span.text);
    const std::string codes = mode == ColourMode::none ? "" : sgr(span.style, mode);
    const std::string link = mode == ColourMode::links ? link_target(span.style.link) : "";
    if (!link.empty()) out += "\x1b]8;;" + link + "\x1b\\";
    if (!codes.empty()) out += "\x1b[" + codes + "m";
    out += text;
    if (!codes.empty()) out += "\x1b[0m";
    if (!link.empty()) out += "\x1b]8;;\x1b\\";
  }
  return out;
}

std::string to_plain(const Line& line) { return to_ansi(line, ColourMode::none); }

std::string to_plain(const Lines& lines) {
  std::string out;
  for (const Line& line : lines) out += to_plain(line) + "\n";
  return out;
}

std::size_t width(const Line& line) {
  std::size_t columns = 0;
  for (const Span& span : line) columns += width(span.text);
  return columns;
}

Line fit(const Line& line, std::size_t columns) {
  if (width(line) <= columns) return line;
  Line out;
  std::size_t left = columns == 0 ? 0 : columns - 1;
  for (const Span& span : line) {
    const std::string_view part = cut(span.text, left);
    add(out, part, span.style);
    left -= width(part);
    if (part.size() == span.text.size()) continue;
    if (columns > 0) add(out, "…", span.style);
    break;
  }
  return out;
}

Line struck(Line line) {
  for (Span& span : line) span.style.strike = true;
  return line;
}

Line dimmed(Line line) {
  for (Span& span : line) span.style.dim = true;
  return line;
}

void append(Lines& lines, Lines more) {
  for (Line& line : more) lines.push_back(std::move(line));
}

}  // namespace acp::chat
