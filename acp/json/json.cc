#include "acp/json/json.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "acp/json/writer.h"

namespace acp {

using json::Reader;
using json::ValueKind;
using json::Writer;

namespace {

// Texts in here are valid and may be as deep and long as the parser that accepted them allowed.
constexpr json::Limits no_limits{4096, std::numeric_limits<std::size_t>::max()};

Reader reader(std::string_view text) { return Reader(text, no_limits); }

void skip_space(std::string_view& rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n' || rest.front() == '\r' ||
                           rest.front() == '\t'))
    rest.remove_prefix(1);
}

// Takes one value off the front of `rest`, and the space around it.
std::string_view take_value(std::string_view& rest) {
  skip_space(rest);
  Reader in = reader(rest);
  in.skip();
  const std::string_view value = rest.substr(0, in.offset());
  rest.remove_prefix(in.offset());
  skip_space(rest);
  return value;
}

}  // namespace

ValueKind JsonView::kind() const { return Reader::kind_of(text_); }

std::optional<bool> JsonView::as_bool() const {
  bool value = false;
  return reader(text_).boolean(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> JsonView::as_int64() const {
  using Range = std::numeric_limits<std::int64_t>;
  std::int64_t value = 0;
  return reader(text_).integer(value, Range::min(), Range::max()) ? std::optional(value)
                                                                  : std::nullopt;
}

std::optional<std::uint64_t> JsonView::as_uint64() const {
  using Range = std::numeric_limits<std::uint64_t>;
  std::uint64_t value = 0;
  return reader(text_).integer(value, Range::min(), Range::max()) ? std::optional(value)
                                                                  : std::nullopt;
}

std::optional<double> JsonView::as_double() const {
  double value = 0;
  return reader(text_).number(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::string> JsonView::as_string() const {
  std::string value;
  if (!reader(text_).string(value)) return std::nullopt;
  return value;
}

JsonView JsonView::operator[](std::string_view key) const {
  JsonView found;
  for (const auto& [name, value] : members())
    if (name == key) found = value;
  return found;
}

JsonView JsonView::operator[](std::size_t index) const {
  for (JsonView value : elements())
    if (index-- == 0) return value;
  return JsonView();
}

std::size_t JsonView::size() const {
  std::size_t count = 0;
  if (is_object())
    for ([[maybe_unused]] const auto& member : members()) ++count;
  else
    for ([[maybe_unused]] JsonView value : elements()) ++count;
  return count;
}

JsonView::Members JsonView::members() const { return Members(text_); }
JsonView::Elements JsonView::elements() const { return Elements(text_); }

JsonView::Members::Iterator::Iterator(std::string_view object) {
  if (object.empty() || object.front() != '{') return;
  rest_ = object.substr(1);
  done_ = false;
  ++*this;
}

JsonView::Members::Iterator& JsonView::Members::Iterator::operator++() {
  skip_space(rest_);
  if (rest_.front() == '}') {
    done_ = true;
    return *this;
  }
  if (!first_) rest_.remove_prefix(1);  // the comma
  first_ = false;
  Reader in = reader(rest_);
  item_.first.clear();
  in.string(item_.first);
  rest_.remove_prefix(in.offset());
  skip_space(rest_);
  rest_.remove_prefix(1);  // the colon
  item_.second = JsonView(take_value(rest_));
  return *this;
}

JsonView::Elements::Iterator::Iterator(std::string_view array) {
  if (array.empty() || array.front() != '[') return;
  rest_ = array.substr(1);
  done_ = false;
  ++*this;
}

JsonView::Elements::Iterator& JsonView::Elements::Iterator::operator++() {
  skip_space(rest_);
  if (rest_.front() == ']') {
    done_ = true;
    return *this;
  }
  if (!first_) rest_.remove_prefix(1);
  first_ = false;
  item_ = JsonView(take_value(rest_));
  return *this;
}

namespace {

bool equal_numbers(JsonView a, JsonView b) {
  if (a.text() == b.text()) return true;
  const auto whole_a = a.as_int64(), whole_b = b.as_int64();
  if (whole_a && whole_b) return *whole_a == *whole_b;
  const auto large_a = a.as_uint64(), large_b = b.as_uint64();
  if (large_a && large_b) return *large_a == *large_b;
  if ((whole_a || large_a) && (whole_b || large_b)) return false;
  const auto real_a = a.as_double(), real_b = b.as_double();
  return real_a && real_b && *real_a == *real_b;
}

// Sorted by name, the last one of each.
std::vector<std::pair<std::string, JsonView>> sorted_members(JsonView object) {
  std::vector<std::pair<std::string, JsonView>> all;
  for (const auto& member : object.members()) all.push_back(member);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<std::string, JsonView>> last;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i + 1 == all.size() || all[i + 1].first != all[i].first) last.push_back(std::move(all[i]));
  return last;
}

}  // namespace

bool JsonView::equal(JsonView a, JsonView b) {
  if (a.text_ == b.text_) return true;
  const ValueKind kind = a.kind();
  if (a.absent() || b.absent() || kind != b.kind()) return false;
  switch (kind) {
    case ValueKind::number:
      return equal_numbers(a, b);
    case ValueKind::string:
      return a.as_string() == b.as_string();
    case ValueKind::array: {
      const Elements left = a.elements(), right = b.elements();
      auto x = left.begin();
      auto y = right.begin();
      for (; x != left.end() && y != right.end(); ++x, ++y)
        if (!equal(*x, *y)) return false;
      return x == left.end() && y == right.end();
    }
    case ValueKind::object:
      return sorted_members(a) == sorted_members(b);
    default:
      return false;  // null, true, false: equal texts only
  }
}

Json::Json(JsonView value) {
  if (!value.absent()) reader(value.text()).raw(text_);
}

void Json::set(std::int64_t value) {
  Writer out;
  out.integer(value);
  text_ = out.str();
}

void Json::set(std::uint64_t value) {
  Writer out;
  out.integer(value);
  text_ = out.str();
}

void Json::set(double value) {
  Writer out;
  out.number(value);
  text_ = out.str();
}

void Json::set(std::string_view value) {
  Writer out(value.size() + 32);
  out.string(value);
  text_ = out.str();
}

json::Result<Json> Json::parse(std::string_view text, json::Limits limits) {
  Reader in(text, limits);
  Json value;
  if (!in.raw(value.text_) || !in.finish()) return in.error();
  return value;
}

Json Json::object(std::initializer_list<Member> members) {
  Writer out;
  {
    json::Members m(out);
    for (const auto& [key, value] : members)
      if (!value.absent()) m.key(key).put(value.text());
  }
  return from_valid(out.str());
}

Json Json::array(std::initializer_list<Json> elements) {
  Writer out;
  out.put('[');
  for (const Json& value : elements) {
    if (out.size() > 1) out.put(',');
    if (value.absent())
      out.null();
    else
      out.put(value.text());
  }
  out.put(']');
  return from_valid(out.str());
}

Json& Json::set(std::string_view key, const Json& value) {
  Writer out(text_.size() + key.size() + value.text_.size() + 16);
  {
    json::Members m(out);
    for (const auto& [name, old] : view().members())
      if (name != key) m.key(name).put(old.text());
    if (!value.absent()) m.key(key).put(value.text());
  }
  text_ = out.str();
  return *this;
}

Json& Json::append(const Json& value) {
  const std::string element = value.absent() ? "null" : value.text();
  if (!is_array() || text_ == "[]") {
    text_ = "[" + element + "]";
  } else {
    text_.back() = ',';
    text_ += element;
    text_ += ']';
  }
  return *this;
}

}  // namespace acp
