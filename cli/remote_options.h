// How to reach a server: options of all commands with a URL.
#pragma once

#include <string>
#include <vector>

#include "acp/remote/client.h"
#include "cli/parser.h"

namespace acp::cli {

struct RemoteOptions {
  std::string token_file, proxy, ca_file;
  std::vector<std::string> headers;
  double silence = 0;  // in seconds; 0: the usual time

  void add_to(const Command& app);
  // Reads the options. The token is from the file, else from ACP_TOKEN; never from the command
  // line, which others can see. Throws BadUsage.
  remote::UrlOptions read(const std::string& url) const;
  // Where that token comes from: "the file X", "the variable ACP_TOKEN"; empty if there is none.
  std::string token_source() const;
  bool given() const;
  // The options as words for a process of ours, which reads the token itself. Throws BadUsage.
  std::vector<std::string> words() const;
};

}  // namespace acp::cli
