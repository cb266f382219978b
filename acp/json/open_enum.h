// Values from a list that a peer may extend.
#pragma once

#include <cstdint>
#include <string>

namespace acp::json {

// The base of every generated open enum: which value of the list, or the text of one that is not in
// it.
struct OpenEnum {
  static constexpr std::uint8_t not_listed = 255;

  std::uint8_t index = 0;
  std::string unlisted;  // only where index == not_listed

  friend bool operator==(const OpenEnum& a, const OpenEnum& b) {
    return a.index == b.index && (a.index != not_listed || a.unlisted == b.unlisted);
  }
};

}  // namespace acp::json
