// Injects faults into a wire. The same seed does the same to the same frames.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "acp/rpc/framing.h"
#include "check/rules/rules.h"

namespace acp::check {

// One `--fault`: KIND[=AMOUNT]:SIDE[:P%|@N][:METHOD], as in "drop:agent:10%", "kill:agent@5",
// "delay=50ms:both:session/*".
struct FaultSpec {
  enum class Kind {
    delay,      // the frame, and all after it, wait
    split,      // written in pieces, with pauses between them
    merge,      // written together with the next one
    drop,       // not written
    duplicate,  // written twice
    reorder,    // written after the next one
    corrupt,    // one byte is another
    truncate,   // the rest of it is missing
    noise,      // an invalid line is written before it
    stall,      // nothing of this side is written for a time, or ever again
    kill,       // the agent is killed
  };

  Kind kind = Kind::drop;
  bool client = false, agent = false;  // whose frames
  std::optional<double> chance;        // 0 to 1
  std::optional<std::size_t> at;       // the index, from 1
  std::string method;                  // with * at its end, a beginning; empty for all
  // Of delay and stall; nothing: a stall for good.
  std::optional<std::chrono::milliseconds> time;
  std::size_t pieces = 3;  // of split
  std::string text;        // as it was given
};

class BadFaultSpec : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Parses a fault. Throws BadFaultSpec.
FaultSpec read_fault(std::string_view text);
std::string_view to_string(FaultSpec::Kind kind);

// A random generator with the same results on every platform.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // Below `limit`, which is not 0.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// Bytes to write, and when.
struct FaultedWrite {
  std::string bytes;                     // with framing
  std::chrono::milliseconds pause = {};  // before it, after what was written before
  bool for_good = false;                 // nothing of this side is written from here on
};

// Both sides of one connection.
class Faults {
 public:
  Faults(std::vector<FaultSpec> specs, std::uint64_t seed);

  bool any() const { return !specs_.empty(); }

  struct Told {
    std::string_view kind;
    std::string detail;
  };
  struct Outcome {
    std::vector<FaultedWrite> writes;
    std::vector<Told> told;
    bool kill = false;  // the agent; nothing is written then
  };
  // Applies the faults to this frame. Its end mark is that of the framing.
  Outcome pass(Side from, std::string_view frame, rpc::Framing framing);
  // Whether something waits for the next frame.
  bool holds(Side from) const { return !held_[index(from)].empty() || !late_[index(from)].empty(); }
  // Releases what waits: there will be no next frame, or not soon.
  Outcome release(Side from);

 private:
  struct Counter {
    Dice dice;
    std::size_t seen = 0;
  };
  static std::size_t index(Side side) { return side == Side::client ? 0 : 1; }
  // The method of a call, or of the request that is answered.
  std::string method_of(Side from, std::string_view frame);
  bool hits(const FaultSpec& spec, Counter& counter, Side from, const std::string& method) const;

  std::vector<FaultSpec> specs_;
  std::vector<Counter> counters_[2];
  std::string held_[2];                                       // to be written with the next one
  std::string late_[2];                                       // to be written after the next one
  std::map<std::string, std::string, std::less<>> asked_[2];  // methods by id
};

}  // namespace acp::check
