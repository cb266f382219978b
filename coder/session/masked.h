#pragma once

#include <string>
#include <utility>

#include "acp/json/codec.h"
#include "settings/secrets.h"

namespace acp::coder {

// A value of the schema without any key in it.
template <class T>
T masked(const T& value, const settings::Secrets& secrets) {
  std::string text = json::encode(value);
  if (!secrets.in(text)) return value;
  secrets.mask(text);
  auto read = json::decode<T>(text);
  return read ? std::move(*read) : T();
}

}  // namespace acp::coder
