// The members of OneOf, for the one source file that instantiates a union's own.
#pragma once

#include <utility>

#include "acp/json/fresh.h"
#include "acp/json/one_of.h"

namespace acp {

template <class... Arms>
OneOf<Arms...>::OneOf() noexcept
    : std::variant<Arms...>(std::in_place_index<0>,
                            json::Fresh<std::variant_alternative_t<0, std::variant<Arms...>>>()) {
  static_assert(std::is_nothrow_default_constructible_v<std::variant<Arms...>>);
  static_assert(std::is_nothrow_move_constructible_v<std::variant<Arms...>>);
}
template <class... Arms>
OneOf<Arms...>::OneOf(const OneOf& other) = default;
template <class... Arms>
OneOf<Arms...>::OneOf(OneOf&& other) noexcept = default;
template <class... Arms>
OneOf<Arms...>& OneOf<Arms...>::operator=(const OneOf& other) = default;
template <class... Arms>
OneOf<Arms...>& OneOf<Arms...>::operator=(OneOf&& other) noexcept = default;
template <class... Arms>
OneOf<Arms...>::~OneOf() = default;

template <class... Arms>
template <class Arm>
  requires(std::is_same_v<Arm, Arms> || ...)
OneOf<Arms...>::OneOf(Arm arm) : std::variant<Arms...>(std::in_place_type<Arm>, std::move(arm)) {}

template <class... Arms>
template <class Arm>
Arm& OneOf<Arms...>::emplace() {
  return std::variant<Arms...>::template emplace<Arm>(json::Fresh<Arm>());
}

}  // namespace acp
