// Moves bytes without waiting, and waits for all there is to wait for at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/io/poll_interest.h"
#include "acp/io/transport.h"
#include "acp/io/wake_pipe.h"

namespace acp::io {

class Wire {
 public:
  explicit Wire(Transport transport);
  ~Wire();

  struct Outcome {
    enum class Kind { done, not_now, ended, failed };
    Kind kind;
    std::size_t bytes = 0;
    int code = 0;  // errno
  };
  Outcome read(char* buffer, std::size_t size);
  // Otherwise read() only after wait() has said that there is something.
  bool read_never_waits() const { return in_.never_waits || in_.socket; }
  // Raises no SIGPIPE.
  Outcome write(std::string_view bytes);
  // The other side reads to the end of what was written.
  void close_output();
  void close();

  struct Ready {
    bool input = false;
    bool output = false;
  };
  // Until something is ready, poke() is called, or the time is over.
  Ready wait(bool input, bool output, std::optional<std::chrono::nanoseconds> timeout);
  std::vector<PollInterest> watches(bool input, bool output) const;
  // From any thread, and any number of times: one wait() returns.
  void poke() { wake_.poke(); }

 private:
  struct End {
    Descriptor own;
    NativeDescriptor descriptor = no_descriptor;
    bool socket = false;
    bool never_waits = false;    // O_NONBLOCK is set; else at most what is ready may be moved
    bool writes_quietly = true;  // until the system has refused to write without SIGPIPE
  };
  static End prepare(Descriptor descriptor);

  End in_;
  End out_;
  WakePipe wake_;
};

}  // namespace acp::io
