#include "bench/remote/link.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "bench/wire/child.h"

namespace bench::remote {

using wire::Failure;

namespace {

std::string request(const char* method, std::string_view headers) {
  return std::string(method) + " /acp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + std::string(headers);
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// The value of a header, whatever its spelling.
std::string header(const std::string& head, const std::string& name) {
  const std::size_t at = lower(head).find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t from = at + 2 + name.size() + 2;
  return head.substr(from, head.find('\r', from) - from);
}

void expect(const std::string& head, std::string_view status) {
  if (head.compare(9, 3, status) != 0)
    throw Failure("expected " + std::string(status) + ": " + head.substr(0, head.find('\r')));
}

}  // namespace

// ---- WebSocket

WebSocket::WebSocket(std::uint16_t port, int host) : socket_(port, host) {
  socket_.send(request("GET",
                       "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"));
  expect(socket_.head(), "101");
}

void WebSocket::send_frame(unsigned char kind, std::string_view payload) {
  if (payload.size() > 0xFFFF) throw Failure("a request is too long for this driver");
  const auto size = static_cast<unsigned>(payload.size());
  char head[8] = {static_cast<char>(0x80 | kind)};
  std::size_t bytes = 6;
  if (size < 126) {
    head[1] = static_cast<char>(0x80 | size);
  } else {
    head[1] = static_cast<char>(0x80 | 126);
    head[2] = static_cast<char>(size >> 8);
    head[3] = static_cast<char>(size & 0xFF);
    bytes = 8;
  }
  socket_.send({head, bytes}, payload);
}

void WebSocket::send(std::string_view message, const std::string&) { send_frame(1, message); }

std::string_view WebSocket::receive() {
  while (true) {
    if (const auto message = frame()) return *message;
    socket_.fill();
  }
}

std::optional<std::string_view> WebSocket::receive_now() { return frame(); }

// A whole text frame of what was received. Answers pings.
std::optional<std::string_view> WebSocket::frame() {
  while (true) {
    const std::string_view bytes = socket_.unread();
    if (bytes.size() < 2 || bytes.size() < needed_) return {};
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    std::size_t size = byte(1), head = 2;
    if (size >= 126) {
      head = size == 126 ? 4 : 10;
      if (bytes.size() < head) return {};
      size = 0;
      for (std::size_t i = 2; i < head; ++i) size = size << 8 | byte(i);
    }
    needed_ = head + size;
    if (bytes.size() < needed_) return {};
    const unsigned kind = byte(0);
    const std::string_view payload = bytes.substr(head, size);
    socket_.take(needed_);
    needed_ = 0;
    if (kind == 0x81) return payload;
    if (kind == 0x89)
      send_frame(0xA, payload);
    else if (kind != 0x8A)
      throw Failure(kind == 0x88 ? "the server closes: " +
                                       std::string(payload.substr(std::min<std::size_t>(2, size)))
                                 : "an unexpected frame: " + std::to_string(kind));
  }
}

// ---- server-sent events

Events::Events(std::uint16_t port, const std::string& connection, const std::string& session)
    : socket_(port) {
  std::string headers = "Accept: text/event-stream\r\nAcp-Connection-Id: " + connection + "\r\n";
  if (!session.empty()) headers += "Acp-Session-Id: " + session + "\r\n";
  socket_.send(request("GET", headers + "\r\n"));
  const std::string head = socket_.head();
  expect(head, "200");
  if (lower(header(head, "transfer-encoding")) != "chunked")
    throw Failure("expected an answer in chunks");
}

// Appends what was received to the text, without the heads of its chunks.
void Events::fill() {
  if (at_ > 0) {
    text_.erase(0, at_);
    at_ = 0;
  }
  const std::size_t before = text_.size();
  while (true) {
    std::string_view bytes = socket_.unread();
    if (chunk_ > 0 && !bytes.empty()) {
      const std::size_t size = std::min(chunk_, bytes.size());
      text_.append(bytes.substr(0, size));
      socket_.take(size);
      chunk_ -= size;
      after_chunk_ = chunk_ == 0;
      continue;
    }
    if (chunk_ == 0) {
      const std::size_t skipped = after_chunk_ ? 2 : 0;
      const std::size_t end = bytes.size() < skipped ? bytes.npos : bytes.find("\r\n", skipped);
      if (end != std::string_view::npos) {
        chunk_ =
            std::strtoul(std::string(bytes.substr(skipped, end - skipped)).c_str(), nullptr, 16);
        if (chunk_ == 0) throw Failure("the server has ended the stream");
        socket_.take(end + 2);
        after_chunk_ = false;
        continue;
      }
    }
    if (text_.size() > before) return;
    socket_.fill();
  }
}

std::string_view Events::receive() {
  constexpr std::string_view data = "data: ";
  std::size_t searched = 0;
  while (true) {
    const char* const from = text_.data() + at_;
    const std::size_t size = text_.size() - at_;
    const void* const found = std::memchr(from + searched, '\n', size - searched);
    if (found == nullptr) {
      searched = size;
      fill();
      continue;
    }
    searched = 0;
    const std::string_view line(from,
                                static_cast<std::size_t>(static_cast<const char*>(found) - from));
    at_ += line.size() + 1;
    if (line.starts_with(data)) return line.substr(data.size());
  }
}

// ---- HTTP

Http::Http(std::uint16_t port) : port_(port), socket_(port) {}

void Http::send(std::string_view message, const std::string& session) {
  std::string headers =
      "Content-Type: application/json\r\nContent-Length: " + std::to_string(message.size()) +
      "\r\n";
  if (!connection_.empty()) headers += "Acp-Connection-Id: " + connection_ + "\r\n";
  if (!session.empty()) headers += "Acp-Session-Id: " + session + "\r\n";
  socket_.send(request("POST", headers + "\r\n"), message);
  owes_answer_ = !connection_.empty();
  if (owes_answer_) return;
  std::string head;
  answer(head, initialized_);
  expect(head, "200");
  connection_ = header(head, "acp-connection-id");
  if (connection_.empty()) throw Failure("no Acp-Connection-Id");
  events_ = std::make_unique<Events>(port_, connection_, "");
}

void Http::answer(std::string& head, std::string& body) {
  head = socket_.head();
  body.clear();
  const auto take = [&](std::size_t size) {
    while (socket_.unread().size() < size) socket_.fill();
    body.append(socket_.unread().substr(0, size));
    socket_.take(size);
  };
  if (const std::string length = header(head, "content-length"); !length.empty())
    return take(std::strtoul(length.c_str(), nullptr, 10));
  if (lower(header(head, "transfer-encoding")) != "chunked") return;
  while (true) {
    std::size_t end;
    while ((end = socket_.unread().find("\r\n")) == std::string_view::npos) socket_.fill();
    const std::size_t size =
        std::strtoul(std::string(socket_.unread().substr(0, end)).c_str(), nullptr, 16);
    socket_.take(end + 2);
    take(size + 2);
    body.resize(body.size() - 2);
    if (size == 0) return;
  }
}

void Http::settle() {
  if (!owes_answer_) return;
  owes_answer_ = false;
  std::string head, body;
  answer(head, body);
  expect(head, "202");
}

std::string_view Http::receive() {
  if (!initialized_.empty()) {
    first_.swap(initialized_);
    initialized_.clear();
    return first_;
  }
  return of_session_ ? of_session_->receive() : events_->receive();
}

void Http::enter(const std::string& session) {
  of_session_ = std::make_unique<Events>(port_, connection_, session);
}

}  // namespace bench::remote
