// Strings: Reader's part that undoes escapes and checks UTF-8.
#include <algorithm>
#include <array>
#include <cstring>

#include "acp/json/escapes.h"
#include "acp/json/reader.h"
#include "acp/json/scan.h"
#include "acp/json/utf8.h"

namespace acp::json {
namespace {

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

}  // namespace

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

// at_ stands after the opening quote, at the first byte that is not plain; `start` is the first
// byte of the string. Leaves the decoded string in `value` and the cursor after the closing quote.
bool Reader::unescape(const char* start, std::string& value) {
  // Room for a while, and a block and a character more: no more is put down between two looks at
  // the room. Short strings are put together on the stack; for long ones `value` grows along.
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
    // In few steps: each one copies, and touches fresh memory.
    value.resize(std::min(most, std::max(least, used * 8)) + slack);
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
    } else {
      const char* const escape = p;
      escapes::undo(p, end_, out, limit);
      if (p == escape && !unescape_one(p, out)) return syntax(p, "an escape");
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

namespace {

// Past plain text and escapes of two characters, to whatever else comes first. All marks of a block
// are worked off before the next one is loaded: where one escape ends does not hold up the next.
inline const char* past_escapes(const char* p, const char* end) {
  while (static_cast<std::size_t>(end - p) > scan::block) {
    const char* next = p + scan::block;
    std::uint64_t marks = scan::marks(p);
    if (marks == 0) {
      p = next;
      continue;
    }
    const char* const first = p + scan::first(marks);
    const char* const passed = *first == '\\' ? escapes::pass(first, end) : first;
    if (passed != first) {
      p = passed;
      continue;
    }
    while (marks != 0) {
      const std::size_t at = scan::first(marks);
      if (p[at] == '\\' && simple_escape(p[at + 1]) != 0) {
        if (at + 2 >= scan::block) {
          next = p + at + 2;
          break;
        }
        marks = scan::after(marks, at + 2);
      } else if (scan::is_special(p[at])) {
        return p + at;
      } else {
        marks = scan::after(marks, at + 1);  // words of eight bytes may mark one too many
      }
    }
    p = next;
  }
  return scan::plain(p, end);
}

}  // namespace

// With escapes, or characters beyond ASCII, or an error, from `p` on.
const char* Reader::odd_string_end(const char* p) {
  const auto fail = [&](const char* where, const char* expected) {
    syntax(where, expected);
    return nullptr;
  };
  for (;;) {
    p = past_escapes(p, end_);
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

}  // namespace acp::json
