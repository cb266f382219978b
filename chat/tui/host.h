// What a chat offers its agent: the workspace, and a person to ask.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/client.h"
#include "acp/workspace/client_workspace.h"
#include "acp/workspace/decisions.h"
#include "acp/workspace/output_buffer.h"
#include "acp/workspace/turn_answers.h"
#include "chat/permission.h"
#include "chat/permission_answers.h"
#include "chat/render/file_change.h"
#include "chat/tui/dialog.h"
#include "chat/tui/mailbox.h"
#include "chat/tui/pace.h"

namespace acp::chat {

// The handlers' interface to the thread that owns the terminal. Called there, except the last
// function.
class Front {
 public:
  virtual ~Front() = default;
  virtual void ask(std::shared_ptr<Dialog> dialog) = 0;
  virtual void take_back(std::size_t dialog) = 0;
  // Shows a line of our own.
  virtual void say(const std::string& text) = 0;
  // The person has rejected this tool call.
  virtual void rejected(const std::string& call) = 0;
  // The connection to the agent has ended.
  virtual void disconnected() = 0;
  virtual std::optional<Session> session() const = 0;
  // Whether another program could use the terminal for a while.
  virtual bool lends_terminal() const = 0;
};

// May be used by several threads. Handlers own it, so it outlives the connection.
class ChatHost : public std::enable_shared_from_this<ChatHost> {
 public:
  // `agent` is its name in rules, `label` its name for people. `command_environment` is for the
  // terminals that the agent opens. Without `offers`, it has neither these nor files.
  ChatHost(std::shared_ptr<Mailbox> mailbox, Front& front, std::string agent, std::string label,
           std::string policy_file, std::vector<io::EnvironmentEdit> command_environment,
           bool offers = true);

  void install(Client& client);
  // Ends waiting calls: nobody answers any more.
  void close();
  // Begins a turn: answers of the turn before no longer count.
  void turn_begins();
  // Takes back our own questions: nobody answers them any more. Those of the agent end by the
  // protocol.
  void turn_cancelled();

  const workspace::ClientWorkspace& workspace() const { return workspace_; }
  std::map<std::string, FileChange> changes() const;
  std::vector<std::string> log() const;
  void log(std::string line);
  // Passes new output of terminals to the state that shows it.
  void tell_terminals(const Session& session);
  // The state has been drawn: the agent may send more.
  void drawn() { pace_->drawn(); }
  // The rules in force, for people.
  std::vector<std::string> rules() const;

 private:
  // The output of terminals, which may outlive this object for a moment.
  struct Printed {
    workspace::OutputBuffer output{256 * 1024};
    bool news = false, released = false;
    std::optional<v1::TerminalExitStatus> exit = {};
  };
  struct AllPrinted {
    std::mutex mutex;
    std::map<std::string, Printed> terminals;
    std::deque<std::string> released;  // the last of them: output may come a moment later
  };

  Decision permission(const ClientContext& context, const v1::RequestPermissionRequest& request);
  v1::CreateElicitationResponse elicitation(const ClientContext& context,
                                            const v1::CreateElicitationRequest& request);
  std::string login(const ClientContext& context, const std::vector<v1::AuthMethod>& methods);
  // Throws Error if the call is not to be carried out.
  void judge(const ClientContext& context, workspace::Question call);
  // Asks the person about a call that the agent sent without a question. Throws Error as well.
  void require_consent(const ClientContext& context, const workspace::Question& call,
                       const std::string& reason);
  [[noreturn]] void refuse(const workspace::Question& call, const std::string& why);
  // Shows the question, with the agent's other answers if the person wants them. Nothing: it was
  // taken back.
  std::optional<PermissionAnswerChoice> ask_person(const ClientContext& context,
                                                   const PermissionPrompt& asked,
                                                   const workspace::Question& question,
                                                   const std::string& reason);
  void written(const std::string& path, std::optional<std::string> before,
               const std::string& after);
  // Shows the dialog and waits. Returns nothing if the question was withdrawn, or `also` stops it.
  template <class T>
  std::optional<T> ask(const ClientContext& context, std::shared_ptr<Dialog> dialog,
                       const std::shared_ptr<Awaited<T>>& answer, const std::stop_token& also = {});
  // Stores the rule that the answer stands for, if it does.
  void remember(const workspace::Question& question, const PermissionAnswerChoice& answer);
  // Shows a line of our own, from any thread.
  void say(std::string text);

  const std::shared_ptr<Mailbox> mailbox_;
  Front& front_;  // inside letters, but for lends_terminal()
  const std::string agent_, label_;
  const bool offers_;
  const std::shared_ptr<Pace> pace_ = std::make_shared<Pace>();
  const std::shared_ptr<AllPrinted> printed_ = std::make_shared<AllPrinted>();
  const workspace::ClientWorkspace workspace_;
  workspace::Decisions decisions_;
  mutable std::mutex mutex_;
  workspace::TurnAnswers answers_;
  std::map<std::string, FileChange> changes_;
  std::deque<std::string> log_;
  std::size_t questions_ = 0;
  std::stop_source turn_;
  std::size_t released_ = 0;  // terminals that tell_terminals() has seen go
  std::stop_source closed_;
};

}  // namespace acp::chat
