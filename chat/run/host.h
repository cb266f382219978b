// What a run offers its agent: the workspace, and answers to its questions.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "acp/client.h"
#include "acp/workspace/client_workspace.h"
#include "chat/permission.h"
#include "chat/run/events.h"

namespace acp::chat {

// May be used by several threads. Handlers own it, and it has the session: so the end of the run
// calls forget().
class RunHost : public std::enable_shared_from_this<RunHost> {
 public:
  // `asks_itself`: it is our own agent, which asks for what its mode does not allow.
  // `command_environment` is for the terminals that the agent opens. Without `offers`, it has
  // neither these nor files.
  RunHost(std::shared_ptr<RunReporter> reporter, std::shared_ptr<Permissions> permissions,
          std::string agent_name, bool asks_itself, std::string auth_method,
          std::vector<io::EnvironmentEdit> command_environment, bool offers);

  void install(Client& client);

  // From now on questions are completed by earlier updates of the call.
  void remember(const Session& session);
  void forget();

  // Ends the open question, if any: the turn will be cancelled.
  void stop_asking() { stop_asking_.request_stop(); }

  // The line on the agent's stderr that has this id; waits for it a moment. Empty if it does not
  // come.
  std::string logged_as(const std::string& id);

  // Whether a permission was denied because nobody could decide.
  bool permission_needed() const { return permission_needed_; }
  // Whether the agent has asked for a login, and was given the method.
  bool logged_in() const { return logged_in_; }

 private:
  Decision answer(const ClientContext& context, const v1::RequestPermissionRequest& request);
  // Throws Error if the call is not to be carried out.
  void judge(const ClientContext& context, workspace::Question call);
  void keep_stderr(std::string_view line);
  std::string choose_login(const std::vector<v1::AuthMethod>& methods);

  const std::shared_ptr<RunReporter> reporter_;
  const std::shared_ptr<Permissions> permissions_;
  const std::string agent_name_, auth_method_;
  const bool asks_itself_, offers_;
  const workspace::ClientWorkspace offer_;
  std::mutex mutex_;
  std::optional<Session> session_;
  std::stop_source stop_asking_;
  std::mutex stderr_mutex_;
  std::condition_variable stderr_came_;
  std::deque<std::string> last_stderr_;  // a few lines
  std::atomic<bool> permission_needed_ = false, logged_in_ = false;
};

}  // namespace acp::chat
