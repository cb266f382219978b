// Addresses: what their text alone says.
#pragma once

#include <string>
#include <string_view>

namespace acp::http {

// "https://example.org:443"; empty if it is no http or https URL.
std::string origin_of(const std::string& url);
// Whether only this machine can answer there: localhost, 127.x.x.x, [::1].
bool is_loopback(const std::string& url);
// The URL without query and credentials, for messages.
std::string shown_url(const std::string& url);
// Resolves `relative` against `base`; empty if it is invalid.
std::string resolve_url(const std::string& base, const std::string& relative);

// The parts of a URL.
struct UrlParts {
  std::string scheme = {};  // http, https, ws, wss
  std::string host = {};    // in lower case, without brackets; empty: it was not such a URL
  std::string port = {};
  std::string target = {};       // path and query
  std::string credentials = {};  // "user:password", decoded

  // "host:port"; the second omits the scheme's usual port.
  std::string authority() const;
  std::string shown_authority() const;
  bool secure() const { return scheme == "https" || scheme == "wss"; }
};
UrlParts parts_of(const std::string& url);
// The proxy that the environment names: https_proxy, http_proxy, all_proxy, no_proxy. Empty: none.
// Never one for this machine itself.
std::string proxy_for(const UrlParts& address);
std::string base64(std::string_view bytes);

}  // namespace acp::http
