// Work that leaves nothing behind, however it ends.
#pragma once

#include <functional>
#include <string>

namespace acp::cli {

// Runs `body` in a process of its own, with a new directory for its files, and returns its exit
// code. SIGINT, SIGTERM and SIGHUP end it, and give 128 and the signal.
// What it has started ends with it; then the directory is removed, and `left` is called. Must come
// before any thread. Throws std::system_error.
int run_apart(const std::function<int(const std::string& directory)>& body,
              const std::function<void()>& left = {});

}  // namespace acp::cli
