// Whole values: Reader's part that passes over them, with every byte checked.
#include <algorithm>
#include <array>

#include "acp/json/reader.h"
#include "acp/json/scan.h"

namespace acp::json {

// Past the string whose opening quote is at `p`; null after a syntax error.
inline const char* Reader::string_end(const char* p) {
  p = scan::plain(p + 1, end_);
  return p < end_ && *p == '"' ? p + 1 : odd_string_end(p);
}

bool Reader::skip_scalar() {
  switch (peek()) {
    case ValueKind::string: {
      const char* end = string_end(at_);
      if (end == nullptr) return false;
      at_ = end;
      return true;
    }
    case ValueKind::null:
      return literal("null");
    case ValueKind::boolean:
      return literal(*at_ == 't' ? "true" : "false");
    case ValueKind::number: {
      std::string_view text;
      bool integral = false;
      return number_text(text, integral);
    }
    default:
      return syntax(at_, "a value");
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
        return limit("at most " + std::to_string(limits_.depth) + " values inside each other",
                     "more");
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
      if (p == end_ || *p != (object ? '}' : ']'))
        return syntax(p, object ? "`,` or `}`" : "`,` or `]`");
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
