// The other end of a connection, byte by byte: what a peer that keeps to no rules can do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acp/io/transport.h"
#include "acp/json/json.h"

namespace acp::testing {

// Longer than anything takes on a busy machine, under a sanitizer.
inline constexpr int patience = 120'000;  // milliseconds

// While it lives, the program may take that long; then it says what it waited for, and ends.
class Within {
 public:
  explicit Within(std::string what, int milliseconds = patience);
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  ~Within();

 private:
  struct State;
  State* state_;
};

// A request's line.
std::string request(std::string_view id, std::string_view method, std::string_view params = "{}");

class RawEnd {
 public:
  RawEnd() = default;
  // One descriptor for both directions, or two.
  explicit RawEnd(Transport transport)
      : in_(std::move(transport.in)), out_(std::move(transport.out)) {}

  // All of it, however long that takes. False if nobody reads any more.
  bool send(std::string_view bytes);
  bool line(std::string_view text) { return send(std::string(text) + "\n"); }
  // The next line, without its end; "(end)" at the end, "(nothing)" when patience is over.
  std::string read_line();
  // The next line as JSON, until the next call; a test failure and null if it is none.
  const Json& read();
  // Passes over everything until the answer to this id.
  const Json& read_answer(std::string_view id);
  // Passes over everything until a request or notification of this method.
  const Json& read_call(std::string_view method);
  // Reads until the other side closes. False when patience is over.
  bool read_to_end();
  // What was passed over by the functions above, and what they found.
  const std::vector<std::string>& seen() const { return seen_; }

  // ---- as a client does ----
  void initialize(std::string_view capabilities = "{}");
  // The id of a new session.
  std::string new_session();
  void prompt(std::string_view id, const std::string& session, std::string_view text);

  // ---- as an agent does: answers `initialize` and `session/new` ----
  void welcome(std::string_view session = "s");
  void answer(JsonView request, std::string_view result);
  void say(std::string_view session, std::string_view text);

  void shut_output();
  void close() {
    in_.reset();
    out_.reset();
  }
  int descriptor() const { return in_.get(); }

 private:
  int output() const { return out_ ? out_.get() : in_.get(); }
  io::Descriptor in_, out_;
  std::string buffer_;
  std::size_t searched_ = 0;
  Json last_;
  bool ended_ = false;
  std::vector<std::string> seen_;
};

// Kilobytes: of this process, or of another one. `field` as in /proc/PID/status.
long memory_of(const std::string& field, int pid = 0);
int open_descriptors();

}  // namespace acp::testing
