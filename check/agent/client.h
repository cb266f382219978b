// A client that a scenario controls: it starts the agent, acts as a client, and checks all messages
// with the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"
#include "acp/workspace/files/files.h"
#include "check/agent/check.h"
#include "check/rules/rules.h"
#include "check/wire/wire_peer.h"

namespace acp::check {

// What the agents of a run have done so far: a rule about terminals passes only if there was one.
struct Seen {
  std::set<std::string, std::less<>> things;
  bool has(std::string_view thing) const { return things.find(thing) != things.end(); }
};

class AgentClient;

// No agent of the run has ever answered initialize. what() is a sentence without its end.
class NeverAnswered : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The agent answers initialize in another version of the protocol. what() is a sentence without its
// end.
class OtherVersion : public std::runtime_error {
 public:
  explicit OtherVersion(const std::string& answer)
      : std::runtime_error("the agent does not speak version 2: initialize was answered with " +
                           answer) {}
};

// State that the scenarios of one run share.
struct AgentRun {
  const AgentCheckOptions& options;
  Report& report;
  Seen seen;
  std::string folder;     // for sessions to work in
  std::string home = {};  // of the agents: HOME and all that XDG names; empty for the user's
  // Of `folder`, opened before an agent could put a link in its place.
  workspace::Files in_folder = workspace::Files(workspace::Boundary({folder}));
  int files = 0;             // names given out
  bool answered = false;     // initialize, by any agent of the run, if only with an error
  bool initialized = false;  // … with a result
  std::string refusal = {};  // the last such error
  std::vector<std::string> sessions = {};  // ids, of all that were opened
  // The connection that most scenarios use, each with sessions of its own. Made anew if the agent
  // has gone.
  std::shared_ptr<AgentClient> shared = nullptr;
  AgentClient& client();
  std::string prompt(const std::string& kind) const;
  std::string prompt(const std::string& kind, const std::string& file) const;
  // "INIT-1" → "A-INIT-1" or "A2-INIT-1", by the version of the protocol.
  std::string number(std::string_view area_and_number) const;
  bool version_2() const { return options.protocol == 2; }
  std::string new_file() { return "made-" + std::to_string(++files) + ".txt"; }
};

// The answer to a request.
struct Reply {
  enum class Kind { result, error, late, closed };
  Kind kind = Kind::late;
  Json body;              // the result, or the error object
  std::size_t frame = 0;  // the how manieth of the agent's it was

  bool ok() const { return kind == Kind::result; }
  bool refused() const { return kind == Kind::error; }
  bool answered() const { return ok() || refused(); }
  std::int64_t code() const { return body["code"].as_int64().value_or(0); }
  JsonView operator[](std::string_view key) const { return body[key]; }
  // Describes the answer: "the result {…}", "error {…}", "nothing in time", "nothing: the agent
  // closed the connection".
  std::string describe() const;
};

struct Update {
  std::string session;
  std::string kind;
  Json update;
  std::size_t frame = 0;  // the how manieth of the agent's it was
};

// A request of the agent to us.
struct Call {
  Json id;
  std::string method;
  Json params;
};

// Which findings of the wire's rules count.
enum class Watch {
  all,
  shape,  // where we break them ourselves: only the form of the agent's messages
  none,   // where nothing is checked
};

enum class Permit {
  allow,
  reject,
  cancelled,
  unknown_option,
  unknown_outcome,
  error,
  hold,
  reject_always
};

class AgentClient {
 public:
  static Json all_capabilities(int protocol = 1);
  static Json no_capabilities(int protocol = 1);

  // Starts the agent.
  AgentClient(AgentRun& run, Json capabilities, Watch watch = Watch::all);
  AgentClient(const AgentClient&) = delete;
  AgentClient& operator=(const AgentClient&) = delete;
  // Reports what the rules find at the end.
  ~AgentClient();

  // ---- talking
  Json ask(std::string_view method, const Json& params);  // the id
  void ask_as(const Json& id, std::string_view method, const Json& params);
  Reply wait(const Json& id);
  Reply wait(const Json& id, std::chrono::milliseconds time);
  bool answered(const Json& id) const;  // wait() would not wait
  Reply call(std::string_view method, const Json& params) { return wait(ask(method, params)); }
  void notify(std::string_view method, const Json& params);
  // Handles messages until the condition holds, or the time is over.
  bool until(const std::function<bool()>& done);
  bool until(const std::function<bool()>& done, std::chrono::milliseconds time);
  // Whether the agent answers a request that any agent can answer: then it has read everything sent
  // before.
  bool still_there();

  // ---- whole steps
  // The params of initialize.
  Json introduction() const;
  // Both throw NeverAnswered if this request, and every earlier one of the run, had no answer.
  Reply initialize();
  Reply initialize_with(const Json& params);
  // Opens a session after initialize(), with authentication if the options name a method. Nothing
  // if that fails.
  std::optional<std::string> new_session();
  Reply new_session_in(const std::string& cwd, const Json& servers = Json::array());
  Json ask_prompt(const std::string& session, const std::string& text);
  // Until the turn is over. The answer.
  Reply prompt(const std::string& session, const std::string& text);
  void cancel(const std::string& session);
  void decide(Permit permit);  // answers what Permit::hold has left open
  bool open();                 // initialize() and log in, once; whether that worked

  // ---- how it behaves
  Permit permit = Permit::allow;
  bool fs_fails = false;
  bool terminal_fails = false;
  bool terminal_runs_on = false;  // until it is killed

  // ---- what it saw
  std::vector<Update> updates;
  std::vector<Call> calls;
  std::vector<PassedFrame> answers_without_id;  // errors whose id is null
  std::vector<Json> taken_back;                 // ids of requests, by $/cancel_request
  std::vector<std::string> chosen;              // kinds of options, in answers about permission
  std::vector<Json> unclaimed_answers() const;  // their ids: nobody has waited for them
  std::size_t count_calls(std::string_view method, std::size_t from = 0) const;
  std::string said(const std::string& session, std::string_view kind, std::size_t from = 0) const;
  Json agent_capabilities() const { return agent_capabilities_; }
  bool advertises(std::string_view session_capability) const;
  const Json& initialized() const { return initialized_; }
  std::map<std::string, std::string> written;  // by path, through the client
  ProgramPeer& program() { return *program_; }
  WirePeer& wire() { return program_->wire(); }
  AgentRun& run() { return run_; }
  bool gone();

 private:
  struct Terminal {
    bool running = false;
    bool killed = false;
    std::vector<Json> waiting;  // ids of terminal/wait_for_exit
  };

  [[noreturn]] void never_answered(const Reply& reply);
  void see(const PassedFrame& frame);
  void note(JsonView message);
  void note_content(JsonView content);
  void note_2(JsonView update, JsonView params);
  void report(const std::vector<Violation>& violations);
  void take(const PassedFrame& frame);
  void serve(const Call& call);
  void serve_permission(const Call& call);
  void answer_permission(const Call& call);  // as `permit` says
  void take_back(const Json& id);
  void serve_file(const Call& call);
  void serve_terminal(const Call& call);
  void end_terminal(Terminal& terminal, bool killed);
  void answer(const Json& id, const Json& result);
  void refuse(const Json& id, int code, std::string_view message);

  AgentRun& run_;
  Json capabilities_;
  Watch watch_;
  Json initialized_, agent_capabilities_;
  std::optional<bool> opened_;
  Rules rules_;
  std::unique_ptr<ProgramPeer> program_;
  std::int64_t next_id_ = 0;
  std::size_t taken_ = 0;                        // frames of the agent
  std::vector<std::pair<Json, Reply>> replies_;  // with their ids
  std::vector<Call> held_;                       // permission requests
  std::map<std::string, Terminal> terminals_;
};

}  // namespace acp::check
