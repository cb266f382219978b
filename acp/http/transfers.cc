#include "acp/http/transfers.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "acp/error.h"
#include "acp/http/curl.h"
#include "acp/http/silence.h"

namespace acp::http {

namespace {

constexpr int max_redirects = 10;
constexpr std::size_t max_redirect_body = 64 * 1024;
constexpr std::size_t max_head_bytes = 256 * 1024;
// Servers close sockets that are idle, some after 5 s. A POST that meets this end has failed: it is
// not sent again.
constexpr long longest_idle_seconds = 3;

struct CloseEasy {
  void operator()(CURL* easy) const { curl().easy_cleanup(easy); }
};
struct CloseMulti {
  void operator()(CURLM* multi) const { curl().multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::strchr(" \t\r\n", text.front()) != nullptr) text.remove_prefix(1);
  while (!text.empty() && std::strchr(" \t\r\n", text.back()) != nullptr) text.remove_suffix(1);
  return text;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

std::string Transfers::Head::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string Transfers::Head::content_type() const {
  const std::string value = header("content-type");
  return lower(trimmed(std::string_view(value).substr(0, value.find(';'))));
}

struct Transfers::Parts {
  std::unique_ptr<CURLM, CloseMulti> multi{curl().multi_init()};
};

struct Transfers::Transfer {
  Transfers& owner;
  Id id;
  Request request;
  Events events;
  std::unique_ptr<CURL, CloseEasy> easy{curl().easy_init()};
  std::unique_ptr<curl_slist, FreeList> list = nullptr;
  Head head = {};
  std::size_t head_bytes = 0;
  std::size_t sent = 0;         // of the body
  std::size_t passed_over = 0;  // of a redirect's body
  int redirects = 0;
  bool redirecting = false;
  bool paused = false;
  bool dropped = false;

  std::size_t on_header(std::string_view line);
  std::size_t on_bytes(std::string_view bytes);
  std::size_t give(char* to, std::size_t size);
  ~Transfer() {
    if (owner.parts_->multi) curl().multi_remove_handle(owner.parts_->multi.get(), easy.get());
  }
};

// Answers have several heads: those of a proxy, and of "100 Continue".
std::size_t Transfers::Transfer::on_header(std::string_view line) {
  if ((head_bytes += line.size()) > max_head_bytes) return 0;
  if (line.starts_with("HTTP/")) {
    const std::size_t space = line.find(' ');
    head.status = space == std::string_view::npos
                      ? 0
                      : std::atoi(std::string(line.substr(space + 1)).c_str());
    head.headers.clear();
    head.cookies.clear();
    return line.size();
  }
  if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
    const std::string name = lower(line.substr(0, colon));
    head.headers[name] = trimmed(line.substr(colon + 1));
    if (name == "set-cookie") head.cookies.push_back(head.headers[name]);
  } else if (trimmed(line).empty() && head.status >= 200) {
    redirecting = is_redirect(head.status) && !head.header("location").empty();
    if (!redirecting && events.on_head) events.on_head(head);
  }
  return line.size();
}

std::size_t Transfers::Transfer::on_bytes(std::string_view bytes) {
  if (redirecting) return (passed_over += bytes.size()) > max_redirect_body ? 0 : bytes.size();
  if (owner.holds_) {
    paused = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  if (events.on_body) events.on_body(bytes);
  return bytes.size();
}

std::size_t Transfers::Transfer::give(char* to, std::size_t size) {
  const std::size_t given = request.body.copy(to, size, sent);
  sent += given;
  return given;
}

Transfers::Transfers(std::chrono::milliseconds connect_time)
    : connect_time_(connect_time), parts_(std::make_unique<Parts>()) {
  if (!parts_->multi) throw LocalFailure("libcurl does not start");
}

Transfers::~Transfers() { transfers_.clear(); }

Transfers::Id Transfers::start(Request request, Events events) {
  const Id id = next_id_++;
  auto transfer =
      std::unique_ptr<Transfer>(new Transfer{*this, id, std::move(request), std::move(events)});
  transfers_.emplace(id, std::move(transfer));
  to_begin_.push_back(id);
  return id;
}

void Transfers::begin(Transfer& transfer) {
  CURL* const easy = transfer.easy.get();
  const Request& request = transfer.request;
  transfer.head = Head();
  transfer.head.url = request.url;
  transfer.head_bytes = transfer.passed_over = transfer.sent = 0;
  transfer.redirecting = false;
  curl().easy_reset(easy);
  curl().easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  // A proxy knows nothing of what listens here.
  if (is_loopback(request.url)) curl().easy_setopt(easy, CURLOPT_NOPROXY, "*");
  if (!request.proxy.empty()) {
    curl().easy_setopt(easy, CURLOPT_NOPROXY, "");
    curl().easy_setopt(easy, CURLOPT_PROXY, request.proxy.c_str());
  }
  if (!request.ca_file.empty()) curl().easy_setopt(easy, CURLOPT_CAINFO, request.ca_file.c_str());
  if (request.http_1)
    curl().easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl().easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  if (request.vanish_time.count() > 0) {
    // After curl's own settings.
    const curl_sockopt_callback limit = [](void* self, curl_socket_t socket, curlsocktype) {
      limit_silence(socket, static_cast<Transfer*>(self)->request.vanish_time);
      return CURL_SOCKOPT_OK;
    };
    curl().easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, limit);
    curl().easy_setopt(easy, CURLOPT_SOCKOPTDATA, &transfer);
  }
  curl().easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_time_.count()));
  curl().easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.time_limit.count()));
  curl().easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.method == "POST") {
    // curl sends a request again if a socket that was used before ends without an answer, but not a
    // body that it cannot rewind: the server may have carried it out.
    const curl_read_callback give = [](char* to, std::size_t size, std::size_t count, void* self) {
      return static_cast<Transfer*>(self)->give(to, size * count);
    };
    curl().easy_setopt(easy, CURLOPT_POST, 1L);
    curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(request.body.size()));
    curl().easy_setopt(easy, CURLOPT_READFUNCTION, give);
    curl().easy_setopt(easy, CURLOPT_READDATA, &transfer);
    curl().easy_setopt(easy, CURLOPT_MAXAGE_CONN, longest_idle_seconds);
  }
  const std::string here = origin_of(request.url);
  curl_slist* list = curl().slist_append(nullptr, "Expect:");
  for (const Header& header : request.headers)
    if (header.origin.empty() || header.origin == here)
      // A header without a value is written with a semicolon, or curl would leave it out.
      list = curl().slist_append(
          list, (header.name + (header.value.empty() ? ";" : ": " + header.value)).c_str());
  transfer.list.reset(list);
  curl().easy_setopt(easy, CURLOPT_HTTPHEADER, list);
  curl().easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
  using Callback = std::size_t (*)(char*, std::size_t, std::size_t, void*);
  const Callback on_header = [](char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->on_header({data, size * count});
  };
  const Callback on_bytes = [](char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->on_bytes({data, size * count});
  };
  curl().easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl().easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl().easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
  curl().easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl().multi_add_handle(parts_->multi.get(), easy);
}

void Transfers::drop(Id id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return;
  // It may be the one that is calling: it is destroyed when no event runs.
  found->second->events = {};
  found->second->dropped = true;
  wake();
}

void Transfers::hold(bool holds) {
  if (std::exchange(holds_, holds) == holds || holds) return;
  for (const auto& [id, transfer] : transfers_)
    if (std::exchange(transfer->paused, false))
      curl().easy_pause(transfer->easy.get(), CURLPAUSE_CONT);
}

void Transfers::run(Wanted& descriptor, std::optional<std::chrono::milliseconds> time) {
  for (const Id id : std::exchange(to_begin_, {}))
    if (const auto found = transfers_.find(id); found != transfers_.end()) begin(*found->second);
  curl_waitfd wanted{};
  wanted.fd = descriptor.descriptor;
  if (descriptor.input) wanted.events |= CURL_WAIT_POLLIN;
  if (descriptor.output) wanted.events |= CURL_WAIT_POLLOUT;
  constexpr auto longest = std::chrono::milliseconds(60'000);
  const int limit = static_cast<int>(std::min(time.value_or(longest), longest).count());
  curl().multi_poll(parts_->multi.get(), &wanted, wanted.events != 0 ? 1 : 0, limit, nullptr);
  descriptor.input = descriptor.input && wanted.revents != 0;
  descriptor.output = descriptor.output && wanted.revents != 0;
  int running = 0;
  curl().multi_perform(parts_->multi.get(), &running);
  int left = 0;
  while (const CURLMsg* const message = curl().multi_info_read(parts_->multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    char* transfer = nullptr;
    const CURLcode code = message->data.result;
    curl().easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    ended(*reinterpret_cast<Transfer*>(transfer), code);
  }
  std::erase_if(transfers_, [](const auto& item) { return item.second->dropped; });
}

void Transfers::wake() { curl().multi_wakeup(parts_->multi.get()); }

void Transfers::ended(Transfer& transfer, int code) {
  curl().multi_remove_handle(parts_->multi.get(), transfer.easy.get());
  if (transfer.dropped) return;
  Failure failure;
  bool failed = code != CURLE_OK && !(transfer.redirecting && code == CURLE_WRITE_ERROR);
  if (failed) {
    long system_error = 0;
    curl_off_t connected_after = 0;
    curl().easy_getinfo(transfer.easy.get(), CURLINFO_OS_ERRNO, &system_error);
    curl().easy_getinfo(transfer.easy.get(), CURLINFO_CONNECT_TIME_T, &connected_after);
    failure.unreachable = code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
                          code == CURLE_COULDNT_RESOLVE_PROXY ||
                          (code == CURLE_OPERATION_TIMEDOUT && connected_after == 0);
    failure.refused = code == CURLE_COULDNT_CONNECT && system_error == ECONNREFUSED;
    failure.message = curl().easy_strerror(static_cast<CURLcode>(code));
    if (transfer.head_bytes > max_head_bytes)
      failure.message =
          "the answer's headers have more than " + std::to_string(max_head_bytes) + " bytes";
    else if (system_error != 0)
      failure.message +=
          " (" + std::generic_category().message(static_cast<int>(system_error)) + ")";
  } else if (transfer.redirecting) {
    if (redirect(transfer, failure)) return;
    failed = true;
  }
  const Events events = std::move(transfer.events);
  transfers_.erase(transfer.id);
  if (events.on_end) events.on_end(failed ? &failure : nullptr);
}

bool Transfers::redirect(Transfer& transfer, Failure& failure) {
  const std::string from = transfer.request.url;
  const std::string to = resolve_url(from, transfer.head.header("location"));
  const std::string here = origin_of(from), there = origin_of(to);
  if (there.empty()) {
    failure.message = "redirected to what is no http address";
  } else if (here.starts_with("https:") && there.starts_with("http:")) {
    failure.message = "redirected from https to http (" + shown_url(to) + "), which is refused";
  } else if (transfer.request.stays && here != there) {
    failure.message = "redirected to " + shown_url(to);
  } else if (++transfer.redirects > max_redirects) {
    failure.message = "redirected more than " + std::to_string(max_redirects) + " times";
  } else {
    const bool dropped =
        here != there &&
        std::any_of(transfer.request.headers.begin(), transfer.request.headers.end(),
                    [&](const Header& header) { return header.origin == here; });
    if (dropped && on_headers_dropped) on_headers_dropped(here, there);
    transfer.request.url = to;
    begin(transfer);
    return true;
  }
  return false;
}

}  // namespace acp::http
