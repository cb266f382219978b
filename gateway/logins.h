// Who may use a server: those with its token, and nobody who has guessed too often.
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
  // Any of them is good. A connection can be used only with the one that opened it.
  std::vector<std::string> tokens = {};
  // More failures of one address within the time, and it has to wait until they are older.
  std::size_t max_failures = 10;
  std::chrono::seconds window{60};
  // Reverse proxies, whose X-Forwarded-For says who the client is.
  std::set<std::string> trusted_proxies = {};
};

class Logins {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Logins(LoginOptions options, Clock::time_point (*now)() = &Clock::now);

  remote::Decision decide(const remote::RequestHead& head);
  // The client itself, if a trusted proxy brings it.
  std::string address_of(const remote::RequestHead& head) const;

 private:
  void forget_old(Clock::time_point now);

  const LoginOptions options_;
  Clock::time_point (*const now_)();
  std::vector<remote::Authorize> has_token_;  // one for each
  std::mutex mutex_;
  std::map<std::string, std::deque<Clock::time_point>> failures_;  // by address
};

}  // namespace acp::gateway
