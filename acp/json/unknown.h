// The arm of a union for what this version does not know.
#pragma once

#include <string>

#include "acp/json/json.h"

namespace acp {

// Kept as it came, and written back.
struct Unknown {
  std::string tag;
  Json payload;  // an object: the other members

  friend bool operator==(const Unknown&, const Unknown&) = default;
};

}  // namespace acp
