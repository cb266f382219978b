// A client's terminals without processes: `echo TEXT` ends at once, anything else when it is
// killed.
#pragma once

#include <acp/client.h>

#include <condition_variable>
#include <map>
#include <mutex>

namespace interop {

class FakeTerminals {
 public:
  acp::v1::CreateTerminalResponse create(const acp::v1::CreateTerminalRequest& request) {
    const std::lock_guard lock(mutex_);
    acp::v1::CreateTerminalResponse response;
    response.terminalId = "term_" + std::to_string(++count_);
    Terminal& terminal = running_[response.terminalId];
    if (request.command.starts_with("echo ")) {
      terminal.output = request.command.substr(5) + "\n";
      terminal.exit.emplace().exitCode = 0;
    }
    return response;
  }

  acp::v1::TerminalOutputResponse output(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const Terminal& terminal = find(id);
    acp::v1::TerminalOutputResponse response;
    response.output = terminal.output;
    if (terminal.exit) response.exitStatus = *terminal.exit;
    return response;
  }

  acp::v1::WaitForTerminalExitResponse wait(const std::string& id, std::stop_token stop) {
    std::unique_lock lock(mutex_);
    find(id);
    if (!changed_.wait(lock, stop, [&] { return find(id).exit.has_value(); }))
      throw acp::Cancelled();
    acp::v1::WaitForTerminalExitResponse response;
    response.exitCode = find(id).exit->exitCode;
    response.signal = find(id).exit->signal;
    return response;
  }

  void kill(const std::string& id) {
    const std::lock_guard lock(mutex_);
    Terminal& terminal = find(id);
    if (!terminal.exit) terminal.exit.emplace().signal = std::string("SIGKILL");
    changed_.notify_all();
  }

  void release(const std::string& id) {
    const std::lock_guard lock(mutex_);
    find(id);
    running_.erase(id);
  }

  std::size_t open() {
    const std::lock_guard lock(mutex_);
    return running_.size();
  }

 private:
  struct Terminal {
    std::string output;
    std::optional<acp::v1::TerminalExitStatus> exit;
  };
  Terminal& find(const std::string& id) {
    const auto found = running_.find(id);
    if (found == running_.end()) throw acp::not_found("terminal " + id);
    return found->second;
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Terminal> running_;
  int count_ = 0;
};

}  // namespace interop
