// What can be seen to be wrong by looking at a wire, without touching it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"
#include "check/rules/requirement.h"

namespace acp::check {

// One message on the wire, without its framing.
struct WireFrame {
  std::int64_t time = 0;  // nanoseconds since 1970
  Side from = Side::client;
  std::string_view text;
};

struct Violation {
  const Requirement* requirement;  // whose side is the one that broke it
  std::string message;             // what was seen: names, ids and paths, not whole payloads
  std::size_t frame = 0;           // which one, from 0; the last one for what end() found
};

// Holds the frames of one connection, in their order, against the schema and the rules of order and
// capability. Never throws for what is on the wire; memory is bounded by what is open on it.
class Rules {
 public:
  Rules();
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  ~Rules();

  // What this frame broke; `message` is what its text was read as.
  std::vector<Violation> see(const WireFrame& frame, const json::Result<Json>& message);
  std::vector<Violation> see(const WireFrame& frame);
  // The connection is over: what was owed and never came.
  std::vector<Violation> end();

  // Requests that have no answer. At the end that is nobody's fault by itself.
  struct Unanswered {
    Side from;  // who asked
    std::string method;
    std::size_t frame = 0;
  };
  std::vector<Unanswered> unanswered() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acp::check
