// A command that the client runs for an agent.
#pragma once

#include <memory>
#include <string>

#include "acp/context.h"

namespace acp {

// Owns the client's terminal: the last copy releases it, and kills the command if it still runs. To
// keep its output on view, add it to a tool call before. Once it is released, or finish() has
// released it, the client knows it no more: all but release() throw Refused then.
class Terminal {
 public:
  // The client's id of the terminal.
  const std::string& id() const;

  // What it has printed so far.
  Task<v1::TerminalOutputResponse> output() const;
  // Waits until the command has ended.
  Task<v1::WaitForTerminalExitResponse> wait_for_exit() const;
  // Waits for the command, kills it when the time is over, then reads the output and releases the
  // terminal.
  Task<CommandResult> finish() const;
  Task<CommandResult> finish(std::chrono::milliseconds time_out) const;
  // Kills the command; its output can still be read.
  Task<void> kill() const;
  Task<void> release() const;

 private:
  friend class SessionContext;
  friend class ToolCall;
  struct State;
  explicit Terminal(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void require_held() const;
  Task<CommandResult> finish_within(std::optional<std::chrono::milliseconds> time_out) const;
  std::shared_ptr<State> state_;
};

}  // namespace acp
