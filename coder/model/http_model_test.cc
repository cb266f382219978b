#include "coder/model/http_model.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <semaphore>

#include "acp/error.h"
#include "coder/model/not_running.h"
#include "coder/model/retry.h"
#include "coder/model/testing/http_server.h"

namespace acp::coder {

using namespace settings;
namespace {

using testing::chunk;
using testing::events;
using testing::HttpServer;
using testing::response;
using testing::stream_head;
using Api = ProviderSettings::Api;
using Kind = ModelError::Kind;
using Connection = HttpServer::Connection;

constexpr const char* key = "sk-secret/key";

const std::string text_event = R"({"choices":[{"index":0,"delta":{"content":"Hällo"}}]})";
const std::string stop_event = R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";
const std::string whole_answer = events({text_event, stop_event, "[DONE]"});

ProviderSettings provider(const std::string& base_url, Api api = Api::chat_completions) {
  ProviderSettings made{.name = "here", .api = api};
  made.base_url = {base_url, "test"};
  return made;
}

HttpModelLimits patient() {
  HttpModelLimits limits;
  limits.connect_time = std::chrono::hours(1);
  limits.silence = std::chrono::hours(1);
  return limits;
}

HttpModel model_at(const std::string& base_url, Api api = Api::chat_completions,
                   HttpModelLimits limits = patient(), ModelInfo info = {}) {
  return HttpModel(provider(base_url, api), "m1", key, std::move(info), limits);
}

ModelRequest question() {
  ModelRequest request;
  request.messages = {{Message::Role::user, {TextPart{"hello"}}}};
  return request;
}

// All that was said: "Hällo|end", with a dot for each pause.
struct Said {
  std::string text;
  std::function<void()> on_pause = [] {};
  void operator()(const ModelEvent& event) {
    if (const auto* delta = std::get_if<TextDelta>(&event)) text += delta->text;
    if (const auto* stop = std::get_if<Stop>(&event))
      text += stop->reason == Stop::Reason::end ? "|end" : "|other";
    if (std::holds_alternative<Pause>(event)) {
      text += '.';
      on_pause();
    }
  }
};

std::string ask(Model& model, std::stop_token stop = {}) {
  Said said;
  model.answer(question(), std::ref(said), stop);
  return said.text;
}

ModelError error_of(Model& model) {
  try {
    ask(model);
  } catch (const ModelError& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return ModelError(Kind::broken, "");
}

// Answers each request of each connection with these bytes.
HttpServer::Handler always(const std::string& answer) {
  return [answer](Connection& connection) {
    while (connection.read()) connection.send(answer);
  };
}
// Answers one, and closes the connection.
HttpServer::Handler once(const std::string& answer) {
  return [answer](Connection& connection) {
    if (connection.read()) connection.send(answer);
  };
}

TEST(HttpModel, ChatCompletions) {
  std::promise<HttpServer::Request> asked;
  HttpServer server([&](Connection& connection) {
    asked.set_value(connection.read().value());
    connection.send(stream_head() + whole_answer);
  });
  ModelInfo info;
  info.max_output_tokens = 77;
  HttpModel model = model_at(server.url("/v1"), Api::chat_completions, patient(), info);
  EXPECT_EQ(ask(model), "Hällo.|end");
  const HttpServer::Request request = asked.get_future().get();
  EXPECT_EQ(request.line(), "POST /v1/chat/completions HTTP/1.1");
  EXPECT_EQ(request.header("authorization"), std::string("Bearer ") + key);
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.header("x-api-key"), "");
  const Json body = Json::parse(request.body).value();
  EXPECT_EQ(body["model"].as_string(), "m1");
  EXPECT_EQ(body["max_tokens"].as_int64(), 77);
  EXPECT_EQ(body["stream"].as_bool(), true);
}

TEST(HttpModel, Anthropic) {
  std::promise<HttpServer::Request> asked;
  HttpServer server([&](Connection& connection) {
    asked.set_value(connection.read().value());
    connection.send(
        stream_head() +
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n"
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
        "\"content_block\":{\"type\":\"text\",\"text\":\"Hi\"}}\n\n"
        "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
        "\"end_turn\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
  });
  ProviderSettings settings = provider(server.url(), Api::anthropic);
  HttpModel model(settings, "m1", key, {});
  EXPECT_EQ(ask(model), "Hi.|end");
  const HttpServer::Request request = asked.get_future().get();
  EXPECT_EQ(request.line(), "POST /v1/messages HTTP/1.1");
  EXPECT_EQ(request.header("x-api-key"), key);
  EXPECT_EQ(request.header("anthropic-version"), "2023-06-01");
  EXPECT_EQ(request.header("authorization"), "");
  const Json body = Json::parse(request.body).value();
  EXPECT_GE(body["max_tokens"].as_int64().value_or(0), 8192);
}

TEST(HttpModel, ARequestsOwnLimitCountsAndAServerMayNeedNoKey) {
  std::promise<HttpServer::Request> asked;
  HttpServer server([&](Connection& connection) {
    asked.set_value(connection.read().value());
    connection.send(stream_head() + whole_answer);
  });
  ModelInfo info;
  info.max_output_tokens = 77;
  HttpModel model(provider(server.url("/v1")), "m1", {}, info);
  ModelRequest request = question();
  request.max_tokens = 5;
  model.answer(request, [](const ModelEvent&) {}, {});
  const HttpServer::Request got = asked.get_future().get();
  const Json body = Json::parse(got.body).value();
  EXPECT_EQ(body["max_tokens"].as_int64(), 5);
  EXPECT_EQ(got.header("authorization"), "");
}

// The rest is sent once the client has read all before it, so that it really comes apart there.
TEST(HttpModel, BytesSplitAtEveryPosition) {
  const std::string first = events({R"({"choices":[]})"});
  for (std::size_t at = 0; at <= whole_answer.size(); ++at) {
    std::promise<void> read;
    HttpServer server([&](Connection& connection) {
      connection.read();
      connection.send(stream_head() + first + whole_answer.substr(0, at));
      read.get_future().wait();
      connection.send(whole_answer.substr(at));
    });
    HttpModel model = model_at(server.url());
    Said said;
    said.on_pause = [&, told = false]() mutable {
      if (!std::exchange(told, true)) read.set_value();
    };
    model.answer(question(), std::ref(said), {});
    std::erase(said.text, '.');
    ASSERT_EQ(said.text, "Hällo|end") << at;
  }
}

TEST(HttpModel, TheFirstPieceIsShownAtOnceAndWhatFollowsSoonIsGathered) {
  HttpModelLimits limits = patient();
  limits.gather = std::chrono::minutes(5);
  std::promise<void> shown;
  HttpServer server([&](Connection& connection) {
    connection.read();
    connection.send(stream_head() + events({text_event}));
    shown.get_future().wait();
    connection.send(events({text_event, text_event, text_event, stop_event, "[DONE]"}));
  });
  HttpModel model = model_at(server.url(), Api::chat_completions, limits);
  Said said;
  said.on_pause = [&] { shown.set_value(); };
  model.answer(question(), std::ref(said), {});
  EXPECT_EQ(said.text, "Hällo.HälloHälloHällo|end");
}

TEST(HttpModel, WhatIsGatheredIsShownThoughNothingFollows) {
  constexpr int pieces = 20;
  std::counting_semaphore<> shown(0);
  HttpServer server([&](Connection& connection) {
    connection.read();
    connection.send(stream_head());
    for (int i = 0; i < pieces; ++i) {
      connection.send(events({text_event}));
      shown.acquire();
    }
    connection.send(events({stop_event, "[DONE]"}));
  });
  HttpModel model = model_at(server.url());
  Said said;
  said.on_pause = [&] { shown.release(); };
  model.answer(question(), std::ref(said), {});
  std::string expected;
  for (int i = 0; i < pieces; ++i) expected += "Hällo.";
  EXPECT_EQ(said.text.substr(0, expected.size()), expected);
}

TEST(HttpModel, StoppedWhileItRestsFromADenseStream) {
  HttpModelLimits limits = patient();
  limits.gather = std::chrono::minutes(5);
  HttpServer server([&](Connection& connection) {
    connection.read();
    connection.send(stream_head() + events({text_event, text_event}));
    connection.wait_for_close();
  });
  HttpModel model = model_at(server.url(), Api::chat_completions, limits);
  std::stop_source stop;
  std::promise<void> streams;
  std::thread user([&] {
    streams.get_future().wait();
    stop.request_stop();
  });
  Said said;
  said.on_pause = [&] { streams.set_value(); };
  EXPECT_THROW(model.answer(question(), std::ref(said), stop.get_token()), Cancelled);
  user.join();
}

// On a connection that is there already: while it is made, libcurl wakes up by itself.
TEST(HttpModel, StoppedWhileItStreams) {
  std::promise<void> closed;
  HttpServer server([&](Connection& connection) {
    connection.read();
    connection.send(response("200 OK", whole_answer, "text/event-stream"));
    connection.read();
    connection.send(stream_head() + events({text_event}));
    connection.wait_for_close();
    closed.set_value();
  });
  HttpModel model = model_at(server.url());
  EXPECT_EQ(ask(model), "Hällo.|end");
  std::stop_source stop;
  std::promise<void> streams;
  std::thread user([&] {
    streams.get_future().wait();
    stop.request_stop();
  });
  Said said;
  said.on_pause = [&] { streams.set_value(); };
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THROW(model.answer(question(), std::ref(said), stop.get_token()), Cancelled);
  // Nobody else would wake it for a minute.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(50));
  EXPECT_EQ(said.text, "Hällo.");
  closed.get_future().wait();
  user.join();
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpModel, StoppedBeforeTheFirstByteAndBeforeItBegins) {
  std::stop_source stop;
  std::promise<void> closed;
  HttpServer server([&](Connection& connection) {
    connection.read();
    stop.request_stop();
    connection.wait_for_close();
    closed.set_value();
  });
  HttpModel model = model_at(server.url());
  EXPECT_THROW(ask(model, stop.get_token()), Cancelled);
  closed.get_future().wait();
  EXPECT_THROW(ask(model, stop.get_token()), Cancelled);
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpModel, ARedirectToAnotherHostDoesNotCarryTheKey) {
  for (const Api api : {Api::chat_completions, Api::anthropic}) {
    std::promise<HttpServer::Request> reached;
    HttpServer other([&](Connection& connection) {
      reached.set_value(connection.read().value());
      connection.send(response("401 Unauthorized", "{}"));
    });
    HttpServer first(once("HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 0\r\nLocation: " +
                          other.url("/elsewhere") + "\r\n\r\n"));
    HttpModel model = model_at(first.url(), api);
    const ModelError error = error_of(model);
    EXPECT_EQ(error.kind(), Kind::unauthorized);
    EXPECT_NE(std::string(error.what()).find("redirected to " + other.url()), std::string::npos)
        << error.what();
    const HttpServer::Request request = reached.get_future().get();
    EXPECT_EQ(request.line(), "POST /elsewhere HTTP/1.1");
    EXPECT_EQ((request.head + request.body).find(key), std::string::npos);
    EXPECT_FALSE(request.body.empty());
  }
}

TEST(HttpModel, ARedirectOnTheSameHostCarriesIt) {
  std::promise<HttpServer::Request> reached;
  HttpServer server([&](Connection& connection) {
    connection.read();
    connection.send(
        "HTTP/1.1 308 Permanent Redirect\r\nContent-Length: 0\r\nLocation: /there\r\n\r\n");
    reached.set_value(connection.read().value());
    connection.send(stream_head() + whole_answer);
  });
  HttpModel model = model_at(server.url());
  EXPECT_EQ(ask(model), "Hällo.|end");
  EXPECT_EQ(reached.get_future().get().header("authorization"), std::string("Bearer ") + key);
}

TEST(HttpModel, TooManyRequests) {
  HttpServer server(always(response("429 Too Many Requests",
                                    R"({"error":{"message":"slow down","type":"tokens"}})",
                                    "application/json", "Retry-After: 7\r\n")));
  for (const Api api : {Api::chat_completions, Api::anthropic}) {
    HttpModel model = model_at(server.url(), api);
    const ModelError error = error_of(model);
    EXPECT_EQ(error.kind(), Kind::rate_limited);
    EXPECT_EQ(error.retry_after(), 7);
    EXPECT_STREQ(error.what(), "here: too many requests for now (HTTP 429, tokens)");
    EXPECT_NE(error.details().find("slow down"), std::string::npos);
  }
}

TEST(HttpModel, ServerErrorThenSuccess) {
  HttpServer server([](Connection& connection) {
    connection.read();
    connection.send(response("500 Oops", "<html>", "text/html"));
    connection.read();
    connection.send(response("503 Busy", R"({"error":{"message":"Loading model"}})"));
    connection.read();
    connection.send(stream_head() + whole_answer);
  });
  HttpModel model = model_at(server.url());
  RetryPolicy policy;
  policy.sleep = [](RetryPolicy::Seconds, std::stop_token) {};
  std::string retries;
  Said said;
  answer_with_retries(
      model, question(), std::ref(said),
      [&](const Retry& retry) { retries += std::string(retry.why.what()) + "\n"; }, {}, policy);
  EXPECT_EQ(said.text, "Hällo.|end");
  EXPECT_EQ(retries,
            "here: the server failed (HTTP 500)\nhere: the server is overloaded (HTTP 503)\n");
}

TEST(HttpModel, TheKeyIsInNoError) {
  const std::string body =
      std::string(R"({"error":{"message":"bad key sk-secret\/key, yes )") + key + R"("}})";
  HttpServer refuses(once(response("401 Unauthorized", body)));
  HttpServer streams(once(stream_head() + events({body})));
  HttpServer claims(once(response("200 OK", body)));
  for (const HttpServer* server : {&refuses, &streams, &claims}) {
    HttpModel model = model_at(server->url());
    const ModelError error = error_of(model);
    EXPECT_EQ(std::string(error.what()).find("bad"), std::string::npos) << error.what();
    EXPECT_NE(error.details().find("bad key [key], yes [key]"), std::string::npos)
        << error.details();
    EXPECT_EQ((error.what() + error.details()).find(key), std::string::npos);
  }
}

TEST(HttpModel, AServerThatHangs) {
  HttpModelLimits impatient;
  impatient.silence = std::chrono::milliseconds(50);
  HttpServer silent([](Connection& connection) {
    connection.read();
    connection.wait_for_close();
  });
  HttpModel first = model_at(silent.url(), Api::chat_completions, impatient);
  const ModelError nothing = error_of(first);
  EXPECT_EQ(nothing.kind(), Kind::unreachable);
  EXPECT_STREQ(nothing.what(),
               "here: no byte has come from the model for 50 ms (limits.request_seconds)");
  HttpServer stops([](Connection& connection) {
    connection.read();
    connection.send(stream_head() + events({text_event}));
    connection.wait_for_close();
  });
  HttpModel second = model_at(stops.url(), Api::chat_completions, impatient);
  EXPECT_EQ(error_of(second).kind(), Kind::unreachable);
}

TEST(HttpModel, NobodyThere) {
  HttpModel model = model_at("http://127.0.0.1:" + std::to_string(testing::unused_port()));
  const ModelError error = error_of(model);
  EXPECT_EQ(error.kind(), Kind::unreachable);
  EXPECT_THROW(model.answer({}, [](ModelEvent) {}, {}), NotRunning);
  EXPECT_TRUE(std::string(error.what()).starts_with("here: nothing answers at http://127.0.0.1:"))
      << error.what();
  EXPECT_TRUE(std::string(error.what()).ends_with(" (connection refused)")) << error.what();
}

TEST(HttpModel, AProxyIsNotAskedForThisMachine) {
  HttpServer server(once(stream_head() + whole_answer));
  const std::string proxy = "http://127.0.0.1:" + std::to_string(testing::unused_port());
  ASSERT_EQ(setenv("http_proxy", proxy.c_str(), 1), 0);
  HttpModel model = model_at(server.url());
  EXPECT_EQ(ask(model), "Hällo.|end");
  unsetenv("http_proxy");
}

TEST(HttpModel, Garbage) {
  const auto kind_of = [](const std::string& answer, const std::string& told) {
    HttpServer server(once(answer));
    HttpModel model = model_at(server.url());
    const ModelError error = error_of(model);
    EXPECT_NE(std::string(error.what()).find(told), std::string::npos) << error.what();
    return error.kind();
  };
  EXPECT_EQ(kind_of("\x01\x02 this is not HTTP\r\n\r\n", "cannot reach"), Kind::unreachable);
  EXPECT_EQ(kind_of("", "cannot reach"), Kind::unreachable);
  EXPECT_EQ(kind_of(response("200 OK", "<html>", "text/html"), "text/html"), Kind::broken);
  EXPECT_EQ(kind_of(response("200 OK", R"({"choices":[]})"), "does not stream"), Kind::broken);
  EXPECT_EQ(kind_of(response("200 OK", R"({"error":{"message":"no","code":429}})"), "HTTP 429"),
            Kind::rate_limited);
  EXPECT_EQ(kind_of(response("404 Not Found", "nothing", "text/plain"), "(HTTP 404) from http://"),
            Kind::refused);
  EXPECT_EQ(kind_of(stream_head() + "data: {not json\n\n", "no JSON"), Kind::broken);
  EXPECT_EQ(kind_of(stream_head() + "\xFF\xFE\n\n", "broke off"), Kind::unreachable);
  // More than is kept of an error.
  EXPECT_EQ(kind_of(response("400 Bad Request", std::string(1'000'000, 'x'), "text/plain"), "400"),
            Kind::refused);
}

TEST(HttpModel, AnEventThatIsTooLarge) {
  HttpServer server(once(stream_head() + "data: " + std::string(100'000, 'x') + "\n\n"));
  HttpModelLimits limits = patient();
  limits.event_bytes = 10'000;
  HttpModel model = model_at(server.url(), Api::chat_completions, limits);
  const ModelError error = error_of(model);
  EXPECT_EQ(error.kind(), Kind::broken);
  EXPECT_NE(std::string(error.what()).find("more than 10000 bytes"), std::string::npos)
      << error.what();
}

TEST(HttpModel, AnAnswerCutInTheMiddle) {
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string sized =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 5000\r\n\r\n";
  for (const std::string& answer :
       {stream_head() + events({text_event}), chunked + chunk(events({text_event})),
        sized + events({text_event}), stream_head() + events({text_event}) + "data: {\"cho"}) {
    HttpServer server(once(answer));
    HttpModel model = model_at(server.url());
    Said said;
    EXPECT_THROW(model.answer(question(), std::ref(said), {}), ModelError);
    EXPECT_EQ(said.text, "Hällo.");
  }
  // All was said, though the connection ends in disorder.
  HttpServer server(once(chunked + chunk(whole_answer)));
  HttpModel model = model_at(server.url());
  EXPECT_EQ(ask(model), "Hällo.|end");
}

TEST(HttpModel, AConnectionThatStaysOpenAfterTheAnswer) {
  HttpServer server([](Connection& connection) {
    connection.read();
    connection.send(stream_head() + whole_answer);
    connection.wait_for_close();
  });
  HttpModel model = model_at(server.url());
  EXPECT_EQ(ask(model), "Hällo.|end");
}

TEST(HttpModel, AConnectionServesManyRequests) {
  HttpServer server(always(response("200 OK", whole_answer, "text/event-stream")));
  HttpModel model = model_at(server.url());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ask(model), "Hällo.|end");
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpModel, SeveralAskAtOnce) {
  constexpr int askers = 6;
  std::latch all_there(askers);
  HttpServer server([&](Connection& connection) {
    connection.read();
    all_there.arrive_and_wait();
    connection.send(stream_head() + whole_answer);
  });
  HttpModel model = model_at(server.url());
  std::vector<std::future<std::string>> answers;
  for (int i = 0; i < askers; ++i)
    answers.push_back(std::async(std::launch::async, [&] { return ask(model); }));
  for (auto& answer : answers) EXPECT_EQ(answer.get(), "Hällo.|end");
}

TEST(HttpModel, WhatAListenerThrowsComesThrough) {
  HttpServer server(always(response("200 OK", whole_answer, "text/event-stream")));
  HttpModel model = model_at(server.url());
  const OnModelEvent fails = [](const ModelEvent&) { throw std::logic_error("mine"); };
  EXPECT_THROW(model.answer(question(), fails, {}), std::logic_error);
  EXPECT_EQ(ask(model), "Hällo.|end");
}

}  // namespace
}  // namespace acp::coder
