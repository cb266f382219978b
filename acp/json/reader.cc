#include "acp/json/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "acp/json/scan.h"
#include "acp/json/utf8.h"

namespace acp::json {
namespace {

constexpr std::size_t deepest = 4096;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Four hex digits, or a negative number.
std::int32_t hex4(const char* at, const char* end) {
  if (end - at < 4) return -1;
  std::int32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(at[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

// What a backslash and this character stand for; 0 if nothing. `u` is not among them.
constexpr std::array<char, 256> simple_escapes = [] {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}();
char simple_escape(char c) { return simple_escapes[static_cast<unsigned char>(c)]; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A few bytes of the text, for messages; never half a character, never a control character.
std::string shorten(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end && out.size() < most) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte >= 0x80) {
      const std::size_t length = utf8_length(at, end);
      out += length != 0 ? std::string_view(at, length) : std::string_view(replacement_character);
      at += std::max<std::size_t>(length, 1);
    } else {
      out += byte < 0x20 || byte == 0x7F ? '?' : *at;
      ++at;
    }
  }
  if (at < end) out += "…";
  return out;
}

}  // namespace

std::string Error::message() const {
  std::string text = path.empty() ? "" : path + ": ";
  text += "expected " + expected + ", got " + got;
  if (kind != Kind::mismatch) text += " at byte " + std::to_string(offset);
  return text;
}

std::string_view describe(ValueKind kind) {
  switch (kind) {
    case ValueKind::null: return "null";
    case ValueKind::boolean: return "a boolean";
    case ValueKind::number: return "a number";
    case ValueKind::string: return "a string";
    case ValueKind::array: return "an array";
    case ValueKind::object: return "an object";
    case ValueKind::none: break;
  }
  return "nothing";
}

Reader::Reader(std::string_view text, Limits limits)
    : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), limits_(limits) {
  limits_.depth = std::min(limits_.depth, deepest);
  if (text.size() <= limits_.bytes) return;
  limit("at most " + std::to_string(limits_.bytes) + " bytes", std::to_string(text.size()) + " bytes");
  end_ = at_;  // nothing can be read
}

bool Reader::wrong_kind(const char* from, std::string expected) {
  const ValueKind kind = from == end_ ? ValueKind::none : kinds_[static_cast<unsigned char>(*from)];
  return mismatch(from, std::move(expected), std::string(describe(kind)));
}

bool Reader::wrong_value(const char* from, std::string expected) {
  return mismatch(from, std::move(expected), found(from));
}

bool Reader::mismatch(const char* from, std::string expected, std::string got) {
  if (failed_) return false;  // the first reason is the one that counts
  failed_ = true;
  error_ = Error{{}, std::move(expected), std::move(got), static_cast<std::size_t>(from - begin_), Error::Kind::mismatch};
  return false;
}

bool Reader::syntax(const char* where, std::string expected) {
  if (fatal()) return false;
  failed_ = true;
  std::string got = where >= end_ ? std::string("the end of the text")
                                  : "`" + shorten({where, std::min<std::size_t>(static_cast<std::size_t>(end_ - where), 24)}) + "`";
  error_ = Error{{}, std::move(expected), std::move(got), static_cast<std::size_t>(where - begin_), Error::Kind::syntax};
  return false;
}

bool Reader::limit(std::string expected, std::string got) {
  if (fatal()) return false;
  failed_ = true;
  error_ = Error{{}, std::move(expected), std::move(got), offset(), Error::Kind::limit};
  return false;
}

std::string Reader::found(const char* from) {
  Reader other(std::string_view(from, static_cast<std::size_t>(end_ - from)), limits_);
  const ValueKind kind = other.peek();
  if (kind != ValueKind::number && kind != ValueKind::string) return std::string(describe(kind));
  const char* start = other.at();
  if (!other.skip()) return std::string(describe(kind));
  const std::string_view text(start, static_cast<std::size_t>(other.at() - start));
  // A string is told in full only if short: it may be somebody's file.
  if (kind == ValueKind::string) return text.size() <= 42 ? "the string " + shorten(text) : "a string";
  return "the number " + shorten(text);
}

constinit const std::array<ValueKind, 256> Reader::kinds_ = [] {
  std::array<ValueKind, 256> kinds;
  kinds.fill(ValueKind::none);
  kinds['n'] = ValueKind::null;
  kinds['t'] = kinds['f'] = ValueKind::boolean;
  kinds['"'] = ValueKind::string;
  kinds['['] = ValueKind::array;
  kinds['{'] = ValueKind::object;
  kinds['-'] = ValueKind::number;
  for (unsigned char digit = '0'; digit <= '9'; ++digit) kinds[digit] = ValueKind::number;
  return kinds;
}();

ValueKind Reader::peek_past_space() {
  space();
  return kind_here();
}

bool Reader::literal(std::string_view word) {
  if (static_cast<std::size_t>(end_ - at_) < word.size() || std::memcmp(at_, word.data(), word.size()) != 0)
    return syntax(at_, "`" + std::string(word) + "`");
  at_ += word.size();
  return true;
}

bool Reader::null() {
  const ValueKind kind = peek();
  if (kind == ValueKind::null) return literal("null");
  return kind == ValueKind::none ? syntax(at_, "a value") : wrong_kind(at_, "null");
}

bool Reader::boolean(bool& value) {
  const ValueKind kind = peek();
  if (kind == ValueKind::boolean) {
    const bool yes = *at_ == 't';
    if (!literal(yes ? "true" : "false")) return false;
    value = yes;
    return true;
  }
  return kind == ValueKind::none ? syntax(at_, "a value") : wrong_kind(at_, "a boolean");
}

bool Reader::number_text(std::string_view& text, bool& integral) {
  const char* start = at_;
  const char* p = at_;
  integral = true;
  if (p < end_ && *p == '-') ++p;
  if (p == end_ || !is_digit(*p)) return syntax(p, "a digit");
  if (*p == '0') {
    ++p;
    if (p < end_ && is_digit(*p)) return syntax(p, "no digit after a leading zero");
  } else {
    while (p < end_ && is_digit(*p)) ++p;
  }
  if (p < end_ && *p == '.') {
    integral = false;
    ++p;
    if (p == end_ || !is_digit(*p)) return syntax(p, "a digit");
    while (p < end_ && is_digit(*p)) ++p;
  }
  if (p < end_ && (*p == 'e' || *p == 'E')) {
    integral = false;
    ++p;
    if (p < end_ && (*p == '+' || *p == '-')) ++p;
    if (p == end_ || !is_digit(*p)) return syntax(p, "a digit");
    while (p < end_ && is_digit(*p)) ++p;
  }
  text = {start, static_cast<std::size_t>(p - start)};
  at_ = p;
  return true;
}

namespace {

// Of a number that no double can hold: is it too close to zero, rather than too far from it?
bool is_tiny(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  if (leading == std::string_view::npos) return true;
  long exponent = 0;
  if (e < text.size()) {
    const std::size_t sign = text[e + 1] == '+' ? 2 : 1;
    const auto [end, code] = std::from_chars(text.data() + e + sign, text.data() + text.size(), exponent);
    if (code != std::errc()) return text[e + 1] == '-';
  }
  return static_cast<long>(point) - static_cast<long>(leading) + exponent < 0;
}

std::optional<double> to_double(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && std::isfinite(value)) return value;
  if (code != std::errc::result_out_of_range) return std::nullopt;
  // Too small is zero, as everywhere; too large is no number of ours.
  if (!is_tiny(text)) return std::nullopt;
  return text[0] == '-' ? -0.0 : 0.0;
}

// 1.0 and 1e3 are integers in JavaScript and in JSON Schema: they pass if they stand for one exactly.
template <class Int>
bool to_integer(std::string_view text, bool integral, Int& value) {
  if (integral) {
    if (text == "-0") {
      value = 0;
      return true;
    }
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size();
  }
  const std::optional<double> real = to_double(text);
  if (!real || std::nearbyint(*real) != *real) return false;
  constexpr double top = static_cast<double>(std::numeric_limits<Int>::max());  // rounds up to a power of two
  constexpr double bottom = static_cast<double>(std::numeric_limits<Int>::min());
  if (*real < bottom || *real >= top) return false;
  value = static_cast<Int>(*real);
  return true;
}

template <class Int>
std::string integer_range(Int least, Int most) {
  return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

// The number of up to 18 digits that stands here and has no sign, fraction or exponent: all of those fit. Moves
// past it; null if it is another one, or none.
inline std::optional<std::int64_t> Reader::short_integer() {
  const char* p = at_;
  if (p == end_ || *p < '1' || *p > '9') return std::nullopt;
  const char* const most = end_ - p > 18 ? p + 18 : end_;
  std::int64_t number = 0;
  do number = number * 10 + (*p - '0');
  while (++p < most && is_digit(*p));
  if (p < end_ && (is_digit(*p) || *p == '.' || *p == 'e' || *p == 'E')) return std::nullopt;
  at_ = p;
  return number;
}

template <class Int>
bool Reader::any_integer(Int& value, Int least, Int most) {
  const ValueKind kind = peek();
  const char* start = at_;
  if (kind == ValueKind::none) return syntax(at_, "a value");
  if (kind != ValueKind::number) return wrong_kind(start, "an integer");
  Int parsed = 0;
  bool is_integer = true;
  if (const auto number = short_integer()) {
    parsed = static_cast<Int>(*number);
  } else {
    std::string_view text;
    bool integral = false;
    if (!number_text(text, integral)) return false;
    is_integer = to_integer(text, integral, parsed);
  }
  if (!is_integer || parsed < least || parsed > most) return wrong_value(start, integer_range(least, most));
  value = parsed;
  return true;
}

bool Reader::integer(std::int64_t& value, std::int64_t least, std::int64_t most) {
  return any_integer(value, least, most);
}

bool Reader::integer(std::uint64_t& value, std::uint64_t least, std::uint64_t most) {
  return any_integer(value, least, most);
}

bool Reader::number(double& value) {
  const ValueKind kind = peek();
  const char* start = at_;
  if (kind == ValueKind::none) return syntax(at_, "a value");
  if (kind != ValueKind::number) return wrong_kind(start, "a number");
  std::string_view text;
  bool integral = false;
  if (!number_text(text, integral)) return false;
  const std::optional<double> parsed = to_double(text);
  if (!parsed) return wrong_value(start, "a number that a double can hold");
  value = *parsed;
  return true;
}

// One escape: moves both places past it.
inline bool Reader::unescape_one(const char*& p, char*& out) const {
  if (end_ - p < 2) return false;
  if (const char simple = simple_escape(p[1])) {
    *out++ = simple;
    p += 2;
    return true;
  }
  const std::int32_t unit = p[1] == 'u' ? hex4(p + 2, end_) : -1;
  if (unit < 0) return false;
  p += 6;
  auto code = static_cast<std::uint32_t>(unit);
  if (code >= 0xD800 && code <= 0xDFFF) {
    // Half a pair without the other half: JavaScript can say it, UTF-8 cannot.
    const bool followed = code < 0xDC00 && end_ - p >= 6 && p[0] == '\\' && p[1] == 'u';
    const std::int32_t low = followed ? hex4(p + 2, end_) : -1;
    if (low >= 0xDC00 && low <= 0xDFFF) {
      code = 0x10000 + ((code - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
      p += 6;
    } else {
      code = 0xFFFD;
    }
  }
  out = utf8_put(out, code);
  return true;
}

// at_ stands behind the opening quote, at the first byte that is not plain; `start` is the first byte of
// the string. Leaves the decoded string in `value` and the cursor behind the closing quote.
bool Reader::unescape(const char* start, std::string& value) {
  // Room for a while, and a block and a character more: no more is put down between two looks at the room.
  // Short strings are put together on the stack; for long ones `value` grows along.
  constexpr std::size_t slack = scan::block + 4;
  char local[512];
  bool spilled = false;
  char* base = local;
  char* limit = local + sizeof local - slack;
  char* out = local;
  const auto grow = [&](std::size_t least) {
    const auto used = static_cast<std::size_t>(out - base);
    // A string is never longer than what it is written as.
    const auto most = static_cast<std::size_t>(end_ - start);
    if (!spilled) value.assign(base, used);
    spilled = true;
    value.resize(std::min(most, std::max(least, used * 2)) + slack);
    base = value.data();
    limit = base + value.size() - slack;
    out = base + used;
  };
  const auto plain = static_cast<std::size_t>(at_ - start);
  if (plain > sizeof local - slack) grow(plain * 2);
  std::memcpy(out, start, plain);
  out += plain;

  const char* p = at_;
  for (;;) {
    if (out >= limit) grow(0);
    if (static_cast<std::size_t>(end_ - p) >= scan::block) {
      std::memcpy(out, p, scan::block);
      const std::uint64_t marks = scan::marks(p);
      if (marks == 0) {
        p += scan::block;
        out += scan::block;
        continue;
      }
      p += scan::first(marks);
      out += scan::first(marks);
    } else if (p < end_ && !scan::is_special(*p)) {
      *out++ = *p++;
      continue;
    }
    if (p == end_) return syntax(p, "a closing quote");
    const auto byte = static_cast<unsigned char>(*p);
    if (byte == '"') break;
    if (byte >= 0x80) {
      const std::size_t length = utf8_length(p, end_);
      if (length == 0) return syntax(p, "UTF-8");
      std::memcpy(out, p, length);
      p += length;
      out += length;
    } else if (byte != '\\') {
      return syntax(p, "no control character in a string");
    } else if (!unescape_one(p, out)) {
      return syntax(p, "an escape");
    }
  }
  const auto size = static_cast<std::size_t>(out - base);
  if (!spilled) {
    value = std::string(base, size);
  } else {
    value.resize(size);
    if (value.capacity() / 4 * 3 > size) value.shrink_to_fit();
  }
  at_ = p + 1;
  return true;
}

bool Reader::string(std::string& value) {
  const ValueKind kind = peek();
  if (kind == ValueKind::none) return syntax(at_, "a value");
  if (kind != ValueKind::string) return wrong_kind(at_, "a string");
  const char* start = at_ + 1;
  at_ = scan::plain(start, end_);
  if (at_ < end_ && *at_ == '"') {
    value = std::string(start, static_cast<std::size_t>(at_ - start));
    ++at_;
    return true;
  }
  return unescape(start, value);
}

bool Reader::text(std::string_view& value) {
  const ValueKind kind = peek();
  if (kind == ValueKind::none) return syntax(at_, "a value");
  if (kind != ValueKind::string) return wrong_kind(at_, "a string");
  const char* start = at_ + 1;
  at_ = scan::plain(start, end_);
  if (at_ < end_ && *at_ == '"') {
    value = {start, static_cast<std::size_t>(at_ - start)};
    ++at_;
    return true;
  }
  if (!unescape(start, scratch_)) return false;
  value = scratch_;
  return true;
}

// Past the string whose opening quote is at `p`; null after a syntax error.
inline const char* Reader::string_end(const char* p) {
  p = scan::plain(p + 1, end_);
  return p < end_ && *p == '"' ? p + 1 : odd_string_end(p);
}

// With escapes, or characters beyond ASCII, or an error, from `p` on.
const char* Reader::odd_string_end(const char* p) {
  const auto fail = [&](const char* where, const char* expected) {
    syntax(where, expected);
    return nullptr;
  };
  for (;;) {
    p = scan::plain(p, end_);
    if (p == end_) return fail(p, "a closing quote");
    const auto byte = static_cast<unsigned char>(*p);
    if (byte == '"') return p + 1;
    if (byte >= 0x80) {
      do {
        const std::size_t length = utf8_length(p, end_);
        if (length == 0) return fail(p, "UTF-8");
        p += length;
      } while (p < end_ && static_cast<unsigned char>(*p) >= 0x80);
    } else if (byte != '\\') {
      return fail(p, "no control character in a string");
    } else if (end_ - p >= 2 && simple_escape(p[1]) != 0) {
      p += 2;
    } else if (end_ - p >= 2 && p[1] == 'u' && hex4(p + 2, end_) >= 0) {
      p += 6;
    } else {
      return fail(p, "an escape");
    }
  }
}

bool Reader::skip_scalar() {
  switch (peek()) {
    case ValueKind::string: {
      const char* end = string_end(at_);
      if (end == nullptr) return false;
      at_ = end;
      return true;
    }
    case ValueKind::null: return literal("null");
    case ValueKind::boolean: return literal(*at_ == 't' ? "true" : "false");
    case ValueKind::number: {
      std::string_view text;
      bool integral = false;
      return number_text(text, integral);
    }
    default: return syntax(at_, "a value");
  }
}

bool Reader::skip() {
  bool spaced = false;
  return skip(spaced);
}

bool Reader::skip(bool& spaced) {
  if (failed_) return false;
  space();
  if (at_ == end_ || (*at_ != '{' && *at_ != '[')) return skip_scalar();

  // One bit for each open bracket: is it an object?
  std::array<std::uint64_t, deepest / 64> stack;
  std::size_t open = 0;
  bool object = false;  // the innermost open one
  const char* p = at_;  // at_ is left behind: a register is quicker than memory
  bool gaps = false;
  const auto gap = [&] {
    if (p == end_ || *p > ' ') return;
    const char* before = p;
    while (p < end_ && is_space(*p)) ++p;
    gaps |= p != before;
  };
  for (;;) {
    // A value starts here.
    const char c = p < end_ ? *p : '\0';
    if (c == '{' || c == '[') {
      if (depth_ + open >= limits_.depth) {
        at_ = p;
        return limit("at most " + std::to_string(limits_.depth) + " values inside each other", "more");
      }
      object = c == '{';
      std::uint64_t& word = stack[open / 64];
      if (open % 64 == 0) word = 0;
      word = (word & ~(std::uint64_t{1} << (open % 64))) | std::uint64_t{object} << (open % 64);
      ++open;
      ++p;
      gap();
      if (p == end_ || *p != (object ? '}' : ']')) {
        if (!object) continue;
        // A name and a colon.
        if (p == end_ || *p != '"') return syntax(p, "a key");
        if ((p = string_end(p)) == nullptr) return false;
        gap();
        if (p == end_ || *p != ':') return syntax(p, "`:`");
        ++p;
        gap();
        continue;
      }
      ++p;
      --open;
      object = open != 0 && (stack[(open - 1) / 64] >> ((open - 1) % 64) & 1) != 0;
    } else if (c == '"') {
      if ((p = string_end(p)) == nullptr) return false;
    } else {
      at_ = p;
      if (!skip_scalar()) return false;
      p = at_;
    }
    // A value ends here.
    for (;;) {
      if (open == 0) {
        at_ = p;
        spaced |= gaps;
        return true;
      }
      gap();
      if (p < end_ && *p == ',') {
        ++p;
        gap();
        if (object) {
          if (p == end_ || *p != '"') return syntax(p, "a key");
          if ((p = string_end(p)) == nullptr) return false;
          gap();
          if (p == end_ || *p != ':') return syntax(p, "`:`");
          ++p;
          gap();
        }
        break;
      }
      if (p == end_ || *p != (object ? '}' : ']')) return syntax(p, object ? "`,` or `}`" : "`,` or `]`");
      ++p;
      --open;
      object = open != 0 && (stack[(open - 1) / 64] >> ((open - 1) % 64) & 1) != 0;
    }
  }
}

bool Reader::raw(std::string& value) {
  space();
  const char* start = at_;
  bool spaced = false;
  if (!skip(spaced)) return false;
  const std::string_view text(start, static_cast<std::size_t>(at_ - start));
  if (spaced)
    value = compact(text);
  else
    value.assign(text);
  return true;
}

bool Reader::not_begun(ValueKind kind) {
  const ValueKind found_kind = peek();
  if (found_kind == kind)
    return limit("at most " + std::to_string(limits_.depth) + " values inside each other", "more");
  if (found_kind == ValueKind::none) return syntax(at_, "a value");
  return wrong_kind(at_, std::string(describe(kind)));
}

bool Reader::next_key(bool& first, std::string_view& key) {
  if (failed_) return false;
  // Compact text and a plain name, as mostly.
  const char* name = first ? at_ : at_ < end_ && *at_ == ',' ? at_ + 1 : end_;
  if (name < end_ && *name == '"') {
    const char* close = scan::plain(name + 1, end_);
    if (end_ - close >= 2 && close[0] == '"' && close[1] == ':') {
      key = {name + 1, static_cast<std::size_t>(close - name - 1)};
      at_ = close + 2;
      first = false;
      return true;
    }
  }
  space();
  if (at_ == end_) return syntax(at_, first ? "a key or `}`" : "`,` or `}`");
  if (*at_ == '}') {
    ++at_;
    --depth_;
    return false;
  }
  if (!first) {
    if (*at_ != ',') return syntax(at_, "`,` or `}`");
    ++at_;
    space();
  }
  first = false;
  if (at_ == end_ || *at_ != '"') return syntax(at_, "a key");
  if (!text(key)) return false;
  space();
  if (at_ == end_ || *at_ != ':') return syntax(at_, "`:`");
  ++at_;
  return true;
}

bool Reader::next_element_or_end(bool& first) {
  if (failed_) return false;
  space();
  if (at_ == end_) return syntax(at_, first ? "a value or `]`" : "`,` or `]`");
  if (*at_ == ']') {
    ++at_;
    --depth_;
    return false;
  }
  if (!first) {
    if (*at_ != ',') return syntax(at_, "`,` or `]`");
    ++at_;
    space();
    if (at_ < end_ && *at_ == ']') return syntax(at_, "a value");
  }
  first = false;
  return true;
}

bool Reader::finish() {
  if (failed_) return false;
  space();
  return at_ == end_ || syntax(at_, "the end of the text");
}

std::string compact(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    if (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
      ++at;
      continue;
    }
    const char* start = at;
    if (*at == '"') {
      for (++at; at < end && *at != '"'; ++at)
        if (*at == '\\') ++at;
      at = std::min(at + 1, end);
    } else {
      ++at;
    }
    out.append(start, static_cast<std::size_t>(at - start));
  }
  return out;
}

}  // namespace acp::json
