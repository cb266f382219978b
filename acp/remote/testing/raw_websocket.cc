#include "acp/remote/testing/raw_websocket.h"

namespace acp::remote::testing {

namespace {
constexpr std::string_view mask = "mask";
}

RawWebSocket::RawWebSocket(std::uint16_t port, const std::string& headers, int receive_bytes)
    : socket_(port, receive_bytes) {
  socket_.send(
      "GET /acp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" +
      headers + "\r\n");
  head_ = socket_.read_until("\r\n\r\n");
}

std::string frame_bytes(int opcode, std::string_view payload, const RawWebSocket::Shape& shape) {
  std::string bytes;
  const auto add = [&](std::size_t value) { bytes += static_cast<char>(value & 255); };
  add(static_cast<std::size_t>((shape.final ? 128 : 0) | shape.reserved << 4 | opcode));
  const std::size_t masked = shape.masked ? 128 : 0;
  if (payload.size() < 126) {
    add(masked | payload.size());
  } else {
    const bool is_long = payload.size() > 65'535;
    add(masked | (is_long ? 127 : 126));
    for (int shift = is_long ? 56 : 8; shift >= 0; shift -= 8) add(payload.size() >> shift);
  }
  if (!shape.masked) return bytes.append(payload);
  bytes.append(mask);
  const std::size_t from = bytes.size();
  bytes.append(payload);
  for (std::size_t i = 0; i < payload.size(); ++i)
    bytes[from + i] = static_cast<char>(bytes[from + i] ^ mask[i % mask.size()]);
  return bytes;
}

bool RawWebSocket::send(int opcode, std::string_view payload, const Shape& shape) {
  return socket_.send(frame_bytes(opcode, payload, shape));
}

std::optional<RawWebSocket::Frame> RawWebSocket::read() {
  const std::string begin = socket_.read_bytes(2);
  if (begin.size() < 2) return std::nullopt;
  const auto byte = [](char c) { return static_cast<std::size_t>(static_cast<unsigned char>(c)); };
  std::size_t size = byte(begin[1]) & 127;
  if (size >= 126) {
    const std::string digits = socket_.read_bytes(size == 126 ? 2 : 8);
    size = 0;
    for (const char c : digits) size = size << 8 | byte(c);
  }
  Frame frame{static_cast<int>(byte(begin[0]) & 15), socket_.read_bytes(size)};
  if (frame.payload.size() < size) return std::nullopt;
  return frame;
}

int RawWebSocket::read_close_code() {
  while (const auto frame = read()) {
    if (frame->opcode != closing) continue;
    if (frame->payload.size() < 2) return 1005;
    return static_cast<unsigned char>(frame->payload[0]) << 8 |
           static_cast<unsigned char>(frame->payload[1]);
  }
  return 0;
}

}  // namespace acp::remote::testing
