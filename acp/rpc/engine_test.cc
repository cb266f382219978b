#include "acp/rpc/engine.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace acp::rpc {
namespace {

Engine::Write raw(std::string text) {
  return [text = std::move(text)](json::Writer& out) { out.put(text); };
}

// Notes its calls. Requests and notifications are finished by the test, unless told
// otherwise.
struct Recorder : EngineHandler {
  void on_request(const RequestId& id, std::string_view method, JsonView params) override {
    events.push_back("request " + std::string(method) + " " + std::string(params.text()));
    requests.push_back(id);
    if (respond_at_once) engine->respond(id, raw("{}"));
  }
  bool on_notification(NotificationToken token, std::string_view method, JsonView params) override {
    events.push_back("notification " + std::string(method) + " " + std::string(params.text()));
    tokens.push_back(token);
    if (during_notification) during_notification(token);
    return finish_at_once;
  }
  void on_cancel(const RequestId& id) override { events.push_back("cancel " + id.json().text()); }
  void on_trouble(const Trouble& trouble) override { troubles.push_back(trouble.what); }
  void on_frame(Direction direction, std::string_view text) override {
    frames.push_back((direction == Direction::sent ? "> " : "< ") + std::string(text));
  }

  Engine* engine = nullptr;
  bool respond_at_once = false;
  bool finish_at_once = true;
  std::function<void(NotificationToken)> during_notification;
  std::vector<std::string> events, troubles, frames;
  std::vector<RequestId> requests;
  std::vector<NotificationToken> tokens;
};

struct Connection {
  explicit Connection(EngineOptions options = {}) : engine(options, handler) {
    handler.engine = &engine;
  }
  std::string sent() {
    const std::string text(engine.outgoing());
    engine.sent(text.size());
    return text;
  }
  std::string answer_to(std::string_view line) {
    engine.feed(std::string(line) + "\n");
    return sent();
  }
  Recorder handler;
  Engine engine;
};

std::string error_line(const char* id, int code, const std::string& message,
                       const std::string& data = "") {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) +
         ",\"error\":{\"code\":" + std::to_string(code) + ",\"message\":" + Json(message).text() +
         (data.empty() ? "" : ",\"data\":" + data) + "}}\n";
}

TEST(Engine, RequestsAreGivenOutAndAnswered) {
  Connection c;
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":{\"a\":1}}"),
            "");
  EXPECT_EQ(c.handler.events, std::vector<std::string>{"request m {\"a\":1}"});
  EXPECT_TRUE(c.engine.respond(c.handler.requests[0], raw("{\"r\":1}")));
  EXPECT_EQ(c.sent(), "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"r\":1}}\n");
  // Exactly one answer.
  EXPECT_FALSE(c.engine.respond(c.handler.requests[0], raw("{}")));
  EXPECT_FALSE(c.engine.fail(c.handler.requests[0], {internal_error, "x", {}}));
  EXPECT_EQ(c.sent(), "");
}

TEST(Engine, IdsAreEchoedAsTheyCame) {
  for (const char* id :
       {"0", "-1", "9007199254740993", "\"x\"", "\"\\u0041\"", "null", "1.50", "\"\""}) {
    Connection c;
    c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) + ",\"method\":\"m\"}");
    ASSERT_EQ(c.handler.requests.size(), 1u) << id;
    c.engine.respond(c.handler.requests[0], raw("{}"));
    EXPECT_EQ(c.sent(), "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) + ",\"result\":{}}\n");
  }
}

TEST(Engine, AMethodIsTheSameHoweverItIsWritten) {
  Connection c;
  c.answer_to(R"({"jsonrpc":"2.0","id":1,"method":"session\/set_mod\u0065","params":{}})");
  c.answer_to(R"({"jsonrpc":"2.0","id":2, "method" : "session/set_mode" ,"params":{}})");
  EXPECT_EQ(c.handler.events, std::vector<std::string>(2, "request session/set_mode {}"));
}

TEST(Engine, WhatIsMalformedIsAnsweredUnlessItIsANotificationOrAnAnswer) {
  Connection c;
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":"),
            error_line("null", -32700,
                       "Parse error: expected a value, got the end of the text at byte 11"));
  EXPECT_EQ(c.answer_to("banner"),
            error_line("null", -32700, "Parse error: expected a value, got `banner` at byte 0"));
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}").substr(0, 48),
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-3270");
  EXPECT_EQ(c.answer_to("5"),
            error_line("null", -32600, "Invalid request: expected an object, got a number"));
  EXPECT_EQ(c.answer_to("[]"),
            error_line("null", -32600, "Invalid request: batches are not supported"));
  EXPECT_EQ(c.answer_to("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}]"),
            error_line("null", -32600, "Invalid request: batches are not supported"));
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}"),
            error_line("1", -32600, "Invalid request: method: expected a string"));
  EXPECT_EQ(c.answer_to("{\"id\":\"a\",\"method\":\"m\"}"),
            error_line("\"a\"", -32600, "Invalid request: jsonrpc: expected \"2.0\""));
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}"),
            error_line("null", -32600,
                       "Invalid request: id: expected a string, a number or null, got an object"));
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":5}"),
            error_line("1", -32600, "Invalid request: params: expected an object or an array"));
  EXPECT_EQ(c.answer_to("{}"),
            error_line("null", -32600, "Invalid request: jsonrpc: expected \"2.0\""));
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\"}"),
            error_line("null", -32600,
                       "Invalid request: expected a method, or an id with a result or an error"));
  // Notifications, however malformed, and what looks like an answer.
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"method\":5}"), "");
  EXPECT_EQ(c.answer_to("{\"method\":\"m\"}"), "");
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":7}"), "");
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1,\"error\":{}}"), "");
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":1}"), "");
  EXPECT_EQ(
      c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"no\"}}"),
      "");
  EXPECT_TRUE(c.handler.events.empty());
  EXPECT_EQ(c.handler.troubles.size(), 18u);
  // And the connection goes on.
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"m\"}"), "");
  EXPECT_EQ(c.handler.events.size(), 1u);
}

TEST(Engine, LimitsEndInNamedErrors) {
  Connection c({.max_message_bytes = 100, .max_depth = 4, .max_pending = 2});
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"m\",\"params\":{\"t\":\"" +
                        std::string(100, 'x') + "\"}}"),
            error_line("3", -32600, "Invalid request: larger than 100 bytes",
                       "{\"limit\":100,\"size\":155}"));
  EXPECT_EQ(
      c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"m\",\"params\":[[[[[1]]]]]}"),
      error_line(
          "4", -32600,
          "Invalid request: expected at most 4 values inside each other, got more at byte 49"));
  c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"m\"}");
  c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"m\"}");
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\"}"),
            error_line("7", -32001, "Too many requests wait for an answer",
                       "{\"reason\":\"rate_limited\",\"limit\":2}"));
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"m\"}"),
            error_line("6", -32600, "Invalid request: the id is in use"));
  c.engine.respond(c.handler.requests[0], raw("{}"));
  c.sent();
  EXPECT_EQ(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"m\"}"), "");
}

TEST(Engine, TwoHundredThousandNestedArrays) {
  Connection c;
  const std::string answer = c.answer_to(std::string(200'000, '['));
  EXPECT_NE(answer.find("-32600"), answer.npos);
  EXPECT_NE(c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":" +
                        std::string(200'000, '[') + std::string(200'000, ']') + "}")
                .find("\"id\":1"),
            std::string::npos);
}

TEST(Engine, CallsGetTheirAnswers) {
  Connection c;
  std::vector<std::string> got;
  const auto note = [&](const Engine::Answer& answer) {
    got.push_back(answer.error ? std::to_string(answer.error->code) + " " + answer.error->message +
                                     " " + answer.error->data.text()
                               : std::string(answer.result.text()));
  };
  c.engine.request("a", raw("{\"x\":1}"), note);
  c.engine.request("b", raw("{}"), note);
  c.engine.request("c", raw("{}"), note);
  EXPECT_EQ(c.sent(),
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a\",\"params\":{\"x\":1}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"b\",\"params\":{}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"c\",\"params\":{}}\n");
  c.engine.feed(
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\": [ 2 ] "
      "}\n{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":null}\n"
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-31999,\"message\":\"odd\",\"data\":{"
      "\"k\":1}}}\n");
  EXPECT_EQ(got, (std::vector<std::string>{"[ 2 ]", "null", "-31999 odd {\"k\":1}"}));
  // A second answer is nobody's.
  c.engine.feed(
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":1}"
      "\n");
  EXPECT_EQ(got.size(), 3u);
  EXPECT_EQ(c.handler.troubles.size(), 2u);
  EXPECT_EQ(c.engine.pending_calls(), 0u);
}

TEST(Engine, ParamsMayBeLeftOut) {
  Connection c;
  const auto ignore = [](const Engine::Answer&) {};
  c.engine.request("a", nullptr, ignore);
  c.engine.request(
      "b", [](json::Writer&) {}, ignore);
  c.engine.notify("c", nullptr);
  EXPECT_EQ(c.sent(),
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"b\"}\n"
            "{\"jsonrpc\":\"2.0\",\"method\":\"c\"}\n");
}

TEST(Engine, ClosingTellsEveryoneWhoWaitsAtOnce) {
  std::vector<std::string> got;
  const auto note = [&](const Engine::Answer& answer) {
    got.push_back(answer.error && answer.error->connection_closed ? "closed" : "answer");
  };
  Connection c;
  c.engine.request("a", raw("{}"), note);
  c.engine.request("b", raw("{}"), [&](const Engine::Answer& answer) {
    note(answer);
    c.engine.request("from inside", raw("{}"), note);
  });
  c.engine.feed("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}");  // the last line lacks its end
  EXPECT_TRUE(got.empty());
  c.engine.end_of_input();
  EXPECT_EQ(got, (std::vector<std::string>{"answer", "closed", "closed"}));
  c.engine.request("later", raw("{}"), note);
  EXPECT_EQ(got.size(), 4u);
  {
    Connection gone;
    gone.engine.request("a", raw("{}"), note);
  }
  EXPECT_EQ(got.back(), "closed");
}

TEST(Engine, TheReasonOfTheEndIsForWhatIsAskedBeforeAndAfter) {
  std::vector<std::string> reasons;
  const auto note = [&](const Engine::Answer& answer) { reasons.push_back(answer.error->message); };
  Connection c;
  c.engine.request("before", raw("{}"), note);
  c.engine.end_of_input("the cable was cut");
  c.engine.request("after", raw("{}"), note);
  EXPECT_EQ(reasons, (std::vector<std::string>{"the cable was cut", "the cable was cut"}));
}

TEST(Engine, CancelIsSentAndReadWithRequestId) {
  Connection c;
  const Engine::CallId id = c.engine.request("a", raw("{}"), [](const Engine::Answer&) {});
  c.sent();
  c.engine.cancel(id);
  EXPECT_EQ(c.sent(),
            "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":0}}\n");
  c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":\"x\\u0041\",\"method\":\"m\"}");
  c.answer_to(
      "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"other\"}}");
  c.answer_to("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"id\":\"xA\"}}");
  c.answer_to("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\"}");
  EXPECT_EQ(c.handler.events.size(), 1u);
  // However the id is written.
  c.answer_to(
      "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"xA\"}}");
  EXPECT_EQ(c.handler.events.back(), "cancel \"xA\"");
}

TEST(Engine, CancelGoesByTheNameThatTheProtocolGivesIt) {
  EngineOptions options;
  options.cancel_method = "notifications/cancelled";
  options.never_cancelled = "initialize";
  Connection c(options);
  const Engine::CallId first =
      c.engine.request("initialize", raw("{}"), [](const Engine::Answer&) {});
  c.sent();
  c.engine.cancel(first);
  EXPECT_EQ(c.sent(), "");
  c.engine.cancel(c.engine.request("a", raw("{}"), [](const Engine::Answer&) {}));
  EXPECT_NE(c.sent().find("\"notifications/cancelled\",\"params\":{\"requestId\":1}"),
            std::string::npos);
  c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}");
  c.answer_to(
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
  EXPECT_EQ(c.handler.events.back(), "cancel 1");
}

TEST(Engine, CancelPassesWhatWaits) {
  Connection c;
  c.handler.finish_at_once = false;
  c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"long\"}");
  c.answer_to("{\"jsonrpc\":\"2.0\",\"method\":\"slow\"}");
  c.answer_to("{\"jsonrpc\":\"2.0\",\"method\":\"waits\"}");
  c.answer_to("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}");
  EXPECT_EQ(c.handler.events,
            (std::vector<std::string>{"request long ", "notification slow ", "cancel 1"}));
}

TEST(Engine, AbandonedCallsAreAnsweredToNobody) {
  Connection c;
  int answers = 0;
  const auto id = c.engine.request("a", raw("{}"), [&](const Engine::Answer&) { ++answers; });
  c.engine.abandon(id);
  c.engine.feed("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}\n");
  EXPECT_EQ(answers, 0);
  EXPECT_TRUE(c.handler.troubles.empty());
}

TEST(Order, NotificationsComeOneAtATimeAndAnswersAfterThem) {
  Connection c;
  c.handler.finish_at_once = false;
  std::vector<std::string>& events = c.handler.events;
  c.engine.request("ask", raw("{}"), [&](const Engine::Answer&) { events.push_back("answer"); });
  c.engine.feed(
      "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[1]}\n{\"jsonrpc\":\"2.0\",\"method\":"
      "\"n\",\"params\":[2]}\n"
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}\n{\"jsonrpc\":\"2.0\",\"method\":\"n\","
      "\"params\":[3]}\n");
  EXPECT_EQ(events, std::vector<std::string>{"notification n [1]"});
  c.engine.finished(c.handler.tokens[0]);
  EXPECT_EQ(events.back(), "notification n [2]");
  c.engine.finished(c.handler.tokens[0]);  // twice means nothing
  EXPECT_EQ(events.size(), 2u);
  c.engine.finished(c.handler.tokens[1]);
  EXPECT_EQ(events, (std::vector<std::string>{"notification n [1]", "notification n [2]", "answer",
                                              "notification n [3]"}));
}

TEST(Order, ARequestFromInsideANotificationDoesNotWaitForIt) {
  Connection c;
  c.handler.finish_at_once = false;
  std::vector<std::string>& events = c.handler.events;
  c.handler.during_notification = [&](NotificationToken token) {
    if (token != 1) return;
    c.engine.request(
        "nested", raw("{}"),
        [&, token](const Engine::Answer&) {
          events.push_back("nested answer");
          c.engine.finished(token);
        },
        token);
  };
  c.engine.feed(
      "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[1]}\n{\"jsonrpc\":\"2.0\",\"method\":"
      "\"n\",\"params\":[2]}\n"
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":1}\n");
  EXPECT_EQ(events, (std::vector<std::string>{"notification n [1]", "nested answer",
                                              "notification n [2]"}));
}

TEST(Order, WhatFollowsAnAnswerFollowsItOnTheWire) {
  Connection c;
  c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\"}");
  c.engine.after_answer(c.handler.requests[0], [&] { c.engine.notify("first", raw("{}")); });
  c.engine.after_answer(c.handler.requests[0], [&] { c.engine.notify("second", raw("{}")); });
  EXPECT_EQ(c.sent(), "");
  c.engine.respond(c.handler.requests[0], raw("{}"));
  c.engine.after_answer(c.handler.requests[0], [&] { c.engine.notify("third", raw("{}")); });
  EXPECT_EQ(c.sent(),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":"
            "\"first\",\"params\":{}}\n"
            "{\"jsonrpc\":\"2.0\",\"method\":\"second\",\"params\":{}}\n{\"jsonrpc\":\"2.0\","
            "\"method\":\"third\",\"params\":{}}\n");
}

// Two peers, thousands of schedules: bytes arrive in random pieces, handlers finish at random
// times. Whatever the schedule, each side sees the other's notifications in order, and no answer
// before the notifications that were sent before it.
TEST(Order, HoldsInEverySchedule) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Connection left, right;
    left.handler.finish_at_once = right.handler.finish_at_once = false;
    right.handler.respond_at_once = false;
    int sent = 0, asked = 0, answered = 0;
    std::map<std::int64_t, int>
        sent_before;  // by request id: how many notifications went before its answer
    const auto step = [&] {
      switch (random() % 7) {
        case 0:
          right.engine.notify("n", raw("[" + std::to_string(sent++) + "]"));
          break;
        case 1: {
          const auto id = left.engine.request(
              "r", raw("{}"), [&, number = asked](const Engine::Answer& answer) {
                if (answer.error) return;
                ++answered;
                // All that was sent before the answer has been handled in full.
                EXPECT_GE(static_cast<int>(left.handler.tokens.size()), sent_before[number])
                    << "seed " << seed;
                if (static_cast<int>(left.handler.tokens.size()) == sent_before[number]) {
                  EXPECT_TRUE(left.handler.tokens.empty() || left.handler.events.back() == "done")
                      << "seed " << seed;
                }
              });
          EXPECT_EQ(id, asked);
          ++asked;
          break;
        }
        case 2: {  // bytes to the right
          const std::string_view out = left.engine.outgoing();
          const std::string piece(out.substr(0, 1 + random() % 40));
          left.engine.sent(piece.size());
          right.engine.feed(piece);
          break;
        }
        case 3: {  // bytes to the left
          const std::string_view out = right.engine.outgoing();
          const std::string piece(out.substr(0, 1 + random() % 90));
          right.engine.sent(piece.size());
          left.engine.feed(piece);
          break;
        }
        case 4:
        case 5:
          if (!left.handler.tokens.empty() && left.handler.events.back() != "done") {
            left.handler.events.push_back("done");
            left.engine.finished(left.handler.tokens.back());
          }
          break;
        default:
          if (!right.handler.requests.empty()) {
            const std::size_t i = random() % right.handler.requests.size();
            sent_before[*right.handler.requests[i].json().as_int64()] = sent;
            right.engine.respond(right.handler.requests[i], raw("1"));
            right.handler.requests.erase(right.handler.requests.begin() +
                                         static_cast<std::ptrdiff_t>(i));
          }
      }
    };
    for (int i = 0; i < 120; ++i) step();
    int next = 0;
    for (const std::string& event : left.handler.events) {
      if (event == "done") continue;
      EXPECT_EQ(event, "notification n [" + std::to_string(next++) + "]") << "seed " << seed;
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(Engine, OutgoingBytesAreCountedAndReleased) {
  Connection c({.congestion_bytes = 1000});
  EXPECT_FALSE(c.engine.congested());
  std::string expected;
  for (int i = 0; i < 20'000; ++i) c.engine.notify("update", raw("[" + std::to_string(i) + "]"));
  EXPECT_TRUE(c.engine.congested());
  expected = std::string(c.engine.outgoing());
  std::string got;
  while (!c.engine.outgoing().empty()) {
    const std::string piece(c.engine.outgoing().substr(0, 4097));
    got += piece;
    c.engine.sent(piece.size());
  }
  EXPECT_EQ(got, expected);
  EXPECT_FALSE(c.engine.congested());
}

TEST(Engine, WhatWaitsForASlowHandlerIsBounded) {
  Connection c({.max_queued_bytes = 1000});
  c.handler.finish_at_once = false;
  std::string failure;
  c.engine.request("a", raw("{}"), [&](const Engine::Answer& answer) {
    failure = answer.error ? answer.error->message : "ok";
  });
  for (int i = 0; i < 100; ++i)
    c.engine.feed("{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[" + std::to_string(i) +
                  "]}\n");
  EXPECT_FALSE(c.handler.troubles.empty());
  c.engine.feed("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":\"" + std::string(100, 'x') + "\"}\n");
  EXPECT_NE(failure.find("1000 bytes wait"), failure.npos);
}

TEST(Engine, EveryFrameIsShownToTheTap) {
  Connection c;
  c.handler.respond_at_once = true;
  c.answer_to("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}");
  EXPECT_EQ(c.handler.frames,
            (std::vector<std::string>{"< {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}",
                                      "> {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}));
}

TEST(Engine, AnswersInTheFramingItIsSpokenToIn) {
  Connection c({.framing = Framing::automatic});
  c.handler.respond_at_once = true;
  const std::string request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"é\"}";
  c.engine.feed("content-length: " + std::to_string(request.size()) + "\r\n\r\n" + request);
  EXPECT_EQ(c.sent(), "Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

TEST(Engine, BatchesWhereTheyAreAccepted) {
  Connection c({.accept_batches = true});
  EXPECT_EQ(c.answer_to("[]"), error_line("null", -32600, "Invalid request: an empty batch"));
  c.answer_to(
      "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"method\":\"n\"},5,"
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}]");
  ASSERT_EQ(c.handler.requests.size(), 2u);
  c.engine.respond(c.handler.requests[1], raw("2"));
  EXPECT_EQ(c.sent(), "");
  c.engine.fail(c.handler.requests[0], {method_not_found, "no", {}});
  EXPECT_EQ(c.sent(),
            "[{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid "
            "request: expected an "
            "object, got a number\"}},{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":2},"
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}]\n");
}

}  // namespace
}  // namespace acp::rpc
