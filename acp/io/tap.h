// The hook that sees every frame.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "acp/rpc/direction.h"

namespace acp {

// A frame as it passes, for recorders and inspectors.
struct Frame {
  rpc::Direction direction;
  std::chrono::system_clock::time_point time;
  std::string_view text;  // until the call returns
};
using Tap = std::function<void(const Frame&)>;

}  // namespace acp
