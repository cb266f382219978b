#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "acp/http/silence.h"

namespace acp::http {

namespace {

void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

void limit_silence(int socket, std::chrono::milliseconds time) {
  // Four questions within the time, at most one each second, and as rarely as the system allows.
  constexpr std::int64_t most = 32'767;
  const auto pause = static_cast<int>(std::clamp<std::int64_t>(time.count() / 4'000, 1, most));
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, pause);
#endif
#ifdef TCP_KEEPINTVL
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, pause);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
#ifdef TCP_USER_TIMEOUT
  const auto milliseconds = std::min<std::int64_t>(time.count(), std::numeric_limits<int>::max());
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(milliseconds));
#endif
}

}  // namespace acp::http
