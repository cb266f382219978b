// State and functions that the scenarios of a server's transport share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/agent/transport.h"
#include "check/agent/transport_http.h"

namespace acp::check {

struct TransportRun {
  const TransportCheckOptions& options;
  Report& report;
  Endpoint server;
  std::vector<std::string> connections = {};  // to be deleted at the end
  std::int64_t next_id = 1;

  // A request, and its id.
  std::string request(std::string_view method, const Json& params, std::int64_t id);
  // A request with a new id, which is the value of `next_id` before.
  std::string request(std::string_view method, const Json& params) {
    return request(method, params, next_id++);
  }
  std::string initialize(const Json& id, const Json& version = 1) const;
  // Opens a connection; returns its header, or nothing if it was refused.
  std::optional<HttpHeaders> connect();
  void remember(const HttpReply& reply);

  // Expects this status of the reply; and, for A-HTTP-47, this text.
  bool expect(std::string_view id, const std::string& what, const HttpReply& reply, int status,
              std::string_view text = {});
  void skip(std::initializer_list<std::string_view> ids, const std::string& why);
};

inline constexpr std::string_view connection_header = "Acp-Connection-Id";
inline constexpr std::string_view session_header = "Acp-Session-Id";
// A method that no agent has: its answer, an error, comes from every agent and at once.
inline constexpr std::string_view no_such_method = "_acp_check/none";

HttpHeaders with(HttpHeaders headers, std::string_view name, const std::string& value);
// Whether it is a 202 with an empty body.
bool accepted(const HttpReply& reply);

void check_http_posts(TransportRun& run, const HttpHeaders& connection);
void check_http_streams(TransportRun& run, const HttpHeaders& connection);
// Checks a real session: its updates, and its agent's questions.
void check_http_session(TransportRun& run, const HttpHeaders& connection, EventReader& stream);
void check_http_end(TransportRun& run);
// Checks WebSocket. Returns false if the server does not offer it.
bool check_websocket(TransportRun& run);

}  // namespace acp::check
