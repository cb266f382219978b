#include "acp/http/url.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "acp/http/curl.h"

namespace acp::http {

namespace {

struct CloseUrl {
  void operator()(CURLU* url) const { curl().url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, CloseUrl>;

Url parse(const std::string& text) {
  Url url(curl().url());
  if (curl().url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) url.reset();
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

}  // namespace acp::http
