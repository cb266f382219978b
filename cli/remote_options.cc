#include "cli/remote_options.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "acp/http/url.h"
#include "cli/bad_usage.h"
#include "gateway/token.h"
#include "settings/file.h"

namespace acp::cli {

namespace {
constexpr const char* token_variable = "ACP_TOKEN";
}

void RemoteOptions::add_to(const Command& app) {
  const auto option = [&](const char* name, std::string& into, const char* what, const char* type) {
    app.add_option(name, into, what)->type_name(type);
  };
  option("--token-file", token_file,
         "The server's token, in a file that only you can read (default: $ACP_TOKEN)", "FILE");
  app.add_option("--header", headers,
                 "Sent with every request: 'Name: value', or 'Name: $VARIABLE'; any number of them")
      ->type_name("HEADER")
      ->repeated();
  option("--proxy", proxy, "By way of this proxy (default: as the environment says)", "URL");
  option("--ca-file", ca_file, "Who may vouch for the server (default: whom the system trusts)",
         "FILE");
}

remote::UrlOptions RemoteOptions::read(const std::string& url) const {
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
    if (value.starts_with('$')) {
      const char* const set = std::getenv(value.c_str() + 1);
      if (set == nullptr) throw BadUsage("--header: there is no variable " + value.substr(1));
      value = set;
    }
    options.headers[header.substr(0, colon)] = value;
  }
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
  return !token_file.empty() || !proxy.empty() || !ca_file.empty() || !headers.empty();
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
  return words;
}

}  // namespace acp::cli
