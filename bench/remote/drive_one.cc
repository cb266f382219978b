// One client: a stream of updates, large ones, round trips.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/remote/drive.h"
#include "bench/remote/link.h"
#include "bench/wire/message.h"
#include "bench/wire/text.h"
#include "bench/wire/updates.h"

namespace bench::remote {

using wire::Cores;
using wire::Failure;
using wire::has;
using wire::now;

namespace {

class Driver {
 public:
  Driver(const Contestant& contestant, Cores cores, const std::string& step, bool websocket)
      : server_(contestant, cores, step) {
    if (websocket)
      link_ = std::make_unique<WebSocket>(server_.port());
    else
      link_ = std::make_unique<Http>(server_.port());
    call("initialize", initialize_params);
    session_ = wire::text_of(call("session/new", new_session_params), "\"sessionId\":\"");
    if (session_.empty()) throw Failure("session/new gave no sessionId");
    link_->enter(session_);
  }

  wire::Child& child() { return server_.child(); }

  void set_mode() {
    call("session/set_mode", R"({"sessionId":")" + session_ + R"(","modeId":"code"})");
  }

  struct Turn {
    double seconds, cpu;
  };
  Turn turn(const std::string& what, int count, wire::Updates& updates) {
    bool ended = false;
    const std::string message = request(
        ++last_id_, "session/prompt", prompt_params(session_, what + " " + std::to_string(count)));
    updates.begin([&](std::string_view other) {
      if (wire::method_of(other) == "session/update") return;  // of another kind: does not count
      if (!has(other, "\"end_turn\"")) throw Failure("expected end_turn: " + shown(other));
      ended = true;
    });
    const double cpu = child().cpu_seconds();
    const double start = now();
    link_->send(message, session_);
    link_->settle();
    while (!ended) {
      updates.take(link_->receive());
      updates.take("\n");
    }
    const Turn result{now() - start, child().cpu_seconds() - cpu};
    if (updates.count() != static_cast<std::size_t>(count))
      throw Failure(std::to_string(updates.count()) +
                    " updates with their text in full instead of " + std::to_string(count));
    return result;
  }

 private:
  static std::string shown(std::string_view message) { return std::string(message.substr(0, 200)); }

  // The answer. Over HTTP, both have come: that to the POST, and this on its stream.
  std::string_view call(const std::string& method, const std::string& params) {
    link_->send(request(++last_id_, method, params), session_);
    std::string_view message;
    do message = link_->receive();
    while (!wire::method_of(message).empty());
    link_->settle();
    if (wire::id_of(message) != std::to_string(last_id_) || !has(message, "\"result\":"))
      throw Failure("expected the answer to " + method + ": " + shown(message));
    return message;
  }

  ServerProcess server_;
  std::unique_ptr<Link> link_;
  std::string session_;
  int last_id_ = 0;
};

Samples stream(const Contestant& contestant, const std::string& step, const Amounts& amounts,
               bool websocket) {
  Driver driver(contestant, Cores::two, step, websocket);
  driver.child().begin(step, 60);
  wire::Updates updates("\"text\":\"", wire::chunk_text.size());
  driver.turn("stream", amounts.warm_up * 2, updates);
  const auto turn = driver.turn("stream", amounts.updates, updates);
  const std::string of = websocket ? "ws_" : "sse_";
  return {{of + "updates_per_s", amounts.updates / turn.seconds},
          {of + "updates_cpu_ms", turn.cpu * 1e3 * 100'000 / amounts.updates}};
}

Samples diffs(const Contestant& contestant, const std::string& step, const Amounts& amounts,
              bool websocket) {
  Driver driver(contestant, Cores::two, step, websocket);
  driver.child().begin(step, 60);
  wire::Updates updates("\"newText\":\"", wire::file_bytes);
  driver.turn("diff", 5, updates);
  const auto turn = driver.turn("diff", amounts.diffs, updates);
  const std::string of = websocket ? "ws_" : "sse_";
  return {{of + "diffs_per_s", amounts.diffs / turn.seconds},
          {of + "diffs_cpu_us", turn.cpu * 1e6 / amounts.diffs}};
}

Samples round_trip(const Contestant& contestant, const std::string& step, const Amounts& amounts,
                   bool websocket) {
  Driver driver(contestant, Cores::same, step, websocket);
  driver.child().begin(step, 60);
  std::vector<double> times;
  for (int i = -amounts.warm_up; i < amounts.round_trips; ++i) {
    const double begin = now();
    driver.set_mode();
    if (i >= 0) times.push_back((now() - begin) * 1e6);
  }
  std::sort(times.begin(), times.end());
  const std::string of = websocket ? "ws_" : "http_";
  return {{of + "round_trip_p50_us", times[times.size() / 2]},
          {of + "round_trip_p99_us", times[times.size() * 99 / 100]}};
}

}  // namespace

const std::vector<std::string>& one_client_steps() {
  static const std::vector<std::string> steps = {"roundtrip-ws", "roundtrip-http", "stream-ws",
                                                 "stream-sse",   "diff-ws",        "diff-sse"};
  return steps;
}

Samples drive_one_client(const Contestant& contestant, const std::string& step,
                         const Amounts& amounts) {
  const bool websocket = step.ends_with("-ws");
  if (step.starts_with("stream")) return stream(contestant, step, amounts, websocket);
  if (step.starts_with("diff")) return diffs(contestant, step, amounts, websocket);
  return round_trip(contestant, step, amounts, websocket);
}

}  // namespace bench::remote
