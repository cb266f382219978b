// Agents on other machines, by their address: client.connect(acp::remote::url("https://host/acp")).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "acp/async/task.h"
#include "acp/io/transport.h"
#include "acp/log.h"

namespace acp::remote {

// How to reach a server; the defaults are those of this machine.
struct UrlOptions {
  // Sent to this server alone, in `Authorization: Bearer`.
  std::string bearer_token = {};
  // Sent to this server alone, with every request.
  std::map<std::string, std::string> headers = {};
  // "http://proxy:3128", the only kind for WebSocket; "": what the environment says (https_proxy,
  // http_proxy, no_proxy).
  std::string proxy = {};
  // PEM file with the trusted certificate authorities; "": the system's.
  std::string ca_file = {};
  // Cookies of the server are kept while the connection lasts, and sent back.
  bool cookies = true;
  std::size_t max_message_bytes = 32 * 1024 * 1024;
  std::chrono::milliseconds connect_time{10'000};
  // Over HTTP: time for the server to take a message, or to open a stream. Answers of the agent
  // have no limit, except to `initialize`, which is answered at once.
  std::chrono::milliseconds answer_time{120'000};
  // Over HTTP: an agent that does not even refuse an unknown request holds the answer to
  // session/load up until the session's stream has been silent for so long.
  std::chrono::milliseconds replay_silence{10'000};
  // After this time a server that vanished silently is noticed: its machine confirms nothing any
  // more; over WebSocket, it does not answer a ping; over HTTP, its streams have sent keep-alives,
  // and send none (at least for two of the pauses that it has named).
  std::chrono::milliseconds vanish_time{60'000};
  // WebSocket messages larger than this are compressed if the server can; 0: never.
  std::size_t compress_from_bytes = 1024;
  // Called on threads of the transport.
  LogHook log = nullptr;
};

// http and https: Streamable HTTP; ws and wss: WebSocket. Nothing is sent before the first message;
// an error ends the connection, as its reason. Throws std::invalid_argument for any other text.
Transport url(const std::string& url, const UrlOptions& options = UrlOptions());
ACP_REFUSE_TEMPORARY(Transport url(const std::string& url, UrlOptions&& options));

}  // namespace acp::remote
