#include "gateway/ssh.h"

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "acp/io/printable.h"

namespace acp::gateway {

namespace {

constexpr int ssh_failed = 255;  // of ssh itself, whatever the reason
constexpr std::string_view mark = "acp-ssh: ", mark_directory = "directory ";
constexpr const char *no_directory = "no-directory", *no_program = "no-program";

// Any login shell runs it: one word for /bin/sh, in single quotes. The first output line
// reports the agent's directory, or why it did not start.
constexpr const char* script =
    "say() { printf '\\nacp-ssh: %s\\n' \"$1\"; }; "
    "if [ -n \"$1\" ]; then cd -- \"$1\" || { say no-directory; exit 1; }; fi; shift; "
    "command -v -- \"$1\" >/dev/null 2>&1 || { say no-program; exit 127; }; "
    "say \"directory $PWD\"; exec \"$@\"";

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\r\n");
  if (end == std::string::npos) return {};
  const std::size_t begin = text.find_last_of('\n', end);
  std::string line = text.substr(begin == std::string::npos ? 0 : begin + 1, end + 1);
  line.erase(line.find_last_not_of(" .\r\n") + 1);
  return line;
}

// The line that has these words, without its end.
std::string line_with(const std::string& text, const std::string& words) {
  const std::size_t at = text.rfind(words);
  if (at == std::string::npos) return {};
  return last_line(text.substr(0, text.find('\n', at)));
}

std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

// A failure of ssh before the command could be started.
std::string not_reached(const std::string& host, const std::string& said) {
  const auto has = [&](const char* words) { return said.find(words) != std::string::npos; };
  if (has("REMOTE HOST IDENTIFICATION HAS CHANGED"))
    return "the key of " + host +
           " is not the one that this machine knows: somebody may be in between. If the key was "
           "changed on purpose, forget the old one with 'ssh-keygen -R', and log in once with "
           "'ssh " +
           host + "'";
  if (has("Host key verification failed"))
    return "this machine does not know the key of " + host + ": log in once with 'ssh " + host +
           "', and compare the key that it shows";
  for (const char* const words : {"Permission denied", "Too many authentication failures"})
    if (has(words))
      return host + " refused the login" + in_brackets(line_with(said, words)) +
             ". ssh cannot ask for a password or a passphrase here: add your key to an agent "
             "(ssh-add), or name it in ~/.ssh/config; 'ssh -o BatchMode=yes " +
             host + " true' shows whether it works";
  for (const char* const words : {"Could not resolve hostname", "Connection refused", "timed out",
                                  "No route to host", "Network is unreachable", "Host is down"})
    if (has(words)) return host + " cannot be reached" + in_brackets(line_with(said, words));
  return "ssh to " + host + " failed" + in_brackets(last_line(said));
}

}  // namespace

std::vector<std::string> ssh_command(const SshOptions& options) {
  std::vector<std::string> argv = {"ssh", "-T"};
  for (const std::string& option : options.options) argv.insert(argv.end(), {"-o", option});
  // ssh takes the first value that it sees: the user's own come before.
  for (const char* const option :
       {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=3"})
    argv.insert(argv.end(), {"-o", option});
  std::string remote = "exec /bin/sh -c " + quoted(script) + " sh " + quoted(options.cwd);
  for (const std::string& word : options.command) remote += " " + quoted(word);
  argv.insert(argv.end(), {"--", options.host, remote});
  return argv;
}

std::string describe(const SshOptions& options, const SshEnd& end) {
  const std::string& host = options.host;
  if (end.problem == no_program)
    return host + " has no program " + options.command.front() +
           " in the PATH that ssh gives to commands: give its whole path after --";
  if (end.problem == no_directory) return "there is no directory " + options.cwd + " on " + host;
  const bool ssh_itself =
      end.exit && *end.exit == io::ExitStatus{io::ExitStatus::Kind::exited, ssh_failed};
  if (!end.reached && ssh_itself) return not_reached(host, end.stderr_tail);
  if (ssh_itself)
    return "the ssh connection to " + host + " broke" + in_brackets(last_line(end.stderr_tail));
  if (!end.exit) return "the agent on " + host + " closed its output";
  return end.reached ? end.exit->describe("agent on " + host)
                     : end.exit->describe("ssh to " + host);
}

Transport SshLink::start(const std::shared_ptr<SshLink>& self) {
  io::ProcessOptions how;
  how.argv = ssh_command(options_);
  auto started = io::Process::start(how);
  if (!started && started.error().phase == io::StartError::Phase::resolve)
    throw std::runtime_error("there is no ssh on this machine: install OpenSSH's client");
  if (!started) throw std::runtime_error(started.error().message());
  io::Process process = std::move(*started);
  Transport transport{process.take_stdout(), process.take_stdin(), self};
  process_.attend(
      std::move(process),
      {[](std::string_view line) { std::cerr << io::printable(line) << std::endl; }, nullptr});
  return transport;
}

bool SshLink::takes(std::string_view line) {
  if (reached_ || !problem_.empty()) return false;
  if (!line.starts_with(mark)) return true;
  line.remove_prefix(mark.size());
  reached_ = line.starts_with(mark_directory);
  (reached_ ? directory_ : problem_) = reached_ ? line.substr(mark_directory.size()) : line;
  return true;
}

SshEnd SshLink::end() const {
  process_.wait_ended(std::chrono::seconds(2));
  return {reached_, problem_, process_.exit_status(), process_.stderr_tail()};
}

std::string SshLink::end_reason() const { return describe(options_, end()); }

bool SshLink::ended_by_itself() const {
  const SshEnd how = end();
  return !how.problem.empty() ||
         (how.exit && !(*how.exit == io::ExitStatus{io::ExitStatus::Kind::exited, ssh_failed}));
}

}  // namespace acp::gateway
