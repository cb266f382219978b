#include "acp/mcp/http_sse.h"

namespace acp::mcp {

namespace {
constexpr std::size_t kept_body_bytes = 4096;
constexpr std::chrono::milliseconds post_time{30'000};
}  // namespace

void HttpSse::begin(http::Link& link) {
  PostQueue::begin(link);
  events_.emplace(link.options().max_message_bytes);
  http::Transfers::Request get = request("GET", url());
  get.headers.push_back({"Accept", "text/event-stream"});
  http::Transfers::Events on;
  on.on_head = [this](const http::Transfers::Head& head) { head_ = head; };
  on.on_body = [this](std::string_view bytes) {
    if (head_.status == 200 && head_.content_type() == "text/event-stream")
      events_->feed(bytes, [this](auto&& event) { this->event(std::move(event), head_.url); });
    else if (error_body_.size() < kept_body_bytes)
      error_body_ += bytes;
  };
  on.on_end = [this](const http::Transfers::Failure* failure) {
    if (head_.status == 0)
      return this->link().lost("cannot reach " + http::shown_url(url()) +
                               (failure ? ": " + failure->message : std::string()));
    if (head_.status != 200) return this->link().lost(describe(head_.status, error_body_));
    if (head_.content_type() != "text/event-stream")
      return this->link().lost("the server answered with " + head_.content_type() +
                               " instead of a stream of events");
    this->link().lost("the server's stream of events ended" +
                      (failure ? ": " + failure->message : std::string()));
  };
  link.http().start(std::move(get), std::move(on));
}

void HttpSse::event(http::EventStream::Event&& event, const std::string& base) {
  if (event.too_large) {
    fail(waiting_, "the server sent an event over the limit of " +
                       std::to_string(link().options().max_message_bytes) + " bytes");
  } else if (event.type == "endpoint") {
    endpoint_ = http::resolve_url(base, event.data);
    // Another host must not be sent what was meant for this one.
    if (http::origin_of(endpoint_) != http::origin_of(base) || endpoint_.empty())
      return link().lost("the server's endpoint is at another host, which is refused: " +
                         http::shown_url(endpoint_));
    open(true);
  } else if (event.type == "message" && !event.data.empty()) {
    take(event.data, waiting_);
  }
}

void HttpSse::post(std::shared_ptr<Post> post) {
  http::Transfers::Request request = this->request("POST", endpoint_);
  request.body = post->text;
  request.time_limit = post_time;
  waiting_.insert(post->waiting.begin(), post->waiting.end());
  struct Answer {
    int status = 0;
    std::string body;
  };
  const auto answer = std::make_shared<Answer>();
  http::Transfers::Events on;
  on.on_head = [answer](const http::Transfers::Head& head) { answer->status = head.status; };
  on.on_body = [answer](std::string_view bytes) {
    if (answer->body.size() < kept_body_bytes) answer->body += bytes;
  };
  on.on_end = [this, post, answer](const http::Transfers::Failure* failure) {
    std::map<std::string, Json> unanswered;
    for (const auto& [key, id] : post->waiting)
      if (waiting_.contains(key)) unanswered.emplace(key, id);
    if (failure && failure->unreachable)
      return this->link().lost("cannot reach " + http::shown_url(endpoint_) + ": " +
                               failure->message);
    if (failure || answer->status >= 300) {
      const std::string why = failure ? "the message could not be sent: " + failure->message
                                      : describe(answer->status, answer->body);
      for (const auto& [key, id] : unanswered) waiting_.erase(key);
      if (unanswered.empty()) link().log(LogEntry::Level::warning, why);
      fail(unanswered, why, failure ? 0 : answer->status);
    }
    posted(*post);
    if (closing_ && idle()) link().finish();
  };
  link().http().start(std::move(request), std::move(on));
}

void HttpSse::close() {
  closing_ = true;
  if (idle() || endpoint_.empty()) link().finish();
}

}  // namespace acp::mcp
