// The agent, its session, the turn that runs and what waits for its end. Knows no terminal. All of
// it is for the thread that reads the mailbox; what takes time runs on others.
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
    // What stands for it changes: a phase, the queue.
    virtual void changed() = 0;
    // The session is about to go.
    virtual void closing() = 0;
    // There is none now: what is said here stands above all of the next one.
    virtual void opening(const Session& next, const std::string& how, bool first) = 0;
    virtual void opened() = 0;
    // Wanted at the start: which session it is to be. Nothing is open yet.
    virtual void choose_session() = 0;
    virtual void not_resumed(const std::string& id, const std::string& why) = 0;
    // `code` is one to leave with.
    virtual void not_started(const std::string& why, bool login_wanted, int code) = 0;
    virtual void turn_begins() = 0;
    // It still counts as running.
    virtual void turn_ends(const std::string& error, bool login_wanted) = 0;
    // Nothing more is sent: the person has the word.
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
  // Of the start; empty once that is over.
  const std::string& phase() const { return phase_; }
  Clock::time_point phase_began() const { return phase_began_; }

  // ---- sessions
  const std::optional<Session>& session() const { return session_; }
  // `how`: load, resume or fork; empty is the best that the agent offers.
  void open_session(const std::string& id, const std::string& how);
  void new_session();
  // By which command it goes on later; empty if it does not.
  std::string how_to_go_on() const;

  // ---- turns
  // Sends it, or keeps it until the turn has ended or there is a session.
  void submit(const std::string& text);
  // Gives what was queued: nothing of it is sent.
  std::vector<std::string> cancel();
  bool working() const { return turn_running_; }
  bool cancelled() const { return cancelled_; }
  const std::deque<std::string>& queue() const { return queue_; }
  // Takes the last one out of the queue, which must have one.
  std::string take_last_queued();
  // Goes with the next prompt.
  void attach(v1::ContentBlock block, std::string name);
  const std::vector<std::string>& attached() const { return attached_names_; }
  // The last of what is attached, which must be something.
  void detach_last();

  // Runs on a thread of its own; what it posts comes back here. A failure is said.
  void beside(std::function<void()> work);
  // Likewise; the token is set when the conversation goes.
  void beside_until(std::function<void(std::stop_token)> work);
  // Nothing runs beside.
  bool quiet() const { return work_.empty(); }

 private:
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
