// Which requests are let in: by the server's host names, the origins of web pages, and the clients'
// credentials.
#pragma once

#include <string>
#include <string_view>

#include "acp/remote/server.h"

namespace acp::remote {

// Protects against a web page whose name resolves to this machine (DNS rebinding), and against
// pages of other origins.
class RequestFilter {
 public:
  explicit RequestFilter(const ServerOptions& options) : options_(options) {}

  // Decides about a request to our path. Status 200: it may pass.
  Admission decide(const RequestHead& head) const;
  bool is_host(std::string_view host) const;
  // Whether the origin belongs to a page that may use the server.
  bool is_origin(std::string_view origin) const;
  // The CORS headers that let a page see the answer; none if no page asks.
  std::map<std::string, std::string> headers_for(const RequestHead& head) const;

 private:
  const ServerOptions& options_;
};

// "example.org" of "example.org:8787", "::1" of "[::1]:8787", in lower case.
std::string host_without_port(std::string_view host);
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace acp::remote
