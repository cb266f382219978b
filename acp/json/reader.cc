#include "acp/json/reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "acp/json/scan.h"
#include "acp/json/utf8.h"

namespace acp::json {
namespace {

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

std::string DecodeFault::message() const {
  std::string text = path.empty() ? "" : path + ": ";
  text += "expected " + expected + ", got " + got;
  if (kind != Kind::mismatch) text += " at byte " + std::to_string(offset);
  return text;
}

std::string_view describe(ValueKind kind) {
  switch (kind) {
    case ValueKind::null:
      return "null";
    case ValueKind::boolean:
      return "a boolean";
    case ValueKind::number:
      return "a number";
    case ValueKind::string:
      return "a string";
    case ValueKind::array:
      return "an array";
    case ValueKind::object:
      return "an object";
    case ValueKind::none:
      break;
  }
  return "nothing";
}

Reader::Reader(std::string_view text, Limits limits)
    : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), limits_(limits) {
  limits_.depth = std::min(limits_.depth, deepest);
  if (text.size() <= limits_.bytes) return;
  limit("at most " + std::to_string(limits_.bytes) + " bytes",
        std::to_string(text.size()) + " bytes");
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
  error_ = DecodeFault{{},
                       std::move(expected),
                       std::move(got),
                       static_cast<std::size_t>(from - begin_),
                       DecodeFault::Kind::mismatch};
  return false;
}

bool Reader::syntax(const char* where, std::string expected) {
  if (fatal()) return false;
  failed_ = true;
  std::string got = where >= end_
                        ? std::string("the end of the text")
                        : "`" +
                              shorten({where, std::min<std::size_t>(
                                                  static_cast<std::size_t>(end_ - where), 24)}) +
                              "`";
  error_ = DecodeFault{{},
                       std::move(expected),
                       std::move(got),
                       static_cast<std::size_t>(where - begin_),
                       DecodeFault::Kind::syntax};
  return false;
}

bool Reader::limit(std::string expected, std::string got) {
  if (fatal()) return false;
  failed_ = true;
  error_ = DecodeFault{{}, std::move(expected), std::move(got), offset(), DecodeFault::Kind::limit};
  return false;
}

std::string Reader::found(const char* from) {
  Reader other(std::string_view(from, static_cast<std::size_t>(end_ - from)), limits_);
  const ValueKind kind = other.peek();
  if (kind != ValueKind::number && kind != ValueKind::string) return std::string(describe(kind));
  const char* start = other.at();
  if (!other.skip()) return std::string(describe(kind));
  const std::string_view text(start, static_cast<std::size_t>(other.at() - start));
  // A string is reported in full only if short: it may be somebody's file.
  if (kind == ValueKind::string)
    return text.size() <= 42 ? "the string " + shorten(text) : "a string";
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
  if (static_cast<std::size_t>(end_ - at_) < word.size() ||
      std::memcmp(at_, word.data(), word.size()) != 0) {
    // Only what begins like the word was meant to be it.
    const bool alike = end_ - at_ < 2 || at_[1] == word[1];
    return syntax(at_, alike ? "`" + std::string(word) + "`" : "a value");
  }
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

}  // namespace acp::json
