#include "check/agent/transport_http.h"

#include <algorithm>
#include <charconv>

namespace acp::check {

namespace {

using Read = TransportSocket::Read;
using Time = TransportSocket::Time;
constexpr auto npos = std::string::npos;

std::string in_lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  text.erase(text.find_last_not_of(" \t") + 1);
  return text;
}

std::optional<std::size_t> number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

// Takes a chunk's bytes off the buffer; false if more bytes are needed or the last chunk was there.
bool next_chunk(std::string& buffer, std::size_t& left, bool& last, std::string& into) {
  if (left == 0) {
    if (buffer.starts_with("\r\n")) buffer.erase(0, 2);  // the end of the chunk before
    const std::size_t line = buffer.find("\r\n");
    if (line == npos) return false;
    const auto size = number(std::string_view(buffer).substr(0, line), 16);
    buffer.erase(0, line + 2);
    last = !size || *size == 0;
    if (last) return false;
    left = *size;
  }
  const std::size_t some = std::min(left, buffer.size());
  into.append(buffer, 0, some);
  buffer.erase(0, some);
  left -= some;
  return some > 0;
}

void read_body(TransportSocket& socket, std::string& buffer, HttpReply& reply, Time deadline) {
  const bool chunked = in_lower_case(reply.header("transfer-encoding")).find("chunked") != npos;
  const auto length = number(reply.header("content-length"), 10);
  std::size_t left = 0;
  bool last = reply.status == 204 || reply.status < 200;
  while (!last) {
    if (chunked) {
      while (next_chunk(buffer, left, last, reply.body)) continue;
    } else {
      reply.body += std::exchange(buffer, {});
      last = length && reply.body.size() >= *length;
    }
    if (last) return;
    const Read read = socket.read(buffer, deadline);
    if (read == Read::some) continue;
    if (read == Read::late) reply.problem = "its body did not end";
    if (!chunked) reply.body += buffer;
    return;
  }
}

}  // namespace

std::string HttpReply::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::string HttpReply::content_type() const {
  const std::string value = header("content-type");
  return in_lower_case(trimmed(value.substr(0, value.find(';'))));
}

std::string HttpReply::describe() const {
  if (status == 0) return "no answer: " + problem;
  std::string text = std::to_string(status);
  if (!content_type().empty()) text += " " + content_type();
  if (!body.empty()) text += " " + body.substr(0, 200) + (body.size() > 200 ? "…" : "");
  if (!problem.empty()) text += ", and " + problem;
  return text;
}

HttpReply read_head(TransportSocket& socket, std::string& buffer, Time deadline) {
  HttpReply reply;
  std::size_t end;
  while ((end = buffer.find("\r\n\r\n")) == npos) {
    const Read read = socket.read(buffer, deadline);
    if (read == Read::some) continue;
    reply.problem = read == Read::late ? "it took too long" : "the connection was closed";
    return reply;
  }
  const std::string head = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  const auto status =
      number(std::string_view(head).substr(std::min(head.find(' '), head.size() - 1) + 1), 10);
  if (!head.starts_with("HTTP/1.") || !status) {
    reply.problem = "this is no HTTP: " + head.substr(0, 80);
    return reply;
  }
  reply.status = static_cast<int>(*status);
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t line = head.find("\r\n", at);
    const std::string text = head.substr(at, line - at);
    if (const std::size_t colon = text.find(':'); colon != npos)
      reply.headers[in_lower_case(text.substr(0, colon))] = trimmed(text.substr(colon + 1));
    at = line + 2;
  }
  return reply;
}

std::string Endpoint::head(const std::string& method, const HttpHeaders& more,
                           std::optional<std::size_t> body) const {
  std::string text = method + " " + (url.target.empty() ? "/" : url.target) +
                     " HTTP/1.1\r\nHost: " + url.shown_authority() + "\r\n";
  const bool own = std::ranges::any_of(
      more, [](const auto& header) { return in_lower_case(header.first) == "connection"; });
  if (!own) text += "Connection: close\r\n";
  for (const auto* const list : {&headers, &more})
    for (const auto& [name, value] : *list) text += name + ": " + value + "\r\n";
  if (body) text += "Content-Length: " + std::to_string(*body) + "\r\n";
  return text + "\r\n";
}

HttpReply Endpoint::ask(const std::string& method, const HttpHeaders& more,
                        std::optional<std::string_view> body) const {
  TransportSocket socket = connect();
  const Time time = deadline();
  std::string request = head(method, more, body ? std::optional(body->size()) : std::nullopt);
  if (body) request += *body;
  // A server may answer, and close, before it has all of it.
  socket.send(request, time);
  std::string buffer;
  HttpReply reply = read_head(socket, buffer, time);
  // A stream of events has no end.
  if (reply.status != 0 && reply.content_type() != "text/event-stream")
    read_body(socket, buffer, reply, time);
  return reply;
}

HttpReply Endpoint::post(std::string_view body, HttpHeaders more) const {
  more.emplace("Content-Type", "application/json");
  return ask("POST", more, body);
}

// ---- events

EventReader::EventReader(const Endpoint& server, HttpHeaders more) : socket_(server.connect()) {
  more.emplace("Accept", "text/event-stream");
  const Time time = server.deadline();
  socket_.send(server.head("GET", more, std::nullopt), time);
  reply_ = read_head(socket_, buffer_, time);
  late_ = reply_.status == 0 && std::chrono::steady_clock::now() >= time;
  ended_ = !open();
  if (!open()) {
    if (reply_.status != 0) read_body(socket_, buffer_, reply_, time);
    return;
  }
  chunked_ = in_lower_case(reply_.header("transfer-encoding")).find("chunked") != npos;
  decode();
}

void EventReader::read_some(Time deadline) {
  switch (socket_.read(buffer_, deadline)) {
    case Read::some:
      return decode();
    case Read::end:
      ended_ = true;
      return;
    case Read::late:
      return;
  }
}

void EventReader::decode() {
  std::string text;
  if (chunked_) {
    while (!ended_ && next_chunk(buffer_, chunk_left_, ended_, text)) continue;
  } else {
    text = std::exchange(buffer_, {});
  }
  events_.feed(text, [this](http::EventStream::Event&& event) { take(std::move(event)); });
}

void EventReader::take(http::EventStream::Event&& event) {
  auto parsed = Json::parse(event.data);
  if (parsed && parsed->is_object() && parsed->view()["jsonrpc"].as_string() == "2.0")
    messages_.push_back(std::move(*parsed));
  else
    malformed_.push_back(event.data);
}

bool EventReader::wait_end(Time deadline) {
  while (!ended_ && std::chrono::steady_clock::now() < deadline) read_some(deadline);
  return ended_;
}

EventReader* EventReader::wait(const std::vector<EventReader*>& readers, const Wanted& wanted,
                               Time deadline) {
  for (;;) {
    std::vector<TransportSocket*> open;
    for (EventReader* const reader : readers) {
      while (reader->seen_ < reader->messages_.size()) {
        // A copy: the caller may wait for more.
        const Json message = reader->messages_[reader->seen_++];
        if (wanted(*reader, message)) return reader;
      }
      if (!reader->ended_) open.push_back(&reader->socket_);
    }
    const Time now = std::chrono::steady_clock::now();
    if (open.empty() || now >= deadline) return nullptr;
    TransportSocket::wait_any(open, deadline);
    for (EventReader* const reader : readers)
      if (!reader->ended_) reader->read_some(now);
  }
}

}  // namespace acp::check
