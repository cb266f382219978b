// The agent, its session, the turn that runs and what waits for its end. Independent of the
// terminal. Used only by the thread that reads the mailbox; slow work runs on others.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "acp/client.h"
#include "chat/last_session.h"
#include "chat/tui/chat.h"
#include "chat/tui/host.h"

namespace acp::chat {

class Conversation {
 public:
  using Clock = std::chrono::steady_clock;
  // Starts the agent, or connects to it.
  using Connect = std::function<Task<AgentHandle>(Client&)>;

  // Events for the owner, on its thread.
  class Events {
   public:
    virtual ~Events() = default;
    virtual void say(const std::string& text) = 0;
    virtual void say_error(const std::string& text) = 0;
    // The phase or the queue has changed.
    virtual void changed() = 0;
    // The session is about to close.
    virtual void closing() = 0;
    // No session is open now: lines printed here are above the next session's.
    virtual void opening(const Session& next, const std::string& how, bool first) = 0;
    virtual void opened() = 0;
    // The person has to choose a session at the start. None is open yet.
    virtual void choose_session() = 0;
    // The session that was wanted cannot be opened. None is open now.
    virtual void not_resumed(const std::string& id, const std::string& why) = 0;
    // The agent could not be started, or begin a session, and none is open. `code` is the exit
    // code.
    virtual void not_started(const std::string& why, bool login_wanted, int code) = 0;
    virtual void turn_begins() = 0;
    // The turn ends; it still counts as running.
    virtual void turn_ends(const std::string& error, bool login_wanted) = 0;
    // Nothing more is sent: it is the person's turn.
    virtual void idle() = 0;
    virtual void agent_gone() = 0;
  };

  Conversation(const ChatOptions& options, std::shared_ptr<Mailbox> mailbox,
               std::shared_ptr<ChatHost> host, Events& events, Connect connect = {});
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // ---- the agent
  void start();
  void stop_starting() { starting_.request_stop(); }
  // Ends the agent and starts it anew, with the session that is open if it can be resumed.
  // Such a session is opened by the way "again": its turns have been shown.
  void restart();
  // The connection has ended.
  void disconnected();
  const AgentHandle& agent() const { return *agent_; }  // once there is one
  bool has_agent() const { return agent_.has_value(); }
  // The phase of the start, until a session is open; empty once that is over.
  const std::string& phase() const { return phase_; }
  Clock::time_point phase_began() const { return phase_began_; }

  // ---- sessions
  const std::optional<Session>& session() const { return session_; }
  // `how`: load, resume or fork; empty is the best that the agent offers.
  void open_session(const std::string& id, const std::string& how);
  void new_session();
  // The command that resumes the session later; empty if there is none.
  std::string how_to_go_on() const;

  // ---- turns
  // Sends a prompt, or queues it until the turn has ended or there is a session.
  void submit(const std::string& text);
  // Cancels the turn, and returns the queue, which is not sent.
  std::vector<std::string> cancel();
  // Cancels the turn alone: what is queued is sent after it.
  void cancel_turn();
  bool working() const { return turn_running_; }
  bool cancelled() const { return cancelled_; }
  const std::deque<std::string>& queue() const { return queue_; }
  // Takes the last prompt out of the queue, which must not be empty.
  std::string take_last_queued();
  // Attaches a block to the next prompt.
  void attach(v1::ContentBlock block, std::string name);
  const std::vector<std::string>& attached() const { return attached_names_; }
  // Removes the last attachment; there must be one.
  void detach_last();

  // Runs the work on a thread of its own; what it posts comes back here. Its failure is shown.
  void beside(std::function<void()> work);
  // As beside(); the token is set when the conversation is destroyed.
  void beside_until(std::function<void(std::stop_token)> work);
  // Whether no such work is running.
  bool quiet() const { return work_.empty(); }

 private:
  struct Opened {
    Session session;
    std::string how;      // new, load, resume, fork
    std::string problem;  // a choice that could not be made
  };
  // Opens a session by `ask`, which runs beside. `id` is the one that is wanted; empty: a new one.
  void open(const std::string& id, std::function<Opened(const AgentHandle&)> ask);
  void begin_phase(const char* name);
  void close_agent();
  bool can_go_on() const;
  RunChoices choices_for_another() const;
  void opened(Session session, const std::string& how);
  void send(std::vector<v1::ContentBlock> blocks);
  void turn_ended(const std::string& error, bool login_wanted);
  void next_from_queue();
  void report_gone();

  const ChatOptions& options_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::shared_ptr<ChatHost> host_;
  Events& events_;
  const Connect connect_;
  LastSession last_;

  std::string wanted_;  // the session to begin with; empty: a new one
  std::string before_;  // the session that was open when the agent was started anew
  std::string phase_;
  Clock::time_point phase_began_ = {};
  std::stop_source starting_;
  std::optional<AgentHandle> agent_;
  std::optional<Session> session_;
  bool turn_running_ = false;
  bool said_ = false;  // something is in the session
  bool cancelled_ = false;
  bool gone_ = false;  // the agent, and that is reported
  std::deque<std::string> queue_;
  std::vector<v1::ContentBlock> attached_;
  std::vector<std::string> attached_names_;
  std::size_t next_work_ = 0;
  std::map<std::size_t, std::jthread> work_;
};

}  // namespace acp::chat
