// Providers that send without end.
#include <gtest/gtest.h>

#include <atomic>

#include "coder/model/http_model.h"
#include "coder/model/testing/http_server.h"

namespace acp::coder {

using namespace settings;
namespace {

using testing::HttpServer;
using testing::response;
using testing::stream_head;
using Kind = ModelError::Kind;
using Connection = HttpServer::Connection;

HttpModelLimits patient() {
  HttpModelLimits limits;
  limits.connect_time = limits.silence = limits.content = std::chrono::hours(1);
  return limits;
}

ModelError error_of(const std::string& url, const HttpModelLimits& limits,
                    const std::string& key = "sk-secret",
                    ProviderSettings::Api api = ProviderSettings::Api::chat_completions) {
  ProviderSettings provider{.name = "here", .api = api};
  provider.base_url = {url, "test"};
  HttpModel model(provider, "m1", key, {}, limits);
  try {
    model.answer({}, [](const ModelEvent&) {}, {});
  } catch (const ModelError& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return ModelError(Kind::broken, "");
}

bool has(const ModelError& error, const std::string& part) {
  return std::string(error.what()).find(part) != std::string::npos;
}

// Sends it again and again until the test is over.
class Endless {
 public:
  Endless(std::string head, std::string piece)
      : server_([this, head = std::move(head), piece = std::move(piece)](Connection& connection) {
          connection.read();
          connection.send(head);
          while (!over_) connection.send(piece);
        }) {}
  ~Endless() { over_ = true; }
  std::string url() const { return server_.url(); }

 private:
  std::atomic<bool> over_ = false;
  HttpServer server_;
};

TEST(HttpLimits, AnErrorWithoutEndIsReadToItsLimit) {
  const Endless server("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n",
                       std::string(10'000, 'x'));
  const ModelError error = error_of(server.url(), patient());
  EXPECT_EQ(error.kind(), Kind::refused);
  EXPECT_TRUE(has(error, "HTTP 400")) << error.what();
  EXPECT_TRUE(has(error, "only the first 65536 bytes were read: limits.error_bytes"))
      << error.what();
}

TEST(HttpLimits, AnErrorThatComesByteByByteHasNoMoreTime) {
  const Endless server("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n", "x");
  HttpModelLimits limits = patient();
  limits.silence = std::chrono::milliseconds(200);
  limits.error_bytes = std::size_t{1} << 40;
  const ModelError error = error_of(server.url(), limits);
  EXPECT_EQ(error.kind(), Kind::refused);
  EXPECT_TRUE(has(error, "HTTP 400")) << error.what();
}

TEST(HttpLimits, PingsAreNoAnswer) {
  HttpModelLimits limits = patient();
  limits.content = std::chrono::milliseconds(200);
  const Endless comments(stream_head(), ": ping\n\n");
  const Endless events(stream_head(), "event: ping\ndata: {\"type\":\"ping\"}\n\n");
  const Endless empty(stream_head(), "data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\n");
  using Api = ProviderSettings::Api;
  for (const ModelError& error :
       {error_of(comments.url(), limits), error_of(events.url(), limits, "k", Api::anthropic),
        error_of(empty.url(), limits)}) {
    EXPECT_EQ(error.kind(), Kind::unreachable);
    EXPECT_STREQ(error.what(),
                 "here: the model has said nothing for 200 ms, though its server sends "
                 "(limits.content_seconds)");
  }
}

TEST(HttpLimits, AnEventWithoutEndIsNotWaitedFor) {
  HttpModelLimits limits = patient();
  limits.event_bytes = 100'000;
  for (const char* line : {"data: ", "event: ", ": "}) {
    const Endless server(stream_head() + line, std::string(10'000, 'x'));
    const ModelError error = error_of(server.url(), limits);
    EXPECT_EQ(error.kind(), Kind::broken);
    EXPECT_TRUE(has(error, "an event of more than 100000 bytes")) << error.what();
  }
}

TEST(HttpLimits, HeadersWithoutEnd) {
  const Endless server("HTTP/1.1 200 OK\r\n", "X-More: " + std::string(1000, 'x') + "\r\n");
  const ModelError error = error_of(server.url(), patient());
  EXPECT_EQ(error.kind(), Kind::unreachable);
  EXPECT_TRUE(has(error, "the answer's headers have more than 262144 bytes")) << error.what();
}

// A key may be a part of what stands in its place.
TEST(HttpLimits, AKeyThatIsAShortWord) {
  for (const std::string key : {"key", "e", "[", "[key]"}) {
    HttpServer server([](Connection& connection) {
      connection.read();
      connection.send(response("400 Bad Request", R"({"error":{"message":"wrong [key]: e"}})"));
    });
    const std::string details = error_of(server.url(), patient(), key).details();
    EXPECT_LT(details.size(), 150u) << key;
    EXPECT_NE(details.find("wrong ["), std::string::npos) << details;
  }
}

}  // namespace
}  // namespace acp::coder
