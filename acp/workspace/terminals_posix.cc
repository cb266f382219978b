#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "acp/io/quiet_thread.h"
#include "acp/io/wake_pipe.h"
#include "acp/workspace/output_buffer.h"
#include "acp/workspace/terminals.h"

namespace acp::workspace {

namespace {

struct Pty {
  io::Descriptor master;
  std::string path;  // of the side that the command gets
};

Pty open_pty() {
  const auto check = [](bool good) {
    if (!good)
      throw CommandFailed(std::string("no terminal to run it in: ") + std::strerror(errno));
  };
  Pty pty;
  pty.master.reset(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  const int master = pty.master.get();
  check(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  std::array<char, 128> name;
  check(ptsname_r(master, name.data(), name.size()) == 0);
  pty.path = name.data();
  termios settings;
  check(tcgetattr(master, &settings) == 0);
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  settings.c_oflag &= ~static_cast<tcflag_t>(ONLCR);
  check(tcsetattr(master, TCSANOW, &settings) == 0);
  winsize size{};
  size.ws_row = Terminals::rows;
  size.ws_col = Terminals::columns;
  ioctl(master, TIOCSWINSZ, &size);
  check(fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK) == 0);
  return pty;
}

// A shell opens the terminal, and so gets it as its own, and becomes the command.
std::vector<std::string> in_terminal(const CommandLine& line, const std::string& terminal) {
  std::vector<std::string> argv = {"/bin/sh", "-c", "exec \"$@\" </dev/null >\"$0\" 2>&1",
                                   terminal};
  if (line.args.empty()) {
    argv.insert(argv.end(), {"/bin/sh", "-c", line.command});
  } else {
    argv.push_back(line.command);
    argv.insert(argv.end(), line.args.begin(), line.args.end());
  }
  return argv;
}

using Waiter = std::shared_ptr<async::Completion<io::ExitStatus>>;

}  // namespace

class Terminals::State {
 public:
  struct Terminal {
    std::string owner;
    io::Process process;
    io::Descriptor master;
    OutputBuffer output;
    std::optional<io::ExitStatus> exit;
    std::vector<Waiter> waiters;
  };

  State(OnOutput on_output, OnEnd on_end)
      : on_output_(std::move(on_output)), on_end_(std::move(on_end)) {
    thread_ = io::quiet_thread([this] { watch(); });
  }

  ~State() {
    release_if([](const Terminal&) { return true; });
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.poke();
    thread_.join();
  }

  std::string add(std::shared_ptr<Terminal> terminal, std::string id) {
    const std::lock_guard lock(mutex_);
    if (id.empty()) id = "terminal_" + std::to_string(next_++);
    terminals_.emplace(id, std::move(terminal));
    wake_.poke();
    return id;
  }

  // With the terminals locked.
  template <class F>
  auto with(const std::string& id, F action) {
    const std::lock_guard lock(mutex_);
    const auto found = terminals_.find(id);
    if (found == terminals_.end()) throw UnknownTerminal(id);
    return action(*found->second);
  }

  void release(const std::string& id) {
    std::unique_lock lock(mutex_);
    const auto found = terminals_.find(id);
    if (found == terminals_.end()) throw UnknownTerminal(id);
    Gone gone;
    gone.emplace_back(id, found->second);
    terminals_.erase(found);
    lock.unlock();
    end(std::move(gone));
  }

  void release_if(const std::function<bool(const Terminal&)>& chosen) {
    Gone gone;
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(terminals_, [&](const auto& item) {
        const bool goes = chosen(*item.second);
        if (goes) gone.emplace_back(item.first, item.second);
        return goes;
      });
    }
    end(std::move(gone));
  }

 private:
  using Gone = std::vector<std::pair<std::string, std::shared_ptr<Terminal>>>;

  // All at the same time, then one after the other.
  void end(Gone gone) {
    std::vector<Waiter> waiters;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [id, terminal] : gone) {
        terminal->process.kill();
        waiters.insert(waiters.end(), terminal->waiters.begin(), terminal->waiters.end());
        terminal->waiters.clear();
      }
    }
    for (const Waiter& waiter : waiters)
      waiter->settle(io::ExitStatus{io::ExitStatus::Kind::killed, SIGKILL});
    for (const auto& [id, terminal] : gone) {
      if (on_end_) on_end_(id, {});
      io::Process process;
      {
        const std::lock_guard lock(mutex_);
        process = std::move(terminal->process);
        terminal->master.reset();
      }
    }
  }

  struct Piece {
    std::string id;
    std::string text;
  };
  struct Ended {
    std::string id;
    std::shared_ptr<Terminal> terminal;
    io::ExitStatus status;
  };

  void watch() {
    while (true) {
      std::vector<std::pair<std::string, std::shared_ptr<Terminal>>> watched;
      std::vector<pollfd> set = {{wake_.descriptor(), POLLIN, 0}};
      {
        const std::lock_guard lock(mutex_);
        if (over_) return;
        for (const auto& [id, terminal] : terminals_) {
          if (terminal->exit && !terminal->master) continue;
          watched.emplace_back(id, terminal);
          set.push_back({terminal->master ? terminal->master.get() : -1, POLLIN, 0});
          set.push_back({terminal->exit ? -1 : terminal->process.exit_descriptor(), POLLIN, 0});
        }
      }
      if (poll(set.data(), set.size(), -1) < 0) {
        // Out of memory, or interrupted: nobody else would look after the terminals.
        for (pollfd& one : set) one.revents = 0;
        poll(set.data(), 1, 100);
      }
      wake_.drain();
      std::vector<Piece> pieces;
      std::vector<Ended> ended;
      {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < watched.size(); ++i) {
          auto& [id, terminal] = watched[i];
          if (!terminals_.contains(id)) continue;  // released meanwhile
          if (set[2 * i + 1].revents != 0) read(id, *terminal, pieces);
          if (set[2 * i + 2].revents == 0) continue;
          if (const auto status = find_end(id, *terminal, pieces))
            ended.push_back({id, terminal, *status});
        }
      }
      if (on_output_)
        for (const Piece& piece : pieces) on_output_(piece.id, piece.text);
      for (const Ended& one : ended) tell_end(one);
    }
  }

  // First the hook, then all others: what they do with it must find the hook's work done.
  void tell_end(const Ended& ended) {
    if (on_end_) on_end_(ended.id, ended.status);
    std::vector<Waiter> waiters;
    {
      const std::lock_guard lock(mutex_);
      ended.terminal->exit = ended.status;
      waiters.swap(ended.terminal->waiters);
    }
    for (const Waiter& waiter : waiters) waiter->settle(ended.status);
  }

  // False when there is nothing more for now, or for good.
  bool read(const std::string& id, Terminal& terminal, std::vector<Piece>& pieces) {
    if (!terminal.master) return false;
    std::array<char, 64 * 1024> buffer;
    const ssize_t size = ::read(terminal.master.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) return true;
    if (size < 0 && errno == EAGAIN) return false;
    const bool ended = size <= 0;  // nobody has the other side open any more
    if (ended) terminal.master.reset();
    std::string text =
        ended ? terminal.output.finish()
              : terminal.output.append({buffer.data(), static_cast<std::size_t>(size)});
    if (!text.empty() && on_output_) pieces.push_back({id, std::move(text)});
    return !ended;
  }

  std::optional<io::ExitStatus> find_end(const std::string& id, Terminal& terminal,
                                         std::vector<Piece>& pieces) {
    const auto status = terminal.process.poll_exit();
    if (!status) return {};
    // What it printed is there before its end is reported; what others of its tree still print is
    // not waited for.
    for (int reads = 0; reads < 1024 && read(id, terminal, pieces); ++reads) {
    }
    return status;
  }

  const OnOutput on_output_;
  const OnEnd on_end_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Terminal>> terminals_;
  std::uint64_t next_ = 1;
  bool over_ = false;
  io::WakePipe wake_;
  std::thread thread_;
};

Terminals::Terminals(OnOutput on_output, OnEnd on_end)
    : state_(std::make_unique<State>(std::move(on_output), std::move(on_end))) {}
Terminals::~Terminals() = default;

std::string Terminals::create(const CommandLine& line, const std::string& owner,
                              std::optional<std::size_t> output_bytes, std::string id) {
  Pty pty = open_pty();
  io::ProcessOptions options;
  options.argv = in_terminal(line, pty.path);
  options.cwd = line.cwd;
  options.environment = without_prompts(line.environment);
  auto started = io::Process::start(options);
  if (!started) throw CommandFailed(started.error().reason);
  started->take_stdin().reset();
  started->take_stdout().reset();
  started->take_stderr().reset();
  const std::size_t limit =
      std::min(output_bytes.value_or(default_output_bytes), most_output_bytes);
  return state_->add(
      std::make_shared<State::Terminal>(State::Terminal{
          owner, std::move(*started), std::move(pty.master), OutputBuffer(limit), {}, {}}),
      std::move(id));
}

std::string Terminals::owner(const std::string& id) const {
  return state_->with(id, [](const State::Terminal& terminal) { return terminal.owner; });
}

Terminals::Output Terminals::output(const std::string& id) const {
  return state_->with(id, [](const State::Terminal& terminal) {
    return Output{std::string(terminal.output.text()), terminal.output.truncated(), terminal.exit};
  });
}

Task<io::ExitStatus> Terminals::wait(const std::string& id) {
  auto waiter = std::make_shared<async::Completion<io::ExitStatus>>();
  state_->with(id, [&](State::Terminal& terminal) {
    if (terminal.exit)
      waiter->settle(*terminal.exit);
    else
      terminal.waiters.push_back(waiter);
  });
  return Task<io::ExitStatus>(waiter);
}

void Terminals::kill(const std::string& id) {
  state_->with(id, [](State::Terminal& terminal) { terminal.process.kill(); });
}

void Terminals::release(const std::string& id) { state_->release(id); }

void Terminals::release_all(const std::string& owner) {
  state_->release_if([&](const State::Terminal& terminal) { return terminal.owner == owner; });
}

}  // namespace acp::workspace
