#include "acp/io/printable.h"

#include <algorithm>
#include <array>
#include <utility>

#include "acp/json/utf8.h"

namespace acp::io {
namespace {

using json::replacement_character;

// Sorted. Unicode 15's Default_Ignorable_Code_Point without what joins, and others that are not
// seen.
constexpr std::pair<std::uint32_t, std::uint32_t> hidden[] = {
    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
    {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
    {0x200B, 0x200B},   {0x200E, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
    {0x3164, 0x3164},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
    {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF},
    {0xE01F0, 0xE0FFF},
};

bool is_joiner(std::uint32_t code) { return code == 0x200C || code == 0x200D; }
bool is_selector(std::uint32_t code) {
  return (code >= 0xFE00 && code <= 0xFE0F) || (code >= 0xE0100 && code <= 0xE01EF);
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }
std::size_t plain_length(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) -
                                  text.begin());
}

void put_hex(std::string& out, std::uint32_t value, const char* digits, int places) {
  for (int shift = 4 * (places - 1); shift >= 0; shift -= 4) out += digits[value >> shift & 0xF];
}

void put_json_escape(std::string& out, std::uint32_t code) {
  const auto unit = [&](std::uint32_t value) {
    out += "\\u";
    put_hex(out, value, "0123456789abcdef", 4);
  };
  if (code < 0x10000) return unit(code);
  unit(0xD800 + ((code - 0x10000) >> 10));
  unit(0xDC00 + ((code - 0x10000) & 0x3FF));
}

// Writes the text; `unsafe(out, code)` writes what stands for such a character. Gives the last one.
template <class F>
std::uint32_t rewrite(std::string& out, std::string_view text, std::uint32_t before,
                      std::size_t most, F unsafe) {
  std::size_t count = 0;
  const auto full = [&] {
    if (count < most) return false;
    out += "…";
    return true;
  };
  while (!text.empty()) {
    if (const std::size_t run = std::min(plain_length(text), most - count); run > 0) {
      out += text.substr(0, run);
      before = static_cast<unsigned char>(text[run - 1]);
      text.remove_prefix(run);
      count += run;
      continue;
    }
    if (full()) break;
    ++count;
    const json::Utf8Character next = json::utf8_first(text);
    const std::uint32_t last = before;
    const std::string_view rest = text.substr(next.size);
    before = next.code;
    if (!next.good) {
      out += replacement_character;
    } else if (is_unsafe(last, next.code, rest.empty() ? 0 : json::utf8_first(rest).code)) {
      unsafe(out, next.code);
      before = 0;
    } else {
      out += text.substr(0, next.size);
    }
    text = rest;
  }
  return before;
}

void keep_lines(std::string& out, std::uint32_t code) {
  if (code == '\n' || code == '\t')
    out += static_cast<char>(code);
  else
    put_visible(out, code);
}

}  // namespace

bool is_hidden(std::uint32_t code) {
  const auto* const range =
      std::lower_bound(std::begin(hidden), std::end(hidden), code,
                       [](const auto& one, std::uint32_t wanted) { return one.second < wanted; });
  return range != std::end(hidden) && code >= range->first;
}

bool is_joining(std::uint32_t code) { return is_joiner(code) || is_selector(code); }

bool is_unsafe(std::uint32_t before, std::uint32_t code, std::uint32_t after) {
  if (!is_joining(code)) return is_hidden(code);
  if (before < 0x80) {
    const bool key = (before >= '0' && before <= '9') || before == '#' || before == '*';
    return !key || code != 0xFE0F || after != 0x20E3;  // 1️⃣
  }
  return is_hidden(before) || is_joiner(before) || (is_selector(before) && !is_joiner(code));
}

void put_visible(std::string& out, std::uint32_t code) {
  if (code < 0x20 || code == 0x7F) {
    std::array<char, 4> picture;
    out.append(picture.data(),
               json::utf8_put(picture.data(), code == 0x7F ? 0x2421 : 0x2400 + code));
    return;
  }
  out += "<U+";
  put_hex(out, code, "0123456789ABCDEF", code > 0xFFFFF ? 6 : code > 0xFFFF ? 5 : 4);
  out += '>';
}

std::string printable(std::string_view text) { return PrintableStream()(text); }

std::string PrintableStream::operator()(std::string_view piece) {
  std::string out;
  out.reserve(piece.size());
  before_ = rewrite(out, piece, before_, whole, keep_lines);
  return out;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string out;
  rewrite(out, text, 0, most, [](std::string& to, std::uint32_t code) {
    if (code == '\t')
      to += ' ';
    else
      put_visible(to, code);
  });
  return out;
}

bool is_printable_line(std::string_view text) { return one_line(text, whole) == text; }

std::string printable_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  // Between the tokens of JSON there may be line ends; in a string there are none.
  rewrite(out, json, 0, whole, [](std::string& to, std::uint32_t code) {
    if (code == '\n' || code == '\t' || code == '\r')
      to += code == '\r' ? ' ' : static_cast<char>(code);
    else
      put_json_escape(to, code);
  });
  return out;
}

}  // namespace acp::io
