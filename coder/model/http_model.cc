#include "coder/model/http_model.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <variant>

#include "acp/error.h"
#include "acp/http/event_stream.h"
#include "acp/http/url.h"
#include "acp/json/utf8.h"
#include "coder/model/anthropic_messages.h"
#include "coder/model/chat_completions.h"
#include "coder/model/not_running.h"
#include "coder/model/retry_after.h"

namespace acp::coder {

using namespace settings;

namespace {

using Api = ProviderSettings::Api;
using Clock = std::chrono::steady_clock;
using Kind = ModelError::Kind;

constexpr std::size_t max_told = 2000, max_details = 8000;
constexpr std::size_t max_idle = 4;
// A connection whose answer ends soon after the last event can be used again.
constexpr auto time_to_end = std::chrono::milliseconds(100);

std::string told_time(std::chrono::milliseconds time) {
  const auto count = time.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

// What a model says, and not a sign that its server lives.
bool says_something(const ModelEvent& event) {
  if (const auto* text = std::get_if<TextDelta>(&event)) return !text->text.empty();
  if (const auto* thought = std::get_if<ThoughtDelta>(&event))
    return !thought->text.empty() || !thought->signature.empty();
  if (const auto* goes_on = std::get_if<ToolCallDelta>(&event)) return !goes_on->arguments.empty();
  return std::holds_alternative<ToolCallBegins>(event);
}

}  // namespace

// One request on its way. What the client calls only takes notes: errors are thrown, and events
// given on, when it does not run.
class HttpModel::Call {
 public:
  Call(Api api, const std::string& model, const OnModelEvent& on_event,
       const HttpModelLimits& limits)
      : api_(api),
        on_event_(on_event),
        limits_(limits),
        model_(model),
        events_(limits.event_bytes),
        stream_(stream_of(api, [this](ModelEvent event) {
          said_ = said_ || says_something(event);
          on_event_(std::move(event));
        })) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  http::Transfers::Events events() {
    return {.on_head =
                [this](const http::Transfers::Head& head) {
                  head_ = head;
                  const std::string type = head_.content_type();
                  is_stream_ =
                      head_.status / 100 == 2 && (type == "text/event-stream" || type.empty());
                  moved_ = true;
                },
            .on_body =
                [this](std::string_view bytes) {
                  // An error that comes byte by byte has as much time as one that does not come.
                  moved_ = moved_ || is_stream_;
                  const std::size_t room =
                      is_stream_ ? bytes.size() : limits_.error_bytes - bytes_.size();
                  cut_ = cut_ || bytes.size() > room;
                  bytes_ += bytes.substr(0, room);
                },
            .on_end =
                [this](const http::Transfers::Failure* failure) {
                  ended_ = true;
                  if (failure != nullptr) failure_ = *failure;
                }};
  }
  void redirected_without_key(const std::string& to) { keyless_ = to; }

  // Whether anything has come since the last time.
  bool moved() { return std::exchange(moved_, false); }
  // Whether the model has said anything since the last time: not a ping.
  bool said() { return std::exchange(said_, false); }
  bool ended() const { return ended_; }
  // It is no stream, and enough has come of it.
  bool is_cut() const { return cut_; }
  bool is_error() const { return head_.status != 0 && !is_stream_; }
  // Whether the model has said all, though the connection may not have ended.
  bool said_all() const { return said_all_; }

  // Gives on what has come. Says how many events that were.
  std::size_t give_on() {
    if (!is_stream_ || bytes_.empty()) return 0;
    std::size_t count = 0;
    events_.feed(std::exchange(bytes_, {}), [&](http::EventStream::Event&& event) {
      if (said_all_) return;
      if (event.too_large) throw too_large();
      if (event.data.empty()) return;
      ++count;
      std::visit([&](auto& stream) { take(stream, event); }, stream_);
    });
    // Its end may never come.
    if (!said_all_ && events_.passes_over()) throw too_large();
    return count;
  }
  void pause() { on_event_(Pause{}); }

  // Throws, or gives on the answer's end. `shown` is where it was asked.
  void end(const std::string& shown) {
    if (head_.status == 0 && failure_ && failure_->refused) {
      const std::string why = "nothing answers at " + shown + " (connection refused)";
      if (http::is_loopback(shown)) throw NotRunning(why);
      throw ModelError(Kind::unreachable, why);
    }
    if (head_.status == 0)
      throw ModelError(
          Kind::unreachable,
          "cannot reach " + shown + ": " + (failure_ ? failure_->message : "there is no answer"));
    if (!is_stream_) throw no_stream();
    try {
      std::visit([](auto& stream) { stream.end(); }, stream_);
    } catch (const ModelError& error) {
      if (!failure_) throw;
      throw ModelError(error.kind(), std::string(error.what()) + " (" + failure_->message + ")", {},
                       error.details());
    }
  }

 private:
  using Stream = std::variant<ChatCompletionsStream, AnthropicStream>;
  static Stream stream_of(Api api, OnModelEvent on_event) {
    if (api == Api::anthropic) return AnthropicStream(std::move(on_event));
    return ChatCompletionsStream(std::move(on_event));
  }

  ModelError too_large() const {
    return {Kind::broken, "the model's stream has an event of more than " +
                              std::to_string(limits_.event_bytes) + " bytes"};
  }

  void take(ChatCompletionsStream& stream, const http::EventStream::Event& event) {
    stream.event(event.data);
    said_all_ = event.data == "[DONE]";
  }
  void take(AnthropicStream& stream, const http::EventStream::Event& event) {
    stream.event(event.data);
    said_all_ = event.type == "message_stop";
  }

  ModelError no_stream() const {
    if (head_.status / 100 != 2) {
      const auto later = retry_after(head_);
      const ModelError error = api_ == Api::anthropic
                                   ? anthropic_error(head_.status, bytes_, later)
                                   : chat_completions_error(head_.status, bytes_, later);
      std::string told = error.what();
      if (head_.status == 404 || bytes_.empty()) told += " from " + http::shown_url(head_.url);
      if (head_.status == 404) told += " for the model " + model_;
      if (error.kind() == Kind::unauthorized && !keyless_.empty())
        told += " (the request was redirected to " + keyless_ + ", which is not given the key)";
      if (cut_)
        told += " (of its text only the first " + std::to_string(limits_.error_bytes) +
                " bytes were read: limits.error_bytes)";
      return ModelError(error.kind(), told, later, error.details());
    }
    // Some servers put an error into an answer that is none.
    if (const auto parsed = Json::parse(bytes_); parsed && !parsed->view()["error"].absent()) {
      const auto code = parsed->view()["error"]["code"].as_int64();
      const int status = code && *code >= 400 && *code < 600 ? static_cast<int>(*code) : 400;
      return api_ == Api::anthropic ? anthropic_error(status, bytes_, {})
                                    : chat_completions_error(status, bytes_, {});
    }
    return ModelError(Kind::broken,
                      http::shown_url(head_.url) + " answered with " + head_.content_type() +
                          " where a stream of events was asked for: the server does "
                          "not stream, or the base URL is not that of its API",
                      {}, bytes_);
  }

  const Api api_;
  const OnModelEvent& on_event_;
  const HttpModelLimits& limits_;
  const std::string& model_;
  http::EventStream events_;
  Stream stream_;
  http::Transfers::Head head_;
  std::string bytes_;    // of a stream: not given on yet; otherwise all that have come
  std::string keyless_;  // where a redirect led that left the key behind
  std::optional<http::Transfers::Failure> failure_;
  bool is_stream_ = false, moved_ = false, ended_ = false, said_all_ = false;
  bool said_ = false, cut_ = false;
};

// When to look for more and when to show what has come: the first of it at once, and a stream that
// comes in many small pieces a few times a second, since each look and each showing has its price.
class HttpModel::Pace {
 public:
  explicit Pace(Clock::duration gather) : gather_(gather) {}

  // So many events came just now.
  void came(std::size_t events) {
    const Clock::time_point now = Clock::now();
    if (events == 0) return;
    dense_ = events > 1 || now - looked_ < rest_time();
    looked_ = now;
    if (!to_show_) shows_at_ = std::max(now, shown_ + gather_);
    to_show_ = true;
  }
  // In a dense stream, until there may be a few more.
  void rest(const std::stop_token& stop) const {
    if (!dense_ || looked_ + rest_time() <= Clock::now()) return;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_until(lock, stop, looked_ + rest_time(),
                                             [] { return false; });
  }
  Clock::duration until_pause() const {
    return to_show_ ? std::max(shows_at_ - Clock::now(), Clock::duration::zero())
                    : Clock::duration::max();
  }
  // Whether what has come is to be shown now.
  bool pauses() {
    const Clock::time_point now = Clock::now();
    if (!to_show_ || now < shows_at_) return false;
    to_show_ = false;
    shown_ = now;
    return true;
  }

 private:
  Clock::duration rest_time() const { return gather_ / 2; }

  const Clock::duration gather_;
  Clock::time_point looked_ = {}, shown_ = {}, shows_at_ = {};
  bool dense_ = false, to_show_ = false;
};

HttpModel::HttpModel(ProviderSettings provider, std::string name, std::optional<std::string> key,
                     ModelInfo info, HttpModelLimits limits)
    : provider_(std::move(provider)),
      name_(std::move(name)),
      key_(std::move(key)),
      info_(std::move(info)),
      limits_(limits) {}

HttpModel::~HttpModel() = default;

http::Transfers::Request HttpModel::http_request(const ModelRequest& given) const {
  const std::string& base = provider_.base_url.value;
  const std::string origin = http::origin_of(base);
  ModelRequest request = given;
  request.model = name_;
  if (!request.max_tokens) request.max_tokens = info_.max_output_tokens;
  http::Transfers::Request result;
  result.method = "POST";
  result.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream"}};
  if (provider_.api == Api::anthropic) {
    result.url = base + "/v1/messages";
    result.body = anthropic_request(request);
    result.headers.push_back({"anthropic-version", anthropic_version});
    if (key_) result.headers.push_back({"x-api-key", *key_, origin});
  } else {
    result.url = base + "/chat/completions";
    ChatCompletionsDialect dialect;
    dialect.max_completion_tokens = origin == "https://api.openai.com:443";
    result.body = chat_completions_request(request, dialect);
    if (key_) result.headers.push_back({"Authorization", "Bearer " + *key_, origin});
  }
  return result;
}

std::string HttpModel::cleaned(std::string text, std::size_t most) const {
  if (!key_ || key_->empty()) return json::utf8_shortened(std::move(text), most);
  std::string clean;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(*key_, from)) != std::string::npos;) {
    clean.append(text, from, at - from).append("[key]");
    from = at + key_->size();
  }
  return json::utf8_shortened(clean.append(text, from, std::string::npos), most);
}

std::unique_ptr<http::Transfers> HttpModel::take_client() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto client = std::move(idle_.back());
      idle_.pop_back();
      return client;
    }
  }
  return std::make_unique<http::Transfers>(limits_.connect_time);
}

void HttpModel::give_back(std::unique_ptr<http::Transfers> client) {
  client->on_headers_dropped = nullptr;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < max_idle) idle_.push_back(std::move(client));
}

void HttpModel::answer(const ModelRequest& request, const OnModelEvent& on_event,
                       std::stop_token stop) {
  if (stop.stop_requested()) throw Cancelled();
  Call call(provider_.api, name_, on_event, limits_);
  try {
    run(request, call, stop);
  } catch (const NotRunning& error) {
    throw NotRunning(provider_.name + ": " + error.what());
  } catch (const ModelError& error) {
    throw ModelError(error.kind(), provider_.name + ": " + cleaned(error.what(), max_told),
                     error.retry_after(), cleaned(error.details(), max_details));
  }
}

void HttpModel::run(const ModelRequest& request, Call& call, const std::stop_token& stop) {
  // A client that is not given back is destroyed here, and its connection with it.
  std::unique_ptr<http::Transfers> client = take_client();
  client->on_headers_dropped = [&](const std::string&, const std::string& to) {
    call.redirected_without_key(to);
  };
  http::Transfers::Request sent = http_request(request);
  const std::string shown = http::shown_url(sent.url);
  client->start(std::move(sent), call.events());
  if (wait_for_end(*client, call, stop)) give_back(std::move(client));
  call.end(shown);
}

bool HttpModel::wait_for_end(http::Transfers& client, Call& call,
                             const std::stop_token& stop) const {
  const std::stop_callback wakes(stop, [&client] { client.wake(); });
  Clock::time_point last = Clock::now(), last_said = last;
  Pace pace(limits_.gather);
  http::Transfers::Wanted nothing_else;
  while (!call.ended()) {
    if (call.is_cut()) return false;
    const auto limit = call.said_all() ? time_to_end : limits_.silence;
    const Clock::time_point now = Clock::now();
    const auto left_to_say = last_said + limits_.content - now;
    const auto left =
        call.said_all() ? last + limit - now : std::min(last + limit - now, left_to_say);
    // An error whose text does not end is reported with what has come of it.
    if (left.count() <= 0 && (call.said_all() || call.is_error())) return false;
    if (left_to_say.count() <= 0)
      throw ModelError(Kind::unreachable, "the model has said nothing for " +
                                              told_time(limits_.content) +
                                              ", though its server sends (limits.content_seconds)");
    if (left.count() <= 0)
      throw ModelError(Kind::unreachable, "no byte has come from the model for " +
                                              told_time(limits_.silence) +
                                              " (limits.request_seconds)");
    if (!call.said_all()) pace.rest(stop);
    client.run(nothing_else,
               std::chrono::ceil<std::chrono::milliseconds>(std::min(left, pace.until_pause())));
    if (stop.stop_requested()) throw Cancelled();
    if (call.moved()) {
      last = Clock::now();
      pace.came(call.give_on());
      if (call.said()) last_said = last;
    }
    if (pace.pauses()) call.pause();
  }
  return true;
}

}  // namespace acp::coder
