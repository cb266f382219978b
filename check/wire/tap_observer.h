// The observer of the tap: frames, rules, the recording. On a thread of its own.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "check/wire/recording.h"
#include "check/wire/tap.h"
#include "check/wire/tap_queue.h"

namespace acp::check {

// Frames larger than this are relayed, but not checked.
inline constexpr std::size_t largest_frame = 256 * 1024 * 1024;

class TapObserver {
 public:
  // Opens the log. Throws std::runtime_error if it cannot.
  explicit TapObserver(const TapOptions& options);
  // Processes all that was put before.
  ~TapObserver();

  TapQueue& queue() { return queue_; }
  void start();
  // Ends the input. `reason` is how the agent ended.
  void finish(const std::string& reason);

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void watch();
  void look(const TapQueue::Piece& piece);
  void see(Side from, std::int64_t time, const rpc::FrameReader::Framed& frame);
  void report(std::int64_t time, const std::vector<Violation>& violations);
  void write_log();
  // Prints one line on stderr, unless quiet.
  void say(const std::string& line);

  const TapOptions& options_;
  Recorder recorder_;
  std::unique_ptr<std::FILE, CloseFile> log_;
  bool log_failed_ = false;
  std::string lines_;  // not written yet
  Rules rules_;
  rpc::FrameReader readers_[2];
  std::size_t frames_ = 0, violations_ = 0, faults_ = 0;
  std::int64_t last_time_ = 0;
  TapQueue queue_;
  std::thread thread_;
};

std::int64_t now_in_nanoseconds();

}  // namespace acp::check
