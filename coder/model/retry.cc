#include "coder/model/retry.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>

#include "acp/error.h"
#include "coder/model/not_running.h"

namespace acp::coder {

namespace {

using Seconds = RetryPolicy::Seconds;

bool may_pass(ModelError::Kind kind) {
  using Kind = ModelError::Kind;
  return kind == Kind::rate_limited || kind == Kind::overloaded || kind == Kind::unreachable;
}

// Where nothing listens on this machine, no load passes and no network recovers: somebody has to
// start the server. Asked once more for one that is being restarted.
int retries_after(const ModelError& error, int retries) {
  return dynamic_cast<const NotRunning*>(&error) != nullptr ? std::min(retries, 1) : retries;
}

double random_jitter() {
  thread_local std::mt19937 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

void really_sleep(Seconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

void answer_with_retries(Model& model, const ModelRequest& request, const OnModelEvent& on_event,
                         const OnRetry& on_retry, std::stop_token stop, const RetryPolicy& policy) {
  bool given_on = false;
  const OnModelEvent watch = [&](ModelEvent event) {
    given_on = given_on || !std::holds_alternative<Pause>(event);
    on_event(std::move(event));
  };
  Seconds backoff = policy.first_pause;
  for (int retry = 1;; ++retry) {
    Seconds pause{};
    try {
      return model.answer(request, watch, stop);
    } catch (const ModelError& error) {
      if (stop.stop_requested()) throw Cancelled();
      const int retries = retries_after(error, policy.retries);
      if (given_on || retry > retries || !may_pass(error.kind())) throw;
      if (error.retry_after()) {
        pause = Seconds(*error.retry_after());
        if (pause > policy.longest_retry_after) throw;
      } else {
        const double jitter = policy.jitter ? policy.jitter() : random_jitter();
        pause = std::min(backoff, policy.longest_pause) * (0.5 + jitter / 2);
      }
      if (on_retry) on_retry(Retry{retry, retries, error, pause});
    }
    backoff = std::min(backoff * 2, policy.longest_pause);
    if (policy.sleep)
      policy.sleep(pause, stop);
    else
      really_sleep(pause, stop);
    if (stop.stop_requested()) throw Cancelled();
  }
}

}  // namespace acp::coder
