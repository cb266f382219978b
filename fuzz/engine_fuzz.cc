// Any bytes to the engine, in any pieces: it must answer every request once, write nothing but
// messages, and keep the order of notifications.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "acp/rpc/engine.h"

namespace {

using namespace acp::rpc;

void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "engine_fuzz: %s\n", what);
  std::abort();
}

struct Handler : EngineHandler {
  void on_request(const RequestId& id, std::string_view, acp::JsonView params) override {
    require(open.insert(id.key()).second, "an id is given out twice");
    require(params.absent() || !params.is_string(), "params of no structure");
    waiting.push_back(id);
  }
  bool on_notification(NotificationToken token, std::string_view, acp::JsonView) override {
    require(token > last, "notifications out of order");
    last = token;
    running = slow ? token : 0;
    return !slow;
  }
  void on_cancel(const RequestId& id) override {
    require(open.contains(id.key()), "a cancel of nothing");
  }
  void on_frame(Direction direction, std::string_view text) override {
    if (direction == Direction::sent)
      require(acp::Json::parse(text).ok(), "something sent is no JSON");
    if (direction == Direction::sent)
      require(text.find('\n') == text.npos, "a newline in a message");
  }
  std::set<std::string> open;
  std::vector<RequestId> waiting;
  NotificationToken last = 0, running = 0;
  bool slow = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t mode = data[0], step = data[1];
  std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  Handler handler;
  handler.slow = (mode & 8) != 0;
  Engine engine({.framing = static_cast<Framing>(mode % 3),
                 .max_message_bytes = (mode & 16) != 0 ? 64u : 100'000u,
                 .max_depth = 50,
                 .max_pending = 8,
                 .max_queued_bytes = 500,
                 .accept_batches = (mode & 32) != 0},
                handler);
  int answers = 0;
  for (int i = 0; i < 3; ++i)
    engine.request(
        "ask", [](acp::json::Writer& out) { out.put("{}"); },
        [&](const Engine::Answer&) { ++answers; });
  while (!input.empty()) {
    const std::string piece(input.substr(0, 1 + step % 61));
    input.remove_prefix(piece.size());
    engine.feed(piece);
    if ((step & 64) != 0 && !handler.waiting.empty()) {
      const RequestId id = handler.waiting.back();
      handler.waiting.pop_back();
      handler.open.erase(id.key());
      require(engine.respond(id, [](acp::json::Writer& out) { out.put("{}"); }),
              "an open request cannot be answered");
      require(!engine.respond(id, [](acp::json::Writer& out) { out.put("{}"); }), "answered twice");
    }
    if ((step & 128) != 0) engine.finished(handler.running);
    engine.sent(engine.outgoing().size() / 2);
  }
  engine.end_of_input();
  for (int i = 0; i < 1000 && handler.slow; ++i) engine.finished(handler.running);
  require(answers == 3 || handler.slow, "a call without an answer");
  engine.close();
  require(answers == 3, "a call without an answer at the end");
  return 0;
}
