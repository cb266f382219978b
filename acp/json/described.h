// The little that a header of plain structs needs of the tables (type.h): which types have one.
#pragma once

#include <concepts>

namespace acp::json {

struct Type;

// Enums cannot have members: their tables are specialisations of this, with a static `type`.
template <class E>
struct EnumTable;

// A type with a table of its own.
template <class T>
concept Described = requires {
  { T::json_type } -> std::convertible_to<const Type&>;
};

// Compares two values of this type.
bool equal(const Type& type, const void* a, const void* b);

}  // namespace acp::json

namespace acp {

// Two values are equal if all that their tables name is.
template <json::Described T>
bool operator==(const T& a, const T& b) {
  return json::equal(T::json_type, &a, &b);
}

}  // namespace acp
