#include "acp/remote/request_filter.h"

#include <algorithm>
#include <cctype>

namespace acp::remote {

namespace {

bool is_loopback_name(std::string_view host) {
  // A name may begin with 127., too.
  const bool is_number = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         (host.starts_with("127.") && is_number);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::string RequestHead::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string host_without_port(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    host = end == std::string_view::npos ? std::string_view() : host.substr(1, end - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  std::string name(host);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

// Its time says nothing about where they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (b.empty()) return a.empty();
  unsigned char differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    differs |= static_cast<unsigned char>(a[i] ^ b[i % b.size()]);
  return differs == 0;
}

Authorize bearer_token(std::string token) {
  return [token = std::move(token)](const RequestHead& head) {
    const std::string given = head.header("authorization");
    constexpr std::string_view scheme = "bearer ";
    Admission decision;
    if (!token.empty() &&
        equal_ignoring_case(std::string_view(given).substr(0, scheme.size()), scheme) &&
        equal_in_constant_time(std::string_view(given).substr(scheme.size()), token))
      return decision;
    decision.status = 401;
    decision.text = "A token is needed: Authorization: Bearer TOKEN";
    decision.headers["WWW-Authenticate"] = "Bearer";
    return decision;
  };
}

bool RequestFilter::is_host(std::string_view host) const {
  const std::string name = host_without_port(host);
  if (name.empty()) return false;
  if (is_loopback_name(name) || name == options_.address) return true;
  return std::any_of(options_.hosts.begin(), options_.hosts.end(), [&](const std::string& allowed) {
    return allowed == "*" || equal_ignoring_case(allowed, name);
  });
}

bool RequestFilter::is_origin(std::string_view origin) const {
  return std::any_of(
      options_.origins.begin(), options_.origins.end(),
      [&](const std::string& allowed) { return equal_ignoring_case(allowed, origin); });
}

Admission RequestFilter::decide(const RequestHead& head) const {
  Admission refused;
  refused.status = 403;
  if (!is_host(head.header("host"))) {
    refused.text = "This server does not go by that name (Host)";
    return refused;
  }
  if (const std::string origin = head.header("origin"); !origin.empty() && !is_origin(origin)) {
    refused.text = "Pages of this origin may not use this server (Origin)";
    return refused;
  }
  if (head.method == "OPTIONS" || !options_.authorize) return {};
  return options_.authorize(head);
}

std::map<std::string, std::string> RequestFilter::headers_for(const RequestHead& head) const {
  const std::string origin = head.header("origin");
  if (origin.empty() || !is_origin(origin)) return {};
  std::map<std::string, std::string> headers{
      {"Access-Control-Allow-Origin", origin},
      {"Access-Control-Expose-Headers", "Acp-Connection-Id, Acp-Session-Id"},
      {"Vary", "Origin"}};
  if (head.method == "OPTIONS") {
    headers["Access-Control-Allow-Methods"] = "GET, POST, DELETE";
    headers["Access-Control-Allow-Headers"] =
        "Accept, Acp-Connection-Id, Acp-Session-Id, Authorization, Content-Type";
    headers["Access-Control-Max-Age"] = "600";
  }
  return headers;
}

}  // namespace acp::remote
