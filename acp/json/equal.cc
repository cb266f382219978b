#include "acp/json/codec.h"

namespace acp::json {
namespace {

const char* at(const void* value, std::size_t offset) {
  return static_cast<const char*>(value) + offset;
}

bool equal_unions(const Union& table, const void* a, const void* b) {
  std::size_t index = 0, other = 0;
  const void* left = table.ops->get(a, index);
  const void* right = table.ops->get(b, other);
  if (index != other) return false;
  if (left == nullptr) return true;
  if (table.arms[index].type == nullptr)
    return *static_cast<const Unknown*>(left) == *static_cast<const Unknown*>(right);
  return equal(*table.arms[index].type, left, right);
}

bool equal_objects(const Object& object, const void* a, const void* b) {
  for (const Field& field : object.fields)
    if (!equal(*field.type, at(a, field.offset), at(b, field.offset))) return false;
  if (object.flat != nullptr &&
      !equal_unions(*object.flat, at(a, object.flat_offset), at(b, object.flat_offset)))
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
    if (!equal(*type.element, at(left, i * type.element->size), at(right, i * type.element->size)))
      return false;
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
    case Kind::null:
      return true;
    case Kind::boolean:
      return same<bool>(a, b);
    case Kind::int32:
    case Kind::uint32:
      return same<std::uint32_t>(a, b);
    case Kind::int64:
    case Kind::uint64:
      return same<std::uint64_t>(a, b);
    case Kind::uint16:
      return same<std::uint16_t>(a, b);
    case Kind::number:
      return same<double>(a, b);
    case Kind::string:
      return same<std::string>(a, b);
    case Kind::raw:
      return same<Json>(a, b);
    case Kind::enumerated:
      return same<std::uint8_t>(a, b);
    case Kind::open_enum:
      return same<OpenEnum>(a, b);
    case Kind::object:
      return equal_objects(*type.object, a, b);
    case Kind::variant:
      return equal_unions(*type.variant, a, b);
    case Kind::array:
      return equal_arrays(type, a, b);
    case Kind::map:
      return equal_maps(type, a, b);
    case Kind::nullable: {
      if (!same<std::uint8_t>(a, b)) return false;
      return *static_cast<const std::uint8_t*>(a) != 2 ||
             equal(*type.element, at(a, type.value_offset), at(b, type.value_offset));
    }
    case Kind::optional: {
      const void* left = type.optional->get(a);
      const void* right = type.optional->get(b);
      return left != nullptr && right != nullptr ? equal(*type.element, left, right)
                                                 : left == right;
    }
  }
  return false;
}

}  // namespace acp::json
