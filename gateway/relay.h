// Between an editor and a remote agent: passes every message, translates paths, and keeps the
// editor's connection when the network breaks. Without I/O.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "acp/json/json.h"
#include "gateway/path_map.h"

namespace acp::gateway {

struct RelayOptions {
  PathMap paths = {};
  // Hides the editor's files or terminals: the agent works on its own machine.
  bool no_files = false, no_terminals = false;
  // Limit of messages that wait for the network.
  std::size_t max_waiting_bytes = 16 * 1024 * 1024;
};

class Relay {
 public:
  struct Ends {
    std::function<void(std::string_view message)> to_editor;
    std::function<void(std::string_view message)> to_agent;
    // For the log on standard error.
    std::function<void(const std::string& text)> say;
  };
  Relay(RelayOptions options, Ends ends);

  // ---- what happens
  void from_editor(std::string_view text);
  void from_agent(std::string_view text);
  // The network is connected, for the first time or again.
  void connected();
  // The network is lost. Requests to the agent are answered with this reason, and its own are
  // cancelled; messages that wait for the network go on waiting.
  void lost(const std::string& reason);
  // The connection is lost for good: fails all waiting requests.
  void given_up(const std::string& reason);
  // The agent has been asked to restore what was there before the break, and takes too long: what
  // it has not answered is lost.
  void too_slow();
  // Sessions could not be opened again, perhaps because the process of before has not ended yet:
  // try_again() asks for them once more. After the last time they are lost.
  bool has_failed_sessions() const { return !failed_sessions_.empty(); }
  void try_again(bool last_time);
  // The agent was never reached: requests are answered with this text.
  void not_reached(const std::string& text);
  // The agent's directory, for the editor: "libacp/cwd" in the _meta of the answer to initialize.
  void works_in(std::string directory) { directory_ = std::move(directory); }

  // Whether the agent has ever answered `initialize`: before that, there is nothing to restore.
  bool has_begun() const { return !capabilities_.absent(); }
  // Requests of the editor's that have no answer yet.
  std::size_t pending() const { return asked_.size(); }
  bool is_here() const { return state_ == State::here; }
  bool is_restoring() const { return state_ == State::restoring; }
  // Whether the agent waits for an answer of the editor's.
  bool has_questions() const { return !questions_.empty(); }
  bool is_over() const { return state_ == State::over; }

 private:
  enum class State { away, restoring, here, over };
  // A request of the editor's that the agent has not answered.
  struct Asked {
    Json id;
    std::string method;
    Json params;
    std::string session;  // that it names
  };
  // The params needed to open a session again.
  struct Session {
    Json cwd, servers, directories;
  };

  // Whether the agent has chosen version 2 of the protocol.
  bool is_version2() const { return version_ >= 2; }
  // What the agent has answered to initialize.
  void initialized(JsonView result);
  void drop(const std::string& path);
  void pass_request(const Json& message);
  void pass_answer(const Json& message);
  void answered(const Asked& asked, JsonView result);
  void remember(const std::string& id, const Json& params);
  // A message with other params; `id` replaces that of the message if there is one.
  std::string with(const Json& message, const char* member, const Json& value,
                   const Json& id = {}) const;
  void send_or_keep(std::string text);
  // Ends the turns whose prompts wait for the network: the agent knows nothing of them. Returns
  // whether there were any.
  bool cancel_waiting(const std::string& session);
  // Version 2 reports a turn's end by an update: from these it follows which sessions have one.
  void follow_turn(const std::string& session, JsonView update);
  // Whether the editor uses that session: what an agent invents is not kept.
  bool knows(const std::string& session) const;
  // Ends the turns that the agent reports no more.
  void end_turns(const std::string& text);
  void update(const std::string& session, const Json& update);
  // Answers all open requests with an error; returns how many there were.
  std::size_t fail_all(const std::string& text);
  void fail(const Json& id, std::int32_t code, const std::string& message);

  // ---- after a break
  // What a request of ours is for.
  enum class Step { initialize, authenticate, session };
  struct Restoring {
    Step step;
    std::string session = {};
    bool again = false;  // after authenticate
  };
  void ask(Restoring what, const char* method, const Json& params);
  void restore();
  void reopen(const std::string& session, bool again);
  void restored(const std::string& key, JsonView message);
  void session_restored(const Restoring& what, JsonView message);
  // The sessions that waited for it.
  void authenticated(JsonView message);
  void lose(const std::string& session, const std::string& why);
  // Why this request cannot be in that session; a request that opens it again ends the loss.
  std::optional<std::string> loss_of(const std::string& session, const std::string& method);
  // A session's loss, as the answer to a request in it.
  void fail_lost(const Json& id, const std::string& why);
  // Sends the session's current choices: the editor may have chosen otherwise before the break.
  void show_choices(const std::string& session, JsonView result);
  void check_restored();
  void send_waiting(const std::string& text);

  const RelayOptions options_;
  const Ends ends_;
  State state_ = State::away;
  std::string directory_;
  Json initialize_;                     // its params, as they went to the agent
  Json authenticate_;                   // the same, of the login; absent unless the agent took it
  Json capabilities_;                   // of the agent; absent until it has answered
  std::int64_t version_ = 1;            // of the protocol
  std::map<std::string, Asked> asked_;  // by the key of the id
  // The agent's requests, by the key of the id that the editor knows.
  struct Question {
    Json agents_id, editors_id;
  };
  std::map<std::string, Question> questions_;
  std::uint64_t generation_ = 0, next_restore_ = 1;
  std::map<std::string, Session> sessions_;
  std::map<std::string, std::string> lost_sessions_;    // why
  std::map<std::string, Restoring> restoring_;          // by the key of our request
  std::set<std::string> unauthorized_;                  // sessions that wait for authenticate
  std::map<std::string, std::string> failed_sessions_;  // that wait for try_again(): why
  bool last_time_ = false;                              // then they are lost
  bool authenticates_ = false;                          // it has been asked again
  std::set<std::string> replaying_;                     // sessions whose updates the editor has
  std::set<std::string> turns_;                         // sessions with one, in version 2
  std::set<std::string> dropped_;                       // paths of notifications
  std::deque<std::string> waiting_;                     // for the network
  std::size_t waiting_bytes_ = 0;
};

}  // namespace acp::gateway
