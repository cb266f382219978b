#pragma once

namespace acp::rpc {

enum class Direction { received, sent };
// "received", "sent"
constexpr const char* to_string(Direction value) {
  switch (value) {
    case Direction::received:
      return "received";
    case Direction::sent:
      return "sent";
  }
  return "";
}

}  // namespace acp::rpc
