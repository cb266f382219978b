// Tables that describe C++ types as JSON: a struct declares its fields once, and reading, writing,
// equality and description all come from that declaration. docs/json.md shows how to write one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "acp/json/described.h"
#include "acp/json/fresh.h"
#include "acp/json/json.h"
#include "acp/json/map.h"
#include "acp/json/nullable.h"
#include "acp/json/open_enum.h"
#include "acp/json/unknown.h"

namespace acp::json {

// What a table describes.
enum class Kind : std::uint8_t {
  null,  // std::monostate
  boolean,
  int32,
  int64,
  uint16,
  uint32,
  uint64,
  number,
  string,
  raw,         // acp::Json: any value, or any object, or one of several types
  enumerated,  // enum class … : std::uint8_t
  open_enum,   // a struct derived from OpenEnum
  object,
  variant,
  array,
  map,
  nullable,
  optional,
};

// What the schema asks of a value beside its type.
struct Bounds {
  std::optional<std::int64_t> minimum = std::nullopt;
  std::optional<std::int64_t> maximum = std::nullopt;
  std::uint32_t min_length = 0;
  std::uint32_t min_items = 0;
  const char* format = nullptr;    // "uri" and "date-time" are checked
  const char* encoding = nullptr;  // "base64"; not checked, it may be megabytes
};

struct Type;

// How values are made, cleared and looked into without knowing their C++ type.
struct Life {
  void (*construct)(void* raw);
  void (*destroy)(void* value);
};
// The same for a std::optional: a fresh value in it, and the value that it has.
struct OptionalOps {
  void* (*engage)(void* optional);
  const void* (*get)(const void* optional);  // null if there is no value
};
// For a Nullable: a fresh value in it, and null.
struct NullableOps {
  void* (*engage)(void* nullable);
  void (*set_null)(void* nullable);
};
// For a std::vector: a fresh item at its end, its last item removed, its items.
struct ArrayOps {
  void* (*append)(void* array);
  void (*pop)(void* array);
  const void* (*data)(const void* array, std::size_t& count);
};
// For a Map.
struct MapOps {
  void* (*at)(void* map, std::string_view key);  // made if it is not there
  void (*erase)(void* map, std::string_view key);
  std::size_t (*size)(const void* map);
  const void* (*item)(const void* map, std::size_t index, std::string_view& key);
  const void* (*find)(const void* map, std::string_view key);
};
// For a std::variant.
struct VariantOps {
  // The value and which arm it is; null if an exception left none.
  const void* (*get)(const void* variant, std::size_t& index);
  void* (*emplace)(void* variant, std::size_t index);
  // For a variant that has just been made: an arm that it holds already need not be made again.
  void* (*first)(void* variant, std::size_t index);
};

// How a field is read and written: a sum of those below.
using Flags = std::uint16_t;
inline constexpr Flags required = 1 << 0;
inline constexpr Flags omit_empty = 1 << 1;          // an empty array or map is not written
inline constexpr Flags default_on_error = 1 << 2;    // the schema's x-deserialize-default-on-error
inline constexpr Flags skip_invalid_items = 1 << 3;  // x-deserialize-skip-invalid-items
inline constexpr Flags default_on_null = 1 << 4;     // x-deserialize-default-on-null
inline constexpr Flags unstable = 1 << 5;
inline constexpr Flags omit_false = 1 << 6;  // false is not written: peers may not know the member

// The first sixteen bytes of a text as numbers in memory's order, and which bits of the first one
// the text fills.
struct Head {
  std::uint64_t bits = 0;
  std::uint64_t more = 0;
  std::uint64_t mask = 0;

  constexpr explicit Head(std::string_view text) {
    for (std::size_t i = 0; i < text.size() && i < 16; ++i) {
      const std::size_t shift =
          8 * (std::endian::native == std::endian::little ? i % 8 : 7 - i % 8);
      (i < 8 ? bits : more) |= std::uint64_t{static_cast<unsigned char>(text[i])} << shift;
      if (i < 8) mask |= std::uint64_t{0xFF} << shift;
    }
  }
};

// Whether the text stands in JSON as it is.
constexpr bool needs_no_escape(std::string_view text) {
  for (const char c : text)
    if (c < ' ' || c > '~' || c == '"' || c == '\\') return false;
  return true;
}

// A member of an object: its name, its type, and where the C++ struct has it.
struct Field {
  std::string_view quoted;  // `"name":`, as it is written
  const Type* type;
  std::uint32_t offset;
  Flags flags;
  const char* fallback;  // the schema's default, as JSON; null if it has none
  Head head = Head(quoted);

  // The name alone, and whether a flag is set.
  constexpr std::string_view name() const { return {quoted.data() + 1, quoted.size() - 3}; }
  constexpr bool is(Flags flag) const { return (flags & flag) != 0; }
};

// One arm of a union. Its place in the table is its place in the std::variant.
struct Arm {
  std::string_view tag;  // empty: distinguished by shape
  const Type* type;      // null: the Unknown arm
  Flags flags = 0;
  bool plain = needs_no_escape(tag);
  Head head = Head(tag);
};

// A choice between types, as the schema's oneOf: its arms, and how they are distinguished.
struct Union {
  std::string_view quoted;  // `"type":`, the member that tells arms apart; empty if none does
  std::span<const Arm> arms;
  const VariantOps* ops;
  int unknown = -1;        // which arm keeps unknown tags
  int fallback = -1;       // which arm has no tag, where others do
  int none = -1;           // which arm stands for a tag that is absent, null or no string
  bool open = false;       // the schema itself has a catch-all
  bool exclusive = false;  // exactly one arm's required members may be there
  const Type* unknown_requires = nullptr;  // what the catch-all asks for beside its tag
  Head head = Head(quoted);

  // Whether a member tells the arms apart, and its name.
  constexpr bool tagged() const { return !quoted.empty(); }
  constexpr std::string_view tag() const { return {quoted.data() + 1, quoted.size() - 3}; }
};

// One bit for each required field.
constexpr std::uint64_t required_of(std::span<const Field> fields) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].is(required)) bits |= std::uint64_t{1} << i;
  return bits;
}

// A struct: at most 64 fields.
struct Object {
  std::span<const Field> fields = {};
  const Union* flat = nullptr;  // a union whose members stand among the object's own
  std::uint32_t flat_offset = 0;
  const char* flat_name = nullptr;  // what C++ calls it
  std::optional<std::uint32_t> additional =
      std::nullopt;                            // offset of a Map<Json> for other members
  bool null_is_empty = false;                  // null is taken as {}
  std::uint64_t needed = required_of(fields);  // one bit for each required field
};

// The table of a type. Which members have a meaning depends on the kind.
struct Type {
  Kind kind;
  const char* name = "";  // the schema's name, or empty
  const Life* life = nullptr;
  std::uint32_t size = 0;
  std::uint32_t value_offset = 0;  // nullable: where the value stands
  const Type* element = nullptr;   // array, map, nullable, optional
  const Bounds* bounds = nullptr;
  std::span<const std::string_view> values = {};  // enumerated, open_enum
  std::span<const std::int32_t> codes = {};       // int32: the values that have a name
  const Object* object = nullptr;
  const Union* variant = nullptr;
  std::span<const Type* const> choices = {};  // raw: one of these
  bool objects_only = false;                  // raw
  bool or_null = false;                       // raw: null as well
  const OptionalOps* optional = nullptr;
  const NullableOps* nullable = nullptr;
  const ArrayOps* array = nullptr;
  const MapOps* map = nullptr;
};

// ---- Making tables
// -------------------------------------------------------------------------------------

namespace make {

template <class T>
inline constexpr Life life{[](void* raw) { ::new (raw) T(Fresh<T>()); },
                           [](void* value) { std::destroy_at(static_cast<T*>(value)); }};

template <class T>
inline constexpr OptionalOps optional_ops{
    [](void* o) -> void* { return &static_cast<std::optional<T>*>(o)->emplace(Fresh<T>()); },
    [](const void* o) -> const void* {
      const auto& value = *static_cast<const std::optional<T>*>(o);
      return value ? &*value : nullptr;
    }};

template <class T>
inline constexpr NullableOps nullable_ops{
    [](void* n) -> void* { return &static_cast<Nullable<T>*>(n)->emplace(Fresh<T>()); },
    [](void* n) { *static_cast<Nullable<T>*>(n) = nullptr; }};

template <class T>
inline constexpr ArrayOps array_ops{[](void* a) -> void* {
                                      auto& vector = *static_cast<std::vector<T>*>(a);
                                      // Most arrays are short: do not begin with room for one.
                                      if (vector.capacity() == 0)
                                        vector.reserve(sizeof(T) < 256 ? 4 : 2);
                                      return &vector.emplace_back(Fresh<T>());
                                    },
                                    [](void* a) { static_cast<std::vector<T>*>(a)->pop_back(); },
                                    [](const void* a, std::size_t& count) -> const void* {
                                      const auto& vector = *static_cast<const std::vector<T>*>(a);
                                      count = vector.size();
                                      return vector.data();
                                    }};

template <class T>
inline constexpr MapOps map_ops{
    [](void* m, std::string_view key) -> void* { return &(*static_cast<Map<T>*>(m))[key]; },
    [](void* m, std::string_view key) { static_cast<Map<T>*>(m)->erase(key); },
    [](const void* m) { return static_cast<const Map<T>*>(m)->size(); },
    [](const void* m, std::size_t index, std::string_view& key) -> const void* {
      const auto& item = static_cast<const Map<T>*>(m)->begin()[static_cast<std::ptrdiff_t>(index)];
      key = item.first;
      return &item.second;
    },
    [](const void* m, std::string_view key) -> const void* {
      return static_cast<const Map<T>*>(m)->find(key);
    }};

// Makes it hold a fresh value of this arm, and returns that.
template <class V, std::size_t... I>
void* emplace(V& variant, std::size_t index, std::index_sequence<I...>) {
  using Make = void* (*)(V&);
  static constexpr Make makers[] = {[](V& v) -> void* {
    return &v.template emplace<I>(Fresh<std::variant_alternative_t<I, V>>());
  }...};
  return makers[index](variant);
}
// Returns the value. All arms stand at one place: what looks like a choice is none to the compiler.
template <class V, std::size_t... I>
const void* get(const V& variant, std::index_sequence<I...>) {
  const void* value = nullptr;
  ((variant.index() == I ? void(value = std::get_if<I>(&variant)) : void()), ...);
  return value;
}
// Variant is a std::variant, or a struct derived from one (Holder).
template <class Holder, class Variant = Holder>
inline constexpr VariantOps variant_ops{
    [](const void* v, std::size_t& index) -> const void* {
      const auto& variant = static_cast<const Variant&>(*static_cast<const Holder*>(v));
      index = variant.index();
      return get(variant, std::make_index_sequence<std::variant_size_v<Variant>>());
    },
    [](void* v, std::size_t index) -> void* {
      return emplace(static_cast<Variant&>(*static_cast<Holder*>(v)), index,
                     std::make_index_sequence<std::variant_size_v<Variant>>());
    },
    [](void* v, std::size_t index) -> void* {
      auto& variant = static_cast<Variant&>(*static_cast<Holder*>(v));
      constexpr std::make_index_sequence<std::variant_size_v<Variant>> all;
      return variant.index() == index ? const_cast<void*>(get(variant, all))
                                      : emplace(variant, index, all);
    }};

// The table of a plain value.
template <class T>
constexpr Type plain(Kind kind, const char* name = "", const Bounds* bounds = nullptr) {
  return {.kind = kind, .name = name, .life = &life<T>, .size = sizeof(T), .bounds = bounds};
}
// A struct.
template <class T>
constexpr Type object(const char* name, const Object& table) {
  return {
      .kind = Kind::object, .name = name, .life = &life<T>, .size = sizeof(T), .object = &table};
}
// A std::variant, or a struct derived from one.
template <class T>
constexpr Type variant(const char* name, const Union& table) {
  return {
      .kind = Kind::variant, .name = name, .life = &life<T>, .size = sizeof(T), .variant = &table};
}
// An enum class, by the names of its values.
template <class E>
constexpr Type enumerated(const char* name, std::span<const std::string_view> values) {
  static_assert(std::is_same_v<std::underlying_type_t<E>, std::uint8_t>);
  return {.kind = Kind::enumerated,
          .name = name,
          .life = &life<E>,
          .size = sizeof(E),
          .values = values};
}
// A list of values that a peer may extend.
template <class E>
constexpr Type open_enum(const char* name, std::span<const std::string_view> values) {
  static_assert(std::is_base_of_v<OpenEnum, E> && sizeof(E) == sizeof(OpenEnum));
  return {
      .kind = Kind::open_enum, .name = name, .life = &life<E>, .size = sizeof(E), .values = values};
}
// A std::optional<T>.
template <class T>
constexpr Type optional(const Type& element) {
  return {.kind = Kind::optional,
          .life = &life<std::optional<T>>,
          .size = sizeof(std::optional<T>),
          .element = &element,
          .optional = &optional_ops<T>};
}
// A Nullable<T>.
template <class T>
constexpr Type nullable(const Type& element) {
  // The layout of Nullable<T>: its state, then the value at the next place that suits it.
  return {.kind = Kind::nullable,
          .life = &life<Nullable<T>>,
          .size = sizeof(Nullable<T>),
          .value_offset = alignof(T),
          .element = &element,
          .nullable = &nullable_ops<T>};
}
// A std::vector<T>.
template <class T>
constexpr Type array(const Type& element, const Bounds* bounds = nullptr) {
  return {.kind = Kind::array,
          .life = &life<std::vector<T>>,
          .size = sizeof(std::vector<T>),
          .element = &element,
          .bounds = bounds,
          .array = &array_ops<T>};
}
// A Map<T>.
template <class T>
constexpr Type map(const Type& element) {
  return {.kind = Kind::map,
          .life = &life<Map<T>>,
          .size = sizeof(Map<T>),
          .element = &element,
          .map = &map_ops<T>};
}
// A raw value that has one of several types.
constexpr Type choice(std::span<const Type* const> choices, bool or_null) {
  return {.kind = Kind::raw,
          .life = &life<Json>,
          .size = sizeof(Json),
          .choices = choices,
          .or_null = or_null};
}

}  // namespace make

// The tables of JSON's own types.
inline constexpr Type null_type = make::plain<std::monostate>(Kind::null);
inline constexpr Type boolean_type = make::plain<bool>(Kind::boolean);
inline constexpr Type int32_type = make::plain<std::int32_t>(Kind::int32);
inline constexpr Type int64_type = make::plain<std::int64_t>(Kind::int64);
inline constexpr Type uint16_type = make::plain<std::uint16_t>(Kind::uint16);
inline constexpr Type uint32_type = make::plain<std::uint32_t>(Kind::uint32);
inline constexpr Type uint64_type = make::plain<std::uint64_t>(Kind::uint64);
inline constexpr Type double_type = make::plain<double>(Kind::number);
inline constexpr Type string_type = make::plain<std::string>(Kind::string);
// Whether it takes whatever there is.
constexpr bool takes_anything(const Type& type) {
  return type.kind == Kind::raw && type.choices.empty() && !type.objects_only;
}

// Any value, any object, any object or null.
inline constexpr Type any_type = make::plain<Json>(Kind::raw);
inline constexpr Type any_object_type = {
    .kind = Kind::raw, .life = &make::life<Json>, .size = sizeof(Json), .objects_only = true};
inline constexpr Type any_object_or_null_type = {.kind = Kind::raw,
                                                 .life = &make::life<Json>,
                                                 .size = sizeof(Json),
                                                 .objects_only = true,
                                                 .or_null = true};

// ---- From a C++ type to its table
// ----------------------------------------------------------------------

// Finds the table of a C++ type: get() returns it.
template <class T>
struct TypeOf {
  // The table.
  static constexpr const Type& get() {
    if constexpr (Described<T>)
      return T::json_type;
    else
      return EnumTable<T>::type;
  }
};
template <>
struct TypeOf<bool> {
  static constexpr const Type& get() { return boolean_type; }
};
template <>
struct TypeOf<std::int32_t> {
  static constexpr const Type& get() { return int32_type; }
};
template <>
struct TypeOf<std::int64_t> {
  static constexpr const Type& get() { return int64_type; }
};
template <>
struct TypeOf<std::uint16_t> {
  static constexpr const Type& get() { return uint16_type; }
};
template <>
struct TypeOf<std::uint32_t> {
  static constexpr const Type& get() { return uint32_type; }
};
template <>
struct TypeOf<std::uint64_t> {
  static constexpr const Type& get() { return uint64_type; }
};
template <>
struct TypeOf<double> {
  static constexpr const Type& get() { return double_type; }
};
template <>
struct TypeOf<std::string> {
  static constexpr const Type& get() { return string_type; }
};
template <>
struct TypeOf<Json> {
  static constexpr const Type& get() { return any_type; }
};
template <class T>
struct TypeOf<std::vector<T>> {
  static constexpr Type type = make::array<T>(TypeOf<T>::get());
  static constexpr const Type& get() { return type; }
};
template <class T>
struct TypeOf<std::optional<T>> {
  static constexpr Type type = make::optional<T>(TypeOf<T>::get());
  static constexpr const Type& get() { return type; }
};
template <class T>
struct TypeOf<Nullable<T>> {
  static constexpr Type type = make::nullable<T>(TypeOf<T>::get());
  static constexpr const Type& get() { return type; }
};
template <class T>
struct TypeOf<Map<T>> {
  static constexpr Type type = make::map<T>(TypeOf<T>::get());
  static constexpr const Type& get() { return type; }
};

// The table of T.
template <class T>
constexpr const Type& type_of() {
  return TypeOf<T>::get();
}

// One field of a table: ACP_JSON_FIELD(Point, x, required). Members of other than standard layout
// have an offset all the same with every compiler we know; only the standard leaves it to them.
#define ACP_JSON_FIELD(Struct, member, flags)                              \
  ::acp::json::Field {                                                     \
    "\"" #member "\":", &::acp::json::type_of<decltype(Struct::member)>(), \
        __builtin_offsetof(Struct, member), flags, nullptr                 \
  }

}  // namespace acp::json
