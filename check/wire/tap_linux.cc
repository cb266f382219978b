#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "acp/io/printable.h"
#include "acp/io/process/process.h"
#include "check/wire/tap.h"
#include "check/wire/tap_channel_linux.h"
#include "check/wire/tap_observer.h"

namespace acp::check {
namespace {

// How long a frame that should go with the next one, or after it, waits for that.
constexpr std::chrono::milliseconds longest_hold{100};

// The signals that are passed on; SIGPIPE is only kept away.
sigset_t passed_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE})
    sigaddset(&set, signal);
  return set;
}

class Relay {
 public:
  Relay(const TapOptions& options, TapObserver& observer, io::Process process, int signals)
      : observer_(observer),
        process_(std::move(process)),
        signals_(signals),
        faults_(options.faults, options.seed),
        client_(open_unshared(STDIN_FILENO, false), process_.take_stdin()),
        agent_(process_.take_stdout(), open_unshared(STDOUT_FILENO, true)),
        // Ours stays as it is: the observer writes there, too.
        stderr_(process_.take_stderr(), io::Descriptor(dup(STDERR_FILENO))),
        readers_{{options.framing, largest_frame}, {options.framing, largest_frame}} {}

  io::ExitStatus run() {
    while (!done()) {
      wait();
      const TapClock::time_point now = TapClock::now();
      for (TapChannel* const each : {&client_, &agent_, &stderr_}) each->go_on(now);
      release_held(now);
      close_ends();
    }
    return exit_.value_or(io::ExitStatus{});
  }

 private:
  TapChannel& channel(Side from) { return from == Side::client ? client_ : agent_; }

  // When the agent has ended and all that it said is written.
  bool done() {
    if (!exit_) return false;
    return (agent_.in_ended() || agent_quiet_) && agent_.drained() &&
           (stderr_.in_ended() || stderr_quiet_) && stderr_.drained();
  }

  void wait() {
    pollfd fds[] = {
        {client_.wants_read(), POLLIN, 0},
        {client_.wants_write(), POLLOUT, 0},
        {agent_.wants_read(), POLLIN, 0},
        {agent_.wants_write(), POLLOUT, 0},
        {stderr_.wants_read(), POLLIN, 0},
        {stderr_.wants_write(), POLLOUT, 0},
        {signals_, POLLIN, 0},
        {process_.tree_ended() ? -1 : process_.exit_descriptor(), POLLIN, 0},
    };
    poll(fds, std::size(fds), timeout());
    if (fds[6].revents != 0) pass_signals();
    if (fds[0].revents != 0) read_from(Side::client);
    // After its end there may be more to read of what it said: once, until nothing is there.
    const bool had_ended = exit_.has_value();
    if (fds[2].revents != 0)
      read_from(Side::agent);
    else if (had_ended)
      agent_quiet_ |= fds[2].fd >= 0 || agent_.stalled();
    if (fds[4].revents != 0)
      stderr_.write(stderr_.read());
    else if (had_ended)
      stderr_quiet_ |= fds[4].fd >= 0;
    if (fds[7].revents != 0 && !exit_) exit_ = process_.poll_exit();
  }

  int timeout() const {
    std::optional<TapClock::time_point> first;
    const auto consider = [&](const std::optional<TapClock::time_point>& due) {
      if (due && (!first || *due < *first)) first = due;
    };
    for (const TapChannel* const each : {&client_, &agent_}) consider(each->next_due());
    for (const auto& due : hold_until_) consider(due);
    // Once it has ended, one look for each channel is enough, as soon as there is room for more.
    const bool looks = (!agent_quiet_ && (agent_.wants_read() >= 0 || agent_.stalled())) ||
                       (!stderr_quiet_ && stderr_.wants_read() >= 0);
    if (exit_ && looks) return 0;
    if (!first) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*first - TapClock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
  }

  void read_from(Side from) {
    TapChannel& here = channel(from);
    TapQueue& queue = observer_.queue();
    const std::span<char> room = queue.space(read_at_once).first(read_at_once);
    const std::string_view bytes(room.data(), here.read(room));
    if (bytes.empty()) {
      if (here.in_ended() && faults_.any()) ended(from);
      return;
    }
    const TapQueue::Piece piece{TapQueue::Piece::What::bytes, from, now_in_nanoseconds()};
    if (!faults_.any()) {
      here.write(bytes);
      queue.put(piece, bytes.size());
      queue.wake();
      return;
    }
    queue.put(piece, bytes.size());
    rpc::FrameReader& reader = readers_[from == Side::client ? 0 : 1];
    reader.feed(bytes);
    while (const auto frame = reader.next()) pass(from, *frame, reader.framing());
    queue.wake();
  }

  void ended(Side from) {
    rpc::FrameReader& reader = readers_[from == Side::client ? 0 : 1];
    if (const auto frame = reader.end()) pass(from, *frame, reader.framing());
    apply(from, faults_.release(from), 0);
  }

  void pass(Side from, const rpc::FrameReader::Framed& frame, rpc::Framing framing) {
    const std::size_t number = frames_++;
    if (frame.kind == rpc::FrameReader::Framed::Kind::too_large) {
      Faults::Outcome lost;
      lost.told.push_back({"drop", "a frame of " + std::to_string(frame.size) +
                                       " bytes is too large for a tap with faults"});
      return apply(from, std::move(lost), number);
    }
    apply(from, faults_.pass(from, frame.text, framing), number);
    auto& until = hold_until_[from == Side::client ? 0 : 1];
    if (!faults_.holds(from))
      until.reset();
    else if (!until)
      until = TapClock::now() + longest_hold;
  }

  void apply(Side from, Faults::Outcome outcome, std::size_t number) {
    if (killed_) return;
    for (FaultedWrite& each : outcome.writes) channel(from).write_later(std::move(each));
    const std::int64_t time = now_in_nanoseconds();
    for (const Faults::Told& each : outcome.told)
      observer_.queue().put({TapQueue::Piece::What::fault, from, time, each.kind, number},
                            each.detail);
    if (!outcome.kill) return;
    process_.kill();
    // Neither what it has written already, nor what comes for it, passes any more.
    killed_ = true;
    client_.close_in();
    agent_.close_in();
  }

  void release_held(TapClock::time_point now) {
    for (const Side side : {Side::client, Side::agent}) {
      auto& until = hold_until_[side == Side::client ? 0 : 1];
      if (!until || *until > now) continue;
      until.reset();
      apply(side, faults_.release(side), 0);
    }
  }

  // An end that was closed on one side is closed on the other.
  void close_ends() {
    for (TapChannel* const each : {&client_, &agent_, &stderr_}) {
      if (each->in_ended() && each->drained()) each->close_out();
      if (each->out_ended()) each->close_in();
    }
  }

  void pass_signals() {
    signalfd_siginfo info = {};
    while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      // The terminal's signals reach the agent by themselves: it is in our process group.
      if (info.ssi_code == SI_KERNEL || info.ssi_signo == SIGPIPE) continue;
      if (!exit_) kill(process_.id(), static_cast<int>(info.ssi_signo));
    }
  }

  TapObserver& observer_;
  io::Process process_;
  int signals_;
  Faults faults_;
  TapChannel client_, agent_, stderr_;
  rpc::FrameReader readers_[2];
  std::size_t frames_ = 0;
  std::optional<TapClock::time_point> hold_until_[2];
  std::optional<io::ExitStatus> exit_;
  bool killed_ = false;  // by a fault
  bool agent_quiet_ = false, stderr_quiet_ = false;
};

int fail(const std::string& what, int code) {
  std::fprintf(stderr, "acp tap: %s\n", io::one_line(what, io::whole).c_str());
  return code;
}

}  // namespace

int tap(const TapOptions& options) {
  const sigset_t set = passed_signals();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &set, &before);
  const io::Descriptor signals(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  try {
    TapObserver observer(options);
    io::ProcessOptions process;
    process.argv = options.command;
    process.group = io::ProcessGroup::shared;
    io::StartResult started = io::Process::start(process);
    if (!started) return fail(started.error().message(), 127);
    observer.start();
    io::ExitStatus status;
    {
      Relay relay(options, observer, std::move(*started), signals.get());
      status = relay.run();
    }
    observer.finish(status.describe("agent"));
    if (status.kind == io::ExitStatus::Kind::exited) return status.value;
    return status.kind == io::ExitStatus::Kind::killed ? 128 + status.value : 1;
  } catch (const std::runtime_error& error) {
    return fail(error.what(), 2);
  }
}

}  // namespace acp::check
