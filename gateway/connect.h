// acp connect: a remote agent, on our standard input and output.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "acp/io/transport.h"
#include "acp/remote/client.h"
#include "gateway/relay.h"
#include "gateway/ssh.h"

namespace acp::gateway {

struct ConnectOptions {
  std::string url;
  std::string shown_url = {};  // for messages
  remote::UrlOptions remote = {};
  std::string token_source = {};  // where its token comes from: "the file X"; empty: there is none
  std::optional<SshOptions> ssh = {};  // instead of a URL
  // Passes every message unchanged: nothing is translated, hidden or retried.
  bool exact = false;
  RelayOptions relay = {};
  // How long to wait for a broken network, and then for an agent that is silent while it restores
  // sessions.
  std::chrono::milliseconds patience{300'000};
  std::size_t max_message_bytes = 32 * 1024 * 1024;
};

// Returns 0 when the editor has gone, 3 if the agent was never reached, 1 if it was lost for good.
// The last line on standard error says why.
int connect(const ConnectOptions& options, Transport editor, const std::stop_token& stop);

}  // namespace acp::gateway
