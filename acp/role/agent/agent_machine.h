// The agent's own machine in place of a client's files and terminals, where version 2 is spoken:
// requests for them are carried out here, and the client is shown what commands print.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/own_machine.h"
#include "acp/role/agent/agent_role.h"
#include "acp/role/agent/machine_threads.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail {

class AgentVersion2;

// Guarded by the connection's lock, but for the watcher's functions. The machine itself is only
// called without it.
class AgentMachine final : public OwnMachine::Watcher,
                           public std::enable_shared_from_this<AgentMachine> {
 public:
  AgentMachine(AgentRole& role, AgentVersion2& dialect) : role_(role), dialect_(dialect) {}

  // As Translation's.
  bool carry_out(const Link& link, const json::Type& type, const void* params,
                 const std::shared_ptr<async::CompletionBase>& done, Deliver& deliver, Calling how);

  // Kills a command for the client. Returns false if the session has no such command at work.
  bool cancel(const std::string& session_id, const std::string& terminal_id);
  // Whether a command runs in this terminal, or for this call.
  bool runs(const std::string& terminal_id) const;
  std::vector<std::string> running_for(const AgentCall& call) const;
  // The terminals of the session whose commands run, but not for the turn at work.
  std::vector<std::string> in_background(const AgentSession& session) const;

  // Ends what runs for the session, then calls `then`, with the lock.
  void session_closed(const AgentSession& session, std::function<void()> then);
  // Whether there is something to end before the connection does.
  bool at_work() const { return used_; }
  // Ends everything.
  void shut_down();

  // ---- OwnMachine::Watcher; without the lock
  void on_output(const std::string& terminal_id, std::string_view text) override;
  void on_exit(const std::string& terminal_id, const v1::TerminalExitStatus& exit) override;

 private:
  // A request that waits for its answer.
  struct Asked {
    std::shared_ptr<async::CompletionBase> done;
    Deliver deliver;
    std::shared_ptr<CallScope> scope;
    rpc::Engine::CallId id = 0;
    std::stop_token stop;
  };
  struct Terminal {
    std::shared_ptr<AgentSession> session;
    std::weak_ptr<AgentCall> owner;  // who asked for it
    bool shown = false;              // to the client, which happens once its command has started
    std::string printed_before = {};
    std::optional<v1::TerminalExitStatus> exit = {};
    std::vector<Asked> waiting = {};  // for the exit
  };

  // Made when it is first needed. Without the lock.
  OwnMachine& machine();
  const std::shared_ptr<io::Connection>& connection() const { return role_.connection(); }
  // Nothing if the request has failed already.
  std::optional<Asked> ask(const Link& link, const std::shared_ptr<async::CompletionBase>& done,
                           Deliver& deliver, Calling how);
  void answer(const Asked& asked, const json::Type& type, const void* response);
  void fail(const Asked& asked, std::exception_ptr error);
  // Runs a job, which may call the machine, on a thread where it may block. It must not throw.
  void run(std::function<void()> job);
  // Answers with what `work` returns or throws, which calls the machine.
  template <class Work>
  void run_and_answer(Asked asked, Work work);

  template <class Request, class Function>
  void with_files(const Request& request, Asked asked, Function function);
  void create(const v1::CreateTerminalRequest& request, Asked asked);
  void started(const std::string& id, const v1::CreateTerminalRequest& request,
               OwnMachine::TerminalSize size, const Asked& asked);
  void output(const std::string& id, Asked asked);
  void wait(Terminal& terminal, Asked asked);
  void kill(const std::string& id, Asked asked);
  void release(const std::string& id, Terminal& terminal, Asked asked);
  // Calls the function with the terminal, if the session has one of this id.
  template <class Request, class Function>
  void with_terminal(const Request& request, Asked asked, Function function);
  // Of the machine's functions one that need not succeed.
  void try_on(void (OwnMachine::*function)(const std::string&), const std::string& id);
  void ended(const std::string& id, Terminal& terminal, const v1::TerminalExitStatus& exit);
  void show(const Terminal& terminal, const v2::SessionUpdate& update);
  void show_output(const std::string& id, const Terminal& terminal, std::string_view text);

  AgentRole& role_;
  AgentVersion2& dialect_;
  std::once_flag made_;
  std::unique_ptr<OwnMachine> machine_;
  MachineThreads threads_;
  bool used_ = false;
  std::map<std::string, Terminal> terminals_;
  // Of those who print, while the client does not read.
  std::vector<std::shared_ptr<async::Completion<void>>> waiting_for_room_;
  rpc::Engine::CallId next_ = -2;  // no id that the engine has
  bool over_ = false;
};

}  // namespace acp::detail
