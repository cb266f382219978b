#include "acp/workspace/web_origin.h"

#include <algorithm>

namespace acp::workspace {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string web_origin(std::string_view url) {
  for (const char c : url)
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\') return {};
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) return {};
  const std::string scheme = lower(url.substr(0, colon));
  if (scheme != "http" && scheme != "https") return {};
  std::string_view authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  // What is before the last @ is a name and a password, whatever it looks like.
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos)
    authority.remove_prefix(at + 1);
  std::string host, port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return {};
    host = lower(authority.substr(0, end + 1));
    const std::string_view inside = std::string_view(host).substr(1, host.size() - 2);
    if (inside.empty() || inside.find_first_not_of("0123456789abcdef:.") != std::string_view::npos)
      return {};
    authority.remove_prefix(end + 1);
    if (!authority.empty() && !authority.starts_with(':')) return {};
    port = authority.empty() ? "" : authority.substr(1);
  } else {
    const std::size_t end = std::min(authority.find(':'), authority.size());
    host = lower(authority.substr(0, end));
    if (host.empty() || !std::all_of(host.begin(), host.end(), is_host_character)) return {};
    port = end == authority.size() ? "" : authority.substr(end + 1);
  }
  if (!std::all_of(port.begin(), port.end(), is_digit) || port.size() > 5) return {};
  if (port.empty()) port = scheme == "https" ? "443" : "80";
  return scheme + "://" + host + ":" + port;
}

}  // namespace acp::workspace
