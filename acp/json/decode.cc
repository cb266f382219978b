#include <algorithm>
#include <limits>

#include "acp/json/decoder.h"
#include "acp/json/format.h"
#include "acp/json/match.h"
#include "acp/json/temporary.h"

namespace acp::json {
namespace {

std::string list(std::span<const std::string_view> values) {
  std::string text;
  for (std::string_view value : values) text += (text.empty() ? "" : ", ") + std::string(value);
  return text;
}

template <class Int, class Wide>
[[gnu::noinline]] bool read_integer(Reader& in, const Bounds* bounds, void* value) {
  using Range = std::numeric_limits<Int>;
  Wide least = Range::min(), most = Range::max();
  if (bounds != nullptr && bounds->minimum) least = static_cast<Wide>(*bounds->minimum);
  if (bounds != nullptr && bounds->maximum) most = static_cast<Wide>(*bounds->maximum);
  Wide wide = 0;
  if (!in.integer(wide, least, most)) return false;
  *static_cast<Int*>(value) = static_cast<Int>(wide);
  return true;
}

[[gnu::noinline]] bool read_number(Reader& in, const Bounds* bounds, double& value) {
  in.peek();
  const char* start = in.at();
  double number = 0;
  if (!in.number(number)) return false;
  if (bounds != nullptr && bounds->minimum && number < static_cast<double>(*bounds->minimum))
    return in.wrong_value(start, "a number not below " + std::to_string(*bounds->minimum));
  if (bounds != nullptr && bounds->maximum && number > static_cast<double>(*bounds->maximum))
    return in.wrong_value(start, "a number not above " + std::to_string(*bounds->maximum));
  value = number;
  return true;
}

}  // namespace

std::optional<DecodeFault> Decoder::run(const Type& type, void* value, const Options& options) {
  if (in_.failed() || !read(type, value, 0) || !in_.finish()) {
    if (!in_.fatal()) {
      // A text that is no JSON is that first of all, wherever the fault stands.
      Reader all(text_, options.limits);
      if (!all.skip() || !all.finish()) return all.error();
    }
    return in_.error();
  }
  if (options.report)
    for (const DecodeReport& report : reports_) options.report(report);
  return std::nullopt;
}

bool Decoder::tolerate(const Mark& start) {
  DecodeFault error = in_.error();
  const bool noted = path_noted_;
  go_back(start);
  if (watched_)
    reports_.push_back({DecodeReport::What::tolerated,
                        noted ? std::move(error.path) : render(path_), std::move(error.expected),
                        std::move(error.got)});
  return in_.skip();
}

// Every case is a jump: nothing is kept on the stack here, so none of them is inlined.
bool Decoder::read(const Type& type, void* value, Flags flags, const Known* known) {
  switch (type.kind) {
    case Kind::null:
      return in_.null();
    case Kind::boolean:
      return in_.boolean(*static_cast<bool*>(value));
    case Kind::int32:
      return read_integer<std::int32_t, std::int64_t>(in_, type.bounds, value);
    case Kind::int64:
      return read_integer<std::int64_t, std::int64_t>(in_, type.bounds, value);
    case Kind::uint16:
      return read_integer<std::uint16_t, std::uint64_t>(in_, type.bounds, value);
    case Kind::uint32:
      return read_integer<std::uint32_t, std::uint64_t>(in_, type.bounds, value);
    case Kind::uint64:
      return read_integer<std::uint64_t, std::uint64_t>(in_, type.bounds, value);
    case Kind::number:
      return read_number(in_, type.bounds, *static_cast<double*>(value));
    case Kind::string:
      return read_string(type, *static_cast<std::string*>(value));
    case Kind::raw:
      return read_raw(type, *static_cast<Json*>(value));
    case Kind::enumerated:
      return read_enumerated(type, *static_cast<std::uint8_t*>(value));
    case Kind::open_enum:
      return read_open_enum(type, *static_cast<OpenEnum*>(value));
    case Kind::object:
      return read_object(*type.object, value, known);
    case Kind::variant:
      return read_union(*type.variant, value, known);
    case Kind::array:
      return read_array(type, value, flags);
    case Kind::map:
      return read_map(type, value);
    case Kind::nullable:
      return read_nullable(type, value, flags);
    case Kind::optional:
      return read_optional(type, value, flags);
  }
  return false;
}

bool Decoder::read_optional(const Type& type, void* value, Flags flags) {
  return read(*type.element, type.optional->engage(value), flags);
}

bool Decoder::read_nullable(const Type& type, void* value, Flags flags) {
  if (in_.peek() == ValueKind::null) {
    type.nullable->set_null(value);
    return in_.null();
  }
  return read(*type.element, type.nullable->engage(value), flags);
}

bool Decoder::read_string(const Type& type, std::string& value) {
  if (type.bounds == nullptr) return in_.string(value);
  in_.peek();
  const char* start = in_.at();
  if (!in_.string(value)) return false;
  if (type.bounds->min_length > 0 && value.size() < type.bounds->min_length)
    return in_.wrong_value(start, "at least " + std::to_string(type.bounds->min_length) +
                                      " character" + (type.bounds->min_length == 1 ? "" : "s"));
  if (type.bounds->format != nullptr)
    if (const char* expected = format_mismatch(type.bounds->format, value))
      return in_.wrong_value(start, expected);
  return true;
}

bool Decoder::read_raw(const Type& type, Json& value) {
  const ValueKind kind = in_.peek();
  const bool null = type.or_null && kind == ValueKind::null;
  if (type.objects_only && kind != ValueKind::object && kind != ValueKind::none && !null)
    return in_.wrong_kind(in_.at(), type.or_null ? "an object or null" : "an object");
  if (!null && !type.choices.empty() && !fits_a_choice(type)) return false;
  std::string text;
  if (!in_.raw(text)) return false;
  value = Json::from_valid(std::move(text));
  return true;
}

// Is the next value one that a choice of the type reads? Leaves the cursor where it is.
bool Decoder::fits_a_choice(const Type& type) {
  const auto is_any = [](const Type* choice) { return takes_anything(*choice); };
  if (std::any_of(type.choices.begin(), type.choices.end(), is_any)) return true;
  const Mark start = mark();
  std::string names;
  for (const Type* choice : type.choices) {
    Temporary room(*choice);
    const bool fits = read(*choice, room.get(), 0);
    if (in_.fatal()) return false;
    go_back(start);
    if (fits) return true;
    names += (names.empty() ? "" : " or ") + std::string(choice->name);
  }
  return in_.wrong_kind(start.at, names);
}

bool Decoder::read_enumerated(const Type& type, std::uint8_t& value) {
  in_.peek();
  const char* start = in_.at();
  std::size_t i =
      listed(start, in_.end(), type.values.size(), [&](std::size_t n) { return type.values[n]; });
  if (i < type.values.size()) {
    in_.move_to(start + type.values[i].size() + 2);
  } else {
    std::string_view text;
    if (!in_.text(text)) return false;
    i = static_cast<std::size_t>(std::find(type.values.begin(), type.values.end(), text) -
                                 type.values.begin());
    if (i == type.values.size())
      return in_.wrong_value(start, (type.values.size() == 1 ? "" : "one of ") + list(type.values));
  }
  value = static_cast<std::uint8_t>(i);
  return true;
}

bool Decoder::read_open_enum(const Type& type, OpenEnum& value) {
  in_.peek();
  const char* start = in_.at();
  std::string_view text;
  if (!in_.text(text)) return false;
  for (std::size_t i = 0; i < type.values.size(); ++i) {
    if (type.values[i] != text) continue;
    value.index = static_cast<std::uint8_t>(i);
    return true;
  }
  const bool private_use = text.starts_with('_');
  value.index = OpenEnum::not_listed;
  value.unlisted = text;
  if (private_use || !watched_) return true;
  const std::string expected = "one of " + list(type.values) + ", or a name that begins with _";
  if (strict_) return in_.wrong_value(start, expected);
  report(DecodeReport::What::unknown_tag, expected, in_.found(start));
  return true;
}

bool Decoder::read_array(const Type& type, void* value, Flags flags) {
  in_.peek();
  const char* begin = in_.at();
  if (!in_.begin_array()) return false;
  bool first = true;
  std::size_t index = 0;
  for (; in_.next_element(first); ++index) {
    in_.peek();
    const Mark start = mark();
    const bool ok = inside({path_, {}, index}, [&] {
      void* element = type.array->append(value);
      if (read(*type.element, element, 0)) return true;
      if (in_.fatal() || strict_ || (flags & skip_invalid_items) == 0) return false;
      type.array->pop(value);
      return tolerate(start);
    });
    if (!ok) return false;
  }
  if (in_.failed()) return false;
  if (type.bounds != nullptr && index < type.bounds->min_items)
    return in_.mismatch(begin,
                        "at least " + std::to_string(type.bounds->min_items) + " item" +
                            (type.bounds->min_items == 1 ? "" : "s"),
                        index == 0 ? "none" : std::to_string(index));
  return true;
}

bool Decoder::read_map(const Type& type, void* value) {
  if (!in_.begin_object()) return false;
  bool first = true;
  std::string_view next;
  while (in_.next_key(first, next)) {
    const std::string key(next);
    in_.peek();
    const Mark start = mark();
    const bool ok = inside({path_, key}, [&] {
      void* member = type.map->at(value, key);
      reset(*type.element, member);
      if (read(*type.element, member, 0)) return true;
      if (in_.fatal() || !stands_again(start, key)) return false;
      go_back(start);
      return in_.skip();
    });
    if (!ok) return false;
  }
  return !in_.failed();
}

std::optional<DecodeFault> decode(std::string_view text, const Type& type, void* value,
                                  const Options& options) {
  return Decoder(text, options).run(type, value, options);
}

const char* decode_prefix(std::string_view text, const Type& type, void* value, Limits limits) {
  Options options;
  options.limits = limits;
  return Decoder(text, options).run_prefix(type, value);
}

}  // namespace acp::json
