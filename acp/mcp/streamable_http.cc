#include "acp/mcp/streamable_http.h"

#include <algorithm>
#include <utility>

namespace acp::mcp {

namespace {

constexpr std::size_t kept_body_bytes = 4096;
constexpr std::chrono::milliseconds post_time{30'000};  // for what has no answer
constexpr std::chrono::milliseconds first_pause{1'000}, longest_pause{30'000};
// Also for a server that asks to be asked again at once, and then has nothing to say.
constexpr std::chrono::milliseconds shortest_retry{100};
// After its last answer a stream has this long to end by itself.
constexpr std::chrono::milliseconds linger_time{1'000};
// Attempts in a row: at a server that is not there, and at a stream that brings nothing.
constexpr int max_unreachable = 3;
constexpr int max_fruitless = 10;

constexpr const char* event_stream = "text/event-stream";

std::string with(const http::Transfers::Failure* failure) {
  return failure ? ": " + failure->message : std::string();
}

}  // namespace

void StreamableHttp::begin(http::Link& link) {
  PostQueue::begin(link);
  open(true);
}

http::Transfers::Request StreamableHttp::with_session(http::Transfers::Request request) const {
  if (!session_.value.empty()) request.headers.push_back(session_);
  if (!version_.empty()) request.headers.push_back({"MCP-Protocol-Version", version_});
  return request;
}

void StreamableHttp::post(std::shared_ptr<Post> post) {
  const auto exchange = std::make_shared<Exchange>();
  exchange->post = post;
  exchange->waiting = post->waiting;
  http::Transfers::Request request = with_session(this->request("POST", url()));
  request.headers.push_back({"Accept", "application/json, text/event-stream"});
  request.body = post->text;
  if (post->waiting.empty()) request.time_limit = post_time;
  exchanges_.insert(exchange);
  start(exchange, std::move(request));
}

void StreamableHttp::get(const ExchangePtr& exchange) {
  http::Transfers::Request request = with_session(this->request("GET", url()));
  request.headers.push_back({"Accept", event_stream});
  if (!exchange->last_id.empty()) {
    request.headers.push_back({"Last-Event-ID", exchange->last_id});
    exchange->resuming = true;
  }
  start(exchange, std::move(request));
}

void StreamableHttp::start(const ExchangePtr& exchange, http::Transfers::Request request) {
  exchange->head = {};
  exchange->events.reset();
  exchange->body.clear();
  http::Transfers::Events on;
  on.on_head = [this, exchange](const http::Transfers::Head& head) { this->head(exchange, head); };
  on.on_body = [this, exchange](std::string_view bytes) { body(exchange, bytes); };
  on.on_end = [this, exchange](const http::Transfers::Failure* failure) { end(exchange, failure); };
  exchange->transfer = link().http().start(std::move(request), std::move(on));
}

void StreamableHttp::head(const ExchangePtr& exchange, const http::Transfers::Head& head) {
  exchange->head = head;
  const bool good = head.status >= 200 && head.status < 300;
  if (good && head.content_type() == event_stream)
    exchange->events.emplace(link().options().max_message_bytes);
  if (good && exchange->post && exchange->post->initialize)
    session_ = {"Mcp-Session-Id", head.header("mcp-session-id"), http::origin_of(head.url)};
}

void StreamableHttp::body(const ExchangePtr& exchange, std::string_view bytes) {
  if (exchange->events) {
    exchange->events->feed(bytes, [&](auto&& event) { this->event(*exchange, std::move(event)); });
    if (!exchange->events->last_id().empty()) exchange->last_id = exchange->events->last_id();
    if (exchange->events->retry()) exchange->retry = exchange->events->retry();
    if (!exchange->post || !exchange->waiting.empty()) return;
    posted(*exchange->post);
    if (exchange->timer == 0)
      exchange->timer = link().timers().after(linger_time, [this, exchange] { drop(exchange); });
    return;
  }
  const bool good = exchange->head.status < 300;
  const std::size_t limit = good ? link().options().max_message_bytes : kept_body_bytes;
  const std::size_t room = limit - exchange->body.size();
  exchange->body += bytes.substr(0, room);
  if (good && bytes.size() > room) exchange->over_limit = true;
}

void StreamableHttp::event(Exchange& exchange, http::EventStream::Event&& event) {
  exchange.fruitless = 0;
  if (event.too_large)
    fail(exchange.waiting, "the server sent an event over the limit of " +
                               std::to_string(link().options().max_message_bytes) + " bytes");
  else if (event.type == "message" && !event.data.empty())
    take_message(exchange, event.data);
}

void StreamableHttp::take_message(Exchange& exchange, std::string_view text) {
  const std::optional<Json> message = take(text, exchange.waiting);
  if (!message || !exchange.post || !exchange.post->initialize) return;
  if (const auto version = message->view()["result"]["protocolVersion"].as_string())
    version_ = *version;
}

void StreamableHttp::end(const ExchangePtr& exchange, const http::Transfers::Failure* failure) {
  exchange->transfer = 0;
  if (exchange->head.status == 404 && !session_.value.empty() && exchange->post)
    return link().lost("HTTP 404 Not Found: the server no longer knows the session");
  if (exchange->resuming || !exchange->post)
    end_of_get(exchange, failure);
  else
    end_of_post(exchange, failure);
}

void StreamableHttp::end_of_post(const ExchangePtr& exchange,
                                 const http::Transfers::Failure* failure) {
  std::map<std::string, Json>& waiting = exchange->waiting;
  const int status = exchange->head.status;
  if (status == 0 && failure && failure->unreachable)
    return link().lost("cannot reach " + http::shown_url(url()) + with(failure));
  if (exchange->events && !waiting.empty() && !exchange->last_id.empty())
    return go_on_later(exchange);
  std::string why;
  if (status >= 300) {
    why = describe(status, exchange->body);
  } else if (exchange->over_limit) {
    why = "the server's answer is over the limit of " +
          std::to_string(link().options().max_message_bytes) + " bytes";
  } else if (exchange->events) {
    why = "the server's stream broke off before the answer came, and has no event to go on from" +
          with(failure);
  } else if (failure) {
    why = "the server gave no answer" + with(failure);
  } else if (!exchange->body.empty() && exchange->head.content_type() == "application/json") {
    take_message(*exchange, exchange->body);
    why = "the server answered with JSON that is no answer to the request";
  } else {
    why = "HTTP " + std::to_string(status) + " without an answer to the request";
    if (!exchange->body.empty()) why += ", but with " + exchange->head.content_type();
  }
  if (waiting.empty() && (status >= 300 || failure) && !closing_)
    link().log(LogEntry::Level::warning, "a message was not taken: " + why);
  fail(waiting, why, status >= 300 ? status : 0);
  done(exchange);
}

void StreamableHttp::end_of_get(const ExchangePtr& exchange,
                                const http::Transfers::Failure* failure) {
  const bool listening = exchange->post == nullptr;
  const int status = exchange->head.status;
  ++exchange->fruitless;
  if (status == 0) {  // nobody there
    if (exchange->fruitless < max_unreachable) return go_on_later(exchange);
    if (listening) return link().lost("cannot reach " + http::shown_url(url()) + with(failure));
  }
  if (exchange->events) {
    // A server may end a stream whenever it likes. One that says when to come back means it.
    if (!listening && exchange->waiting.empty()) return done(exchange);
    if (listening || exchange->retry || exchange->fruitless < max_fruitless)
      return go_on_later(exchange);
  }
  const std::string why = status >= 300 ? describe(status, exchange->body)
                          : status == 0 ? "cannot reach " + http::shown_url(url()) + with(failure)
                                        : "it brings nothing any more" + with(failure);
  if (!listening)
    fail(exchange->waiting, "the server's stream broke off and could not be resumed: " + why);
  else  // it need not have one
    link().log(status == 404 || status == 405 ? LogEntry::Level::debug : LogEntry::Level::warning,
               "no stream for what the server tells unasked: " + why);
  done(exchange);
}

void StreamableHttp::go_on_later(const ExchangePtr& exchange) {
  if (closing_) return;
  const auto pause = std::min(first_pause * (1 << std::min(exchange->fruitless, 5)), longest_pause);
  if (exchange->retry && exchange->fruitless > 1)
    exchange->retry = std::max(*exchange->retry, shortest_retry);
  exchange->timer = link().timers().after(exchange->retry.value_or(pause), [this, exchange] {
    exchange->timer = 0;
    get(exchange);
  });
}

void StreamableHttp::done(const ExchangePtr& exchange) {
  const std::shared_ptr<Post> post = exchange->post;
  drop(exchange);
  if (!post) return;
  if (post->cancels) {
    // The server may leave its stream open for an answer that nobody wants.
    const auto taken_back = std::find_if(
        exchanges_.begin(), exchanges_.end(),
        [&](const ExchangePtr& other) { return other->waiting.contains(*post->cancels); });
    if (taken_back != exchanges_.end()) drop(ExchangePtr(*taken_back));
  }
  if (post->initialized && !closing_) {
    const auto listening = std::make_shared<Exchange>();
    exchanges_.insert(listening);
    get(listening);
  }
  posted(*post);
  leave();
}

void StreamableHttp::drop(const ExchangePtr& exchange) {
  if (exchange->transfer != 0) link().http().drop(exchange->transfer);
  if (exchange->timer != 0) link().timers().forget(exchange->timer);
  exchanges_.erase(exchange);
}

void StreamableHttp::close() {
  closing_ = true;
  for (const ExchangePtr& exchange : std::set<ExchangePtr>(exchanges_))
    if (!exchange->post || !exchange->waiting.empty()) drop(exchange);
  leave();
}

// What is left to be sent goes first; then the session ends.
void StreamableHttp::leave() {
  if (!closing_ || !idle() || std::exchange(left_, true)) return;
  if (session_.value.empty()) return link().finish();
  http::Transfers::Events on;
  on.on_end = [this](const http::Transfers::Failure*) { link().finish(); };
  link().http().start(with_session(request("DELETE", url())), std::move(on));
}

}  // namespace acp::mcp
