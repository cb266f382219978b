// A machine that went away without a word, as one that lost its power, or is behind a router that
// forgot the connection.
#pragma once

#include <chrono>

namespace acp::http {

// From now on this TCP socket fails when the other machine has confirmed nothing for so long: none
// of what is sent, and none of the system's own questions on a silent connection.
void limit_silence(int socket, std::chrono::milliseconds time);

}  // namespace acp::http
