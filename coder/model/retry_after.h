// Reads when a server may be asked again.
#pragma once

#include <chrono>
#include <optional>

#include "acp/http/transfers.h"

namespace acp::coder {

// Seconds from now, by retry-after-ms or Retry-After (seconds, or a date). Nothing if there is no
// valid one.
std::optional<double> retry_after(
    const http::Transfers::Head& head,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace acp::coder
