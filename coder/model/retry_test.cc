#include "coder/model/retry.h"

#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <thread>

#include "acp/error.h"
#include "coder/model/not_running.h"
#include "coder/model/retry_after.h"

namespace acp::coder {
namespace {

using Kind = ModelError::Kind;
using Seconds = RetryPolicy::Seconds;

// Fails as the test wants, then answers.
class Failing : public Model {
 public:
  explicit Failing(std::deque<ModelError> errors) : errors_(std::move(errors)) {}
  std::string before;  // said before it fails
  int asked = 0;

  const ModelInfo& info() const override { return info_; }
  void answer(const ModelRequest&, const OnModelEvent& on_event, std::stop_token) override {
    ++asked;
    on_event(Pause{});
    if (!errors_.empty()) {
      if (!before.empty()) on_event(TextDelta{before});
      const ModelError error = errors_.front();
      errors_.pop_front();
      throw error;
    }
    on_event(TextDelta{"well"});
    on_event(Stop{Stop::Reason::end});
  }

 private:
  ModelInfo info_;
  std::deque<ModelError> errors_;
};

struct Outcome {
  std::string log, text;
  std::optional<Kind> failed;
};

Outcome run(Model& model, RetryPolicy policy = {}, std::stop_token stop = {}) {
  Outcome result;
  policy.jitter = policy.jitter ? policy.jitter : [] { return 1.0; };
  if (!policy.sleep)
    policy.sleep = [&](Seconds time, const std::stop_token&) {
      result.log += "sleep " + std::to_string(static_cast<int>(time.count() * 1000)) + "\n";
    };
  try {
    answer_with_retries(
        model, {},
        [&](const ModelEvent& event) {
          if (const auto* said = std::get_if<TextDelta>(&event)) result.text += said->text;
        },
        [&](const Retry& retry) {
          result.log += std::to_string(retry.attempt) + "/" + std::to_string(retry.of) + " " +
                        retry.why.what() + " ";
        },
        stop, policy);
  } catch (const ModelError& error) {
    result.failed = error.kind();
  }
  return result;
}

TEST(Retry, PausesAreDoubled) {
  Failing model({{Kind::rate_limited, "a"}, {Kind::overloaded, "b"}, {Kind::unreachable, "c"}});
  const Outcome result = run(model);
  EXPECT_EQ(result.log, "1/4 a sleep 500\n2/4 b sleep 1000\n3/4 c sleep 2000\n");
  EXPECT_EQ(result.text, "well");
}

TEST(Retry, TheLastErrorIsThrown) {
  Failing model({{Kind::overloaded, "a"}, {Kind::rate_limited, "b"}, {Kind::unreachable, "c"}});
  RetryPolicy policy;
  policy.retries = 2;
  const Outcome result = run(model, policy);
  EXPECT_EQ(result.failed, Kind::unreachable);
  EXPECT_EQ(result.log, "1/2 a sleep 500\n2/2 b sleep 1000\n");
  EXPECT_EQ(model.asked, 3);
  policy.retries = 0;
  Failing once({{Kind::overloaded, "a"}});
  EXPECT_EQ(run(once, policy).failed, Kind::overloaded);
  EXPECT_EQ(once.asked, 1);
}

TEST(Retry, AServerThatDoesNotRunIsAskedOnceMore) {
  struct Absent : Model {
    const ModelInfo& info() const override { return about; }
    void answer(const ModelRequest&, const OnModelEvent&, std::stop_token) override {
      ++asked;
      throw NotRunning("nothing answers");
    }
    ModelInfo about;
    int asked = 0;
  };
  Absent model;
  RetryPolicy policy;
  int pauses = 0;
  policy.sleep = [&](RetryPolicy::Seconds, std::stop_token) { ++pauses; };
  EXPECT_THROW(answer_with_retries(
                   model, {}, [](ModelEvent) {}, nullptr, {}, policy),
               ModelError);
  EXPECT_EQ(model.asked, 2);
  EXPECT_EQ(pauses, 1);
}

TEST(Retry, WhatIsWrongWithTheRequestIsNotAskedAgain) {
  for (const Kind kind : {Kind::unauthorized, Kind::refused, Kind::too_long, Kind::broken}) {
    Failing model({{kind, "no"}});
    EXPECT_EQ(run(model).failed, kind);
    EXPECT_EQ(model.asked, 1);
  }
}

TEST(Retry, WhatWasShownIsNotShownTwice) {
  Failing model({{Kind::unreachable, "gone"}});
  model.before = "We";
  const Outcome result = run(model);
  EXPECT_EQ(result.failed, Kind::unreachable);
  EXPECT_EQ(result.text, "We");
  EXPECT_EQ(result.log, "");
}

TEST(Retry, TheProvidersWordCounts) {
  Failing model({{Kind::rate_limited, "a", 60.0}, {Kind::rate_limited, "b", 0.25}});
  EXPECT_EQ(run(model).log, "1/4 a sleep 60000\n2/4 b sleep 250\n");
  Failing far({{Kind::rate_limited, "a", 60.5}});
  const Outcome result = run(far);
  EXPECT_EQ(result.failed, Kind::rate_limited);
  EXPECT_EQ(result.log, "");
}

TEST(Retry, PausesHaveALimitAndAreNotAllTheSame) {
  std::deque<ModelError> errors;
  for (int i = 0; i < 8; ++i) errors.emplace_back(Kind::overloaded, "x");
  Failing model(errors);
  RetryPolicy policy;
  policy.retries = 8;
  policy.jitter = [] { return 0.0; };
  const Outcome result = run(model, policy);
  EXPECT_NE(result.log.find("1/8 x sleep 250\n"), std::string::npos) << result.log;
  EXPECT_NE(result.log.find("6/8 x sleep 8000\n7/8 x sleep 15000\n8/8 x sleep 15000\n"),
            std::string::npos)
      << result.log;
}

TEST(Retry, StoppedInAPause) {
  Failing model({{Kind::overloaded, "a", 1e6}});
  RetryPolicy policy;
  policy.longest_retry_after = Seconds(1e6);
  std::stop_source stop;
  std::promise<void> pauses;
  std::thread user([&] {
    pauses.get_future().wait();
    stop.request_stop();
  });
  // Really asleep: it would be for days.
  EXPECT_THROW(answer_with_retries(
                   model, {}, [](const ModelEvent&) {}, [&](const Retry&) { pauses.set_value(); },
                   stop.get_token(), policy),
               Cancelled);
  EXPECT_EQ(model.asked, 1);
  user.join();
}

TEST(Retry, StoppedWhenItFails) {
  Failing model({{Kind::overloaded, "a"}});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(run(model, {}, stop.get_token()), Cancelled);
}

TEST(Retry, WhenToAskAgain) {
  using namespace std::chrono;
  const auto now = sys_days(year(2026) / 11 / 15) + hours(8);
  const auto told = [&](std::map<std::string, std::string> headers) {
    http::Transfers::Head head;
    head.headers = std::move(headers);
    return retry_after(head, now);
  };
  EXPECT_EQ(told({}), std::nullopt);
  EXPECT_EQ(told({{"retry-after", "20"}}), 20);
  EXPECT_EQ(told({{"retry-after", "1.5"}}), 1.5);
  EXPECT_EQ(told({{"retry-after", "20"}, {"retry-after-ms", "1500"}}), 1.5);
  EXPECT_EQ(told({{"retry-after", "Sun, 15 Nov 2026 08:00:30 GMT"}}), 30);
  EXPECT_EQ(told({{"retry-after", "Sun, 15 Nov 2026 07:00:00 GMT"}}), 0);
  EXPECT_EQ(told({{"retry-after", "-5"}}), std::nullopt);
  EXPECT_EQ(told({{"retry-after", "soon"}}), std::nullopt);
  EXPECT_EQ(told({{"retry-after", "20 s"}}), std::nullopt);
  EXPECT_EQ(told({{"retry-after", "nan"}}), std::nullopt);
}

}  // namespace
}  // namespace acp::coder
