#include "acp/remote/http_dialect.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "acp/http/status.h"

namespace acp::remote {

namespace {

using Kind = Message::Kind;
using Session = std::optional<std::string>;

constexpr std::size_t kept_body_bytes = 8 * 1024;
// How often it is looked whether a replay goes on, within the time that it may be silent.
constexpr int replay_looks = 8;
// A server that ends no stream of a session that is closed has so long to do it.
constexpr auto stream_end_time = std::chrono::seconds(1);
// Before an answer that the server could not take is sent again: between these, as it says.
constexpr auto shortest_pause = std::chrono::milliseconds(100);
constexpr auto usual_pause = std::chrono::seconds(1), longest_pause = std::chrono::seconds(10);
// Of a server's cookies; what is more is left out.
constexpr std::size_t max_cookies = 50;
constexpr std::size_t max_cookie_bytes = 4096;
constexpr std::string_view sync_method = "_libacp/sync";
// Parts of the time after which a silent server has vanished: how long it has been silent before a
// comment is a sign of life, and how long the streams of a connection that is over may be silent.
constexpr int pause_parts = 60, end_parts = 12;

// The server does not know us, or not any more.
bool ends_the_connection(int status) {
  return status == 401 || status == 403 || status == 404 || status == 410;
}
// It did know us.
bool has_ended_the_connection(int status) { return status == 404 || status == 410; }

// The same may be taken a little later.
bool may_pass(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}
std::chrono::milliseconds pause_in(const http::Transfers::Head& head) {
  const std::string seconds = head.header("retry-after");
  int given = 0;
  const char* const end = seconds.data() + seconds.size();
  if (seconds.empty() || std::from_chars(seconds.data(), end, given).ptr != end) return usual_pause;
  return std::clamp<std::chrono::milliseconds>(std::chrono::seconds(given), shortest_pause,
                                               longest_pause);
}
bool closes_a_session(const std::string& method) {
  return method == "session/close" || method == "session/delete";
}

std::string with(const http::Transfers::Failure* failure) {
  return failure != nullptr && !failure->message.empty() ? ": " + failure->message : "";
}

}  // namespace

HttpDialect::HttpDialect(std::string url, UrlOptions options)
    : url_(std::move(url)), options_(std::move(options)) {}

void HttpDialect::begin(http::Link& link) {
  link_ = &link;
  check_signs_of_life();
}

// ---- sending

void HttpDialect::message(Json message) {
  Post post;
  post.text = message.text();
  message_.read(post.text);
  post.kind = message_.kind;
  post.method = message_.method;
  if (!message_.id.empty()) post.id = Json(JsonView::of_valid(message_.id));
  if (message_.names_session) post.session = message_.session;
  if (post.kind == Kind::answer) {
    if (const auto asked = asked_.find(id_key(message_.id)); asked != asked_.end()) {
      post.session = asked->second;
      asked_.erase(asked);
    }
  } else if (post.kind == Kind::request) {
    waiting_[id_key(message_.id)] = {post.id, post.method, post.session};
  }
  if (post.session && !fits_a_header(*post.session))
    return refuse(post, "a session id with control characters cannot be sent over HTTP");
  queued_bytes_ += post.text.size();
  Queue& queue = post.kind == Kind::answer ? answering_ : asking_;
  queue.posts.push_back(std::move(post));
  pump(queue);
}

void HttpDialect::pump(Queue& queue) {
  if (closing_ || queue.transfer != 0 || queue.pause != 0 || queue.posts.empty()) return;
  const Post& next = queue.posts.front();
  if (connection_id_.empty()) {
    if (next.method == "initialize") post(queue);
    return;
  }
  // Its stream first: else what the agent says about it would wait there, or be refused.
  if (next.session && next.kind != Kind::answer) {
    const auto found = streams_.find(next.session);
    if (found == streams_.end() || found->second->state == Stream::State::closed)
      return open(next.session);
    if (found->second->state == Stream::State::opening) return;
    if (next.kind == Kind::request) found->second->is_over = false;  // opened again
  }
  post(queue);
}

http::Transfers::Request HttpDialect::request(std::string method, const Session& session) const {
  http::Transfers::Request request;
  request.method = std::move(method);
  request.url = url_;
  request.ca_file = options_.ca_file;
  request.proxy = options_.proxy;
  // Over one HTTP/2 connection, a proxy may hold the head of a silent stream back (nginx does).
  request.http_1 = true;
  request.stays = true;  // what was said to this server is for no other
  request.vanish_time = options_.vanish_time;
  const std::string here = http::origin_of(url_);
  std::string cookies;  // also those of the caller: there is one such header
  for (const auto& [name, value] : options_.headers) {
    if (strcasecmp(name.c_str(), "cookie") == 0)
      cookies = value;
    else
      request.headers.push_back({name, value, here});
  }
  if (!options_.bearer_token.empty())
    request.headers.push_back({"Authorization", "Bearer " + options_.bearer_token, here});
  if (!connection_id_.empty())
    request.headers.push_back({"Acp-Connection-Id", connection_id_, here});
  if (session) request.headers.push_back({"Acp-Session-Id", *session, here});
  for (const auto& [name, value] : cookies_)
    cookies += (cookies.empty() ? "" : "; ") + name + "=" + value;
  if (!cookies.empty()) request.headers.push_back({"Cookie", cookies, here});
  return request;
}

void HttpDialect::post(Queue& queue) {
  const Post& next = queue.posts.front();
  http::Transfers::Request request = this->request("POST", next.session);
  request.headers.push_back({"Content-Type", "application/json"});
  request.headers.push_back({"Accept", "application/json"});
  request.body = next.text;
  // A slow link has its time: 64 bytes each millisecond.
  request.time_limit =
      options_.answer_time + std::chrono::milliseconds(static_cast<long>(next.text.size() / 64));
  const auto head = std::make_shared<http::Transfers::Head>();
  const auto body = std::make_shared<std::string>();
  http::Transfers::Events events;
  events.on_head = [head](const http::Transfers::Head& given) { *head = given; };
  const std::size_t limit =
      next.method == "initialize" ? options_.max_message_bytes : kept_body_bytes;
  events.on_body = [body, limit](std::string_view bytes) {
    body->append(bytes.substr(0, limit - std::min(limit, body->size())));
  };
  events.on_end = [this, &queue, head, body](const http::Transfers::Failure* failure) {
    posted(queue, *head, *body, failure);
  };
  queue.transfer = link_->http().start(std::move(request), std::move(events));
}

void HttpDialect::posted(Queue& queue, const http::Transfers::Head& head, const std::string& body,
                         const http::Transfers::Failure* failure) {
  queue.transfer = 0;
  Post post = std::move(queue.posts.front());
  queue.posts.pop_front();
  queued_bytes_ -= post.text.size();
  take_cookies(head);
  // Those who wait hear of it when the connection is lost.
  if (!end_reason_.empty() && (failure != nullptr || head.status >= 300)) return pump(queue);
  const bool opens = post.method == "initialize" && connection_id_.empty();
  if (failure != nullptr && (head.status == 0 || (opens && head.status < 300)))
    return lost((failure->unreachable ? "cannot reach " : "no answer from ") +
                http::shown_url(url_) + with(failure));
  if (opens)
    initialized(head, body);
  else if (head.status >= 300)
    refused(std::move(post), head, body);
  else if (post.is_sync)
    watch_replay(id_key(post.id.text()));
  if (closing_) return;
  pump(queue);
}

void HttpDialect::initialized(const http::Transfers::Head& head, const std::string& body) {
  if (head.status >= 300) return lost(http::describe_status(head.status, body));
  message_.read(body);
  if (message_.kind != Kind::answer)
    return lost("the server answered initialize with what is no answer: is it an ACP server?");
  waiting_.erase(id_key(message_.id));
  connection_id_ = head.header("acp-connection-id");
  const bool failed = message_.failed;
  if (connection_id_.empty() && !failed)
    return lost("the server's answer to initialize names no Acp-Connection-Id");
  const auto compact = Json::parse(body, {.depth = 512, .bytes = body.size()});
  link_->give(compact->text());
  if (connection_id_.empty())
    return lost("the server rejected initialize and closed the connection");
  open(std::nullopt);
  pump(answering_);
}

void HttpDialect::refused(Post post, const http::Transfers::Head& head, const std::string& body) {
  const int status = head.status;
  const std::string why = without_secrets(http::describe_status(status, body));
  if (has_ended_the_connection(status)) return end(why);
  if (ends_the_connection(status)) return lost(why);
  if (post.is_sync) return synchronized(id_key(post.id.text()));
  if (post.kind == Kind::request) return fail(post.id, why, status, body);
  if (post.kind == Kind::answer) return answer_refused(std::move(post), head, why);
  link_->log(LogEntry::Level::warning, "a message was not taken: " + why);
}

// The agent waits for it: it is sent again where that may help, and else an error in its place.
void HttpDialect::answer_refused(Post post, const http::Transfers::Head& head,
                                 const std::string& why) {
  if (may_pass(head.status)) {
    const auto now = std::chrono::steady_clock::now();
    if (post.tried_until == std::chrono::steady_clock::time_point())
      post.tried_until = now + options_.answer_time;
    if (now >= post.tried_until) return lost(why);
    answering_.pause = link_->timers().after(pause_in(head), [this] {
      answering_.pause = 0;
      pump(answering_);
    });
    return put_first(answering_, std::move(post));
  }
  link_->log(LogEntry::Level::warning, "an answer was not taken: " + why);
  if (std::exchange(post.replaces, true)) return;
  const std::string message = "the server did not take the client's answer: " + why;
  post.text = Json::object({{"jsonrpc", "2.0"},
                            {"id", post.id},
                            {"error", Json::object({{"code", -32603}, {"message", message}})}})
                  .text();
  put_first(answering_, std::move(post));
}

void HttpDialect::put_first(Queue& queue, Post post) {
  queued_bytes_ += post.text.size();
  queue.posts.push_front(std::move(post));
}

void HttpDialect::refuse(const Post& post, const std::string& why) {
  if (post.kind == Kind::request) return fail(post.id, why);
  link_->log(LogEntry::Level::warning, "a message was not sent: " + why);
}

// The answer that the server did not give.
void HttpDialect::fail(const Json& id, const std::string& message, int status,
                       const std::string& body) {
  if (waiting_.erase(id_key(id.text())) == 0) return;
  Json error = Json::object({{"code", -32603}, {"message", without_secrets(message)}});
  if (status != 0)
    error.set("data", Json::object({{"status", status}, {"body", without_secrets(body)}}));
  link_->give(Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"error", error}}).text());
}

// ---- receiving

void HttpDialect::open(const Session& session) {
  if (!end_reason_.empty()) return;
  http::Transfers::Request request = this->request("GET", session);
  request.headers.push_back({"Accept", "text/event-stream"});
  std::unique_ptr<Stream>& stream = streams_[session];
  stream.reset(new Stream{.events = http::EventStream(options_.max_message_bytes)});
  http::Transfers::Events events;
  events.on_head = [this, session](const http::Transfers::Head& head) { on_head(session, head); };
  events.on_body = [this, session](std::string_view bytes) { on_body(session, bytes); };
  events.on_end = [this, session](const http::Transfers::Failure* failure) {
    on_end(session, failure);
  };
  stream->transfer = link_->http().start(std::move(request), std::move(events));
  stream->opens_in_time = link_->timers().after(options_.answer_time, [this, session] {
    const auto found = streams_.find(session);
    if (found == streams_.end() || found->second->state != Stream::State::opening) return;
    lost("no answer from " + http::shown_url(url_) + ": no stream of events within " +
         std::to_string(options_.answer_time.count()) + " ms");
  });
}

void HttpDialect::on_head(const Session& session, const http::Transfers::Head& head) {
  Stream& stream = *streams_.at(session);
  stream.head = head;
  take_cookies(head);
  if (head.status >= 300 || head.content_type() != "text/event-stream") return;
  stream.state = Stream::State::open;
  stream.heard = std::chrono::steady_clock::now();
  if (const std::string pause = head.header(keep_alive_header); !pause.empty()) {
    shows_signs_of_life_ = true;
    std::uint32_t milliseconds = 0;
    std::from_chars(pause.data(), pause.data() + pause.size(), milliseconds);
    longest_pause_ = std::max(longest_pause_, std::chrono::milliseconds(milliseconds));
  }
  link_->timers().forget(stream.opens_in_time);
  pump(asking_);
}

void HttpDialect::on_body(const Session& session, std::string_view bytes) {
  Stream& stream = *streams_.at(session);
  if (stream.state != Stream::State::open) {
    stream.body.append(
        bytes.substr(0, kept_body_bytes - std::min(kept_body_bytes, stream.body.size())));
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const bool after_a_pause =
      now - std::exchange(stream.heard, now) > options_.vanish_time / pause_parts;
  const std::size_t comments = stream.events.comments();
  bool says_nothing = true;
  stream.events.feed(bytes, [&](http::EventStream::Event&& event) {
    says_nothing = false;
    if (!closing_) on_event(session, std::move(event));
  });
  says_nothing = says_nothing && stream.events.comments() > comments;
  if (!says_nothing)
    heard_ = stream.said = now;
  else if (after_a_pause)  // other comments need not come again
    shows_signs_of_life_ = true;
  if (stream.events.passes_over() && !closing_) message_too_large();
}

void HttpDialect::message_too_large() {
  lost("the server sent a message over the limit of " + std::to_string(options_.max_message_bytes) +
       " bytes");
}

// A stream that stands still while its socket lives: its requests would wait for ever.
void HttpDialect::check_signs_of_life() {
  if (closing_) return;
  const auto now = std::chrono::steady_clock::now();
  // A sign may come late, but not so late as the next.
  const auto time = std::max(options_.vanish_time, 2 * longest_pause_);
  std::vector<Session> silent;
  for (const auto& [session, stream] : streams_) {
    if (link_->held()) stream->heard = now;  // we do not listen
    if (stream->state == Stream::State::open && now - stream->heard > time)
      silent.push_back(session);
  }
  if (shows_signs_of_life_)
    for (const Session& session : silent) {
      const http::Transfers::Failure failure{.message = "it has gone without a word"};
      link_->http().drop(streams_.at(session)->transfer);
      on_end(session, &failure);
      if (closing_) return;
    }
  link_->timers().after(std::max(time / 4, std::chrono::milliseconds(10)),
                        [this] { check_signs_of_life(); });
}

void HttpDialect::on_end(const Session& session, const http::Transfers::Failure* failure) {
  Stream& stream = *streams_.at(session);
  const bool was_open = stream.state == Stream::State::open;
  stream.state = Stream::State::closed;
  link_->timers().forget(stream.opens_in_time);
  if (was_open) {
    // A last event without its blank line.
    stream.events.feed("\n\n", [&](http::EventStream::Event&& event) {
      if (!closing_) on_event(session, std::move(event));
    });
    if (closing_) return;
  }
  if (!end_reason_.empty()) {
    if (session) release_loads(*session);
    if (!streams_are_open()) lost(end_reason_);
    return;
  }
  if (!session && was_open && failure == nullptr) return end("the server closed the connection");
  std::string why = was_open ? "the server ended the stream" + with(failure)
                    : stream.head.status == 0
                        ? "cannot reach " + http::shown_url(url_) + with(failure)
                        : without_secrets(http::describe_status(stream.head.status, stream.body));
  if (!was_open && stream.head.status == 200) why = "the server gave no stream of events";
  const int status = stream.head.status;
  const bool is_full = status == 429 || status == 503;
  const bool only_the_session = session && (was_open || status == 409 || is_full);
  if (!was_open && has_ended_the_connection(stream.head.status)) return end(why);
  if (!only_the_session)
    return lost(was_open ? "the server closed the connection" + with(failure) : why);
  release_loads(*session);
  std::vector<Json> ids;
  for (const auto& [key, waiting] : waiting_)
    if (waiting.session == session && waiting.method != "session/load") ids.push_back(waiting.id);
  if (stream.is_over && ids.empty()) {
    streams_.erase(session);
    return pump(asking_);
  }
  // One that ended in good order took no message with it, and a request may have been sent before
  // its end was seen. Twice without a message between is a server that does not answer.
  if (was_open && failure == nullptr && !ids.empty() &&
      (stream.gave_messages || !stream.is_retry)) {
    link_->log(LogEntry::Level::debug, "a session's stream: " + why + "; it is opened again");
    open(session);
    if (!closing_) streams_.at(session)->is_retry = true;
    return;
  }
  // The waiting requests get no answer any more. The next one opens the stream again.
  for (const Json& id : ids) fail(id, "the session's stream: " + why);
  if (!was_open) {
    // What is still queued for it would open it again, and again.
    std::erase_if(asking_.posts, [&](const Post& post) {
      const bool is_on_its_way = asking_.transfer != 0 && &post == &asking_.posts.front();
      if (post.session != session || is_on_its_way) return false;
      if (post.kind == Kind::request) fail(post.id, "the session's stream: " + why);
      queued_bytes_ -= post.text.size();
      return true;
    });
  }
  // An idle one may end: the next message opens it again.
  if (failure != nullptr || !was_open || !ids.empty())
    link_->log(LogEntry::Level::warning, "a session's stream: " + why);
  pump(asking_);
}

void HttpDialect::on_event(const Session& session, http::EventStream::Event&& event) {
  if (event.too_large) return message_too_large();
  if (event.type != "message" || event.data.empty()) return;
  streams_.at(session)->gave_messages = true;
  // On several lines it may be one message.
  if (event.data.find('\n') != std::string::npos)
    if (const auto parsed = Json::parse(event.data, {.depth = 512, .bytes = event.data.size()}))
      event.data = parsed->text();
  message_.read(event.data);
  if (message_.kind > Kind::answer)
    return link_->log(LogEntry::Level::warning, "the server sent what is no message: dropped");
  if (message_.kind == Kind::request) {
    asked_[id_key(message_.id)] = session                  ? session
                                  : message_.names_session ? Session(message_.session)
                                                           : std::nullopt;
  } else if (message_.kind == Kind::answer) {
    const std::string key = id_key(message_.id);
    if (held_.contains(key)) return synchronized(key);
    const auto found = waiting_.find(key);
    const std::optional<Waiting> waiting =
        found == waiting_.end() ? std::nullopt : std::optional(found->second);
    if (waiting) waiting_.erase(found);
    // Only if we have asked: a server cannot make us open streams.
    if (waiting && message_.result_names_session && !streams_.contains(message_.result_session) &&
        fits_a_header(message_.result_session))
      open(message_.result_session);
    if (waiting && waiting->method == "session/load" && !session && !message_.failed &&
        waiting->session)
      return synchronize(*waiting->session, std::move(event.data));
    if (waiting && waiting->session && !message_.failed && closes_a_session(waiting->method))
      session_closed(*waiting->session);
  }
  link_->give(event.data);
}

// Its stream ends: by the server, or by us. Not now: it may be the one that is calling.
void HttpDialect::session_closed(const std::string& session) {
  const auto found = streams_.find(session);
  if (found == streams_.end()) return;
  found->second->is_over = true;
  const http::Transfers::Id transfer = found->second->transfer;
  link_->timers().after(stream_end_time, [this, session, transfer] {
    const auto now_there = streams_.find(session);
    if (closing_ || now_there == streams_.end() || now_there->second->transfer != transfer ||
        !now_there->second->is_over)
      return;
    link_->http().drop(transfer);
    if (now_there->second->state == Stream::State::open) return on_end(session, nullptr);
    link_->timers().forget(now_there->second->opens_in_time);
    streams_.erase(now_there);
    pump(asking_);
  });
}

// ---- order

// Asks for what no agent knows, of this session: the refusal comes on its stream, after the replay.
void HttpDialect::synchronize(const std::string& session, std::string answer) {
  Post post;
  post.id = Json("libacp-sync-" + std::to_string(next_sync_++));
  post.kind = Kind::request;
  post.method = sync_method;
  post.session = session;
  post.is_sync = true;
  post.text = Json::object({{"jsonrpc", "2.0"},
                            {"id", post.id},
                            {"method", sync_method},
                            {"params", Json::object({{"sessionId", session}})}})
                  .text();
  held_[id_key(post.id.text())] = {.answer = std::move(answer), .session = session};
  queued_bytes_ += post.text.size();
  asking_.posts.push_back(std::move(post));
  pump(asking_);
}

// Silence is what is measured: a long replay takes its time.
void HttpDialect::watch_replay(const std::string& key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  Held& held = found->second;
  const auto now = std::chrono::steady_clock::now();
  if (held.timer == 0 || link_->held()) held.heard = now;  // silence that we do not listen to
  if (const auto stream = streams_.find(held.session); stream != streams_.end())
    held.heard = std::max(held.heard, stream->second->said);
  if (now - held.heard > options_.replay_silence) {
    link_->log(LogEntry::Level::warning,
               "the agent does not answer what it does not know: updates of the session may follow "
               "the answer to session/load");
    return synchronized(key);
  }
  const auto look = std::max(options_.replay_silence / replay_looks, std::chrono::milliseconds(10));
  held.timer = link_->timers().after(look, [this, key] { watch_replay(key); });
}

// What was replayed has come, or never will.
void HttpDialect::release_loads(const std::string& session) {
  std::vector<std::string> loads;
  for (const auto& [key, held] : held_)
    if (held.session == session) loads.push_back(key);
  for (const std::string& key : loads) synchronized(key);
}

void HttpDialect::synchronized(const std::string& key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  const Held held = std::move(found->second);
  held_.erase(found);
  link_->timers().forget(held.timer);
  link_->give(held.answer);
}

// ---- the rest

// Every name=value; the attributes are for browsers.
void HttpDialect::take_cookies(const http::Transfers::Head& head) {
  if (!options_.cookies) return;
  for (const std::string& cookie : head.cookies) {
    const std::string pair = cookie.substr(0, cookie.find(';'));
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    const std::string name = pair.substr(0, equals);
    if (pair.size() > max_cookie_bytes ||
        (cookies_.size() >= max_cookies && !cookies_.contains(name)))
      link_->log(LogEntry::Level::warning,
                 "a cookie of the server's was left out: too large, or too many");
    else
      cookies_[name] = pair.substr(equals + 1);
  }
}

std::string HttpDialect::without_secrets(std::string text) const {
  const auto hide = [&](const std::string& secret) {
    constexpr std::size_t shortest_secret = 4;
    if (secret.size() < shortest_secret) return;
    for (std::size_t at = 0; (at = text.find(secret)) != std::string::npos;)
      text.replace(at, secret.size(), "…");
  };
  hide(options_.bearer_token);
  for (const auto& [name, value] : options_.headers) hide(value);
  return text;
}

bool HttpDialect::streams_are_open() const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& entry) { return entry.second->state == Stream::State::open; });
}

void HttpDialect::end(const std::string& reason) {
  if (closing_ || !end_reason_.empty()) return;
  end_reason_ = reason;
  heard_ = std::chrono::steady_clock::now();
  watch_end();
}

void HttpDialect::watch_end() {
  if (closing_) return;
  const auto now = std::chrono::steady_clock::now();
  const auto time = options_.vanish_time / end_parts;
  if (link_->held()) heard_ = now;  // we do not listen
  if (!streams_are_open() || now - heard_ > time) return lost(end_reason_);
  link_->timers().after(std::max(time / 4, std::chrono::milliseconds(10)), [this] { watch_end(); });
}

void HttpDialect::lost(const std::string& reason) {
  if (std::exchange(closing_, true)) return;
  link_->lost(without_secrets(reason));
}

void HttpDialect::close() {
  if (std::exchange(closing_, true)) return;
  for (Queue* const queue : {&asking_, &answering_})
    if (queue->transfer != 0) link_->http().drop(queue->transfer);
  for (const auto& [session, stream] : streams_)
    if (stream->state != Stream::State::closed) link_->http().drop(stream->transfer);
  if (connection_id_.empty()) return link_->finish();
  http::Transfers::Events events;
  events.on_end = [this](const http::Transfers::Failure*) { link_->finish(); };
  link_->http().start(request("DELETE", std::nullopt), std::move(events));
}

}  // namespace acp::remote
