// One start of the tested client, with an agent whose messages the scenario writes by hand.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "acp/io/process/attended_process.h"
#include "acp/json/json.h"
#include "check/client/agent_socket.h"
#include "check/client/run.h"
#include "check/client/scenario_server.h"
#include "check/wire/wire_peer.h"

namespace acp::check {

// Facts about the client from the first scenario, for later ones.
struct ClientFacts {
  // A request that the client answers, which shows that it has read everything sent before.
  enum class Barrier { extension, permission, none };
  Barrier barrier = Barrier::extension;
  bool prompted = false;          // it came to a prompt
  bool stays = false;             // does not end by itself
  std::optional<int> plain_exit;  // the exit code of an untroubled run
  std::string hopeless;           // why nothing more can be tried, if it cannot
};

// A report that several threads may use.
class Judge {
 public:
  // Requirements in `ignored` are not reported.
  Judge(Report& report, std::set<std::string_view> ignored)
      : report_(report), ignored_(std::move(ignored)) {}
  void pass(std::string_view id);
  void fail(std::string_view id, const std::string& message);
  void skip(std::string_view id, const std::string& reason);
  void expect(std::string_view id, bool ok, const std::string& message);

 private:
  std::mutex mutex_;
  Report& report_;
  const std::set<std::string_view> ignored_;
};

struct Incoming {
  Json json;
  std::string method;    // empty for an answer
  bool request = false;  // has a method and an id
  JsonView operator[](std::string_view key) const { return json[key]; }
};

class ClientScenario {
 public:
  ClientScenario(const ClientCheckOptions& options, const ClientFacts& facts, Judge& judge,
                 std::string name, std::filesystem::path directory);
  ClientScenario(const ClientScenario&) = delete;
  ClientScenario& operator=(const ClientScenario&) = delete;
  ~ClientScenario();

  // ---- the part: set before the client comes to it
  int protocol;  // the version that our agent speaks
  std::string initialize_result;
  std::string session_members;  // of the answer to session/new, after the id: `,"modes":…`
  // Sees every request and notification of the client first; returns true if it has handled it.
  std::function<bool(const Incoming&)> intercept;
  bool stubborn = false;  // the agent's process does not end when it should
  bool ruled = true;      // the rules of the wire hold: not where we confuse them

  // ---- the play. All waiting ends after the client's time limit, and when the client is gone.
  // Starts the client. If it does not connect, skips all requirements of the scenario and returns
  // false.
  bool start();
  // Whether the client has connected, now or once more, within this time.
  bool met(std::chrono::milliseconds time);
  // Waits until the client has called this method.
  bool reach(std::string_view method);
  // start() and reach the first prompt; skips everything otherwise.
  bool reach_prompt();
  // Waits until the condition holds.
  bool until(const std::function<bool()>& done) { return until(done, options_.time); }
  bool until(const std::function<bool()>& done, std::chrono::milliseconds time);

  // In all texts $S is the session's id, with its quotes, and $W the directory's path, without.
  // Sends a request of ours, and returns the whole answer, if there is one.
  std::optional<Json> call(std::string_view method, std::string_view params);
  // call() in two steps; ids are JSON text.
  std::string ask(std::string_view method, std::string_view params, std::string id = {});
  std::optional<Json> answer_to(const std::string& id);
  bool answered(const std::string& id) const { return answers_.contains(id); }
  void notify(std::string_view method, std::string_view params);
  void update(std::string_view update);
  // A piece of what the agent says, in words of the version.
  void say(std::string_view text);
  // A tool call that is pending; its end.
  void show_call(std::string_view id);
  void fail_call(std::string_view id);
  // The params of a permission request about a tool call.
  std::string permission(std::string_view call) const;
  void answer(const Incoming& request, std::string_view result);
  void answer_error(const Incoming& request, int code, std::string_view message);
  // Answers session/new with this id, which is JSON.
  void answer_session(const Incoming& request, std::string_view id);
  void raw(std::string_view bytes) { wire_->send_bytes(bytes); }
  // Version 2: the prompt is answered, its message comes back, and the session runs.
  void insert(const Incoming& prompt);
  void state(std::string_view members) {
    update("{\"sessionUpdate\":\"state_update\",\"state\":" + std::string(members) + "}");
  }
  // Version 2: the turn is over, as the state idle says.
  void end_turn_with(std::string_view members);
  // Answers each open prompt; in version 2 the session is idle.
  void end_turn(std::string_view stop_reason = "end_turn");
  // Whether the client has read everything, and still answers.
  bool alive();
  // Kills the agent's process, or ends its output.
  void die();
  void close_output() { wire_->close_output(); }
  void signal(int number) const;

  struct Ending {
    bool closed = false;     // the client has closed the connection
    bool in_time = false;    // and its process has ended
    bool tree_gone = false;  // with all that it had started
    std::optional<io::ExitStatus> exit;
    std::string text() const;
  };
  // Ends the open turn, and waits for the client's end; with `tree`, also for the end of all that
  // it started.
  Ending finish(bool tree = false);

  // ---- what was seen
  bool called(std::string_view method) const { return count(method) > 0; }
  std::size_t count(std::string_view method) const;
  const std::vector<Incoming>& calls() const { return calls_; }
  const std::vector<Incoming>& prompts() const { return prompts_; }
  bool gone() const { return !wire_ || wire_->ended() || wire_->broken(); }
  JsonView capabilities() const { return capabilities_; }
  // "AUTH-1" → "C-AUTH-1" or "C2-AUTH-1"
  std::string number(std::string_view area_and_number) const;
  const std::string& session_cwd() const { return session_cwd_; }
  const std::filesystem::path& work() const { return work_; }
  const std::filesystem::path& outside() const { return outside_; }
  const WirePeer* wire() const { return wire_.get(); }
  const std::string& name() const { return name_; }
  const ClientCheckOptions& options() const { return options_; }
  const ClientFacts& facts() const { return facts_; }
  bool started_by_us() const { return options_.listen.empty(); }
  // Describes the client's state, for messages.
  std::string state() const;

  // ---- verdicts
  Judge& judge() { return judge_; }
  void pass(std::string_view id) { judge_.pass(id); }
  void fail(std::string_view id, const std::string& message);
  void skip(std::string_view id, const std::string& reason) { judge_.skip(id, reason); }
  bool expect(std::string_view id, bool ok, const std::string& message);
  // Fails the requirement unless alive().
  bool survived(std::string_view id, const std::string& what);
  // Calls finish(); fails the requirement unless the client ends as it does in a normal run.
  void end_well(std::string_view id, const std::string& what);
  std::vector<std::string_view> ids;  // that the scenario stands for

 private:
  void spawn();
  void take(const PassedFrame& frame);
  void serve(const Incoming& call);
  void send(const std::string& message);
  std::string filled(std::string_view text) const;
  void skip_all(const std::string& reason);

  const ClientCheckOptions& options_;
  const ClientFacts& facts_;
  Judge& judge_;
  std::string name_;
  std::filesystem::path directory_, work_, outside_;
  std::string socket_path_;

  // The client connects to one of these.
  std::unique_ptr<AgentSocket> socket_;
  std::unique_ptr<ScenarioServer> remote_;
  std::unique_ptr<WirePeer> wire_;
  int agent_process_ = 0;
  io::AttendedProcess client_;
  std::unique_ptr<io::Wire> client_output_;
  std::thread drain_;
  std::atomic<bool> stop_drain_ = false;

  std::string session_;  // its id, as JSON
  std::string session_cwd_;
  Json capabilities_;
  std::vector<Incoming> calls_, prompts_;
  std::vector<Incoming> open_prompts_;
  std::size_t messages_ = 0;  // ids given out
  std::map<std::string, Json> answers_;
  std::size_t sessions_ = 0;
  std::int64_t next_id_ = 1;
};

// A scenario, and the requirements that it may report.
struct ScenarioCase {
  std::string_view name;
  std::vector<std::string_view> ids;
  void (*play)(ClientScenario& scenario);
};

// The scenarios by topic, each topic in a file of its own.
std::vector<ScenarioCase> client_start_scenarios();
std::vector<ScenarioCase> client_turn_scenarios();
std::vector<ScenarioCase> client_update_scenarios();
std::vector<ScenarioCase> client_rpc_scenarios();
std::vector<ScenarioCase> client_honest_scenarios();
std::vector<ScenarioCase> client_file_scenarios();
std::vector<ScenarioCase> client_terminal_scenarios();
std::vector<ScenarioCase> client_question_scenarios();
std::vector<ScenarioCase> client_end_scenarios();

// Those of version 2, with what is the same in both.
std::vector<ScenarioCase> client_scenarios_2();

}  // namespace acp::check
