// acp::Json: a JSON value that nobody has typed. The text is kept as it came and parsed when
// someone looks.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "acp/json/error.h"
#include "acp/json/reader.h"

namespace acp {

// A look at a value inside a text that somebody else keeps. The text is valid JSON, or empty: then
// there is no value here ("absent"), which is what a missing member and a wrong index give.
class JsonView {
 public:
  class Members;
  class Elements;

  JsonView() = default;

  // What it is; `none` if it is absent.
  bool absent() const { return text_.empty(); }
  json::ValueKind kind() const;
  bool is_null() const { return kind() == json::ValueKind::null; }
  bool is_boolean() const { return kind() == json::ValueKind::boolean; }
  bool is_number() const { return kind() == json::ValueKind::number; }
  bool is_string() const { return kind() == json::ValueKind::string; }
  bool is_array() const { return kind() == json::ValueKind::array; }
  bool is_object() const { return kind() == json::ValueKind::object; }

  // Nothing, if the value is of another kind or does not fit.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_int64() const;
  std::optional<std::uint64_t> as_uint64() const;
  std::optional<double> as_double() const;
  std::optional<std::string> as_string() const;

  // A member, the last one if there are two of the name; absent if there is none, or no object.
  JsonView operator[](std::string_view key) const;
  JsonView operator[](std::size_t index) const;
  template <std::signed_integral Int>
  JsonView operator[](Int index) const {
    return index < 0 ? JsonView() : (*this)[static_cast<std::size_t>(index)];
  }
  // Members of an object (names counted as often as they stand there), elements of an array,
  // otherwise 0.
  std::size_t size() const;

  // for (auto [key, value] : json.members()); empty unless it is an object.
  Members members() const;
  // for (JsonView value : json.elements()); empty unless it is an array.
  Elements elements() const;

  // JSON text, compact if it is part of a Json; empty if absent.
  std::string_view text() const { return text_; }
  // A look at text that is known to be one valid JSON value, without space around it.
  static JsonView of_valid(std::string_view text) { return JsonView(text); }

  // The same value: the order of members, escapes and the spelling of numbers do not count.
  friend bool operator==(JsonView a, JsonView b) { return equal(a, b); }

 private:
  friend class Json;
  explicit JsonView(std::string_view text) : text_(text) {}
  static bool equal(JsonView a, JsonView b);

  std::string_view text_;
};

// Keys and values of an object, to be walked over.
class JsonView::Members {
 public:
  class Iterator {
   public:
    using value_type = std::pair<std::string, JsonView>;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    const value_type& operator*() const { return item_; }
    const value_type* operator->() const { return &item_; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) { return it.done_; }

   private:
    friend class Members;
    explicit Iterator(std::string_view object);
    std::string_view rest_;
    value_type item_;
    bool done_ = true;
    bool first_ = true;
  };
  Iterator begin() const { return Iterator(object_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class JsonView;
  explicit Members(std::string_view object) : object_(object) {}
  std::string_view object_;
};

// Values of an array, to be walked over.
class JsonView::Elements {
 public:
  class Iterator {
   public:
    using value_type = JsonView;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    JsonView operator*() const { return item_; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) { return it.done_; }

   private:
    friend class Elements;
    explicit Iterator(std::string_view array);
    std::string_view rest_;
    JsonView item_;
    bool done_ = true;
    bool first_ = true;
  };
  Iterator begin() const { return Iterator(array_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class JsonView;
  explicit Elements(std::string_view array) : array_(array) {}
  std::string_view array_;
};

// A value of its own. Default-constructed it is absent: such a member is not written.
class Json {
 public:
  // A name and its value.
  using Member = std::pair<std::string_view, Json>;

  Json() = default;
  Json(std::nullptr_t) : text_("null") {}
  template <std::same_as<bool> Bool>
  Json(Bool value) : text_(value ? "true" : "false") {}
  template <std::integral Int>
    requires(!std::same_as<Int, bool>)
  Json(Int value) {
    if constexpr (std::is_signed_v<Int>)
      set(static_cast<std::int64_t>(value));
    else
      set(static_cast<std::uint64_t>(value));
  }
  Json(double value) { set(value); }
  // A JSON string with this content, not JSON text: that is parse().
  Json(std::string_view value) { set(value); }
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  explicit Json(JsonView value);

  // Json::object({{"name", "x"}, {"sizes", Json::array({1, 2})}}). Absent values are left out.
  static Json object(std::initializer_list<Member> members);
  static Json array(std::initializer_list<Json> elements);
  static Json object() { return from_valid("{}"); }
  static Json array() { return from_valid("[]"); }

  // Any JSON text.
  static json::Result<Json> parse(std::string_view text, json::Limits limits = {});
  // For text that is known to be compact, valid JSON: what a Writer wrote or a Reader gave.
  static Json from_valid(std::string text) {
    Json value;
    value.text_ = std::move(text);
    return value;
  }

  // Put a member (replacing one of that name), or an element at the end. A value that is no object,
  // or no array, becomes one first.
  Json& set(std::string_view key, const Json& value);
  Json& append(const Json& value);

  // A look at it; it must outlive that.
  JsonView view() const { return JsonView(text_); }
  operator JsonView() const { return view(); }

  // As a JsonView has them.
  bool absent() const { return text_.empty(); }
  json::ValueKind kind() const { return view().kind(); }
  bool is_null() const { return view().is_null(); }
  bool is_boolean() const { return view().is_boolean(); }
  bool is_number() const { return view().is_number(); }
  bool is_string() const { return view().is_string(); }
  bool is_array() const { return view().is_array(); }
  bool is_object() const { return view().is_object(); }
  std::optional<bool> as_bool() const { return view().as_bool(); }
  std::optional<std::int64_t> as_int64() const { return view().as_int64(); }
  std::optional<std::uint64_t> as_uint64() const { return view().as_uint64(); }
  std::optional<double> as_double() const { return view().as_double(); }
  std::optional<std::string> as_string() const { return view().as_string(); }
  std::size_t size() const { return view().size(); }
  // What these give looks into this object: it must outlive them.
  template <class Key>
  JsonView operator[](const Key& key) const& {
    return view()[key];
  }
  template <class Key>
  JsonView operator[](const Key& key) && = delete;
  // As a JsonView has them.
  JsonView::Members members() const& { return view().members(); }
  JsonView::Members members() && = delete;
  // As a JsonView has them.
  JsonView::Elements elements() const& { return view().elements(); }
  JsonView::Elements elements() && = delete;

  // Compact JSON text; empty if it is absent.
  const std::string& text() const { return text_; }

  friend bool operator==(const Json& a, const Json& b) { return a.view() == b.view(); }

 private:
  void set(std::int64_t value);
  void set(std::uint64_t value);
  void set(double value);
  void set(std::string_view value);

  std::string text_;
};

}  // namespace acp
