// From one version's type to the other's, where the wire has the same shape.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "acp/json/codec.h"
#include "acp/json/nullable.h"

namespace acp::detail::versions {

// Written as one and read as the other, with the reader's tolerance: what the other version does
// not allow in an optional member is left out. Nothing if the value does not fit.
template <class To, class From>
std::optional<To> recode(const From& from) {
  json::Writer out;
  json::write(out, from);
  std::optional<To> to(std::in_place);
  json::Options options;
  options.limits = {.depth = 4096, .bytes = ~std::size_t{0}};
  if (json::decode(out.view(), json::type_of<To>(), &*to, options)) to.reset();
  return to;
}

// For values that fit by their nature.
template <class To, class From>
To recoded(const From& from) {
  return recode<To>(from).value_or(To());
}

// Keeps absent and null; a value that does not fit becomes absent.
template <class To, class From>
Nullable<To> recoded(const Nullable<From>& from) {
  if (from.is_null()) return nullptr;
  if (!from.has_value()) return {};
  std::optional<To> to = recode<To>(*from);
  return to ? Nullable<To>(std::move(*to)) : Nullable<To>();
}

// `convert` for a value; absent and null stay what they are.
template <class From, class Convert>
auto mapped(Nullable<From>&& from, Convert convert)
    -> Nullable<decltype(convert(std::move(*from)))> {
  if (from.is_null()) return nullptr;
  if (!from.has_value()) return {};
  return convert(std::move(*from));
}

// `convert` for each element, which gives a value, or an optional one: then what is missing is left
// out.
template <class To, class From, class Convert>
std::vector<To> mapped_list(std::vector<From>&& from, Convert convert) {
  std::vector<To> to;
  to.reserve(from.size());
  for (From& element : from) {
    if constexpr (std::is_same_v<decltype(convert(std::move(element))), std::optional<To>>) {
      if (std::optional<To> one = convert(std::move(element))) to.push_back(std::move(*one));
    } else {
      to.push_back(convert(std::move(element)));
    }
  }
  return to;
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace acp::detail::versions
