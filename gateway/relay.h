// Between an editor and an agent elsewhere: every message passes, paths are translated, and when
// the network breaks, the editor keeps its connection. Without I/O.
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
  // The editor's own are hidden: the agent works on its machine.
  bool no_files = false, no_terminals = false;
  // Of messages that wait for the network.
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
  // The network is there: for the first time, or again.
  void connected();
  // It is gone. What the agent was asked is answered with this, and what it asked is taken back;
  // what has waited for the network goes on waiting.
  void lost(const std::string& reason);
  // It will not come back: nothing waits any more.
  void given_up(const std::string& reason);
  // It was never there: what was asked is answered with this text.
  void not_reached(const std::string& text);
  // The agent's directory, for the editor: "libacp/cwd" in the _meta of the answer to initialize.
  void works_in(std::string directory) { directory_ = std::move(directory); }

  // Whether the agent has ever answered `initialize`: before that, there is nothing to come back
  // to.
  bool has_begun() const { return !capabilities_.absent(); }
  // Requests of the editor's that have no answer yet.
  std::size_t pending() const { return asked_.size(); }
  bool is_here() const { return state_ == State::here; }
  bool is_over() const { return state_ == State::over; }

 private:
  enum class State { away, restoring, here, over };
  // A request of the editor's that the agent has not answered.
  struct Asked {
    Json id;
    std::string method;
    Json params;
  };
  // What is needed to open a session again.
  struct Session {
    Json cwd, servers, directories;
  };

  void pass_request(const Json& message);
  void pass_answer(const Json& message);
  void answered(const Asked& asked, JsonView result);
  void remember(const std::string& id, const Json& params);
  // A message with other params; `id` replaces that of the message if there is one.
  std::string with(const Json& message, const char* member, const Json& value,
                   const Json& id = {}) const;
  void send_or_keep(std::string text);
  // How many there were.
  std::size_t fail_all(const std::string& text);
  void fail(const Json& id, std::int32_t code, const std::string& message);

  // ---- after a break
  void restore();
  void restored(const std::string& key, JsonView message);
  // What a session has become: the editor may have chosen otherwise before the break.
  void show_choices(const std::string& session, JsonView result);
  void check_restored();

  const RelayOptions options_;
  const Ends ends_;
  State state_ = State::away;
  std::string directory_;
  Json initialize_;                     // its params, as they went to the agent
  Json capabilities_;                   // of the agent; absent until it has answered
  std::map<std::string, Asked> asked_;  // by the key of the id
  // The agent's requests, by the key of the id that the editor knows.
  struct Question {
    Json agents_id, editors_id;
  };
  std::map<std::string, Question> questions_;
  std::uint64_t generation_ = 0, next_restore_ = 1;
  std::map<std::string, Session> sessions_;
  std::map<std::string, std::string> lost_sessions_;  // why
  std::map<std::string, std::string> restoring_;      // the key of our request: the session's id
  std::set<std::string> replaying_;                   // sessions whose updates the editor has
  std::deque<std::string> waiting_;                   // for the network
  std::size_t waiting_bytes_ = 0;
};

}  // namespace acp::gateway
