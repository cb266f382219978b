// The agent's side of a connection: sessions, turns, and who may be called when.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "acp/agent_parts.h"
#include "acp/call_scope.h"
#include "acp/io/connection.h"
#include "acp/paths.h"
#include "acp/running_handlers.h"

namespace acp::detail {

class AgentRole;

// Guarded by the connection's lock.
struct AgentSession {
  std::string id;
  std::string cwd;
  std::vector<std::string> directories;
  std::string chunk_prefix;  // of a text chunk's params, up to the text; made when first needed
  std::unique_ptr<v1::SessionModeState> modes;
  std::unique_ptr<std::vector<v1::SessionConfigOption>> config;
  std::shared_ptr<AgentCall> turn;                  // at work
  std::vector<std::shared_ptr<AgentCall>> waiting;  // for it to end
  std::vector<std::function<void()>> when_idle;
  std::map<std::string, bool> remembered;  // permissions, by the program's keys
  std::uint64_t tool_calls = 0;
};

// A request of the client that is being handled; or, with no request, what goes on in the
// background of a session.
class AgentCall : public std::enable_shared_from_this<AgentCall> {
 public:
  AgentCall(std::shared_ptr<AgentRole> role, std::shared_ptr<io::Connection> connection)
      : role(std::move(role)), connection(std::move(connection)) {}

  const std::shared_ptr<AgentRole> role;
  const std::shared_ptr<io::Connection> connection;
  CallScope scope;
  std::optional<rpc::RequestId> id;
  rpc::NotificationToken inside = 0;
  std::shared_ptr<AgentSession> session;
  v1::PromptRequest prompt;  // if it is one
  // Guarded by the connection's lock.
  bool cancelled = false;
  bool over = false;  // answered: it may send nothing more
  std::set<std::string> open_tool_calls;

  Link link() {
    return {connection, std::shared_ptr<CallScope>(shared_from_this(), &scope), inside};
  }
  // Most handlers never ask for a token: it is made when they do.
  std::stop_token stop_token() {
    io::Connection::Lock lock(*connection);
    if (!stop_.stop_possible()) {
      stop_ = std::stop_source();
      if (cancelled) stop_.request_stop();
    }
    return stop_.get_token();
  }
  // With the lock. The token's callbacks are the program's: they run without it.
  void cancel() {
    if (std::exchange(cancelled, true)) return;
    scope.cancel(connection->peer());
    if (stop_.stop_possible())
      connection->unlocked([stop = stop_]() mutable { stop.request_stop(); });
  }

 private:
  std::stop_source stop_{std::nostopstate};
};

class AgentRole final : public io::Role, public std::enable_shared_from_this<AgentRole> {
 public:
  AgentRole(std::shared_ptr<const Agent::Parts> parts, std::shared_ptr<io::Connection> connection);

  // ---- io::Role; with the lock ----
  void on_request(const rpc::RequestId& id, std::string_view method, JsonView params) override;
  bool on_notification(rpc::NotificationToken token, std::string_view method,
                       JsonView params) override;
  bool on_urgent(std::string_view method, JsonView params) override;
  void on_cancel(const rpc::RequestId& id) override;
  void on_trouble(const rpc::Trouble& trouble) override;
  void on_input_ended(const std::string& reason) override;
  void on_drain_over() override;
  std::size_t handlers_running() const override { return active_.size() + notifications_running_; }
  void drop_handlers() override { handlers_->drop(); }

  const v1::InitializeRequest& client() const { return client_; }
  const Agent::Parts& parts() const { return *parts_; }
  void log(LogEntry::Level level, std::string message, std::string correlation_id = {});
  // With the lock, all three.
  std::string new_id(const char* prefix);
  // Takes away options that the client does not know.
  void hide_booleans(std::vector<v1::SessionConfigOption>& options);

 private:
  using CallPtr = std::shared_ptr<AgentCall>;

  // Refuses params that do not fit. False if it has.
  template <class Request>
  bool decode(const rpc::RequestId& id, JsonView params, Request& request);
  // The session of a request; refuses it if there is none.
  std::shared_ptr<AgentSession> session_of(const rpc::RequestId& id, const std::string& session_id);
  bool check_directories(const rpc::RequestId& id, const std::string& cwd,
                         const std::vector<std::string>& additional);
  bool check_prompt(const rpc::RequestId& id, const std::vector<ContentBlock>& prompt);
  bool check_system_prompt(const rpc::RequestId& id, const Nullable<v1::SystemPrompt>& prompt);
  bool check_mcp_servers(const rpc::RequestId& id, const std::vector<v1::McpServer>& servers);

  void initialize(const rpc::RequestId& id, JsonView params);
  v1::AgentCapabilities capabilities() const;
  void authenticate(const rpc::RequestId& id, JsonView params);
  void new_session(const rpc::RequestId& id, JsonView params);
  void fork_session(const rpc::RequestId& id, JsonView params);
  template <class Request, class Response>
  void open_session(const rpc::RequestId& id, JsonView params,
                    const Handler<Response(SessionContext, Request)>& handler);
  template <class Response>
  void settle_session(const CallPtr& call, Response& response);
  void set_mode(const rpc::RequestId& id, JsonView params);
  void set_config_option(const rpc::RequestId& id, JsonView params);
  void close_session(const rpc::RequestId& id, JsonView params);
  void delete_session(const rpc::RequestId& id, JsonView params);
  void prompt(const rpc::RequestId& id, JsonView params);
  void start_turn(const CallPtr& call);
  void end_turn(const CallPtr& call, v1::PromptResponse* response, std::exception_ptr error);
  void cancel_turns(AgentSession& session);
  // Forgets a session when nothing of it is at work; cancels what is.
  void drop_session(const std::string& session_id, std::function<void()> then);

  // A request that the program handles all by itself.
  template <class Request, class Response>
  void pass_on(const rpc::RequestId& id, std::string_view method, JsonView params,
               const Handler<Response(Context, Request)>& handler);

  CallPtr begin(const rpc::RequestId& id);
  template <class Response>
  void answer(const CallPtr& call, const Response& response);
  void fail(const CallPtr& call, std::exception_ptr error);
  void end(const CallPtr& call);
  Error auth_required() const;
  rpc::Error to_error(const CallPtr& call, std::exception_ptr error);
  void refuse(const rpc::RequestId& id, std::int32_t code, std::string message, Json data = {});
  void refuse(const rpc::RequestId& id, const Error& error);
  void send_commands(const AgentSession& session);

  const std::shared_ptr<const Agent::Parts> parts_;
  const std::shared_ptr<io::Connection> connection_;
  const std::shared_ptr<RunningHandlers> handlers_;
  v1::InitializeRequest client_;
  bool initialized_ = false;
  bool authenticated_ = false;
  std::unordered_map<std::string, CallPtr> active_;  // by the key of the request's id
  std::size_t notifications_running_ = 0;
  std::unordered_map<std::string, std::shared_ptr<AgentSession>> sessions_;
  std::string nonce_;
  std::uint64_t next_id_ = 0;
};

}  // namespace acp::detail
