// How a server is reached: what all commands with a URL have in common.
#pragma once

#include <string>
#include <vector>

#include "acp/remote/client.h"
#include "cli/parser.h"

namespace acp::cli {

struct RemoteOptions {
  std::string token_file, proxy, ca_file;
  std::vector<std::string> headers;

  void add_to(const Command& app);
  // The token: from the file, else from ACP_TOKEN; never from the command line, which others can
  // see. Throws BadUsage.
  remote::UrlOptions read(const std::string& url) const;
  // Where that token comes from: "the file X", "the variable ACP_TOKEN"; empty if there is none.
  std::string token_source() const;
  bool given() const;
  // The same for a process of ours, which reads the token itself. Throws BadUsage.
  std::vector<std::string> words() const;
};

}  // namespace acp::cli
