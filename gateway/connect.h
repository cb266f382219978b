// acp connect: an agent elsewhere, on our standard input and output.
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
  // Every message as it is: nothing is translated, hidden or tried again.
  bool exact = false;
  RelayOptions relay = {};
  // How long a broken network is waited for.
  std::chrono::milliseconds patience{300'000};
  std::size_t max_message_bytes = 32 * 1024 * 1024;
};

// Until the editor has gone: 0. 3 if the agent was never reached; 1 if it was lost for good. Why is
// the last line on standard error.
int connect(const ConnectOptions& options, Transport editor, const std::stop_token& stop);

}  // namespace acp::gateway
