// The client's side of a connection: sessions, their updates, and what the agent asks for.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "acp/call_scope.h"
#include "acp/client.h"
#include "acp/io/connection.h"
#include "acp/io/tail_buffer.h"
#include "acp/running_handlers.h"

namespace acp {

// All that a program has installed in its client.
struct Client::Parts {
  v1::Implementation info;
  v1::ClientCapabilities capabilities;  // what cannot be seen from the handlers
  std::chrono::milliseconds handshake_time{60'000};
  std::chrono::milliseconds session_time{60'000};
  std::chrono::milliseconds exit_time{2'000};
  bool keep_state = true;
  io::ConnectionOptions connection;
  LogHook log;
  std::function<void(std::string_view)> stderr_hook;

  Handler<Decision(ClientContext, v1::RequestPermissionRequest)> permission;
  Handler<v1::ReadTextFileResponse(ClientContext, v1::ReadTextFileRequest)> read_text_file;
  Handler<v1::WriteTextFileResponse(ClientContext, v1::WriteTextFileRequest)> write_text_file;
  TerminalHandlers terminals;
  Handler<v1::CreateElicitationResponse(ClientContext, v1::CreateElicitationRequest)> form;
  Handler<v1::CreateElicitationResponse(ClientContext, v1::CreateElicitationRequest)> url;
  Handler<void(ClientContext, v1::CompleteElicitationNotification)> elicitation_complete;
  Handler<void(ClientContext, v1::SessionNotification)> update;
  Handler<void(ClientContext, v1::AuthStatusUpdateNotification)> auth_status;
  Handler<v1::MessageMcpResponse(ClientContext, v1::MessageMcpRequest)> mcp_message;
  Handler<std::string(ClientContext, std::vector<v1::AuthMethod>)> auth_required;
  std::map<std::string, Handler<Json(ClientContext, Json)>, std::less<>> requests;
  std::map<std::string, Handler<void(ClientContext, Json)>, std::less<>> notifications;
};

namespace detail {

// A prompt and the events that nobody has taken yet. Guarded by the connection's lock.
struct PromptState {
  ClientSession* session = nullptr;  // null once nobody holds it
  std::vector<PromptEvent> ready;
  std::size_t bytes = 0;
  std::optional<v1::PromptResponse> response;
  std::exception_ptr error;
  std::shared_ptr<async::Completion<void>> waiter;
  bool abandoned = false;

  bool ended() const { return response || error; }
  void wake();
};

struct ClientSession {
  ClientSession() = default;
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;
  // Not with the lock: with the last session the connection may go.
  ~ClientSession();

  std::shared_ptr<AgentProcess> agent;
  std::string id;
  std::string cwd;
  std::vector<std::string> directories;
  // Guarded by the connection's lock.
  std::deque<std::shared_ptr<PromptState>> prompts;  // under way; updates are the first one's
  std::deque<SessionUpdate> outside;                 // that belong to no prompt
  std::optional<v1::SessionModeState> modes;
  std::vector<std::string> config_ids;
  std::unique_ptr<SessionState> state;

  void remember_options(const std::vector<v1::SessionConfigOption>& options) {
    config_ids.clear();
    for (const v1::SessionConfigOption& option : options) config_ids.push_back(option.id);
  }
};

// A request of the agent that is being handled.
class ClientCall : public std::enable_shared_from_this<ClientCall> {
 public:
  ClientCall(std::shared_ptr<ClientRole> role, std::shared_ptr<io::Connection> connection)
      : role(std::move(role)), connection(std::move(connection)) {}

  const std::shared_ptr<ClientRole> role;
  const std::shared_ptr<io::Connection> connection;
  CallScope scope;
  std::optional<rpc::RequestId> id;
  rpc::NotificationToken inside = 0;
  std::string session_id;
  bool permission = false;
  std::vector<PermissionOption> options;  // if it asks for one
  // Guarded by the connection's lock.
  bool cancelled = false;
  bool over = false;

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

class ClientRole final : public io::Role, public std::enable_shared_from_this<ClientRole> {
 public:
  ClientRole(std::shared_ptr<const Client::Parts> parts,
             std::shared_ptr<io::Connection> connection);

  void on_request(const rpc::RequestId& id, std::string_view method, JsonView params) override;
  bool on_notification(rpc::NotificationToken token, std::string_view method,
                       JsonView params) override;
  bool on_urgent(std::string_view, JsonView) override { return false; }
  void on_cancel(const rpc::RequestId& id) override;
  void on_trouble(const rpc::Trouble& trouble) override;
  void on_input_ended(const std::string& reason) override;
  void on_drain_over() override;
  bool takes_input() const override;
  std::size_t handlers_running() const override { return active_.size() + notifications_running_; }
  void drop_handlers() override { handlers_->drop(); }

  const Client::Parts& parts() const { return *parts_; }
  v1::InitializeRequest introduction() const;
  void log(LogEntry::Level level, std::string message, std::string correlation_id = {});

  // With the lock, all of these.
  // Updates that came before it are delivered now.
  void add_session(const std::shared_ptr<ClientSession>& session);
  void remove_session(const std::string& id) {
    sessions_.erase(id);
    streaming_ = nullptr;
  }
  void turn_ended() { streaming_ = nullptr; }
  // Nobody holds it any more. Its id stays known: what still comes for it is no riddle.
  void forget_session(const ClientSession* session);
  // While a session is being opened, requests for one that is not known yet have to wait.
  void opening_begins() { ++opening_; }
  void opening_ends();
  // Fails when nothing more can come.
  void fail_at_end(const std::shared_ptr<async::CompletionBase>& waiter) { waiters_.push_back(waiter); }
  void cancel_permissions(const std::string& session_id);
  RunningHandlers& handlers() { return *handlers_; }
  std::string end_reason;           // why nothing more comes
  std::size_t event_bytes = 0;      // of events that nobody has taken
  std::size_t prompts_pending = 0;  // requests that are prompts
  std::size_t prompts_waited = 0;   // prompts whose next event somebody waits for

 private:
  using CallPtr = std::shared_ptr<ClientCall>;
  friend class acp::ClientContext;

  template <class Request>
  bool decode(const rpc::RequestId& id, JsonView params, Request& request);
  template <class Request, class Response>
  void pass_on(const rpc::RequestId& id, std::string_view method, JsonView params,
               const Handler<Response(ClientContext, Request)>& handler);
  void ask_permission(const rpc::RequestId& id, JsonView params);
  void elicit(const rpc::RequestId& id, JsonView params);
  template <class Notification>
  bool pass_on(rpc::NotificationToken token,
               const Handler<void(ClientContext, Notification)>& handler, Notification notification,
               const std::string& session_id);
  void deliver(ClientSession& session, SessionUpdate update, std::size_t bytes);
  bool update(rpc::NotificationToken token, JsonView params);
  bool update_in_place(JsonView params);
  void count(PromptState& prompt, std::size_t bytes);

  CallPtr begin(const rpc::RequestId& id);
  template <class Response>
  void answer(const CallPtr& call, const Response& response);
  void answer_permission(const CallPtr& call, const Decision& decision);
  void fail(const CallPtr& call, std::exception_ptr error);
  void end(const CallPtr& call);
  rpc::Error to_error(const CallPtr& call, std::exception_ptr error);
  void refuse(const rpc::RequestId& id, std::int32_t code, std::string message, Json data = {});
  void refuse(const rpc::RequestId& id, const Error& error);

  const std::shared_ptr<const Client::Parts> parts_;
  const std::shared_ptr<io::Connection> connection_;
  const std::shared_ptr<RunningHandlers> handlers_;
  std::unordered_map<std::string, CallPtr> active_;  // by the key of the request's id
  std::size_t notifications_running_ = 0;
  std::unordered_map<std::string, ClientSession*> sessions_;  // null: nobody holds it
  // Of sessions that are not known yet.
  std::unordered_map<std::string, std::vector<std::pair<SessionUpdate, std::size_t>>> early_;
  std::size_t early_bytes_ = 0;
  struct Deferred {
    rpc::RequestId id;
    std::string method;
    Json params;
  };
  std::vector<Deferred> deferred_;
  std::size_t opening_ = 0;
  std::vector<std::weak_ptr<async::CompletionBase>> waiters_;
  std::uint64_t next_error_ = 0;
  ClientSession* streaming_ = nullptr;  // got the last update, in a turn
  std::string id_;
};

// A connected agent, and the process behind it if we started one.
struct AgentProcess {
  ~AgentProcess();
  void close();
  // Whatever is known when it cannot be used.
  StartFailed::Diagnosis diagnose(StartFailed::Phase phase, std::string reason);

  std::shared_ptr<const Client::Parts> parts;
  std::shared_ptr<io::Connection> connection;
  std::shared_ptr<ClientRole> role;
  v1::InitializeResponse info;
  std::string command;
  bool ready = false;  // guarded by the connection's lock

  // What watches the process; it reads its stderr.
  void start_watching();
  void watch();
  io::Descriptor stderr_end;
  std::mutex mutex;
  io::Process process;
  io::TailBuffer tail;
  std::vector<std::string> new_lines;  // that the program's hook has not seen
  std::optional<io::ExitStatus> exit;
  std::condition_variable exited;
  std::mutex closing;  // the second to close waits for the first
  bool closed = false;
  bool stderr_ended = false;
  int process_id = 0;
  io::Descriptor stop_read, stop_write;
  std::thread watcher;
};

}  // namespace detail
}  // namespace acp
