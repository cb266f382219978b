#include "http/url.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

namespace acp::http {

namespace {

struct CloseUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, CloseUrl>;

Url parse(const std::string& text) {
  Url url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) url.reset();
  return url;
}

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return {};
  std::string copy(text);
  curl_free(text);
  return copy;
}

}  // namespace

std::string origin_of(const std::string& text) {
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
    curl_url_set(url.get(), secret, nullptr, 0);
  return part(url, CURLUPART_URL);
}

std::string resolve_url(const std::string& base, const std::string& relative) {
  const Url url = parse(base);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, relative.c_str(), 0) != CURLUE_OK) return {};
  curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  return part(url, CURLUPART_URL);
}

}  // namespace acp::http
