// Asking again when a provider is busy or out of reach.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "coder/model/model.h"

namespace acp::coder {

struct RetryPolicy {
  using Seconds = std::chrono::duration<double>;
  int retries = 4;
  Seconds first_pause{0.5};  // doubled each time
  Seconds longest_pause{30};
  Seconds longest_retry_after{60};  // a provider that asks for more is not waited for
  // From 0 to 1: a pause is between half and all of what it could be.
  std::function<double()> jitter = {};  // random by default
  // Returns at once when the token is set.
  std::function<void(Seconds, std::stop_token)> sleep = {};  // really, by default
};

// Reported before each pause: the retry's number, from 1, the most retries, and the reason.
struct Retry {
  int attempt;
  int of;
  ModelError why;
  RetryPolicy::Seconds pause;
};
using OnRetry = std::function<void(const Retry&)>;

// Asks again as long as no part of the answer was passed on: nothing is shown twice. Throws the
// last error; Cancelled once the token is set.
void answer_with_retries(Model& model, const ModelRequest& request, const OnModelEvent& on_event,
                         const OnRetry& on_retry, std::stop_token stop,
                         const RetryPolicy& policy = {});

}  // namespace acp::coder
