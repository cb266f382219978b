// The agent's side of a connection: sessions, turns, and who may be called when.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "acp/role/agent/agent_config.h"
#include "acp/role/agent/agent_dialect.h"
#include "acp/role/answering_role.h"
#include "acp/role/paths.h"

namespace acp::detail {

class AgentRole;
struct AgentSession2;
struct SentToolCall;

// The part of a session that is only needed once it has turns.
struct SessionRecord {
  std::string unused_servers;  // by name, until the user is notified that they are not started
  std::map<std::string, bool> remembered;  // permissions, by the program's keys
  // Every call that was announced, and its status. References to a status stay valid.
  std::unordered_map<std::string, ToolCallStatus> tool_calls;
};

// Guarded by the connection's lock. An agent may have thousands of sessions: rarely needed parts
// are made on demand.
struct AgentSession {
  std::string id;
  std::string cwd;
  std::vector<std::string> directories;
  std::string chunk_prefix;  // of a text chunk, up to the text; made when first needed
  std::shared_ptr<v1::SessionModeState> modes;
  std::unique_ptr<std::vector<v1::SessionConfigOption>> config;
  std::unique_ptr<std::vector<AvailableCommand>> commands;  // null: the agent's
  std::shared_ptr<AgentCall> turn;                          // at work
  std::vector<std::shared_ptr<AgentCall>> waiting;          // for it to end
  std::vector<std::function<void()>> when_idle;
  std::unique_ptr<SessionRecord> record_if_any;
  std::shared_ptr<AgentSession2> version_2;  // where that is spoken
  bool silent = false;                       // it is opened, and nothing of what it was is sent
  bool opened = false;                       // the request that opens it has been answered
  bool closed = false;  // by session/close or session/delete; a turn may still be ending
  // Shared with all that the session was before it was opened again on this connection: what it is
  // now, null once it is closed. None if it was opened once.
  std::shared_ptr<AgentSession*> newest;

  AgentSession& now() { return newest && *newest != nullptr ? **newest : *this; }
  bool is_closed() const { return newest ? *newest == nullptr : closed; }
  void close() {
    closed = true;
    if (newest) *newest = nullptr;
  }

  SessionRecord& record() {
    if (!record_if_any) record_if_any = std::make_unique<SessionRecord>();
    return *record_if_any;
  }
};

struct AgentCall : Call {
  explicit AgentCall(std::shared_ptr<AgentRole> owner);

  AgentRole* const role;  // the owner
  std::shared_ptr<AgentSession> session;
  v1::PromptRequest prompt;  // if it is one
  std::string message_id;    // of the prompt's message, in version 2; empty until it is needed
  bool replays = false;      // it shows a conversation again
  // Not ended yet, and a few that have, in the order of their announcements. Guarded by the
  // connection's lock, as all that follows.
  std::vector<std::shared_ptr<SentToolCall>> open_tool_calls;
  std::size_t ended_tool_calls = 0;  // that are still among them
  // Version 1: a turn whose handler has ended, and which waits for tool calls in the background.
  std::function<void()> end_after_background;

  // The work of a tool call is a part of the handler that announced it: it is cancelled with it,
  // and ends with it.
  std::shared_ptr<AgentCall> add_part();
  // From now on it is bound to the session alone.
  void detach();
  bool is_part() const { return is_part_; }
  // Null once that is gone, and if this is no part.
  std::shared_ptr<AgentCall> whole() const { return whole_.lock(); }
  // Whether it belongs to no request.
  bool in_background() const { return !id && !is_part_; }
  void cancel() override;

 private:
  bool is_part_ = false;
  std::weak_ptr<AgentCall> whole_;
  std::vector<std::weak_ptr<AgentCall>> parts_;
  std::size_t many_parts_ = 16;  // then those that are gone are removed
};

class AgentRole final : public AnsweringRole {
 public:
  AgentRole(std::shared_ptr<const Agent::Config> config,
            std::shared_ptr<io::Connection> connection);

  // ---- io::Role; with the lock ----
  void on_request(const rpc::RequestId& id, std::string_view method, JsonView params) override;
  bool on_notification(rpc::NotificationToken token, std::string_view method,
                       JsonView params) override;
  bool on_urgent(std::string_view method, JsonView params) override;
  void on_cancel(const rpc::RequestId& id) override;
  void on_input_ended(const std::string& reason) override;
  void on_drain_over() override;
  std::size_t handlers_running() const override;
  Translation* translation() override { return version_2_.get(); }

  const v1::InitializeRequest& client() const { return client_; }
  const Agent::Config& config() const { return *config_; }
  bool uses_mcp_servers() const { return config_->mcp_servers == McpServers::used; }
  // The tool calls of all sessions that go on without a turn.
  const std::vector<std::shared_ptr<SentToolCall>>& background() const { return background_; }
  // Null if there is none.
  AgentSession* find_session(const std::string& id);
  // Writes an update as the client's version has it. With the lock. Of a tool call: what the client
  // has of its content, if that is known.
  void write_update(AgentSession& session, const SessionUpdate& update,
                    const std::vector<v1::ToolCallContent>* shown = nullptr);
  void write_text(AgentSession& session, std::string_view text);
  // Removes options that the client does not know.
  void hide_booleans(std::vector<v1::SessionConfigOption>& options);
  // The session that a handler of this id works for, though it may not be answered yet; or null.
  std::shared_ptr<AgentSession> session_at_work(const std::string& id) const;
  // Once, in version 2: the prompt is answered and sent back.
  void insert_prompt(AgentCall& call);
  const std::string& message_id(AgentCall& call);
  // Why the client's files and terminals cannot be used, if it has not got them.
  Refused refused_work(std::string_view method) const;

  // ---- tool calls: agent_tool_calls.cc
  void tool_call_announced(AgentCall& call, const std::shared_ptr<SentToolCall>& tool_call);
  // Its status, which it is found by, is final now.
  void tool_call_ended(AgentCall& call, const ToolCallStatus* status);
  // It goes on after its turn.
  void to_background(const std::shared_ptr<SentToolCall>& tool_call);
  void run_in_background(const std::shared_ptr<SentToolCall>& tool_call, ToolCall handle,
                         Handler<void(ToolCall)> work);
  // The program listens to its cancelling.
  void listens(SentToolCall& tool_call);
  // On the client's behalf. Returns false if it cannot be cancelled.
  bool cancel_tool_call(AgentSession& session, const std::string& id);

 private:
  using CallPtr = std::shared_ptr<AgentCall>;

  std::shared_ptr<AgentRole> self() {
    return std::static_pointer_cast<AgentRole>(shared_from_this());
  }
  CallPtr begin(const rpc::RequestId& id);
  void answer_request(const rpc::RequestId& id, std::string_view method, JsonView params);
  void refuse_id(const rpc::RequestId& id);
  // By the name that the client used.
  void refuse_unknown(const rpc::RequestId& id, std::string_view method);
  // Returns true if it has answered.
  bool baseline_of_version_2(const rpc::RequestId& id, std::string_view method, JsonView params);
  void write_result(Call& call, json::Writer& out, const json::Type& type,
                    const void* result) override;
  Error auth_required() const;
  // As the version that is spoken writes it, if it can.
  void append(Json& methods, const v1::AuthMethod& method) const;
  rpc::ErrorObject to_error(const Call& call, std::exception_ptr error) override;

  // The session of a request; refuses it if there is none.
  std::shared_ptr<AgentSession> session_of(const rpc::RequestId& id, const std::string& session_id);
  bool check_directories(const rpc::RequestId& id, const std::string& cwd,
                         const std::vector<std::string>& additional);
  bool check_prompt(const rpc::RequestId& id, const std::vector<ContentBlock>& prompt);
  bool check_system_prompt(const rpc::RequestId& id, const Nullable<v1::SystemPrompt>& prompt);
  bool check_mcp_servers(const rpc::RequestId& id, const std::vector<v1::McpServer>& servers);

  void initialize(const rpc::RequestId& id, JsonView params);
  // The version to speak with a client that asks for this one; none if there is none.
  std::optional<int> choose_version(std::int64_t asked) const;
  v1::AgentCapabilities capabilities() const;
  void authenticate(const rpc::RequestId& id, JsonView params);
  void logout(const rpc::RequestId& id, JsonView params);

  void new_session(const rpc::RequestId& id, JsonView params);
  void fork_session(const rpc::RequestId& id, JsonView params);
  void load_session(const rpc::RequestId& id, JsonView params);
  void resume_session(const rpc::RequestId& id, JsonView params);
  template <class Request>
  bool decode_session(const rpc::RequestId& id, JsonView params, Request& request);
  template <class Request>
  CallPtr begin_session(const rpc::RequestId& id, const Request& request, std::string session_id);
  template <class Request, class Response>
  void make_session(const rpc::RequestId& id, JsonView params,
                    const Handler<Response(SessionContext, Request)>& handler);
  template <class Request, class Response>
  void open_session(const rpc::RequestId& id, JsonView params,
                    const Handler<Response(SessionContext, Request)>& handler);
  template <class Response>
  void settle_session(AgentCall& call, Response& response);
  bool is_opening(const std::string& session_id) const;
  // A request that opened a session again has been answered.
  void opening_ended(const AgentCall& call);
  void set_mode(const rpc::RequestId& id, JsonView params);
  void set_config_option(const rpc::RequestId& id, JsonView params);
  void set_config_option(const rpc::RequestId& id,
                         const v1::SetSessionConfigOptionRequest& request);
  void set_model(const rpc::RequestId& id, JsonView params);
  void close_session(const rpc::RequestId& id, JsonView params);
  void delete_session(const rpc::RequestId& id, JsonView params);
  void prompt(const rpc::RequestId& id, JsonView params);
  void start_turn(const CallPtr& call);
  // Of those that wait; nothing if there is none, or a turn is at work.
  void start_next_turn(AgentSession& session);
  void end_turn(const CallPtr& call, v1::PromptResponse* response, std::exception_ptr error);
  void end_prompt(AgentCall& call, const v1::PromptResponse& response);
  void fail_prompt(AgentCall& call, std::exception_ptr error);
  void cancel_waiting(AgentCall& call);
  void on_idle() override;
  void close_tool_calls(AgentCall& call, std::string_view why);
  // Without the lock.
  void close_hooked_tool_calls(const CallPtr& call, std::string_view why, bool cancelled);
  void handler_ended(const CallPtr& call, v1::PromptResponse* response,
                     const std::exception_ptr& error);
  // Version 1: returns true if the turn has to wait for its work in the background.
  bool defer_end(const CallPtr& call, const v1::PromptResponse* response,
                 const std::exception_ptr& error);
  void stop_deferring(AgentCall& call);
  void cancel_turns(AgentSession& session);
  // Ends a session's background work, then calls `then`, with the lock.
  void end_background(const std::shared_ptr<AgentSession>& session, std::function<void()> then);
  // Without the lock.
  void end_with_session(SentToolCall& tool_call);
  // Cancels the session's work, and forgets the session when nothing of it is at work. Until the
  // request is answered, others that do so wait.
  void drop_session(const CallPtr& request, const std::string& session_id,
                    std::function<void()> then);

  // Handles a request that only the program's handler answers.
  template <class Request, class Response>
  void pass_on(const rpc::RequestId& id, std::string_view method, JsonView params,
               const Handler<Response(Context, Request)>& handler);

  // Sends the client of an opened session its commands, and which servers are not started.
  void introduce(AgentSession& session);
  void tell_unused_servers(AgentSession& session, bool in_turn);

  const std::shared_ptr<const Agent::Config> config_;
  v1::InitializeRequest client_;
  bool initialized_ = false;
  bool asked_more_ = false;  // than initialize
  std::string wire_method_;  // version 2: of the request that is being answered
  bool silent_ = false;      // the request that is being answered opens a session without a replay
  std::unique_ptr<AgentDialect> version_2_;  // null: version 1 is spoken
  bool authenticated_ = false;
  bool input_ended_ = false;
  std::unordered_map<std::string, std::shared_ptr<AgentSession>> sessions_;
  std::vector<CallPtr> opening_;  // requests that open a session again, or load one
  // Sessions that are being closed or deleted.
  struct Ending {
    std::function<void()> when_opened;         // it was being opened
    std::vector<std::function<void()>> later;  // what else is to be done when it is over
  };
  std::unordered_map<std::string, Ending> ending_;
  // Of all sessions, those that have not ended and belong to no turn.
  std::vector<std::shared_ptr<SentToolCall>> background_;
};

}  // namespace acp::detail
