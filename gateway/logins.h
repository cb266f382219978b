// Authorizes clients of a server by its tokens, and slows down addresses that have guessed too
// often.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "acp/remote/server.h"

namespace acp::gateway {

struct LoginOptions {
  // Each of them is valid. A connection can be used only with the one that opened it.
  std::vector<std::string> tokens = {};
  // Wrong tokens of an address (IPv6: a /64) within the time; more of them get 429.
  std::size_t max_failures = 10;
  std::chrono::seconds window{60};
  // Reverse proxies whose X-Forwarded-For is trusted.
  std::set<std::string> trusted_proxies = {};
};

class Logins {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Logins(LoginOptions options, Clock::time_point (*now)() = &Clock::now);

  // A right token always passes: who shares an address with others cannot be locked out by them.
  remote::Admission decide(const remote::RequestHead& head);
  // The client's own address, also through a trusted proxy.
  std::string address_of(const remote::RequestHead& head) const;

 private:
  // Counts a wrong token, or answers it with 429.
  void refuse_guess(remote::Admission& decision);
  void forget_old(Clock::time_point now);

  const LoginOptions options_;
  Clock::time_point (*const now_)();
  std::vector<remote::Authorize> has_token_;  // one for each
  std::mutex mutex_;
  std::map<std::string, std::deque<Clock::time_point>> failures_;  // by network_of()
};

}  // namespace acp::gateway
