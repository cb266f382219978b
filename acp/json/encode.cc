#include <charconv>
#include <cmath>
#include <cstring>

#include "acp/json/codec.h"

namespace acp::json {
namespace {

// The place to write at is handed from function to function, so that it stays in a register. Each
// of them finds room for `spare` bytes there, and returns the place after what it wrote, with room
// for a comma.
constexpr std::size_t spare = 64;

char* write_value(Writer& out, char* p, const Type& type, const void* value);
char* write_members(Writer& out, char* p, const Object& object, const void* value);

const char* at(const void* value, std::size_t offset) {
  return static_cast<const char*>(value) + offset;
}

// Short, and known when the program was compiled.
template <std::size_t N>
char* put(char* p, const char (&text)[N]) {
  static_assert(N <= spare);
  std::memcpy(p, text, N - 1);
  return p + N - 1;
}

// A text whose first sixteen bytes `head` has. Most names are short: a call of memcpy would cost
// more than they do. Up to sixteen bytes after the text are overwritten.
[[gnu::always_inline]] inline char* put_plain(char* p, std::string_view text, const Head& head) {
  const std::size_t size = text.size();
  std::memcpy(p, &head.bits, 8);
  std::memcpy(p + 8, &head.more, 8);
  if (size > 16) {
    for (std::size_t i = 16; i + 8 < size; i += 8) std::memcpy(p + i, text.data() + i, 8);
    std::memcpy(p + size - 8, text.data() + size - 8, 8);
  }
  return p + size;
}

// `"name":`, with `spare` after it.
[[gnu::always_inline]] inline char* put_name(Writer& out, char* p, std::string_view quoted,
                                             const Head& head) {
  return put_plain(out.make_room(p, quoted.size() + spare), quoted, head);
}

char* put_text(Writer& out, char* p, std::string_view text) {
  p = out.make_room(p, text.size() + spare);
  std::memcpy(p, text.data(), text.size());
  return p + text.size();
}

char* put_json(Writer& out, char* p, const Json& json) {
  return json.absent() ? put(p, "null") : put_text(out, p, json.text());
}

// A name that is known only now, with `spare` after it.
char* put_key(Writer& out, char* p, std::string_view key) {
  p = out.string_at(out.make_room(p, spare), key);
  *p++ = ':';
  return out.make_room(p, spare);
}

// Each member and element is followed by a comma: the last one becomes the bracket.
inline char* close(Writer& out, char* p, char bracket) {
  if (p[-1] == ',') --p;
  *p++ = bracket;
  return out.make_room(p, 1);
}

// The members of an unknown arm: its tag, then what came with it.
char* write_unknown(Writer& out, char* p, const Union& table, const Unknown& unknown) {
  p = out.string_at(put_name(out, p, table.quoted, table.head), unknown.tag);
  *p++ = ',';
  for (const auto& [key, member] : unknown.payload.view().members()) {
    if (key == table.tag()) continue;
    p = put_text(out, put_key(out, p, key), member.text());
    *p++ = ',';
  }
  return p;
}

char* write_nested_arm(Writer& out, char* p, const Union& table, const void* value);

// The members of whichever arm it is, among those of an object that is being written.
inline char* write_arm_members(Writer& out, char* p, const Union& table, const Arm& arm,
                               const void* inner) {
  if (arm.type == nullptr) return write_unknown(out, p, table, *static_cast<const Unknown*>(inner));
  if (!arm.tag.empty()) {
    p = out.make_room(p, table.quoted.size() + arm.tag.size() + spare);
    p = put_plain(p, table.quoted, table.head);
    if (arm.plain) {
      *p++ = '"';
      p = put_plain(p, arm.tag, arm.head);
      *p++ = '"';
    } else {
      p = out.string_at(p, arm.tag);
    }
    *p++ = ',';
  }
  if (arm.type->kind == Kind::object) return write_members(out, p, *arm.type->object, inner);
  return write_nested_arm(out, p, *arm.type->variant, inner);
}

[[gnu::noinline]] char* write_nested_arm(Writer& out, char* p, const Union& table,
                                         const void* value) {
  std::size_t index = 0;
  const void* inner = table.ops->get(value, index);
  // A variant that lost its value to an exception has none.
  return inner != nullptr ? write_arm_members(out, p, table, table.arms[index], inner) : p;
}

char* write_members(Writer& out, char* p, const Object& object, const void* value) {
  for (const Field& field : object.fields) {
    const void* member = at(value, field.offset);
    const Type* type = field.type;
    // What is not there is left out.
    switch (type->kind) {
      [[likely]] case Kind::string:
        break;
      case Kind::nullable: {
        const std::uint8_t state = *static_cast<const std::uint8_t*>(member);
        if (state == 0) continue;
        member = at(member, type->value_offset);
        type = state == 2 ? type->element : &null_type;
        break;
      }
      case Kind::optional:
        member = type->optional->get(member);
        if (member == nullptr) continue;
        type = type->element;
        break;
      case Kind::raw:
        if (!field.is(required) && static_cast<const Json*>(member)->absent()) continue;
        break;
      case Kind::array: {
        std::size_t count = 1;
        if (field.is(omit_empty)) type->array->data(member, count);
        if (count == 0) continue;
        break;
      }
      case Kind::map:
        if (field.is(omit_empty) && type->map->size(member) == 0) continue;
        break;
      case Kind::boolean:
        if (field.is(omit_false) && !*static_cast<const bool*>(member)) continue;
        break;
      default:
        break;
    }
    p = put_name(out, p, field.quoted, field.head);
    p = type->kind == Kind::string ? out.string_at(p, *static_cast<const std::string*>(member))
                                   : write_value(out, p, *type, member);
    *p++ = ',';
  }
  if (object.flat != nullptr)
    p = write_nested_arm(out, p, *object.flat, at(value, object.flat_offset));
  if (object.additional) {
    for (const auto& [key, member] :
         *reinterpret_cast<const Map<Json>*>(at(value, *object.additional))) {
      p = put_json(out, put_key(out, p, key), member);
      *p++ = ',';
    }
  }
  return p;
}

[[gnu::noinline]] char* write_union(Writer& out, char* p, const Union& table, const void* value) {
  std::size_t index = 0;
  const void* inner = table.ops->get(value, index);
  if (inner == nullptr) return put(p, "null");
  const Arm& arm = table.arms[index];
  if (arm.type != nullptr && arm.tag.empty() && arm.type->kind != Kind::object)
    return write_value(out, p, *arm.type, inner);
  *p++ = '{';
  return close(out, write_arm_members(out, p, table, arm, inner), '}');
}

[[gnu::noinline]] char* write_array(Writer& out, char* p, const Type& type, const void* value) {
  std::size_t count = 0;
  const void* data = type.array->data(value, count);
  *p++ = '[';
  for (std::size_t i = 0; i < count; ++i) {
    p = write_value(out, out.make_room(p, spare), *type.element, at(data, i * type.element->size));
    *p++ = ',';
  }
  return close(out, p, ']');
}

[[gnu::noinline]] char* write_map(Writer& out, char* p, const Type& type, const void* value) {
  *p++ = '{';
  for (std::size_t i = 0; i < type.map->size(value); ++i) {
    std::string_view key;
    const void* member = type.map->item(value, i, key);
    p = write_value(out, put_key(out, p, key), *type.element, member);
    *p++ = ',';
  }
  return close(out, p, '}');
}

[[gnu::noinline]] char* write_object(Writer& out, char* p, const Object& object,
                                     const void* value) {
  *p++ = '{';
  return close(out, write_members(out, p, object, value), '}');
}

[[gnu::noinline]] char* write_optional(Writer& out, char* p, const Type& type, const void* value) {
  const void* inner = type.optional->get(value);
  return inner != nullptr ? write_value(out, p, *type.element, inner) : put(p, "null");
}

[[gnu::noinline]] char* write_raw(Writer& out, char* p, const Json& json) {
  return put_json(out, p, json);
}

template <class T>
[[gnu::noinline]] char* write_number(char* p, const void* value) {
  const T number = *static_cast<const T*>(value);
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(number)) return put(p, "null");
  return std::to_chars(p, p + spare, number).ptr;
}

// Every case is a jump: nothing is kept on the stack here.
char* write_value(Writer& out, char* p, const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::null:
      return put(p, "null");
    case Kind::boolean:
      return *static_cast<const bool*>(value) ? put(p, "true") : put(p, "false");
    case Kind::int32:
      return write_number<std::int32_t>(p, value);
    case Kind::int64:
      return write_number<std::int64_t>(p, value);
    case Kind::uint16:
      return write_number<std::uint16_t>(p, value);
    case Kind::uint32:
      return write_number<std::uint32_t>(p, value);
    case Kind::uint64:
      return write_number<std::uint64_t>(p, value);
    case Kind::number:
      return write_number<double>(p, value);
    case Kind::string:
      return out.string_at(p, *static_cast<const std::string*>(value));
    case Kind::raw:
      return write_raw(out, p, *static_cast<const Json*>(value));
    case Kind::enumerated: {
      const std::uint8_t index = *static_cast<const std::uint8_t*>(value);
      return index < type.values.size() ? out.string_at(p, type.values[index]) : put(p, "null");
    }
    case Kind::open_enum: {
      const OpenEnum& open = *static_cast<const OpenEnum*>(value);
      return out.string_at(p, open.index < type.values.size() ? type.values[open.index]
                                                              : std::string_view(open.unlisted));
    }
    case Kind::object:
      return write_object(out, p, *type.object, value);
    case Kind::variant:
      return write_union(out, p, *type.variant, value);
    case Kind::array:
      return write_array(out, p, type, value);
    case Kind::map:
      return write_map(out, p, type, value);
    case Kind::nullable:
      if (*static_cast<const std::uint8_t*>(value) != 2) return put(p, "null");
      return write_value(out, p, *type.element, at(value, type.value_offset));
    case Kind::optional:
      return write_optional(out, p, type, value);
  }
  return p;
}

}  // namespace

void write(Writer& out, const Type& type, const void* value) {
  out.wrote_to(write_value(out, out.make_room(out.place(), spare), type, value));
}

}  // namespace acp::json
