#include "check/wire/wire_peer.h"

#include <array>

namespace acp::check {

namespace {

constexpr std::size_t frame_limit = std::size_t{256} << 20;

std::int64_t now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

io::Process started(const io::ProcessOptions& options) {
  io::StartResult result = io::Process::start(options);
  if (!result.ok()) throw PeerNotStarted(result.error().message());
  return std::move(*result);
}

}  // namespace

WirePeer::WirePeer(Transport transport, rpc::Framing framing)
    : wire_(std::move(transport)), framing_(framing), reader_(framing, frame_limit) {}

void WirePeer::record(bool sent, bool malformed, std::string_view text) {
  transcript_.push_back({now(), sent, malformed, std::string(text)});
  if (!sent) ready_.push_back(transcript_.back());
  if (hook_) hook_(transcript_.back());
}

void WirePeer::send(std::string_view message) {
  record(true, false, message);
  if (framing_ == rpc::Framing::content_length) {
    out_ += "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n";
    out_ += message;
  } else {
    out_ += message;
    out_ += '\n';
  }
  write_some();
}

void WirePeer::send_bytes(std::string_view bytes) {
  record(true, true, bytes);
  out_ += bytes;
  write_some();
}

void WirePeer::write_some() {
  while (written_ < out_.size() && !output_failed_) {
    const auto outcome = wire_.write(std::string_view(out_).substr(written_));
    if (outcome.kind == io::Wire::Outcome::Kind::not_now) return;
    if (outcome.kind == io::Wire::Outcome::Kind::done)
      written_ += outcome.bytes;
    else
      output_failed_ = true;
  }
  out_.clear();
  written_ = 0;
  if (closing_) {
    closing_ = false;
    wire_.close_output();
  }
}

void WirePeer::close_output() {
  closing_ = true;
  write_some();
}

void WirePeer::take(const rpc::FrameReader::Framed& frame) {
  record(false, frame.kind != rpc::FrameReader::Framed::Kind::message, frame.text);
}

void WirePeer::read_some() {
  std::array<char, 65536> buffer;
  const auto outcome = wire_.read(buffer.data(), buffer.size());
  switch (outcome.kind) {
    case io::Wire::Outcome::Kind::not_now:
      return;
    case io::Wire::Outcome::Kind::done:
      reader_.feed({buffer.data(), outcome.bytes});
      while (const auto frame = reader_.next()) take(*frame);
      return;
    case io::Wire::Outcome::Kind::ended:
    case io::Wire::Outcome::Kind::failed:
      if (!input_ended_)
        if (const auto frame = reader_.end()) take(*frame);
      input_ended_ = true;
  }
}

bool WirePeer::flush(Time deadline) {
  while (!out_.empty() && !output_failed_) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) return false;
    const auto ready = wire_.wait(!input_ended_, true, left);
    if (ready.input) read_some();
    if (ready.output) write_some();
  }
  return !output_failed_;
}

std::optional<PassedFrame> WirePeer::receive(Time deadline) {
  bool looked = false;
  while (ready_.empty() && !input_ended_) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero() && looked) return std::nullopt;
    looked = true;
    const auto ready = wire_.wait(true, !out_.empty() && !output_failed_, left);
    if (ready.output) write_some();
    if (ready.input) read_some();
  }
  if (ready_.empty()) return std::nullopt;
  PassedFrame frame = std::move(ready_.front());
  ready_.pop_front();
  return frame;
}

ProgramPeer::ProgramPeer(const io::ProcessOptions& options, rpc::Framing framing) {
  io::Process process = started(options);
  Transport transport;
  transport.in = process.take_stdout();
  transport.out = process.take_stdin();
  wire_.emplace(std::move(transport), framing);
  process_.attend(std::move(process), {});
}

std::optional<io::ExitStatus> ProgramPeer::wait_exit(std::chrono::milliseconds time) const {
  process_.wait_exit(time);
  return process_.exit_status();
}

bool ProgramPeer::wait_tree_ended(std::chrono::milliseconds time) const {
  return process_.wait_tree_ended(time);
}

}  // namespace acp::check
