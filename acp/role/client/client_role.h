// The client's side of a connection: sessions, their updates, and what the agent asks for.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "acp/role/answering_role.h"
#include "acp/role/client/client_config.h"
#include "acp/role/client/client_dialect.h"
#include "acp/role/client/outside_updates.h"

namespace acp::detail {

// How a session of version 2 said that a turn ended.
struct PromptEnd {
  v1::PromptResponse response = {};
  std::optional<v1::Error> error = {};
};

// A prompt and the events that nobody has taken yet. Guarded by the connection's lock.
struct PromptState {
  ClientSession* session = nullptr;  // null once nobody holds it
  std::vector<PromptEvent> ready;
  std::size_t bytes = 0;
  std::optional<v1::PromptResponse> response;
  std::exception_ptr error;
  std::shared_ptr<async::Completion<void>> waiter;
  bool abandoned = false;
  bool unread = false;     // its events are not kept: only its end matters
  bool cancelled = false;  // session/cancel was sent
  // Version 2: it is part of the conversation, and ends when the session is idle.
  bool inserted = false;
  bool ran = false;                         // the agent has begun to work after it was sent
  std::optional<PromptEnd> early_end = {};  // it was idle before the answer

  bool ended() const { return response || error; }
  void wake();
};

// Changes of a session's state that Client::on_state_changed has not seen yet. Guarded by the lock.
struct StateReport {
  bool runs = false;             // the handler
  bool wanted = false;           // again: something has changed since it began
  std::size_t unseen_bytes = 0;  // of updates that came since
  std::size_t shown_bytes = 0;   // of those that it was called for
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
  OutsideUpdates outside;
  std::optional<v1::SessionModeState> modes;
  std::vector<std::string> config_ids;
  // Version 2: what the agent says that it does; calls in the background are not cancelled with a
  // turn.
  bool works = false;
  std::vector<std::string> background_calls;
  std::unique_ptr<SessionState> state;
  const std::shared_ptr<StateReport> report = std::make_shared<StateReport>();

  bool in_background(const std::string& call) const {
    return std::ranges::find(background_calls, call) != background_calls.end();
  }
  void remember_options(const std::vector<v1::SessionConfigOption>& options) {
    config_ids.clear();
    for (const v1::SessionConfigOption& option : options) config_ids.push_back(option.id);
  }
};

struct ClientCall : Call {
  explicit ClientCall(std::shared_ptr<ClientRole> owner);

  ClientRole* const role;  // the owner
  std::string session_id;
  bool permission = false;
  std::vector<PermissionOption> options;  // if it asks for one
  std::string tool_call;                  // that it asks for
  std::uint64_t question = 0;             // its number in the session's state
};

class ClientRole final : public AnsweringRole {
 public:
  ClientRole(std::shared_ptr<const Client::Config> config,
             std::shared_ptr<io::Connection> connection);

  void on_request(const rpc::RequestId& id, std::string_view method, JsonView params) override;
  bool on_notification(rpc::NotificationToken token, std::string_view method,
                       JsonView params) override;
  bool on_streamed(std::string_view params) override {
    return update_in_place(params) || (version_2_ && version_2_->on_streamed(params));
  }
  bool on_urgent(std::string_view, JsonView) override { return false; }
  void on_cancel(const rpc::RequestId& id) override;
  void on_trouble(const rpc::Trouble& trouble) override;
  void on_input_ended(const std::string& reason) override;
  void on_drain_over() override;
  void on_all_handled() override;
  Translation* translation() override { return version_2_.get(); }
  bool takes_input() const override;
  std::size_t lasting_calls() const override { return prompts_pending; }

  const Client::Config& config() const { return *config_; }
  v1::InitializeRequest introduction() const;
  // Version 2 is asked for; from the answer on it is spoken. With the lock.
  void offer_version_2(std::shared_ptr<ClientDialect> dialect) { offered_ = std::move(dialect); }
  void speak_version_2() { version_2_ = offered_; }
  ClientDialect* dialect() const { return offered_.get(); }
  bool takes_stdio_servers() const { return !version_2_ || version_2_->takes_stdio_servers(); }

  // Call these with the lock. Adds a session, and delivers updates that came before it.
  void add_session(const std::shared_ptr<ClientSession>& session);
  void remove_session(const std::string& id) {
    sessions_.erase(id);
    if (version_2_) version_2_->forget(id);
    streaming_ = nullptr;
  }
  // Sends a prompt; its turn ends the prompt.
  void send_prompt(const std::shared_ptr<PromptState>& prompt, const v1::PromptRequest& request);
  void end_prompt(const std::shared_ptr<PromptState>& prompt, v1::PromptResponse response);
  void end_prompt(const std::shared_ptr<PromptState>& prompt, const rpc::ErrorObject& error);
  // ---- version 2
  // The prompt has its answer, or its message was seen.
  void prompt_inserted(const std::string& session_id, const std::shared_ptr<PromptState>& prompt);
  // Ends what the agent should have ended, before its session is gone.
  void end_inserted_prompts(const ClientSession& session);
  // Whether what is said of this session may be for one of ours, now or soon.
  bool may_be_ours(const std::string& session_id) const {
    return opening_ > 0 || sessions_.contains(session_id);
  }
  // Applies an update that came in another form.
  void give_update(const std::string& session_id, SessionUpdate update);
  void turn_ended() { streaming_ = nullptr; }
  // Forgets a session that nobody holds any more. Its id stays known: later updates for it are
  // expected.
  void forget_session(const ClientSession* session);
  // Begins to open a session: meanwhile requests for unknown sessions have to wait.
  void opening_begins() { ++opening_; }
  void opening_ends();
  // Fails the waiter when nothing more can come.
  void fail_at_end(const std::shared_ptr<async::CompletionBase>& waiter) {
    waiters_.push_back(waiter);
  }
  // Answers questions that nobody waits for any more: those of a session's turn, or all of them.
  void cancel_turn_permissions(const ClientSession& session);
  void cancel_permissions(const std::string& session_id);
  // Records that the session's state has changed, by so many bytes of updates.
  void state_changed(ClientSession& session, std::size_t bytes = 0);
  // Reports why nothing more comes to the program, unless that was done.
  void report_end(const std::string& reason);
  std::string end_reason;           // why nothing more comes
  bool shaking_hands = false;       // a handshake that fails reports the end, with its reason
  AgentId agent_id;                 // set before the connection starts
  std::size_t event_bytes = 0;      // of events that nobody has taken
  std::size_t prompts_pending = 0;  // requests that are prompts
  std::size_t prompts_waited = 0;   // prompts whose next event somebody waits for
  bool troubled = false;            // the agent has sent something that is not a message

 private:
  using CallPtr = std::shared_ptr<ClientCall>;
  friend class acp::ClientContext;
  friend class ClientVersion2;

  std::shared_ptr<ClientRole> self() {
    return std::static_pointer_cast<ClientRole>(shared_from_this());
  }
  CallPtr begin(const rpc::RequestId& id);
  template <class Request, class Response>
  void pass_on(const rpc::RequestId& id, std::string_view method, JsonView params,
               const Handler<Response(ClientContext, Request)>& handler);
  // Whether the session is known. If not, the request waits for the session that is being opened,
  // or is refused.
  bool knows_session(const rpc::RequestId& id, std::string_view method, JsonView params,
                     const std::string& session_id);
  void ask_permission(const rpc::RequestId& id, v1::RequestPermissionRequest request,
                      JsonView params);
  // `written`: as the request is on the wire.
  void elicit(const rpc::RequestId& id, JsonView params, JsonView written);
  template <class Notification>
  bool pass_on(rpc::NotificationToken token,
               const Handler<void(ClientContext, Notification)>& handler, Notification notification,
               const std::string& session_id) {
    const auto call = std::make_shared<ClientCall>(self());
    call->session_id = session_id;
    return run_notification(token, call, handler, ClientContext(call), std::move(notification));
  }
  void write_result(Call& call, json::Writer& out, const json::Type& type,
                    const void* result) override;
  void finish_prompt(const std::shared_ptr<PromptState>& prompt);
  void end_prompt_with(const std::shared_ptr<PromptState>& prompt, const PromptEnd& end);
  void take_update(const std::string& session_id, SessionUpdate update, std::size_t bytes);
  void deliver(ClientSession& session, SessionUpdate update, std::size_t bytes);
  // What comes for a session that is not known yet is applied when it is.
  void apply_early(const std::string& session_id, std::function<void(ClientSession&)> apply,
                   std::size_t bytes);
  bool update(rpc::NotificationToken token, JsonView params);
  void expect_more(const std::string& session_id, std::string_view params);
  bool update_in_place(std::string_view params);
  void count(PromptState& prompt, std::size_t bytes);
  void report_state(ClientSession& session);
  void answer_permission(ClientCall& call, const Decision& decision);
  void cancel_permissions(const std::string& session_id, const ClientSession* spared);
  void close_question(const ClientCall& call);

  const std::shared_ptr<const Client::Config> config_;
  std::shared_ptr<ClientDialect> version_2_, offered_;  // null: version 1 is spoken
  std::vector<std::shared_ptr<PromptState>> inserted_;
  std::unordered_map<std::string, ClientSession*> sessions_;  // null: nobody holds it
  // Of sessions that are not known yet.
  static constexpr std::size_t max_early_bytes = 4 * 1024 * 1024;
  struct Early {
    std::function<void(ClientSession&)> apply;
    std::size_t bytes;
  };
  std::unordered_map<std::string, std::vector<Early>> early_;
  std::size_t early_bytes_ = 0;
  struct Deferred {
    rpc::RequestId id;
    std::string method;
    Json params;
  };
  std::vector<Deferred> deferred_;
  std::size_t opening_ = 0;
  std::vector<std::weak_ptr<async::CompletionBase>> waiters_;
  ClientSession* streaming_ = nullptr;  // got the last update, in a turn
  std::string stream_prefix_;           // how its params began, up to the update
  SessionUpdate unkept_;                // the last update that nobody keeps
  std::size_t unseen_bytes_ = 0;        // of all sessions' reports
  bool end_reported_ = false;
};

}  // namespace acp::detail
