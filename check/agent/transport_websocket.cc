#include "check/agent/transport_websocket.h"

#include <array>
#include <utility>

namespace acp::check {

namespace {
// The example of RFC 6455, 1.3: what a server must make of this key is known.
constexpr const char* key = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr const char* accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
constexpr std::array<unsigned char, 4> mask = {0x37, 0xfa, 0x21, 0x3d};
constexpr std::uint64_t largest_frame = 64 * 1024 * 1024;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}
}  // namespace

WebSocketClient::WebSocketClient(const Endpoint& server)
    : server_(server), socket_(server.connect()) {
  const auto time = server.deadline();
  socket_.send(server.head("GET",
                           {{"Connection", "Upgrade"},
                            {"Upgrade", "websocket"},
                            {"Sec-WebSocket-Version", "13"},
                            {"Sec-WebSocket-Key", key}},
                           std::nullopt),
               time);
  reply_ = read_head(socket_, buffer_, time);
}

bool WebSocketClient::accepted() const {
  return open() && reply_.header("sec-websocket-accept") == accept;
}

void WebSocketClient::send_frame(Opcode opcode, std::string_view payload, bool last) {
  std::string frame(1, static_cast<char>((last ? 0x80 : 0) | opcode));
  const std::size_t size = payload.size();
  const std::size_t bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  frame += static_cast<char>(0x80 | (bytes == 0 ? size : bytes == 2 ? 126 : 127));
  for (std::size_t i = bytes; i > 0; --i) frame += static_cast<char>(size >> (8 * (i - 1)) & 0xff);
  frame.append(reinterpret_cast<const char*>(mask.data()), mask.size());
  for (std::size_t i = 0; i < size; ++i)
    frame += static_cast<char>(static_cast<unsigned char>(payload[i]) ^ mask[i % mask.size()]);
  socket_.send(frame, server_.deadline());
}

bool WebSocketClient::fill(std::size_t bytes, TransportSocket::Time deadline) {
  while (buffer_.size() < bytes) {
    switch (socket_.read(buffer_, deadline)) {
      case TransportSocket::Read::some:
        break;
      case TransportSocket::Read::end:
        ended_ = true;
        seen_ = "the connection was closed without a close frame";
        return false;
      case TransportSocket::Read::late:
        seen_ = "nothing came";
        return false;
    }
  }
  return true;
}

std::optional<WebSocketClient::Received> WebSocketClient::receive() {
  const auto time = server_.deadline();
  while (!ended_ && !close_code_) {
    if (!fill(2, time)) return std::nullopt;
    const auto first = static_cast<unsigned char>(buffer_[0]);
    std::uint64_t size = static_cast<unsigned char>(buffer_[1]) & 0x7f;
    const std::size_t bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (!fill(2 + bytes, time)) return std::nullopt;
    if (bytes > 0) size = big_endian(std::string_view(buffer_).substr(2, bytes));
    if (size > largest_frame) {
      ended_ = true;
      seen_ = "a frame of " + std::to_string(size) + " bytes";
      return std::nullopt;
    }
    if (!fill(2 + bytes + size, time)) return std::nullopt;
    Received frame{static_cast<unsigned char>(first & 0x0f), buffer_.substr(2 + bytes, size)};
    buffer_.erase(0, 2 + bytes + size);
    if (frame.opcode < close) {
      if (frame.opcode != rest) partial_opcode_ = frame.opcode;
      partial_ += frame.payload;
      if ((first & 0x80) == 0) continue;
      frame = {partial_opcode_, std::exchange(partial_, {})};
    }
    if (frame.opcode == close) {
      const std::string_view code = std::string_view(frame.payload).substr(0, 2);
      close_code_ = code.size() == 2 ? static_cast<int>(big_endian(code)) : 1005;
    }
    seen_ = frame.opcode == close
                ? "close " + std::to_string(*close_code_)
                : (frame.opcode == text
                       ? ""
                       : "a frame with opcode " + std::to_string(frame.opcode) + ": ") +
                      frame.payload.substr(0, 200);
    return frame;
  }
  return std::nullopt;
}

std::optional<std::string> WebSocketClient::receive_text() {
  while (auto frame = receive()) {
    if (frame->opcode == text) return std::move(frame->payload);
    if (frame->opcode == ping) send_frame(pong, frame->payload);
  }
  return std::nullopt;
}

std::optional<Json> WebSocketClient::answer_to(const Json& id) {
  while (const auto message = receive_text()) {
    auto parsed = Json::parse(*message);
    if (parsed && parsed->view()["method"].absent() && parsed->view()["id"] == id.view())
      return std::move(*parsed);
  }
  return std::nullopt;
}

std::string WebSocketClient::last_seen() const { return seen_.empty() ? "nothing came" : seen_; }

}  // namespace acp::check
