// New values that are made once.
#pragma once

#include <type_traits>

namespace acp::json {

// For libraries that would say T() and so fill an aggregate with zeros before they make it: they
// take what this turns into instead, and it is made where they want it.
template <class T>
struct Fresh {
  // The value itself.
  operator T() const noexcept { return T(); }
};
template <class T>
  requires std::is_class_v<T>
struct Fresh<T> {
  operator T() const noexcept(std::is_nothrow_default_constructible_v<T>) {
    T value;
    return value;
  }
};

}  // namespace acp::json
