#include "acp/remote/streams.h"

#include <algorithm>
#include <utility>

namespace acp::remote {

using Kind = Message::Kind;

std::optional<Streams::Refusal> Streams::refusal(const Message& message,
                                                 const std::optional<std::string>& session) {
  const auto too_long = [&](std::string_view text) {
    return utf16_units(text) > limits_.max_id_length;
  };
  if (id_is_longer(message.id, limits_.max_id_length) || (session && too_long(*session)) ||
      (message.names_session && too_long(message.session)))
    return Refusal{400, "An id is longer than " + std::to_string(limits_.max_id_length)};
  const std::string key = message.id.empty() ? std::string() : id_key(message.id);
  std::optional<std::string> wanted;
  bool needs_session = false;
  if (message.kind == Kind::answer) {
    if (const auto asked = asked_.find(key); asked != asked_.end()) wanted = asked->second;
    needs_session = wanted.has_value();
  } else {
    if (message.names_session) wanted = message.session;
    needs_session = wanted || is_of_a_session(message.method);
  }
  if (needs_session && !session) return Refusal{400, "Missing Acp-Session-Id"};
  if (wanted && session != wanted) return Refusal{400, "Mismatched Acp-Session-Id"};
  if (message.kind == Kind::answer) {
    asked_.erase(key);
  } else if (message.kind == Kind::request) {
    if (routes_.size() >= limits_.max_pending && !routes_.contains(key))
      return Refusal{
          503, "More than " + std::to_string(limits_.max_pending) + " requests wait for an answer"};
    // A load is answered where the session is not known yet; so is what makes a new one.
    const bool to_the_connection =
        message.method == "session/load" || message.method == "session/new";
    const bool closes = message.method == "session/close" || message.method == "session/delete";
    // The session may have been closed, and is opened again.
    if (session)
      if (const auto found = sessions_.find(*session); found != sessions_.end())
        found->second.is_over = false;
    routes_[key] = {std::string(message.id), to_the_connection ? std::nullopt : session, closes};
  }
  return std::nullopt;
}

void Streams::forget(const Message& message) {
  if (message.kind == Kind::request) routes_.erase(id_key(message.id));
}

bool Streams::take(const Message& message, std::string_view text) {
  std::optional<std::string> session;
  if (message.kind == Kind::answer) {
    if (const auto route = routes_.find(id_key(message.id)); route != routes_.end()) {
      session = std::move(route->second.session);
      if (session && route->second.closes && !message.failed) stream(session).is_over = true;
      routes_.erase(route);
    }
  } else {
    // The usual case, without a copy of the id.
    if (message.kind == Kind::notification) {
      if (!message.names_session) return add(connection_, text);
      return add(sessions_[message.session], text);
    }
    if (message.names_session) session = message.session;
    if (message.kind == Kind::request) asked_[id_key(message.id)] = session;
  }
  return add(stream(session), text);
}

bool Streams::add(Stream& stream, std::string_view text) {
  const bool first = stream.events.empty();
  constexpr std::string_view before = "data: ", after = "\n\n";
  const std::size_t size = stream.events.size() + before.size() + text.size() + after.size();
  // One allocation, which is one copy less of a large message.
  if (size > stream.events.capacity())
    stream.events.reserve(std::max(size, 2 * stream.events.capacity()));
  stream.events.append(before).append(text);
  // Between the parts of a message it may stand, but it ends a line of events.
  if (text.find('\r') != std::string_view::npos)
    std::replace(stream.events.end() - static_cast<std::ptrdiff_t>(text.size()),
                 stream.events.end(), '\r', ' ');
  stream.events.append(after);
  buffered_ += before.size() + text.size() + after.size();
  if (first && !stream.has_reader && &stream != &connection_) ++unread_sessions_;
  if (first && stream.on_events) stream.on_events();
  return unread_sessions_ <= limits_.max_unread_sessions && asked_.size() <= limits_.max_pending;
}

std::string Streams::complaint() const {
  if (asked_.size() > limits_.max_pending)
    return "more than " + std::to_string(limits_.max_pending) +
           " of the agent's requests have no answer";
  return "more than " + std::to_string(limits_.max_unread_sessions) +
         " sessions have messages that nobody reads";
}

void Streams::fail_waiting(const std::string& reason) {
  for (const auto& [key, route] : std::exchange(routes_, {}))
    add(stream(route.session), closed_answer(route.id, reason));
}

Streams::Stream& Streams::stream(const std::optional<std::string>& session) {
  return session ? sessions_[*session] : connection_;
}

bool Streams::enter(const std::optional<std::string>& session, std::function<void()> on_events) {
  Stream& entered = stream(session);
  if (entered.has_reader) return false;
  entered.has_reader = true;
  entered.on_events = std::move(on_events);
  if (session && !entered.events.empty()) --unread_sessions_;
  return true;
}

void Streams::leave(const std::optional<std::string>& session) {
  Stream& left = stream(session);
  left.has_reader = false;
  left.on_events = nullptr;
  if (!session) return;
  if (left.events.empty())
    sessions_.erase(*session);
  else
    ++unread_sessions_;
}

bool Streams::is_over(const std::optional<std::string>& session) {
  if (!session) return false;
  const auto found = sessions_.find(*session);
  return found != sessions_.end() && found->second.is_over && found->second.events.empty();
}

std::size_t Streams::bytes_for_readers() const {
  std::size_t unread = connection_.has_reader ? 0 : connection_.events.size();
  for (const auto& [session, stream] : sessions_)
    if (!stream.has_reader) unread += stream.events.size();
  return buffered_ - unread;
}

std::string Streams::take_events(const std::optional<std::string>& session) {
  return std::exchange(stream(session).events, {});
}

}  // namespace acp::remote
