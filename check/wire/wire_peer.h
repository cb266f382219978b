// One end of a wire, held by hand: it sends what it is told to, keeps all that passes, and answers
// nothing by itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/io/process/attended_process.h"
#include "acp/io/transport.h"
#include "acp/io/wire.h"
#include "acp/json/json.h"
#include "acp/rpc/framing.h"

namespace acp::check {

// A frame that has passed, without its framing.
struct PassedFrame {
  std::int64_t time = 0;  // nanoseconds since 1970
  bool sent = false;      // by us
  bool malformed =
      false;  // no message of the framing: bytes sent as they are, a line without header
  std::string text;
};

class WirePeer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Over pipes, sockets, a child's ends.
  WirePeer(Transport transport, rpc::Framing framing);

  // Called for each frame as it passes, before receive() gives it.
  void on_frame(std::function<void(const PassedFrame&)> hook) { hook_ = std::move(hook); }

  // Framed. What the other side does not take yet is written while receive() or flush() waits.
  void send(std::string_view message);
  void send(const Json& message) { send(std::string_view(message.text())); }
  // Bytes as they are, whatever they are.
  void send_bytes(std::string_view bytes);
  // False if the time was over, or the other side reads no more.
  bool flush(Time deadline);
  // The other side reads to the end of what was sent.
  void close_output();

  // The next frame of the other side; nothing if the time is over or the stream has ended. Of a
  // deadline in the past: what is there already.
  std::optional<PassedFrame> receive(Time deadline);
  // The other side has closed its end, and every frame has been received.
  bool ended() const { return input_ended_ && ready_.empty(); }
  // It cannot be written to any more.
  bool broken() const { return output_failed_; }

  // All frames in the order in which they passed here.
  const std::vector<PassedFrame>& transcript() const { return transcript_; }

 private:
  void write_some();
  void read_some();
  void take(const rpc::FrameReader::Framed& frame);
  void record(bool sent, bool malformed, std::string_view text);

  io::Wire wire_;
  rpc::Framing framing_;
  rpc::FrameReader reader_;
  std::string out_;
  std::size_t written_ = 0;
  bool closing_ = false;
  bool output_failed_ = false;
  bool input_ended_ = false;
  std::deque<PassedFrame> ready_;
  std::vector<PassedFrame> transcript_;
  std::function<void(const PassedFrame&)> hook_;
};

// A program and the wire to it. All that it has started ends with this object.
class ProgramPeer {
 public:
  // Throws PeerNotStarted if the program cannot be started at all.
  ProgramPeer(const io::ProcessOptions& options, rpc::Framing framing);

  WirePeer& wire() { return *wire_; }
  // How it ended, if it does before the time is over.
  std::optional<io::ExitStatus> wait_exit(std::chrono::milliseconds time) const;
  // It has ended, and so has every process that it started.
  bool wait_tree_ended(std::chrono::milliseconds time) const;
  std::string stderr_tail() const { return process_.stderr_tail(); }
  int id() const { return process_.id(); }

 private:
  io::AttendedProcess process_;
  std::optional<WirePeer> wire_;
};

class PeerNotStarted : public std::exception {
 public:
  explicit PeerNotStarted(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

}  // namespace acp::check
