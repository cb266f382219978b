#pragma once

#include <functional>
#include <thread>

namespace acp::io {

// A thread that takes no signal: those are the program's business.
std::thread quiet_thread(std::function<void()> main);

}  // namespace acp::io
