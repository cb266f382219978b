// Checks the messages on a wire, without changing them.
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

namespace version2 {
class Watcher;
}

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

// Checks the frames of one connection, in order, against the schema and the rules of order and
// capability. Never throws for any frame; memory is bounded by open requests, sessions and calls.
class Rules {
 public:
  Rules();
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  ~Rules();

  // Returns the violations of this frame; `message` is its parsed text.
  std::vector<Violation> see(const WireFrame& frame, const json::Result<Json>& message);
  std::vector<Violation> see(const WireFrame& frame);
  // Ends the connection; returns violations by missing messages.
  std::vector<Violation> end();

  // Requests that have no answer. At the end that alone is not a violation.
  struct Unanswered {
    Side from;  // who asked
    std::string method;
    std::size_t frame = 0;
  };
  std::vector<Unanswered> unanswered() const;

 private:
  friend class version2::Watcher;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acp::check
