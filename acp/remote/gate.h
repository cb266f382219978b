// Who may ask at all: the names that a server goes by, the web pages that may use it, and who its
// clients are.
#pragma once

#include <string>
#include <string_view>

#include "acp/remote/server.h"

namespace acp::remote {

// Against a web page that lets its own name mean this machine (DNS rebinding), and against pages of
// others.
class Gate {
 public:
  explicit Gate(const ServerOptions& options) : options_(options) {}

  // Of a request to our path. 200: it may pass.
  Decision decide(const RequestHead& head) const;
  bool is_host(std::string_view host) const;
  // Of a page that may use the server.
  bool is_origin(std::string_view origin) const;
  // What a page must be told so that it may see the answer; nothing if no page asks.
  std::map<std::string, std::string> headers_for(const RequestHead& head) const;

 private:
  const ServerOptions& options_;
};

// "example.org" of "example.org:8787", "::1" of "[::1]:8787", in lower case.
std::string host_without_port(std::string_view host);
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace acp::remote
