#include "acp/io/wake_pipe.h"
#include "acp/workspace/command.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "acp/workspace/output_buffer.h"

namespace acp::workspace {

namespace {

using Clock = std::chrono::steady_clock;

// One stream for both, so that the output stands in its order.
std::vector<std::string> merged(const CommandLine& line) {
  if (line.args.empty()) return {"/bin/sh", "-c", "exec 2>&1; " + line.command};
  std::vector<std::string> argv = {"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh", line.command};
  argv.insert(argv.end(), line.args.begin(), line.args.end());
  return argv;
}

class Running {
 public:
  Running(io::Process process, const CommandLimits& limits,
          const std::function<void(std::string_view)>& on_output)
      : process_(std::move(process)),
        output_(process_.take_stdout()),
        kept_(limits.output_bytes),
        on_output_(on_output) {
    process_.take_stdin().reset();
    if (limits.time) deadline_ = Clock::now() + *limits.time;
  }

  CommandOutcome run(const std::stop_token& stop) {
    CommandOutcome result;
    const std::stop_callback on_stop(stop, [this] { stop_.poke(); });
    std::optional<io::ExitStatus> exit;
    while (!exit) {
      std::array<pollfd, 3> set = {{{stop_.descriptor(), POLLIN, 0},
                                    {process_.exit_descriptor(), POLLIN, 0},
                                    {output_ ? output_.get() : -1, POLLIN, 0}}};
      const int ready = poll(set.data(), set.size(), time_left());
      if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category());
      if (stop.stop_requested() && !result.stopped) {
        result.stopped = true;
        process_.kill();
      }
      if (deadline_ && Clock::now() >= *deadline_) {
        result.timed_out = !result.stopped;
        deadline_.reset();
        process_.kill();
      }
      if (ready > 0 && set[2].revents != 0) read_some();
      exit = process_.poll_exit();
    }
    // What the tree has printed by now is still to be read; nobody waits for those who keep the
    // pipe open, and who go now.
    process_.kill();
    for (std::size_t read = 0; read < 64 && output_ && read_some(); ++read) {
    }
    give(kept_.finish());
    result.exit = *exit;
    result.output = kept_.text();
    result.truncated = kept_.truncated();
    result.total_bytes = kept_.total_bytes();
    return result;
  }

 private:
  int time_left() const {
    if (!deadline_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }

  // False when there is nothing more for now, or for good.
  bool read_some() {
    std::array<char, 64 * 1024> buffer;
    const ssize_t size = ::read(output_.get(), buffer.data(), buffer.size());
    if (size > 0) {
      give(kept_.append({buffer.data(), static_cast<std::size_t>(size)}));
      return true;
    }
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) output_.reset();
    return size < 0 && errno == EINTR;
  }

  void give(const std::string& text) {
    if (!text.empty() && on_output_) on_output_(text);
  }

  io::Process process_;
  io::Descriptor output_;
  io::WakePipe stop_;
  OutputBuffer kept_;
  const std::function<void(std::string_view)>& on_output_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace

std::vector<io::EnvironmentEdit> without_prompts(const std::vector<io::EnvironmentEdit>& more) {
  std::vector<io::EnvironmentEdit> edits = {{"TERM", "dumb"},
                                            {"PAGER", "cat"},
                                            {"GIT_PAGER", "cat"},
                                            {"GIT_TERMINAL_PROMPT", "0"},
                                            {"NO_COLOR", "1"}};
  edits.insert(edits.end(), more.begin(), more.end());
  return edits;
}

CommandOutcome run_command(const CommandLine& line, const CommandLimits& limits,
                           const std::function<void(std::string_view)>& on_output,
                           std::stop_token stop) {
  io::ProcessOptions options;
  options.argv = merged(line);
  options.cwd = line.cwd;
  options.environment = without_prompts(line.environment);
  auto started = io::Process::start(options);
  if (!started) throw CommandFailed(started.error().reason);
  return Running(std::move(*started), limits, on_output).run(stop);
}

}  // namespace acp::workspace
