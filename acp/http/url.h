// Addresses: what their text alone says.
#pragma once

#include <string>

namespace acp::http {

// "https://example.org:443"; empty if it is no http or https URL.
std::string origin_of(const std::string& url);
// Whether only this machine can answer there: localhost, 127.x.x.x, [::1].
bool is_loopback(const std::string& url);
// Without query and credentials, which are nobody's business: for messages.
std::string shown_url(const std::string& url);
// What `relative` means, seen from `base`; empty if it means nothing.
std::string resolve_url(const std::string& base, const std::string& relative);

}  // namespace acp::http
