#include "acp/remote/client.h"

#include <mutex>
#include <stdexcept>
#include <utility>

#include "acp/http/link.h"
#include "acp/http/url.h"
#include "acp/remote/http_dialect.h"
#include "acp/remote/websocket_client.h"

namespace acp::remote {

namespace {

class HttpLink final : public TransportLink {
 public:
  HttpLink(const std::string& url, const UrlOptions& options, io::Descriptor local)
      : link_(std::move(local), std::make_unique<HttpDialect>(url, options),
              link_options(options)) {}

  std::string end_reason() const override {
    std::lock_guard lock(mutex_);
    return reason_;
  }

 private:
  http::LinkOptions link_options(const UrlOptions& options) {
    http::LinkOptions made;
    made.max_message_bytes = options.max_message_bytes;
    made.connect_time = options.connect_time;
    made.log = [log = options.log](LogEntry::Level level, std::string message) {
      if (log) log({level, std::move(message)});
    };
    made.on_lost = [this](std::string reason) {
      std::lock_guard lock(mutex_);
      reason_ = std::move(reason);
    };
    return made;
  }

  mutable std::mutex mutex_;
  std::string reason_;
  http::Link link_;  // the last: its thread uses the others
};

void check(const std::string& url, const UrlOptions& options) {
  if (http::parts_of(url).host.empty())
    throw std::invalid_argument(
        "expected a URL that begins with http://, https://, ws:// or wss://, got " +
        http::shown_url(url));
  const auto check_line = [](const std::string& text, const char* what) {
    if (text.find_first_of("\r\n") != std::string::npos)
      throw std::invalid_argument(std::string(what) + " holds the end of a line");
  };
  check_line(options.bearer_token, "the token");
  for (const auto& [name, value] : options.headers) check_line(name + value, "a header");
}

}  // namespace

Transport url(const std::string& url, const UrlOptions& options) {
  check(url, options);
  auto [ours, theirs] = memory_pair();
  if (http::parts_of(url).scheme.starts_with("ws"))
    ours.link = open_websocket(url, options, std::move(theirs.in));
  else
    ours.link = std::make_shared<HttpLink>(url, options, std::move(theirs.in));
  ours.again = [url, options] { return remote::url(url, options); };
  return std::move(ours);
}

}  // namespace acp::remote
