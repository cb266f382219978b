#include "bench/wire/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace bench::wire {
namespace {

volatile sig_atomic_t expired = 0;
volatile pid_t running = 0;

// Killing it ends our reads and writes; the timer comes again for those that begin only now.
void on_alarm(int) {
  expired = 1;
  if (running > 0) kill(-running, SIGKILL);
}

void set_timer(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<time_t>(seconds)) * 1e6);
  if (seconds > 0) timer.it_interval.tv_usec = 200'000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void check(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
}

extern "C" char** environ;

// The driver's is the last core: interrupts tend to be served on the first ones.
struct Places {
  cpu_set_t driver, contestant;
};

Places places(const cpu_set_t& all, Cores cores) {
  Places places{all, all};
  if (cores == Cores::free) return places;
  int last = 0;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &all)) last = i;
  CPU_ZERO(&places.driver);
  CPU_SET(last, &places.driver);
  if (cores == Cores::same) places.contestant = places.driver;
  if (cores == Cores::two && CPU_COUNT(&all) > 1) CPU_CLR(last, &places.contestant);
  return places;
}

void run_on(const cpu_set_t& cores) {
  check(sched_setaffinity(0, sizeof cores, &cores), "sched_setaffinity");
}

}  // namespace

std::string own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

Child::Child(std::string name, const std::vector<std::string>& command, Cores cores,
             std::string step, double seconds)
    : name_(std::move(name)), buffer_(1 << 20) {
  struct sigaction action {};
  action.sa_handler = on_alarm;  // no SA_RESTART: a read that waits ends
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);

  int to[2], from[2];
  check(pipe2(to, O_CLOEXEC), "pipe2");
  check(pipe2(from, O_CLOEXEC), "pipe2");
  in_ = to[1], out_ = from[0];

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t reset;
  sigemptyset(&reset);
  sigaddset(&reset, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &reset);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);

  check(sched_getaffinity(0, sizeof before_, &before_), "sched_getaffinity");
  const Places chosen = places(before_, cores);
  run_on(chosen.contestant);  // it inherits that
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int error = posix_spawnp(&pid_, words[0], &actions, &attributes, words.data(), environ);
  run_on(error ? before_ : chosen.driver);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  step_ = step;
  if (error) {
    pid_ = -1;
    close(in_);
    close(out_);
    fail("cannot start " + command[0] + ": " + std::strerror(error));
  }
  running = pid_;
  begin(std::move(step), seconds);
}

Child::~Child() {
  set_timer(0);
  running = 0;
  sched_setaffinity(0, sizeof before_, &before_);
  if (in_ >= 0) close(in_);
  if (out_ >= 0) close(out_);
  if (pid_ > 0) {
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

void Child::begin(std::string step, double seconds) {
  step_ = std::move(step);
  seconds_ = seconds;
  expired = 0;
  set_timer(seconds);
}

bool Child::was_killed() { return expired != 0; }

void Child::fail(const std::string& why) const { throw Failure(name_ + ": " + step_ + ": " + why); }

void Child::send(std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    const iovec parts[2] = {{const_cast<char*>(first.data()), first.size()},
                            {const_cast<char*>(second.data()), second.size()}};
    const ssize_t written = writev(in_, parts, 2);
    if (written < 0) {
      if (errno == EINTR && !expired) continue;
      fail(how_it_ended());
    }
    std::size_t rest = static_cast<std::size_t>(written);
    const std::size_t of_first = std::min(rest, first.size());
    first.remove_prefix(of_first);
    second.remove_prefix(rest - of_first);
  }
}

// Reads once, after what is there.
void Child::fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ == buffer_.size()) {
    if (begin_ == 0) {
      buffer_.resize(buffer_.size() * 2);
    } else {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
  }
  for (;;) {
    const ssize_t got = read(out_, buffer_.data() + end_, buffer_.size() - end_);
    if (got > 0) {
      end_ += static_cast<std::size_t>(got);
      return;
    }
    if (got < 0 && errno == EINTR && !expired) continue;
    fail(how_it_ended());
  }
}

std::string_view Child::line() {
  for (std::size_t searched = 0;;) {
    const char* start = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    if (const void* found = std::memchr(start + searched, '\n', size - searched)) {
      const std::size_t length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
      begin_ += length + 1;
      return {start, length};
    }
    searched = size;
    fill();
  }
}

std::string_view Child::bytes() {
  if (begin_ == end_) fill();
  const std::string_view all(buffer_.data() + begin_, end_ - begin_);
  begin_ = end_;
  return all;
}

bool Child::has_line() const {
  return std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) != nullptr;
}

double Child::cpu_seconds() const {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0)
    fail("cannot read its CPU time");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double Child::status_mb(std::string_view key) const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::strtod(line.c_str() + key.size(), nullptr) / 1024;
  fail("cannot read its memory");
}

std::string Child::how_it_ended() {
  if (expired) return "no end after " + std::to_string(static_cast<int>(seconds_)) + " s; killed";
  close(in_);
  in_ = -1;
  int status = 0;
  for (int i = 0; i < 100; ++i) {  // its output ends a moment before it does
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      running = 0;
      if (WIFEXITED(status)) return "it exited with " + std::to_string(WEXITSTATUS(status));
      return "signal " + std::to_string(WTERMSIG(status)) + " ended it";
    }
    usleep(10'000);
  }
  return "it closed its output";
}

void Child::finish() {
  begin(step_ + ", then the end of its input", 10);
  close(in_);
  in_ = -1;
  char rest[4096];
  while (const ssize_t got = read(out_, rest, sizeof rest))
    if (got < 0 && (errno != EINTR || expired)) break;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  running = 0;
  if (expired) fail("it did not end; killed");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail("it ended with status " + std::to_string(status));
}

}  // namespace bench::wire
