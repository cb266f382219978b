// Numbers: Reader's part that tells what they are and what they stand for.
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "acp/json/reader.h"

namespace acp::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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
    const auto [end, code] =
        std::from_chars(text.data() + e + sign, text.data() + text.size(), exponent);
    if (code != std::errc()) return text[e + 1] == '-';
  }
  // Not as a sum: the exponent may be the largest that there is.
  return exponent < static_cast<long>(leading) - static_cast<long>(point);
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

// 1.0 and 1e3 are integers in JavaScript and in JSON Schema: they pass if they stand for one
// exactly.
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
  constexpr double top =
      static_cast<double>(std::numeric_limits<Int>::max());  // rounds up to a power of two
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

// The number of up to 18 digits that stands here and has no sign, fraction or exponent: all of
// those fit. Moves past it; null if it is another one, or none.
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
  if (!is_integer || parsed < least || parsed > most)
    return wrong_value(start, integer_range(least, most));
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

}  // namespace acp::json
