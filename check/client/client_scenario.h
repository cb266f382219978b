// One start of the client that is tested, and the agent that it talks to: a part played by hand.
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
#include "check/client/remote_agent.h"
#include "check/client/run.h"
#include "check/wire/wire_peer.h"

namespace acp::check {

// What the first scenario has learnt about the client, for those that follow.
struct ClientFacts {
  // What the client answers, so that one can see that it has read all that was sent before.
  enum class Barrier { extension, permission, none };
  Barrier barrier = Barrier::extension;
  bool prompted = false;          // it came to a prompt
  bool stays = false;             // does not end by itself
  std::optional<int> plain_exit;  // the exit code of an untroubled run
};

// The report, from many threads.
class Judge {
 public:
  // Of those that make no sense here nothing is reported.
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
  ClientScenario(const ClientOptions& options, const ClientFacts& facts, Judge& judge,
                 std::string name, std::filesystem::path directory);
  ClientScenario(const ClientScenario&) = delete;
  ClientScenario& operator=(const ClientScenario&) = delete;
  ~ClientScenario();

  // ---- the part: set before the client comes to it
  std::string initialize_result =
      R"({"protocolVersion":1,"agentCapabilities":{"loadSession":false,"promptCapabilities":)"
      R"({"image":false,"audio":false,"embeddedContext":false},"mcpCapabilities":{"http":false,)"
      R"("sse":false}},"agentInfo":{"name":"acp-check","version":"1"},"authMethods":[]})";
  std::string session_members;  // of the answer to session/new, after the id: `,"modes":…`
  // Sees every request and notification of the client first; true if it has dealt with it.
  std::function<bool(const Incoming&)> intercept;
  bool stubborn = false;  // the agent's process does not end when it should
  bool ruled = true;      // the rules of the wire hold: not where we confuse them

  // ---- the play. All that waits gives up after the time that the client has, and when it is gone.
  // Starts the client. False, and all that the scenario stands for is skipped, if it did not come.
  bool start();
  // Until the client has called this.
  bool reach(std::string_view method);
  // start() and reach the first prompt; skips everything otherwise.
  bool reach_prompt();
  // Until it is so.
  bool until(const std::function<bool()>& done) { return until(done, options_.time); }
  bool until(const std::function<bool()>& done, std::chrono::milliseconds time);

  // In all texts $S is the session's id, with its quotes, and $W the directory's path, without.
  // A request of ours, answered or not: the whole answer.
  std::optional<Json> call(std::string_view method, std::string_view params);
  // The same in two steps; the id as it stands in JSON.
  std::string ask(std::string_view method, std::string_view params, std::string id = {});
  std::optional<Json> answer_to(const std::string& id);
  bool answered(const std::string& id) const { return answers_.contains(id); }
  void notify(std::string_view method, std::string_view params);
  void update(std::string_view update);
  void answer(const Incoming& request, std::string_view result);
  void answer_error(const Incoming& request, int code, std::string_view message);
  void raw(std::string_view bytes) { wire_->send_bytes(bytes); }
  // Each open prompt.
  void end_turn(std::string_view stop_reason = "end_turn");
  // The client has read all that was sent, and still answers.
  bool alive();
  // The agent's process is killed, or its output ends.
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
  // Ends the turn if it is open, and sees how the client ends; with `tree`, also what it started.
  Ending finish(bool tree = false);

  // ---- what was seen
  bool called(std::string_view method) const { return count(method) > 0; }
  std::size_t count(std::string_view method) const;
  const std::vector<Incoming>& calls() const { return calls_; }
  const std::vector<Incoming>& prompts() const { return prompts_; }
  bool gone() const { return !wire_ || wire_->ended() || wire_->broken(); }
  JsonView capabilities() const { return capabilities_; }
  const std::string& session_cwd() const { return session_cwd_; }
  const std::filesystem::path& work() const { return work_; }
  const std::filesystem::path& outside() const { return outside_; }
  const WirePeer* wire() const { return wire_.get(); }
  const std::string& name() const { return name_; }
  const ClientOptions& options() const { return options_; }
  const ClientFacts& facts() const { return facts_; }
  bool started_by_us() const { return options_.listen.empty(); }
  // How the client is: for messages.
  std::string state() const;

  // ---- what is thought of it
  Judge& judge() { return judge_; }
  void pass(std::string_view id) { judge_.pass(id); }
  void fail(std::string_view id, const std::string& message);
  void skip(std::string_view id, const std::string& reason) { judge_.skip(id, reason); }
  bool expect(std::string_view id, bool ok, const std::string& message);
  // alive(), or it is failed.
  bool survived(std::string_view id, const std::string& what);
  // finish(), and it is failed if the client does not end as it does when nothing is wrong.
  void end_well(std::string_view id, const std::string& what);
  std::vector<std::string_view> ids;  // that the scenario stands for

 private:
  void spawn();
  // The client has come, before this much time is over.
  bool met(std::chrono::milliseconds time);
  void take(const PassedFrame& frame);
  void serve(const Incoming& call);
  void send(const std::string& message);
  std::string filled(std::string_view text) const;
  void skip_all(const std::string& reason);

  const ClientOptions& options_;
  const ClientFacts& facts_;
  Judge& judge_;
  std::string name_;
  std::filesystem::path directory_, work_, outside_;
  std::string socket_path_;

  // Where the client comes to: one of them.
  std::unique_ptr<AgentSocket> socket_;
  std::unique_ptr<RemoteAgent> remote_;
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
  std::map<std::string, Json> answers_;
  std::size_t sessions_ = 0;
  std::int64_t next_id_ = 1;
};

// A scenario that can be played, and what it may have something to say about.
struct ScenarioCase {
  std::string_view name;
  std::vector<std::string_view> ids;
  void (*play)(ClientScenario& scenario);
};

// By what they are about, each in a file of its own.
std::vector<ScenarioCase> client_start_scenarios();
std::vector<ScenarioCase> client_turn_scenarios();
std::vector<ScenarioCase> client_update_scenarios();
std::vector<ScenarioCase> client_rpc_scenarios();
std::vector<ScenarioCase> client_file_scenarios();
std::vector<ScenarioCase> client_terminal_scenarios();
std::vector<ScenarioCase> client_question_scenarios();
std::vector<ScenarioCase> client_end_scenarios();

}  // namespace acp::check
