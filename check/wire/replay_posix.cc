#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "acp/io/printable.h"
#include "acp/io/process/process.h"
#include "acp/io/wake_pipe.h"
#include "acp/rpc/framing.h"
#include "check/wire/replay.h"
#include "check/wire/tap_channel_linux.h"

namespace acp::check {
namespace {

constexpr std::size_t largest_line = 256 * 1024 * 1024;

void say(const std::string& what) {
  std::fprintf(stderr, "acp replay: %s\n", io::one_line(what, 2000).c_str());
}

void keep_sigpipe_away() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool wait_readable(int fd, std::chrono::milliseconds time) {
  pollfd one = {fd, POLLIN, 0};
  return poll(&one, 1, static_cast<int>(time.count())) > 0;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    pollfd one = {fd, POLLOUT, 0};
    if (poll(&one, 1, 30'000) <= 0) return false;
  }
  return true;
}

// Copies what an agent says on its stderr to ours: it must not wait for us.
class StderrCopy {
 public:
  explicit StderrCopy(io::Descriptor from) : from_(std::move(from)), thread_([this] { copy(); }) {}
  StderrCopy(const StderrCopy&) = delete;
  StderrCopy& operator=(const StderrCopy&) = delete;
  // What is there by now is copied, within reason.
  ~StderrCopy() {
    stop_.poke();
    thread_.join();
  }

 private:
  void copy() {
    std::string buffer(64 * 1024, '\0');
    for (int left = 16; left > 0;) {
      pollfd fds[] = {{from_.get(), POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
      poll(fds, 2, -1);
      if (fds[1].revents != 0) --left;
      if (fds[0].revents == 0 && fds[1].revents != 0) return;
      if (fds[0].revents == 0) continue;
      const ssize_t count = read(from_.get(), buffer.data(), buffer.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return;
      write_all(STDERR_FILENO, std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
    }
  }

  io::Descriptor from_;
  io::WakePipe stop_;
  std::thread thread_;
};

// Plays until it is done or departs. `in` and `out` are the other side's.
void play(Replay& replay, int in, io::Descriptor& out, const ReplayOptions& options) {
  rpc::FrameReader reader(rpc::Framing::newline, largest_line);
  std::string buffer(64 * 1024, '\0');
  const auto send = [&] {
    std::string lines;
    for (const std::string& line : replay.outgoing()) lines += line + "\n";
    // If nobody reads it, their end is noticed next.
    if (!lines.empty()) write_all(out.get(), lines);
  };
  send();
  bool closed = false;
  for (;;) {
    // When all has been played, the other side may still say too much.
    if (replay.done() && !closed) {
      closed = true;
      if (options.as == Side::client) out.reset();
    }
    if (replay.departure()) return;
    if (!wait_readable(in, options.timeout)) {
      if (!replay.done()) say("waited too long for " + replay.waiting_for());
      return replay.ended();
    }
    const ssize_t count = read(in, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {
      if (const auto frame = reader.end()) replay.receive(frame->text);
      return replay.ended();
    }
    reader.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
    while (const auto frame = reader.next()) {
      replay.receive(frame->text);
      send();
    }
  }
}

std::string result_of(const Replay& replay) {
  if (replay.departure())
    return "departs at frame " + std::to_string(replay.departure()->frame) + ": " +
           replay.departure()->what;
  return "as recorded: " + std::to_string(replay.size()) + " frames";
}

int play_client(const Recording& recording, const ReplayOptions& options) {
  io::ProcessOptions process;
  process.argv = options.command;
  auto started = io::Process::start(process);
  if (!started) return say(started.error().message()), 1;
  io::Descriptor in = started->take_stdout(), out = started->take_stdin();
  Replay replay(recording, options.as);
  {
    const StderrCopy log(started->take_stderr());
    play(replay, in.get(), out, options);
  }
  say(result_of(replay));
  return replay.departure() ? 1 : 0;
}

int play_agent(const Recording& recording, const ReplayOptions& options) {
  Replay replay(recording, options.as);
  io::Descriptor out(dup(STDOUT_FILENO));
  play(replay, STDIN_FILENO, out, options);
  if (!options.report.empty()) {
    std::ofstream report(options.report);
    report << (replay.departure() ? "1 " : "0 ") << result_of(replay);
    return replay.departure() ? 1 : 0;
  }
  say(result_of(replay));
  return replay.departure() ? 1 : 0;
}

// The words as the shell would take them: {agent} may stand inside of a longer one.
std::vector<std::string> with_agent(const ReplayOptions& options, const std::string& report) {
  std::vector<std::string> self = options.self;
  self.insert(self.end(), {"--report", report});
  std::vector<std::string> words;
  for (const std::string& word : options.command) {
    if (word == "{agent}") {
      words.insert(words.end(), self.begin(), self.end());
      continue;
    }
    std::string whole = word;
    const std::size_t at = whole.find("{agent}");
    if (at != std::string::npos) whole.replace(at, 7, io::command_line(self));
    words.push_back(whole);
  }
  return words;
}

int start_client(const ReplayOptions& options) {
  const std::filesystem::path report =
      std::filesystem::temp_directory_path() / ("acp-replay-" + std::to_string(getpid()));
  io::ProcessOptions process;
  process.argv = with_agent(options, report.string());
  auto started = io::Process::start(process);
  if (!started) return say(started.error().message()), 1;
  started->child_stdin().reset();
  TapChannel out(started->take_stdout(), io::Descriptor(dup(STDOUT_FILENO)));
  TapChannel log(started->take_stderr(), io::Descriptor(dup(STDERR_FILENO)));
  while (!out.in_ended() || !log.in_ended()) {
    pollfd fds[] = {{out.wants_read(), POLLIN, 0}, {log.wants_read(), POLLIN, 0}};
    poll(fds, 2, -1);
    if (fds[0].revents != 0) write_all(STDOUT_FILENO, out.read());
    if (fds[1].revents != 0) write_all(STDERR_FILENO, log.read());
  }
  std::stringstream result;
  result << std::ifstream(report).rdbuf();
  std::error_code ignored;
  std::filesystem::remove(report, ignored);
  if (result.str().empty()) return say("the client has not started the agent, or killed it"), 1;
  say(result.str().substr(2));
  return result.str().front() == '0' ? 0 : 1;
}

}  // namespace

int replay(const Recording& recording, const ReplayOptions& options) {
  keep_sigpipe_away();
  if (options.as == Side::client) return play_client(recording, options);
  return options.command.empty() ? play_agent(recording, options) : start_client(options);
}

}  // namespace acp::check
