// Why an agent or server could not be started or used: what happened, where, and its last output.
// what() is safe to print; the diagnosis has the raw text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "acp/error.h"
#include "acp/io/process/process.h"

namespace acp {

namespace io {
class AttendedProcess;
}

// An agent or server did not start; what() is for people.
class StartFailed : public Error {
 public:
  // How far the start had come.
  enum class Phase { resolve, spawn, handshake, authenticate, session };
  // All that is known about it.
  struct Diagnosis {
    Phase phase = Phase::handshake;
    std::string reason;
    std::string command;                      // as one would type it; empty if it was not started
    std::optional<io::ExitStatus> exit = {};  // if it has ended
    std::string stderr_tail = {};             // its last lines
    std::string hint = {};                    // what may help; empty if there is no idea
    std::string subject = "agent";            // what was to be started

    // Adds how the process ended and its last output; waits a moment for a process that is about to
    // end.
    void look_at(const io::AttendedProcess& process);
  };
  explicit StartFailed(Diagnosis diagnosis);
  // For a command that could not be started at all.
  StartFailed(const io::StartError& error, std::string subject);
  const Diagnosis& diagnosis() const { return diagnosis_; }

 private:
  Diagnosis diagnosis_;
};
// For messages.
std::string_view to_string(StartFailed::Phase phase);

}  // namespace acp
