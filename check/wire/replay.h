// Plays one side of a recording against a real other side.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"
#include "check/wire/recording.h"

namespace acp::check {

// A difference between the other side and the recording.
struct Departure {
  std::size_t frame = 0;  // of the recording
  std::string what;       // "params.update.title: recorded "a", got "b""
};

// Without I/O. Ids are mapped: those of requests, and the values of fields whose name ends in Id.
// Times and masked values may differ; text may be cut into other chunks.
class Replay {
 public:
  Replay(const Recording& recording, Side as);

  // Returns what to write now, in this order.
  std::vector<std::string> outgoing();
  // Receives a frame from the other side. Nothing more is played after a departure.
  void receive(std::string_view text);
  // Call when the other side has ended.
  void ended();

  bool done() const { return departure_ || next_ == frames_.size(); }
  const std::optional<Departure>& departure() const { return departure_; }
  // Describes what it waits for.
  std::string waiting_for() const;
  std::size_t played() const { return next_; }
  std::size_t size() const { return frames_.size(); }

 private:
  void depart(std::string what);
  void advance() { ++next_, said_.clear(); }
  // Receives a chunk of a run whose text may be cut differently.
  bool receive_chunk(const Json& recorded, const Json& got);
  // Moves the expected update to the front: those of parallel tool calls may come in another order,
  // those of one call may not.
  bool bring_forward(JsonView got);
  // Returns the difference, or nothing; new pairs of ids are remembered.
  std::optional<std::string> difference(JsonView recorded, JsonView got, const std::string& path,
                                        std::string_view key);
  Json mapped(JsonView value, std::string_view key) const;
  std::string mapped_message(const RecordedFrame& frame) const;

  Side as_;
  std::vector<RecordedFrame> frames_;
  std::size_t next_ = 0;
  std::string said_;  // of the run of chunks that begins at next_
  std::map<std::string, std::string, std::less<>> ids_;       // recorded → real
  std::map<std::string, std::string, std::less<>> requests_;  // theirs: JSON text, recorded → real
  std::optional<Departure> departure_;
};

struct ReplayOptions {
  Side as = Side::client;
  // As client: the agent. As agent: a client, {agent} in whose words stands for us; without one, we
  // are on standard input and output ourselves.
  std::vector<std::string> command;
  std::vector<std::string> self;              // our own command line, for {agent}
  std::string report;                         // as {agent}: the file that the result goes to
  std::chrono::milliseconds timeout{30'000};  // for each frame
};

// Plays a recording, and reports on stderr. Returns 0 if all was as recorded; 1 on a departure, or
// if the other side cannot be started.
int replay(const Recording& recording, const ReplayOptions& options);

}  // namespace acp::check
