#include "gateway/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace acp::gateway {

namespace {

// Pipes, sockets and handles of an agent; many_clients_test.py counts them.
constexpr std::size_t for_one_agent = 12;
// The least and the usual number of a client's own sockets. Over HTTP, each session has one.
constexpr std::size_t few_sockets = 4, usual_sockets = 8;
constexpr std::size_t for_ourselves = 64, spare_sockets = 256, least_sockets = 8;

}  // namespace

std::size_t allow_descriptors(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted) return wanted;
  limit.rlim_cur =
      limit.rlim_max == RLIM_INFINITY ? wanted : std::min<rlim_t>(limit.rlim_max, wanted);
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur);
}

std::size_t descriptors_for(std::size_t clients) {
  return for_ourselves + clients * (for_one_agent + usual_sockets) + spare_sockets;
}

DescriptorShares share_descriptors(std::size_t allowed, std::size_t clients) {
  const std::size_t ours = allowed > for_ourselves ? allowed - for_ourselves : 0;
  const std::size_t enough = std::min(clients, ours / (for_one_agent + few_sockets));
  return {enough, std::max(ours - enough * for_one_agent, least_sockets)};
}

}  // namespace acp::gateway
