#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "cli/bad_usage.h"
#include "cli/input_file.h"
#include "cli/piped_input.h"

namespace acp::cli {

namespace {

using Clock = std::chrono::steady_clock;

// There is something to read, or the end.
bool is_ready_within(int seconds) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd watched{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&watched, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

}  // namespace

std::optional<std::string> whole_input() {
  try {
    return read_to_end(STDIN_FILENO, "standard input");
  } catch (const BadUsage& too_large) {
    throw BadUsage(std::string(too_large.what()) + "; </dev/null leaves it out");
  }
}

PipedInput piped_input(int wait_seconds) {
  struct stat about {};
  if (fstat(STDIN_FILENO, &about) != 0) return {};
  if (S_ISREG(about.st_mode)) return {whole_input().value_or(""), ""};
  if (S_ISFIFO(about.st_mode)) {
    if (is_ready_within(wait_seconds)) return {whole_input().value_or(""), ""};
    return {"", "nothing came on standard input for " + std::to_string(wait_seconds) +
                    " s, so it is not sent. --stdin waits for it; </dev/null says that there is "
                    "none"};
  }
  int waiting = 0;
  if (S_ISSOCK(about.st_mode) && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0)
    return {"", "standard input is a socket, so it is not sent. --stdin sends it"};
  return {};
}

}  // namespace acp::cli
