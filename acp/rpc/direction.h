#pragma once

namespace acp::rpc {

enum class Direction { received, sent };

}  // namespace acp::rpc
