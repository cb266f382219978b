// What a socket of the server becomes, once its request says so.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <string>

#include "acp/remote/service.h"

namespace acp::remote {

namespace beast = boost::beast;
namespace http = beast::http;
using HttpRequest = http::request<http::string_body>;

// A stream of events, until one of both has gone. `headers` are those that a page needs.
struct EventsRequest {
  std::shared_ptr<HttpConnection> connection;
  std::optional<std::string> session;
  std::map<std::string, std::string> headers;
  unsigned version = 11;
  Access access = {};
};
void serve_events(Service& service, Socket socket, EventsRequest request);

// A WebSocket, upgraded by this request.
void serve_websocket(Service& service, Socket socket, HttpRequest request, std::string principal,
                     Access access);

}  // namespace acp::remote
