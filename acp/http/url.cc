#include "acp/http/url.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "acp/http/curl.h"

namespace acp::http {

namespace {

struct CloseUrl {
  void operator()(CURLU* url) const { curl().url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, CloseUrl>;

// WebSocket has schemes that libcurl need not know.
bool is_websocket(std::string_view text) {
  return text.starts_with("ws://") || text.starts_with("wss://");
}

Url parse(const std::string& text) {
  Url url(curl().url());
  const unsigned flags = is_websocket(text) ? CURLU_NON_SUPPORT_SCHEME : 0;
  if (curl().url_set(url.get(), CURLUPART_URL, text.c_str(), flags) != CURLUE_OK) url.reset();
  return url;
}

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl().url_get(url.get(), which, &text, flags) != CURLUE_OK) return {};
  std::string copy(text);
  curl().free(text);
  return copy;
}

bool is_number(std::string_view text, unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= most &&
         (text.size() == 1 || text.front() != '0');
}

// Lower case, and nothing that could be another way to write an address: "127.1", "0x7f.1".
bool is_plain_host(std::string_view host) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  if (host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") != std::string_view::npos)
    return false;
  int labels = 0;
  bool numbers = true;
  std::string_view label;
  for (std::size_t begin = 0; begin <= host.size(); ++labels) {
    const std::size_t end = std::min(host.find('.', begin), host.size());
    label = host.substr(begin, end - begin);
    if (label.empty()) return false;
    numbers = numbers && is_number(label, 255);
    begin = end + 1;
  }
  return (numbers && labels == 4) || letters.find(label.front()) != std::string_view::npos;
}

// Of the addresses that everybody reads in the same way, which are nearly all; else empty, and
// libcurl has to be loaded to read it.
std::string plain_origin(std::string_view text) {
  const bool secure = text.starts_with("https://");
  if (!secure && !text.starts_with("http://")) return {};
  text.remove_prefix(secure ? 8 : 7);
  const std::size_t slash = std::min(text.find('/'), text.size());
  for (const char c : text.substr(slash))
    if (c <= ' ' || c > '~' || std::string_view("?#\\@").find(c) != std::string_view::npos)
      return {};
  text = text.substr(0, slash);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view host = text.substr(0, colon);
  const std::string_view port =
      colon < text.size() ? text.substr(colon + 1) : (secure ? "443" : "80");
  if (!is_plain_host(host) || !is_number(port, 65535) || port == "0") return {};
  return std::string(secure ? "https://" : "http://").append(host).append(":").append(port);
}

}  // namespace

std::string origin_of(const std::string& text) {
  if (std::string plain = plain_origin(text); !plain.empty()) return plain;
  const Url url = parse(text);
  if (!url) return {};
  const std::string scheme = part(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return {};
  std::string host = part(url, CURLUPART_HOST);
  for (char& c : host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return scheme + "://" + host + ":" + part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
}

bool is_loopback(const std::string& text) {
  std::string host = origin_of(text);
  if (host.empty()) return false;
  host = host.substr(host.find("://") + 3);
  host = host.substr(0, host.rfind(':'));
  if (host == "localhost" || host == "[::1]") return true;
  // A name may begin so too.
  return host.starts_with("127.") && std::count(host.begin(), host.end(), '.') == 3 &&
         host.find_first_not_of("0123456789.") == std::string::npos;
}

std::string shown_url(const std::string& text) {
  const Url url = parse(text);
  if (!url) return "(not shown)";  // who knows what it holds
  for (const CURLUPart secret :
       {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT})
    curl().url_set(url.get(), secret, nullptr, 0);
  return part(url, CURLUPART_URL);
}

std::string resolve_url(const std::string& base, const std::string& relative) {
  const Url url = parse(base);
  if (!url || curl().url_set(url.get(), CURLUPART_URL, relative.c_str(), 0) != CURLUE_OK) return {};
  curl().url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  return part(url, CURLUPART_URL);
}

// ---- parts

namespace {

std::string in_brackets(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// Whether `host` is one of a list as "example.org,.internal,10.1.2.3,*".
bool is_listed(std::string_view list, std::string_view host) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string_view entry = list.substr(begin, end - begin);
    begin = end + 1;
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    while (entry.ends_with(' ')) entry.remove_suffix(1);
    if (entry == "*") return true;
    if (entry.starts_with('.')) entry.remove_prefix(1);
    if (entry.empty() || !host.ends_with(entry)) continue;
    if (host.size() == entry.size() || host[host.size() - entry.size() - 1] == '.') return true;
  }
  return false;
}

std::string variable(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* const value = std::getenv(name); value != nullptr && *value != 0) return value;
  return {};
}

}  // namespace

std::string UrlParts::authority() const { return in_brackets(host) + ":" + port; }

std::string UrlParts::shown_authority() const {
  return port == (secure() ? "443" : "80") ? in_brackets(host) : authority();
}

UrlParts parts_of(const std::string& text) {
  const Url url = parse(text);
  if (!url) return {};
  UrlParts parts;
  parts.scheme = part(url, CURLUPART_SCHEME);
  if (parts.scheme != "http" && parts.scheme != "https" && !is_websocket(parts.scheme + "://"))
    return {};
  parts.host = part(url, CURLUPART_HOST);
  for (char& c : parts.host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (parts.host.starts_with('[')) parts.host = parts.host.substr(1, parts.host.size() - 2);
  parts.port = part(url, CURLUPART_PORT);
  if (parts.port.empty()) parts.port = parts.secure() ? "443" : "80";
  parts.target = part(url, CURLUPART_PATH);
  if (parts.target.empty()) parts.target = "/";
  if (const std::string query = part(url, CURLUPART_QUERY); !query.empty())
    parts.target += "?" + query;
  const std::string user = part(url, CURLUPART_USER, CURLU_URLDECODE);
  if (!user.empty())
    parts.credentials = user + ":" + part(url, CURLUPART_PASSWORD, CURLU_URLDECODE);
  return parts;
}

std::string proxy_for(const UrlParts& address) {
  if (is_loopback("http://" + address.authority())) return {};
  if (is_listed(variable({"no_proxy", "NO_PROXY"}), address.host)) return {};
  // HTTP_PROXY in capitals is what a web server makes of a client's header.
  const std::string proxy = address.secure()
                                ? variable({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                                : variable({"http_proxy", "all_proxy", "ALL_PROXY"});
  return proxy.empty() || proxy.find("://") != std::string::npos ? proxy : "http://" + proxy;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace acp::http
