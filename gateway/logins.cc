#include "gateway/logins.h"

#include <iterator>
#include <utility>

#include "gateway/network.h"

namespace acp::gateway {

namespace {

// Networks that are remembered. With more, the one with the oldest failure is forgotten.
constexpr std::size_t max_addresses = 10'000;

}  // namespace

Logins::Logins(LoginOptions options, Clock::time_point (*now)())
    : options_(std::move(options)), now_(now) {
  for (const std::string& token : options_.tokens)
    has_token_.push_back(remote::bearer_token(token));
}

std::string Logins::address_of(const remote::RequestHead& head) const {
  std::string address = head.address;
  std::string forwarded = head.header("x-forwarded-for");
  // From the right: what stands further left, anybody can have written.
  while (options_.trusted_proxies.contains(address) && !forwarded.empty()) {
    const std::size_t comma = forwarded.rfind(',');
    std::string last = comma == std::string::npos ? forwarded : forwarded.substr(comma + 1);
    forwarded = comma == std::string::npos ? "" : forwarded.substr(0, comma);
    last.erase(0, last.find_first_not_of(" \t"));
    last.erase(last.find_last_not_of(" \t") + 1);
    if (last.empty()) break;
    address = last;
  }
  return address;
}

remote::Admission Logins::decide(const remote::RequestHead& head) {
  // All of them are compared: the time says nothing about which it was.
  remote::Admission decision;
  decision.status = 401;
  for (std::size_t i = 0; i < has_token_.size(); ++i) {
    remote::Admission one = has_token_[i](head);
    if (decision.status == 200) continue;
    decision = std::move(one);
    decision.principal = std::to_string(i);
  }
  decision.address = address_of(head);
  // Without any token it was no guess.
  if (decision.status == 401 && !head.header("authorization").empty()) refuse_guess(decision);
  return decision;
}

void Logins::refuse_guess(remote::Admission& decision) {
  const Clock::time_point now = now_();
  std::lock_guard lock(mutex_);
  forget_old(now);
  auto& times = failures_[network_of(decision.address)];
  if (times.size() < options_.max_failures) return times.push_back(now);
  const auto wait = std::chrono::ceil<std::chrono::seconds>(times.front() + options_.window - now);
  remote::Admission later;
  later.status = 429;
  later.text = "Too many wrong tokens from this address";
  later.headers["Retry-After"] = std::to_string(wait.count());
  later.address = std::move(decision.address);
  decision = std::move(later);
}

void Logins::forget_old(Clock::time_point now) {
  for (auto it = failures_.begin(); it != failures_.end();) {
    auto& times = it->second;
    while (!times.empty() && times.front() + options_.window <= now) times.pop_front();
    it = times.empty() ? failures_.erase(it) : std::next(it);
  }
  while (failures_.size() > max_addresses) {
    auto oldest = failures_.begin();
    for (auto it = failures_.begin(); it != failures_.end(); ++it)
      if (it->second.front() < oldest->second.front()) oldest = it;
    failures_.erase(oldest);
  }
}

}  // namespace acp::gateway
