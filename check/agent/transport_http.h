// HTTP by hand: one request for each connection, and streams of events that stay open.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/http/event_stream.h"
#include "acp/http/url.h"
#include "acp/json/json.h"
#include "check/agent/transport_socket.h"

namespace acp::check {

using HttpHeaders = std::map<std::string, std::string>;

struct HttpReply {
  int status = 0;       // 0: there was no answer
  HttpHeaders headers;  // names in lower case
  std::string body;
  std::string problem;  // why there was none

  std::string header(const std::string& name) const;
  // Without its parameters, in lower case.
  std::string content_type() const;
  // "POST … was answered with 200 and …" without its beginning: for messages.
  std::string describe() const;
};

// The server's address, and the headers of requests.
struct Endpoint {
  http::UrlParts url;
  HttpHeaders headers;  // with every request
  std::chrono::milliseconds timeout{30'000};

  TransportSocket::Time deadline() const { return std::chrono::steady_clock::now() + timeout; }
  TransportSocket connect() const { return {url.host, url.port, deadline()}; }
  // A request's head. Connection: close, unless the headers say otherwise.
  std::string head(const std::string& method, const HttpHeaders& more,
                   std::optional<std::size_t> body) const;
  HttpReply ask(const std::string& method, const HttpHeaders& more,
                std::optional<std::string_view> body = {}) const;
  // Sends a POST with JSON's media type.
  HttpReply post(std::string_view body, HttpHeaders more = {}) const;
};

// Reads an answer's head, and leaves the body's first bytes in the buffer.
HttpReply read_head(TransportSocket& socket, std::string& buffer, TransportSocket::Time deadline);

// The answer to GET: messages as they come.
class EventReader {
 public:
  EventReader(const Endpoint& server, HttpHeaders more);

  const HttpReply& reply() const { return reply_; }
  bool open() const { return reply_.status == 200; }
  // Whether the request was taken, but no answer has begun.
  bool late() const { return late_; }
  bool ended() const { return ended_; }
  // All messages in order; and data that was not a message.
  const std::vector<Json>& messages() const { return messages_; }
  const std::vector<std::string>& malformed() const { return malformed_; }

  // Waits until the stream has ended.
  bool wait_end(TransportSocket::Time deadline);
  // Waits until one of the streams has such a message; returns that stream, or null. `wanted` sees
  // each message once.
  using Wanted = std::function<bool(EventReader& reader, const Json& message)>;
  static EventReader* wait(const std::vector<EventReader*>& readers, const Wanted& wanted,
                           TransportSocket::Time deadline);

 private:
  void read_some(TransportSocket::Time deadline);
  void decode();
  void take(http::EventStream::Event&& event);

  TransportSocket socket_;
  HttpReply reply_;
  bool late_ = false, ended_ = false, chunked_ = false;
  std::string buffer_;
  std::size_t chunk_left_ = 0;
  http::EventStream events_{64 * 1024 * 1024};
  std::vector<Json> messages_;
  std::size_t seen_ = 0;  // of the messages, by wait()
  std::vector<std::string> malformed_;
};

}  // namespace acp::check
