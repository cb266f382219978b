#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include "acp/io/printable.h"
#include "acp/io/wake_pipe.h"
#include "acp/rpc/framing.h"
#include "gateway/connect.h"
#include "gateway/not_reached.h"
#include "gateway/token.h"

namespace acp::gateway {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_unsent_bytes = 4 * 1024 * 1024;
constexpr std::chrono::milliseconds first_pause{200}, longest_pause{10'000};
constexpr std::chrono::seconds farewell_time{5};
// For an editor's first request, where there is no agent to pass it to.
constexpr std::chrono::seconds first_request_time{2};
// For sessions that the agent of before still holds: it notices the break later than we do.
constexpr std::chrono::milliseconds retry_pause{300};
constexpr std::chrono::seconds retry_time{5};
// What we call ourselves to a server of ours: Libacp-Client, see docs/remote.md.
constexpr const char* client_header = "Libacp-Client";
constexpr std::size_t client_bytes = 16;
constexpr int never_reached = 3, lost_for_good = 1;

// One side: lines come, and lines go.
class Side {
 public:
  Side(Transport transport, std::size_t max_message_bytes)
      : transport_(std::move(transport)), frames_(rpc::Framing::newline, max_message_bytes) {
    for (const int descriptor : {in(), out()})
      fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  }
  // The link's thread waits until this end is closed.
  ~Side() {
    transport_.in.reset();
    transport_.out.reset();
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  int in() const { return transport_.in.get(); }
  int out() const { return transport_.out ? transport_.out.get() : transport_.in.get(); }
  bool unsent() const { return sent_ < out_.size(); }
  bool congested() const { return out_.size() - sent_ > max_unsent_bytes; }
  std::string end_reason() const { return transport_.link ? transport_.link->end_reason() : ""; }

  void write(std::string_view line) {
    if (sent_ >= out_.size() / 2) out_.erase(0, std::exchange(sent_, 0));
    out_.append(line).push_back('\n');
    flush();
  }
  // False: nobody reads any more.
  bool flush() {
    while (unsent()) {
      const ssize_t size = ::write(out(), out_.data() + sent_, out_.size() - sent_);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return errno == EAGAIN;
      sent_ += static_cast<std::size_t>(size);
    }
    return true;
  }
  // False: it has ended.
  template <class OnLine>
  bool read(OnLine on_line) {
    char buffer[64 * 1024];
    const ssize_t size = ::read(in(), buffer, sizeof buffer);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (size <= 0) {
      if (const auto last = frames_.end()) on_line(last->text);
      return false;
    }
    frames_.feed({buffer, static_cast<std::size_t>(size)});
    while (const auto frame = frames_.next()) {
      if (frame->kind != rpc::FrameReader::Framed::Kind::message) {
        broken_ = "a message that is over the limit";
        return false;
      }
      on_line(frame->text);
    }
    return true;
  }
  // Why read() gave up; empty if it has ended by itself.
  const std::string& broken() const { return broken_; }

 private:
  Transport transport_;
  rpc::FrameReader frames_;
  std::string out_;
  std::size_t sent_ = 0;
  std::string broken_;
};

class Connecting {
 public:
  Connecting(const ConnectOptions& options, Transport editor, const std::stop_token& stop)
      : options_(options),
        remote_(options.remote),
        editor_(std::move(editor), options.max_message_bytes),
        relay_(options.relay, ends()),
        on_stop_(stop, [this] { wake_.poke(); }),
        stop_(stop) {
    // The server may not have seen the end of a connection that broke, and its agent holds the
    // sessions until then.
    if (!options.exact && !options.ssh)
      remote_.headers.emplace(client_header, random_digits(client_bytes));
  }

  int run() {
    open();
    while (true) {
      step();
      if (stop_.stop_requested() || editor_gone_) return 0;
      if (relay_.is_over() && !exit_code_) exit_code_ = lost_for_good;
      if (exit_code_) return flush_editor(), *exit_code_;
      // Requests sent before the editor closed its output are still answered.
      if (editor_ended_ && (pending() == 0 || !agent_)) return flush_editor(), 0;
    }
  }

 private:
  Relay::Ends ends() {
    return {[this](std::string_view text) { editor_.write(text); },
            [this](std::string_view text) {
              if (agent_) agent_->write(text);
            },
            [](const std::string& text) { say(text); }};
  }
  static void say(const std::string& text) {
    std::cerr << "acp connect: " << io::printable(text) << std::endl;
  }

  // The last answers; an editor that does not read them gets no more time.
  void flush_editor() {
    const auto end = Clock::now() + farewell_time;
    while (editor_.flush() && editor_.unsent() && Clock::now() < end) {
      pollfd polled = {editor_.out(), POLLOUT, 0};
      poll(&polled, 1, 100);
    }
  }

  // An editor that has not written yet gets the reason as the answer to its first request.
  void end_unreached(const std::string& reason) {
    const auto end = Clock::now() + first_request_time;
    while (pending() == 0 && !editor_ended_ && !stop_.stop_requested() && Clock::now() < end) {
      pollfd polled = {editor_.in(), POLLIN, 0};
      poll(&polled, 1, 100);
      if (polled.revents != 0 &&
          !editor_.read([this](std::string_view line) { from_editor(line); }))
        editor_ended_ = true;
    }
    relay_.not_reached(reason);
    exit_code_ = never_reached;
  }

  void open() {
    try {
      agent_.emplace(transport(), options_.max_message_bytes);
    } catch (const std::runtime_error& failed) {
      return end_unreached(failed.what());
    }
    heard_ = Clock::now();
    retry_end_ = {};
    if (!options_.exact) relay_.connected();
  }
  Transport transport() {
    if (!options_.ssh) return remote::url(options_.url, remote_);
    ssh_ = std::make_shared<SshLink>(*options_.ssh);
    return ssh_->start(ssh_);
  }

  std::size_t pending() const { return options_.exact ? asked_.size() : relay_.pending(); }
  bool has_begun() const { return options_.exact ? answers_ : relay_.has_begun(); }

  void from_editor(std::string_view line) {
    if (!options_.exact) {
      // While the agent waits for the editor, it is not slow.
      if (relay_.has_questions()) heard_ = Clock::now();
      return relay_.from_editor(line);
    }
    note(line, true);
    if (agent_) agent_->write(line);
  }
  void from_agent(std::string_view line) {
    if (ssh_ && ssh_->takes(line)) {
      // With --map, the editor has names of its own.
      if (options_.relay.paths.empty()) relay_.works_in(ssh_->directory());
      return;
    }
    heard_ = Clock::now();
    if (!options_.exact) return relay_.from_agent(line);
    answers_ = true;
    note(line, false);
    editor_.write(line);
  }
  // What the editor waits for. Only looked at: the line passes as it is.
  void note(std::string_view line, bool from_editor) {
    const auto message = Json::parse(line, {.depth = 512, .bytes = line.size()});
    if (!message || !message->is_object() || (*message)["id"].absent()) return;
    const std::string id((*message)["id"].text());
    const bool asks = !(*message)["method"].absent();
    if (from_editor && asks) asked_.insert(id);
    if (!from_editor && !asks) asked_.erase(id);
  }

  void step() {
    pollfd polled[5] = {{editor_.in(), 0, 0},
                        {editor_.out(), 0, 0},
                        {-1, 0, 0},
                        {wake_.descriptor(), POLLIN, 0},
                        {-1, POLLOUT, 0}};
    if (!editor_ended_ && (!agent_ || !agent_->congested())) polled[0].events = POLLIN;
    if (polled[0].events == 0) polled[0].fd = -1;
    polled[1].events = editor_.unsent() ? POLLOUT : 0;
    if (agent_) {
      polled[2].fd = agent_->in();
      polled[2].events = editor_.congested() ? 0 : POLLIN;
      if (agent_->unsent()) polled[4].fd = agent_->out();
    }
    if (poll(polled, 5, timeout()) < 0) return;
    if ((polled[3].revents & POLLIN) != 0) wake_.drain();
    if ((polled[1].revents & (POLLERR | POLLHUP)) != 0 || !editor_.flush()) editor_gone_ = true;
    if (polled[0].revents != 0 &&
        !editor_.read([this](std::string_view line) { from_editor(line); })) {
      if (!editor_.broken().empty()) say("the editor sent " + editor_.broken());
      editor_ended_ = true;
    }
    if (agent_ && (polled[2].revents | polled[4].revents) != 0) serve_agent();
    if (!agent_ && Clock::now() >= next_attempt_) open();
    if (must_restore() && Clock::now() >= restore_end()) relay_.too_slow();
    if (agent_ && relay_.has_failed_sessions()) retry_sessions();
  }

  void retry_sessions() {
    const auto now = Clock::now();
    if (retry_end_ == Clock::time_point())
      retry_end_ = now + retry_time, next_retry_ = now + retry_pause;
    if (now < next_retry_) return;
    next_retry_ = now + retry_pause;
    relay_.try_again(now >= retry_end_);
  }

  // Whether the agent is to say something: it restores sessions, and waits for no answer.
  bool must_restore() const {
    return agent_ && relay_.is_restoring() && (editor_ended_ || !relay_.has_questions());
  }
  Clock::time_point restore_end() const { return heard_ + options_.patience; }

  int timeout() const {
    std::optional<Clock::time_point> next;
    if (!agent_) next = next_attempt_;
    if (must_restore()) next = restore_end();
    // Also while the editor has a question of the agent's.
    if (agent_ && relay_.has_failed_sessions())
      next = std::min(next.value_or(next_retry_), next_retry_);
    if (!next) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
  }

  void serve_agent() {
    agent_->flush();
    if (agent_->read([this](std::string_view line) { from_agent(line); })) {
      if (relay_.is_here()) attempts_ = 0;
      return;
    }
    std::string reason =
        agent_->broken().empty() ? agent_->end_reason() : "the agent sent " + agent_->broken();
    if (reason.empty()) reason = "the server closed the connection";
    const bool refused = reason.starts_with("HTTP 401") || reason.starts_with("HTTP 403");
    const bool for_good = options_.exact || refused || (ssh_ && ssh_->ended_by_itself());
    agent_.reset();
    if (!has_begun()) {
      return end_unreached(
          options_.ssh ? reason : not_reached(options_.shown_url, reason, options_.token_source));
    }
    if (for_good) {
      if (refused) reason = not_reached(options_.shown_url, reason, options_.token_source);
      relay_.given_up(reason);
      exit_code_ = lost_for_good;
      return;
    }
    if (attempts_++ == 0) {
      say("the connection was lost: " + reason + "; trying again");
      broken_since_ = Clock::now();
    }
    relay_.lost(reason);
    if (Clock::now() - broken_since_ > options_.patience) {
      relay_.given_up(reason);
      exit_code_ = lost_for_good;
      return;
    }
    next_attempt_ =
        Clock::now() + std::min(first_pause * (1 << std::min(attempts_ - 1, 6)), longest_pause);
  }

  const ConnectOptions& options_;
  remote::UrlOptions remote_;
  Side editor_;
  std::shared_ptr<SshLink> ssh_;
  std::optional<Side> agent_;
  Relay relay_;
  std::set<std::string> asked_;  // when exact: what the editor waits for
  bool answers_ = false;         // when exact: the agent has said something
  io::WakePipe wake_;
  const std::stop_callback<std::function<void()>> on_stop_;
  const std::stop_token stop_;
  Clock::time_point next_attempt_, broken_since_, next_retry_, retry_end_;
  Clock::time_point heard_;  // what the agent has said, or had to wait for, ended then
  int attempts_ = 0;
  std::optional<int> exit_code_;
  bool editor_ended_ = false, editor_gone_ = false;
};

}  // namespace

int connect(const ConnectOptions& options, Transport editor, const std::stop_token& stop) {
  // A side that has gone is noticed by the failed write. Nothing is started here that would inherit
  // this.
  std::signal(SIGPIPE, SIG_IGN);
  return Connecting(options, std::move(editor), stop).run();
}

}  // namespace acp::gateway
