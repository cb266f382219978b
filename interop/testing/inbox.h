// What handlers have seen, for a test to wait for.
#pragma once

#include <acp/json/json.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace interop {

// For sanitizers on a busy machine; nothing is measured by it.
constexpr std::chrono::seconds patience{60};

class Inbox {
 public:
  void put(const std::string& name, acp::Json value = {}) {
    const std::lock_guard lock(mutex_);
    values_[name].push_back(std::move(value));
    changed_.notify_all();
  }

  // The oldest value under the name that nobody has taken; it may be yet to come.
  acp::Json take(const std::string& name) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [&] { return !values_[name].empty(); }))
      throw std::runtime_error("waited in vain for " + name);
    acp::Json value = std::move(values_[name].front());
    values_[name].pop_front();
    return value;
  }

  bool empty(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return values_[name].empty();
  }
  void clear(const std::string& name) {
    const std::lock_guard lock(mutex_);
    values_[name].clear();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::deque<acp::Json>> values_;
};

}  // namespace interop
