// The hook that sees every frame.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "acp/rpc/direction.h"

namespace acp {

// A frame as it passes, for recorders and inspectors.
struct Frame {
  rpc::Direction direction;
  std::int64_t time;      // nanoseconds since 1970
  std::string_view text;  // until the call returns
};
// Sees every frame, in order, with the connection's lock held: it must be quick, must not throw,
// and must not call the library, which would wait for that lock for ever.
using Tap = std::function<void(const Frame&)>;

}  // namespace acp
