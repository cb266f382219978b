// Unique ids.
#pragma once

#include <random>
#include <string>

namespace acp::coder {

// The prefix, and 128 random bits.
inline std::string random_id(const std::string& prefix) {
  static constexpr char digits[] = "0123456789abcdef";
  std::random_device random;
  std::string id = prefix;
  for (int i = 0; i < 4; ++i)
    for (auto [bits, k] = std::pair(random(), 0); k < 8; ++k, bits >>= 4) id += digits[bits & 15];
  return id;
}

}  // namespace acp::coder
