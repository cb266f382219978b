#include "cli/remote_options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "acp/http/url.h"
#include "cli/bad_usage.h"
#include "cli/seconds.h"
#include "gateway/token.h"
#include "settings/file.h"

namespace acp::cli {

namespace {

constexpr const char* token_variable = "ACP_TOKEN";

bool names_a_secret(std::string_view header) {
  std::string name;
  for (const char c : header)
    if (c != '-' && c != '_') name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::string_view parts[] = {"authorization", "cookie",   "token",
                                        "secret",        "password", "apikey"};
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace

void RemoteOptions::add_to(const Command& app) {
  const auto option = [&](const char* name, std::string& into, const char* what, const char* type) {
    app.add_option(name, into, what)->type_name(type);
  };
  option("--token-file", token_file,
         "The server's token, in a file that only you can read (default: $ACP_TOKEN)", "FILE");
  app.add_option(
         "--header", headers,
         "Sent with every request: 'Name: value', or 'Name: $VARIABLE', as what is secret must "
         "be; any number of them")
      ->type_name("HEADER")
      ->repeated();
  option("--proxy", proxy, "By way of this proxy (default: as the environment says)", "URL");
  option("--ca-file", ca_file, "Who may vouch for the server (default: whom the system trusts)",
         "FILE");
  add_seconds(app, "--silence", silence,
              "A server that shows no sign of life for so long has gone (60)");
}

remote::UrlOptions RemoteOptions::read(const std::string& url) const {
  if (!url.empty() && url.find("://") == std::string::npos)
    throw BadUsage("the URL begins with http://, https://, ws:// or wss://: put http:// before it");
  const http::UrlParts parts = http::parts_of(url);
  if (parts.host.empty())
    throw BadUsage("expected a URL that begins with http://, https://, ws:// or wss://, got " +
                   http::shown_url(url));
  if (!parts.credentials.empty())
    throw BadUsage("no passwords in the URL: everybody on this machine can see it");
  remote::UrlOptions options;
  try {
    if (!token_file.empty())
      options.bearer_token = gateway::read_token(settings::with_home(token_file));
  } catch (const std::runtime_error& wrong) {
    throw BadUsage(wrong.what());
  }
  if (const char* const token = std::getenv(token_variable); token_file.empty() && token != nullptr)
    options.bearer_token = token;
  for (const std::string& header : headers) {
    const std::size_t colon = header.find(':');
    if (colon == std::string::npos || colon == 0)
      throw BadUsage("--header: expected 'Name: value', got '" + header + "'");
    std::string value = header.substr(colon + 1);
    value.erase(0, value.find_first_not_of(' '));
    const std::string name = header.substr(0, colon);
    if (!value.starts_with('$') && names_a_secret(name))
      throw BadUsage("--header: everybody on this machine can see a command line: use '" + name +
                     ": $VARIABLE'");
    if (value.starts_with('$')) {
      const char* const set = std::getenv(value.c_str() + 1);
      if (set == nullptr) throw BadUsage("--header: there is no variable " + value.substr(1));
      value = set;
    }
    options.headers[name] = value;
  }
  const std::string proxy_url = proxy.find("://") == std::string::npos ? "http://" + proxy : proxy;
  if (!http::parts_of(proxy_url).credentials.empty())
    throw BadUsage(
        "--proxy: no passwords in the URL: everybody on this machine can see it; use the "
        "variable https_proxy");
  if (silence > 0) options.vanish_time = milliseconds(silence);
  options.proxy = proxy;
  options.ca_file = settings::with_home(ca_file);
  return options;
}

std::string RemoteOptions::token_source() const {
  if (!token_file.empty()) return "the file " + token_file;
  const char* const token = std::getenv(token_variable);
  return token == nullptr || *token == 0 ? "" : std::string("the variable ") + token_variable;
}

bool RemoteOptions::given() const {
  return !token_file.empty() || !proxy.empty() || !ca_file.empty() || !headers.empty() ||
         silence > 0;
}

std::vector<std::string> RemoteOptions::words() const {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto absolute = [](const std::string& file) {
    return file.empty()
               ? file
               : std::filesystem::absolute(settings::with_home(file)).lexically_normal().string();
  };
  add("--token-file", absolute(token_file));
  for (const std::string& header : headers) add("--header", header);
  add("--proxy", proxy);
  add("--ca-file", absolute(ca_file));
  if (silence > 0) add("--silence", std::to_string(silence));
  return words;
}

}  // namespace acp::cli
