// A recording of a wire: JSONL, one frame a line, with violations and faults.
//
//   {"recording":1,"time":…,"program":"acp 0.1.0","command":["agent"],"masked":true}
//   {"n":0,"time":…,"from":"client","frame":{"jsonrpc":"2.0",…}}
//   {"n":1,"time":…,"from":"agent","text":"what is not JSON"}
//   {"time":…,"violation":"A-WIRE-1","level":"must","from":"agent","frame":1,"message":"…"}
//   {"time":…,"fault":"drop","from":"agent","frame":2,"detail":"…"}
//   {"time":…,"end":"the agent exited with code 0"}
//
// Times are nanoseconds since 1970; frames count from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "check/rules/rules.h"
#include "check/wire/recording_mask.h"

namespace acp::check {

struct RecordedHeader {
  std::int64_t time = 0;
  std::string program;
  std::vector<std::string> command;
  bool masked = true;
  std::vector<std::string> faults;
  std::uint64_t seed = 0;
};

struct RecordedFrame {
  std::size_t number = 0;
  std::int64_t time = 0;
  Side from = Side::client;
  bool is_json = true;
  std::string text;
  std::size_t line = 0;  // of the file, from 1
};

struct RecordedViolation {
  std::int64_t time = 0;
  std::string id;
  std::string level;
  Side from = Side::client;
  std::size_t frame = 0;
  std::string message;
};

struct RecordedFault {
  std::int64_t time = 0;
  std::string kind;
  Side from = Side::client;
  std::size_t frame = 0;
  std::string detail;
};

struct RecordedEnd {
  std::int64_t time = 0;
  std::string reason;
};

using RecordedEntry = std::variant<RecordedFrame, RecordedViolation, RecordedFault, RecordedEnd>;

struct Recording {
  RecordedHeader header;
  std::vector<RecordedEntry> entries;
  std::vector<std::string> problems;  // "line 7: …": lines that could not be read, and were skipped
};

// Makes the lines, each with its end. With `mask`, secrets are replaced by "***", and known secrets
// as `known` decides.
class Recorder {
 public:
  explicit Recorder(bool mask, MaskKnown known = {}) : mask_(mask), known_(std::move(known)) {}

  // Append lines to `out`.
  void header(std::string& out, const RecordedHeader& header) const;
  // `message` is its parsed text.
  void frame(std::string& out, std::size_t number, const WireFrame& frame,
             const json::Result<Json>& message) const;
  void violation(std::string& out, std::int64_t time, const Violation& violation) const;
  void fault(std::string& out, const RecordedFault& fault) const;
  void end(std::string& out, const RecordedEnd& end) const;

 private:
  // Completes the line that begins at `start`.
  void finish(std::string& out, std::size_t start) const;

  bool mask_;
  MaskKnown known_;
};

// Reads a recording. Invalid lines are among the problems; it never throws for any content.
Recording read_recording(std::istream& in);

std::string_view side_name(Side side);

}  // namespace acp::check
