#include <cstring>

#include "acp/json/codec.h"

namespace acp::json {
namespace {

const char* at(const void* value, std::size_t offset) { return static_cast<const char*>(value) + offset; }

void write_members(Writer& out, const Object& object, const void* value, bool& first);

void begin_member(Writer& out, bool& first) {
  if (!first) out.put(',');
  first = false;
}

// The members of an unknown arm: its tag, then what came with it.
void write_unknown(Writer& out, const Union& table, const Unknown& unknown, bool& first) {
  begin_member(out, first);
  out.put(table.quoted);
  out.string(unknown.tag);
  for (const auto& [key, member] : unknown.payload.view().members()) {
    if (key == table.tag()) continue;
    begin_member(out, first);
    out.string(key);
    out.put(':');
    out.put(member.text());
  }
}

// The members of whichever arm it is, among those of an object that is being written.
void write_union_members(Writer& out, const Union& table, const void* value, bool& first) {
  const std::size_t index = table.ops->index(value);
  if (index >= table.arms.size()) return;  // a variant that lost its value to an exception
  const Arm& arm = table.arms[index];
  const void* inner = table.ops->get(value);
  if (arm.type == nullptr) return write_unknown(out, table, *static_cast<const Unknown*>(inner), first);
  if (!arm.tag.empty()) {
    begin_member(out, first);
    out.put(table.quoted);
    out.string(arm.tag);
  }
  if (arm.type->kind == Kind::object)
    write_members(out, *arm.type->object, inner, first);
  else
    write_union_members(out, *arm.type->variant, inner, first);
}

// Whether the member is left out of what is written.
bool omitted(const Field& field, const void* value) {
  switch (field.type->kind) {
    case Kind::nullable: return *static_cast<const std::uint8_t*>(value) == 0;
    case Kind::optional: return field.type->optional->get(value) == nullptr;
    case Kind::raw: return !field.is(required) && static_cast<const Json*>(value)->absent();
    case Kind::array: {
      std::size_t count = 0;
      if (field.is(omit_empty)) field.type->array->data(value, count);
      return field.is(omit_empty) && count == 0;
    }
    case Kind::map: return field.is(omit_empty) && field.type->map->size(value) == 0;
    case Kind::boolean: return field.is(omit_false) && !*static_cast<const bool*>(value);
    default: return false;
  }
}

void write_members(Writer& out, const Object& object, const void* value, bool& first) {
  for (const Field& field : object.fields) {
    const void* member = at(value, field.offset);
    if (omitted(field, member)) continue;
    begin_member(out, first);
    out.put(field.quoted);
    write(out, *field.type, member);
  }
  if (object.flat != nullptr) write_union_members(out, *object.flat, at(value, object.flat_offset), first);
  if (object.additional) {
    for (const auto& [key, member] : *reinterpret_cast<const Map<Json>*>(at(value, *object.additional))) {
      begin_member(out, first);
      out.string(key);
      out.put(':');
      member.absent() ? out.null() : out.put(member.text());
    }
  }
}

void write_union(Writer& out, const Union& table, const void* value) {
  const std::size_t index = table.ops->index(value);
  if (index >= table.arms.size()) return out.null();
  const Arm& arm = table.arms[index];
  if (arm.type != nullptr && arm.tag.empty() && arm.type->kind != Kind::object)
    return write(out, *arm.type, table.ops->get(value));
  bool first = true;
  out.put('{');
  write_union_members(out, table, value, first);
  out.put('}');
}

void write_array(Writer& out, const Type& type, const void* value) {
  std::size_t count = 0;
  const void* data = type.array->data(value, count);
  out.put('[');
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out.put(',');
    write(out, *type.element, at(data, i * type.element->size));
  }
  out.put(']');
}

void write_map(Writer& out, const Type& type, const void* value) {
  out.put('{');
  bool first = true;
  for (std::size_t i = 0; i < type.map->size(value); ++i) {
    std::string_view key;
    const void* member = type.map->item(value, i, key);
    begin_member(out, first);
    out.string(key);
    out.put(':');
    write(out, *type.element, member);
  }
  out.put('}');
}

}  // namespace

void write(Writer& out, const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::null: return out.null();
    case Kind::boolean: return out.boolean(*static_cast<const bool*>(value));
    case Kind::int32: return out.integer(std::int64_t{*static_cast<const std::int32_t*>(value)});
    case Kind::int64: return out.integer(*static_cast<const std::int64_t*>(value));
    case Kind::uint16: return out.integer(std::uint64_t{*static_cast<const std::uint16_t*>(value)});
    case Kind::uint32: return out.integer(std::uint64_t{*static_cast<const std::uint32_t*>(value)});
    case Kind::uint64: return out.integer(*static_cast<const std::uint64_t*>(value));
    case Kind::number: return out.number(*static_cast<const double*>(value));
    case Kind::string: return out.string(*static_cast<const std::string*>(value));
    case Kind::raw: {
      const Json& json = *static_cast<const Json*>(value);
      return json.absent() ? out.null() : out.put(json.text());
    }
    case Kind::enumerated: {
      const std::uint8_t index = *static_cast<const std::uint8_t*>(value);
      return index < type.values.size() ? out.string(type.values[index]) : out.null();
    }
    case Kind::open_enum: {
      const OpenEnum& open = *static_cast<const OpenEnum*>(value);
      return out.string(open.index < type.values.size() ? type.values[open.index] : std::string_view(open.unlisted));
    }
    case Kind::object: {
      bool first = true;
      out.put('{');
      write_members(out, *type.object, value, first);
      return out.put('}');
    }
    case Kind::variant: return write_union(out, *type.variant, value);
    case Kind::array: return write_array(out, type, value);
    case Kind::map: return write_map(out, type, value);
    case Kind::nullable:
      if (*static_cast<const std::uint8_t*>(value) != 2) return out.null();
      return write(out, *type.element, at(value, type.value_offset));
    case Kind::optional: {
      const void* inner = type.optional->get(value);
      return inner != nullptr ? write(out, *type.element, inner) : out.null();
    }
  }
}

namespace {

bool equal_unions(const Union& table, const void* a, const void* b) {
  const std::size_t index = table.ops->index(a);
  if (index != table.ops->index(b)) return false;
  if (index >= table.arms.size()) return true;
  const void* left = table.ops->get(a);
  const void* right = table.ops->get(b);
  if (table.arms[index].type == nullptr)
    return *static_cast<const Unknown*>(left) == *static_cast<const Unknown*>(right);
  return equal(*table.arms[index].type, left, right);
}

bool equal_objects(const Object& object, const void* a, const void* b) {
  for (const Field& field : object.fields)
    if (!equal(*field.type, at(a, field.offset), at(b, field.offset))) return false;
  if (object.flat != nullptr && !equal_unions(*object.flat, at(a, object.flat_offset), at(b, object.flat_offset)))
    return false;
  return !object.additional || *reinterpret_cast<const Map<Json>*>(at(a, *object.additional)) ==
                                   *reinterpret_cast<const Map<Json>*>(at(b, *object.additional));
}

bool equal_arrays(const Type& type, const void* a, const void* b) {
  std::size_t count = 0, other = 0;
  const void* left = type.array->data(a, count);
  const void* right = type.array->data(b, other);
  if (count != other) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (!equal(*type.element, at(left, i * type.element->size), at(right, i * type.element->size))) return false;
  return true;
}

bool equal_maps(const Type& type, const void* a, const void* b) {
  if (type.map->size(a) != type.map->size(b)) return false;
  for (std::size_t i = 0; i < type.map->size(a); ++i) {
    std::string_view key;
    const void* left = type.map->item(a, i, key);
    const void* right = type.map->find(b, key);
    if (right == nullptr || !equal(*type.element, left, right)) return false;
  }
  return true;
}

template <class T>
bool same(const void* a, const void* b) {
  return *static_cast<const T*>(a) == *static_cast<const T*>(b);
}

}  // namespace

bool equal(const Type& type, const void* a, const void* b) {
  switch (type.kind) {
    case Kind::null: return true;
    case Kind::boolean: return same<bool>(a, b);
    case Kind::int32:
    case Kind::uint32: return same<std::uint32_t>(a, b);
    case Kind::int64:
    case Kind::uint64: return same<std::uint64_t>(a, b);
    case Kind::uint16: return same<std::uint16_t>(a, b);
    case Kind::number: return same<double>(a, b);
    case Kind::string: return same<std::string>(a, b);
    case Kind::raw: return same<Json>(a, b);
    case Kind::enumerated: return same<std::uint8_t>(a, b);
    case Kind::open_enum: return same<OpenEnum>(a, b);
    case Kind::object: return equal_objects(*type.object, a, b);
    case Kind::variant: return equal_unions(*type.variant, a, b);
    case Kind::array: return equal_arrays(type, a, b);
    case Kind::map: return equal_maps(type, a, b);
    case Kind::nullable: {
      if (!same<std::uint8_t>(a, b)) return false;
      return *static_cast<const std::uint8_t*>(a) != 2 ||
             equal(*type.element, at(a, type.value_offset), at(b, type.value_offset));
    }
    case Kind::optional: {
      const void* left = type.optional->get(a);
      const void* right = type.optional->get(b);
      return left != nullptr && right != nullptr ? equal(*type.element, left, right) : left == right;
    }
  }
  return false;
}

}  // namespace acp::json
