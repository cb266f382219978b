#include "acp/json/format.h"

#include <cstddef>

namespace acp::json {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A scheme, a colon, and something after it; no blank or control character anywhere.
bool is_uri(std::string_view text) {
  if (text.empty() || !is_alpha(text.front())) return false;
  std::size_t i = 1;
  while (i < text.size() && (is_alpha(text[i]) || is_digit(text[i]) || text[i] == '+' ||
                             text[i] == '-' || text[i] == '.'))
    ++i;
  if (i + 1 >= text.size() || text[i] != ':') return false;
  for (char c : text)
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F) return false;
  return true;
}

// `pattern` has a digit for each 0, and otherwise the character that must stand there.
bool matches(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (pattern[i] == '0' ? !is_digit(text[i]) : text[i] != pattern[i]) return false;
  return true;
}

int number(std::string_view digits) {
  int value = 0;
  for (char c : digits) value = value * 10 + (c - '0');
  return value;
}

int days_in(int year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

// RFC 3339: 2026-11-15T10:45:00.5Z, or an offset such as +02:00 in place of the Z.
bool is_date_time(std::string_view text) {
  if (text.size() < 20 || !matches(text.substr(0, 19), "0000-00-00T00:00:00")) return false;
  const int year = number(text.substr(0, 4)), month = number(text.substr(5, 2)),
            day = number(text.substr(8, 2));
  if (month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return false;
  if (number(text.substr(11, 2)) > 23 || number(text.substr(14, 2)) > 59 ||
      number(text.substr(17, 2)) > 59)
    return false;
  std::string_view rest = text.substr(19);
  if (rest.front() == '.') {
    std::size_t digits = 1;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    if (digits == 1) return false;
    rest.remove_prefix(digits);
  }
  if (rest == "Z") return true;
  if (!matches(rest, "+00:00") && !matches(rest, "-00:00")) return false;
  return number(rest.substr(1, 2)) < 24 && number(rest.substr(4, 2)) < 60;
}

}  // namespace

const char* format_mismatch(std::string_view format, std::string_view text) {
  if (format == "uri") return is_uri(text) ? nullptr : "a URI";
  if (format == "date-time")
    return is_date_time(text) ? nullptr : "a date and time such as 2026-01-31T12:00:00Z";
  return nullptr;
}

}  // namespace acp::json
