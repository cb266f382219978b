// One of several types, as std::variant holds it.
#pragma once

#include <type_traits>
#include <variant>

namespace acp {

// Works with std::visit, std::get and the rest. Its own members are defined once, where the type
// belongs (one_of_members.h), not in every file that has a value of it: for the largest union of
// the protocol that is two seconds of the compiler's time. A struct derived from it says `X()
// noexcept {}`: else `X x = {}` would fill it with zeros before it is made.
template <class... Arms>
class OneOf : public std::variant<Arms...> {
 public:
  // The first arm.
  OneOf() noexcept;
  OneOf(const OneOf& other);
  OneOf(OneOf&& other) noexcept;
  OneOf& operator=(const OneOf& other);
  OneOf& operator=(OneOf&& other) noexcept;
  ~OneOf();

  // Holds this arm.
  template <class Arm>
    requires(std::is_same_v<Arm, Arms> || ...)
  OneOf(Arm arm);

  // Makes it hold a fresh value of this arm.
  template <class Arm>
  Arm& emplace();
};

}  // namespace acp
