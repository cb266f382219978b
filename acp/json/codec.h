// Reading and writing values through their tables.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "acp/json/error.h"
#include "acp/json/type.h"
#include "acp/json/writer.h"

namespace acp::json {

// What a lenient decode let pass.
struct DecodeReport {
  // What was met.
  enum class What {
    unknown_member,  // a member that the type does not have: ignored
    unknown_tag,     // a union's tag or an enum's value that is not listed: kept
    tolerated,       // a bad value that the schema says to replace, skip or take as empty
  };
  What what;
  std::string path;
  std::string expected;
  std::string got;
};
// "unknown_member", "unknown_tag", "tolerated"
constexpr const char* to_string(DecodeReport::What value) {
  switch (value) {
    case DecodeReport::What::unknown_member:
      return "unknown_member";
    case DecodeReport::What::unknown_tag:
      return "unknown_tag";
    case DecodeReport::What::tolerated:
      return "tolerated";
  }
  return "";
}

// How strictly a text is read.
struct Options {
  // For development: whatever would be reported is an error. Tags and values that begin with `_`
  // are somebody's own by agreement, and pass where the schema is open.
  bool strict = false;
  Limits limits = {};
  // Called after a successful decode, for each thing that was let pass.
  std::function<void(const DecodeReport&)> report = nullptr;
};

// The value must be default-constructed.
std::optional<DecodeFault> decode(std::string_view text, const Type& type, void* value,
                                  const Options& options = {});
void write(Writer& out, const Type& type, const void* value);
// The value with which `text` begins; gives where it ends, or nullptr if it does not fit.
const char* decode_prefix(std::string_view text, const Type& type, void* value, Limits limits);

// A value of this type, or why the text is none.
template <class T>
Result<T> decode(std::string_view text, const Options& options = {}) {
  Result<T> result(std::in_place);
  if (auto error = decode(text, type_of<T>(), &*result, options)) result = std::move(*error);
  return result;
}

// Writes a value as JSON.
template <class T>
void write(Writer& out, const T& value) {
  write(out, type_of<T>(), &value);
}

// Its JSON text.
template <class T>
std::string encode(const T& value) {
  Writer out;
  write(out, value);
  return out.str();
}

// The schema's name, or one made from what it is: `[ContentBlock]`, `string | null`.
std::string type_name(const Type& type);

// The table as JSON: kind, fields, arms, bounds and marks.
Json describe(const Type& type);

}  // namespace acp::json
