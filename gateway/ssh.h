// An agent on another machine that ssh starts there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/io/process/attended_process.h"
#include "acp/io/transport.h"

namespace acp::gateway {

struct SshOptions {
  std::string host;                       // as ssh takes it: HOST, USER@HOST, a name of its config
  std::vector<std::string> options = {};  // KEY=VALUE, as for ssh -o; they count before ours
  std::vector<std::string> command = {"acp", "agent"};
  std::string cwd = {};  // there; "": the home directory, where a relative one begins
};

// The command that starts the agent. ssh asks no questions: its terminal may be in use.
std::vector<std::string> ssh_command(const SshOptions& options);

// How ssh ended, and the stderr of ssh and the agent.
struct SshEnd {
  bool reached = false;  // the command was about to start
  std::string problem;   // what the other side said about the start: "no-directory", "no-program"
  std::optional<io::ExitStatus> exit;
  std::string stderr_tail;
};
// Why it ended, in plain words.
std::string describe(const SshOptions& options, const SshEnd& end);

class SshLink final : public TransportLink {
 public:
  explicit SshLink(SshOptions options) : options_(std::move(options)) {}
  // Throws std::runtime_error if ssh cannot be started.
  Transport start(const std::shared_ptr<SshLink>& self);

  // Takes the lines before the agent's own: ours, and those of the shell's start files. Returns
  // false if this one is the agent's.
  bool takes(std::string_view line);
  // The agent's directory, once the command is about to start.
  const std::string& directory() const { return directory_; }

  std::string end_reason() const override;
  // Whether the agent ended by itself, or could not be started: the network is not the reason.
  bool ended_by_itself() const;

 private:
  SshEnd end() const;

  const SshOptions options_;
  bool reached_ = false;
  std::string directory_, problem_;
  io::AttendedProcess process_;
};

}  // namespace acp::gateway
