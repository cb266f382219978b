#include <algorithm>
#include <utility>
#include <vector>

#include "acp/remote/service.h"
#include "acp/remote/update_message.h"

namespace acp::remote {

HttpConnection::HttpConnection(Service& service, std::string id, std::string principal,
                               std::string client)
    : service_(service),
      id_(std::move(id)),
      principal_(std::move(principal)),
      client_(std::move(client)),
      streams_(service.options().limits),
      stalled_(service.io()),
      absent_(service.io()) {}

bool HttpConnection::open(const std::string& address) {
  agent_ = service_.new_agent(id_, principal_, address);
  if (!agent_) {
    closed_ = true;
    service_.forget(*this);
    return false;
  }
  LocalEnd::Events events;
  const auto self = shared_from_this();
  events.on_message = [self](std::string_view text) { self->on_message(text); };
  events.on_pause = [self] { self->check_room(); };
  events.on_room = [self] { self->check_room(); };
  events.on_end = [self](const std::string& why) {
    self->close(why.empty() ? "the agent has ended" : "the agent was ended: " + why);
  };
  agent_->start(std::move(events));
  return true;
}

// ---- messages

void HttpConnection::initialize(const Message& message, std::string_view text,
                                std::function<void(std::string)> on_answer) {
  initialize_key_ = id_key(message.id);
  initializing_ = true;
  on_initialized_ = std::move(on_answer);
  agent_->send(text);
}

void HttpConnection::on_message(std::string_view text) {
  if (!read_update(text, message_)) message_.read(text);
  if (message_.kind > Message::Kind::answer) {
    return service_.log(LogEntry::Level::warning, "an agent sent what is no message: dropped");
  }
  if (initializing_ && message_.kind == Message::Kind::answer &&
      id_key(message_.id) == initialize_key_) {
    initializing_ = false;
    return std::exchange(on_initialized_, nullptr)(std::string(text));
  }
  if (!streams_.take(message_, text)) close(streams_.complaint());
}

// ---- pace

bool HttpConnection::when_there_is_room(std::size_t bytes, std::function<void()> action) {
  if (closed_ || has_room()) {
    action();
    return true;
  }
  const std::size_t most = service_.options().limits.max_buffered_bytes;
  if (waiting_bytes_ > 0 && waiting_bytes_ + bytes > most) return false;
  waiting_bytes_ += bytes;
  waiting_for_room_.push_back(std::move(action));
  return true;
}

void HttpConnection::go_on() {
  waiting_bytes_ = 0;
  for (const auto& action : std::exchange(waiting_for_room_, {})) action();
}

void HttpConnection::taken(std::size_t bytes) {
  streams_.sent(bytes);
  stalled_.cancel();
  check_room();
}

void HttpConnection::check_room() {
  if (closed_) return;
  agent_->hold(streams_.full());
  if (streams_.full()) watch_stall();
  if (has_room()) go_on();
  if (service_.draining() && !busy()) service_.check_drained();
}

void HttpConnection::goes_on() {
  if (!closed_ && streams_.full()) watch_stall();
}

// Begins anew with each piece that the client takes.
void HttpConnection::watch_stall() {
  stalled_.expires_after(service_.options().limits.max_stall);
  stalled_.async_wait([self = shared_from_this()](ErrorCode error) {
    if (!error && self->streams_.full()) self->close("the client does not read");
  });
}

bool HttpConnection::takes_visits() const {
  return visits_.size() < service_.options().limits.max_sockets_per_client;
}

std::uint64_t HttpConnection::enter(Visit kind, std::function<void()> on_close) {
  absent_.cancel();
  visits_.emplace(next_visit_, Visitor{kind, std::move(on_close)});
  return next_visit_++;
}

void HttpConnection::leave(std::uint64_t visit) {
  if (visits_.erase(visit) == 0) return;
  if (closed_) return end_own_stream();
  if (!visits_.empty()) return;
  absent_.expires_after(service_.options().limits.vanish_time);
  absent_.async_wait([self = shared_from_this()](ErrorCode error) {
    if (!error && self->visits_.empty()) self->close("the client has gone without a word");
  });
}

// One that ends at once leaves.
void HttpConnection::end_streams(Visit kind) {
  std::vector<std::function<void()>> ends;
  for (const auto& [visit, visitor] : visits_)
    if (visitor.kind == kind) ends.push_back(visitor.on_close);
  for (const auto& end : ends) end();
}

void HttpConnection::end_own_stream() {
  const bool others = std::any_of(visits_.begin(), visits_.end(), [](const auto& entry) {
    return entry.second.kind == Visit::session_stream;
  });
  if (!others) end_streams(Visit::own_stream);
}

void HttpConnection::close(const std::string& reason) {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  service_.log(LogEntry::Level::debug, "connection " + id_.substr(0, 8) + " closed: " + reason);
  service_.forget(*this);
  agent_->close();
  service_.agent_ended();
  stalled_.cancel();
  absent_.cancel();
  if (const auto on_answer = std::exchange(on_initialized_, nullptr)) on_answer("");
  go_on();
  streams_.fail_waiting(reason);
  end_streams(Visit::session_stream);
  end_own_stream();
  service_.check_drained();
}

}  // namespace acp::remote
