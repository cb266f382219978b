// Hosting agents: start one, or connect to one, open sessions, prompt, and offer it a workspace.
//
//   acp::Client client("my-editor", "1.0");
//   client.on_permission(acp::blocking(ask_the_user));
//   auto agent = client.spawn({"gemini", "--acp"}).wait();
//   auto session = agent.new_session("/home/me/project").wait();
//   for (auto& event : session.prompt("Fix the build")) std::visit(render, event);
//
// Everything that waits returns a Task: `co_await` it in a coroutine, `.wait()` elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "acp/async/task.h"
#include "acp/handler.h"
#include "acp/io/poll_interest.h"
#include "acp/io/process/process.h"
#include "acp/io/tap.h"
#include "acp/io/transport.h"
#include "acp/log.h"
#include "acp/peer.h"
#include "acp/rpc/framing.h"
#include "acp/schema/v1.h"
#include "acp/session_state.h"
#include "acp/start_failed.h"

namespace acp {

using v1::ContentBlock;
using v1::PermissionOption;
using v1::PermissionOptionKind;
using v1::SessionUpdate;
using v1::StopReason;
using v1::ToolCallStatus;
using v1::ToolKind;

namespace detail {
struct ClientCall;
class ClientRole;
struct ClientSession;
struct AgentProcess;
struct PromptState;

// A string of any kind. As a template's argument it leaves braces to the overload with a struct.
template <class T>
concept Text = std::is_convertible_v<T, std::string>;

// What a prompt can be made of. One text alone is for the overload with a string.
template <class... Blocks>
concept OfBlocks = sizeof...(Blocks) > 0 && (std::is_convertible_v<Blocks, ContentBlock> && ...) &&
                   !(sizeof...(Blocks) == 1 && (Text<Blocks> && ...));
template <class... Blocks>
inline constexpr bool breaks_as_temporary =
    ACP_TEMPORARIES_BREAK && (async::AggregateTemporary<Blocks> || ...);
}  // namespace detail

class AgentHandle;
class Session;

// The command that starts an agent: its words, or a list of them. Not a std::initializer_list: g++
// 12 cannot compile one in a co_await expression.
class AgentCommand {
 public:
  template <detail::Text... Words>
    requires(sizeof...(Words) > 0)
  AgentCommand(const Words&... words) : words_{std::string(words)...} {}
  template <class Iterator>
    requires(!detail::Text<Iterator>)
  AgentCommand(Iterator begin, Iterator end) : words_(begin, end) {}
  AgentCommand(std::vector<std::string> words) : words_(std::move(words)) {}
  // The program and its arguments.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
};

// The content of a prompt: its blocks, or a list of them. A text alone is a std::string.
class PromptContent {
 public:
  template <class... Blocks>
    requires(detail::OfBlocks<Blocks...> && !detail::breaks_as_temporary<Blocks...>)
  PromptContent(Blocks&&... blocks) {
    (blocks_.emplace_back(std::forward<Blocks>(blocks)), ...);
  }
#if ACP_TEMPORARIES_BREAK
  template <class... Blocks>
    requires(detail::OfBlocks<Blocks...> && detail::breaks_as_temporary<Blocks...>)
  ACP_REFUSE_TEMPORARY(PromptContent(Blocks&&... blocks));
#endif
  PromptContent(std::vector<ContentBlock> blocks) : blocks_(std::move(blocks)) {}
  // The blocks, in order.
  const std::vector<ContentBlock>& blocks() const& { return blocks_; }
  std::vector<ContentBlock> blocks() && { return std::move(blocks_); }

 private:
  std::vector<ContentBlock> blocks_;
};

// Which agent a hook is about: the id() of its handle.
struct AgentId {
  std::uint64_t number = 0;  // no two agents of a program have the same
  std::string command = {};  // as one would type it; empty for one that was not spawned
  friend bool operator==(const AgentId& a, const AgentId& b) { return a.number == b.number; }
};

// What a handler of a client is given: the agent that asks, and when to stop.
class ClientContext {
 public:
  explicit ClientContext(std::shared_ptr<detail::ClientCall> call) : call_(std::move(call)) {}
  // Set when nobody waits for the answer any more.
  std::stop_token stop_token() const;
  bool cancelled() const;
  // The session that the request names; empty if it names none.
  const std::string& session_id() const;
  // What this client offered for the session: its cwd and directories.
  std::string cwd() const;
  std::vector<std::string> additional_directories() const;
  // Session::with_state() of that session, with its rules. Without one nothing is called.
  void with_state(const std::function<void(const SessionState&)>& look) const;
  Peer peer() const;

 protected:
  // With the lock.
  const detail::ClientSession* session() const;
  std::shared_ptr<detail::ClientCall> call_;
};

// How a permission request is answered: by an option's id, or by the kind that was meant.
class Decision {
 public:
  Decision(std::string option_id) : option_id_(std::move(option_id)) {}
  Decision(PermissionOptionKind kind) : kind_(kind) {}
  // Nobody has decided.
  static Decision cancelled() { return Decision(); }
  // What was decided: one of the two, or neither.
  const std::optional<std::string>& option_id() const { return option_id_; }
  const std::optional<PermissionOptionKind>& kind() const { return kind_; }

  Decision() = default;

 private:
  std::optional<std::string> option_id_;
  std::optional<PermissionOptionKind> kind_;
};

// The five handlers of terminals; all are needed.
struct TerminalHandlers {
  Handler<v1::CreateTerminalResponse(ClientContext, v1::CreateTerminalRequest)> create;
  Handler<v1::TerminalOutputResponse(ClientContext, v1::TerminalOutputRequest)> output;
  Handler<v1::WaitForTerminalExitResponse(ClientContext, v1::WaitForTerminalExitRequest)>
      wait_for_exit;
  Handler<v1::KillTerminalResponse(ClientContext, v1::KillTerminalRequest)> kill;
  Handler<v1::ReleaseTerminalResponse(ClientContext, v1::ReleaseTerminalRequest)> release;
};

// Built up by calls; what is installed is what is advertised to agents. One client may host any
// number of agents. Handlers are coroutines or plain functions, and those of one agent run one at a
// time: what they share needs no lock. While one waits for a task, others run. What blocks without
// a task is wrapped: `on_permission(acp::blocking(ask_on_the_terminal))` runs on a thread of its
// own.
class Client {
 public:
  Client(std::string name, std::string version);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // A name for people.
  Client& title(std::string title);

  // Without this handler every question is rejected: nothing is approved in silence.
  Client& on_permission(Handler<Decision(ClientContext, v1::RequestPermissionRequest)> handler);
  Client& on_read_text_file(
      Handler<v1::ReadTextFileResponse(ClientContext, v1::ReadTextFileRequest)> handler);
  Client& on_write_text_file(
      Handler<v1::WriteTextFileResponse(ClientContext, v1::WriteTextFileRequest)> handler);
  Client& on_terminals(TerminalHandlers handlers);
  Client& on_elicitation_form(
      Handler<v1::CreateElicitationResponse(ClientContext, v1::CreateElicitationRequest)> handler);
  Client& on_elicitation_url(
      Handler<v1::CreateElicitationResponse(ClientContext, v1::CreateElicitationRequest)> handler);
  Client& on_elicitation_complete(
      Handler<void(ClientContext, v1::CompleteElicitationNotification)> handler);
  // Called when the state of a session has changed (Session::with_state, and the context's
  // session_id()). One call at a time for a session: what changes meanwhile is reported together by
  // the next one. An agent that is far ahead of these calls waits. The cheap way to draw: updates
  // are neither copied nor kept for it.
  Client& on_state_changed(Handler<void(ClientContext)> handler);
  // Sees every update of every session, in order; beside the events of a prompt. It costs a copy of
  // each: on_state_changed() does not.
  Client& on_update(Handler<void(ClientContext, v1::SessionNotification)> handler);
  Client& on_auth_status(Handler<void(ClientContext, v1::AuthStatusUpdateNotification)> handler);
  // MCP over ACP (unstable).
  Client& on_mcp_message(
      Handler<v1::MessageMcpResponse(ClientContext, v1::MessageMcpRequest)> handler);
  // Chooses the agent's method of login, when it demands one; empty for none of them.
  Client& on_auth_required(
      Handler<std::string(ClientContext, std::vector<v1::AuthMethod>)> handler);
  // Extension methods, which begin with `_`, and `proxy/…`. Advertised in the capabilities' _meta,
  // under "libacp/extensions".
  Client& on_request(std::string method, Handler<Json(ClientContext, Json)> handler);
  Client& on_notification(std::string method, Handler<void(ClientContext, Json)> handler);

  // ---- what cannot be seen from handlers ----
  // Each advertises that the client shows it.
  Client& takes_boolean_options();
  Client& takes_notices();
  Client& takes_compactions();
  Client& takes_plans();      // unstable: plan_update
  Client& takes_subagents();  // unstable
  // Advertises that the client can run an agent's login in a terminal.
  Client& terminal_authentication();
  // A member of clientCapabilities._meta. The key has a namespace: "example.com/feature" or
  // "example.com". Throws std::invalid_argument for any other, and for "libacp/…".
  Client& capability_meta(std::string key, Json value);
  // The _meta of `initialize`: an object.
  Client& initialize_meta(Json meta);

  // The versions of the protocol that the client speaks: {1}, {1, 2} or {2}; without this call
  // version
  // 1. Version 2 is a draft. The highest one that the agent speaks, too, is used; sessions, events
  // and handlers are the same: docs/versions.md. Throws std::invalid_argument for other versions.
  Client& versions(std::vector<int> versions);
  // {1, 2} if the environment has ACP_V2=1, otherwise {1}.
  Client& versions_from_environment();

  // ---- how it runs ----
  // Time for `initialize`, and for a session to open; 60 s each. A prompt has none.
  Client& handshake_time(std::chrono::milliseconds time);
  Client& session_time(std::chrono::milliseconds time);
  // How long an agent may take to end by itself after its input was closed; 2 s.
  Client& exit_time(std::chrono::milliseconds time);
  Client& framing(rpc::Framing framing);
  Client& max_message_bytes(std::size_t bytes);
  // Where coroutine handlers run, instead of the connection's own threads: a GUI thread.
  Client& executor(std::shared_ptr<Executor> executor);
  Client& tap(Tap tap);
  Client& on_log(LogHook hook);
  // The lines that agents write to their stderr.
  Client& on_stderr(std::function<void(const AgentId& agent, std::string_view line)> hook);
  // Called once for each agent, when nothing more will come from it, with the reason: it has ended,
  // or was closed here. What was waiting for it has failed by then, or is about to.
  Client& on_disconnected(std::function<void(const AgentId& agent, std::string_view reason)> hook);
  // Whether sessions keep a SessionState; by default they do.
  Client& keep_state(bool keep);

  // Starts an agent and shakes hands with it. Throws StartFailed.
  Task<AgentHandle> spawn(AgentCommand command) const;
  // One string is no list of words: spawn({"gemini", "--acp"}).
  template <detail::Text Line>
  Task<AgentHandle> spawn(const Line& command) const = delete;
  Task<AgentHandle> spawn(const io::ProcessOptions& options) const;
  ACP_REFUSE_TEMPORARY(Task<AgentHandle> spawn(io::ProcessOptions&& options) const);
  Task<AgentHandle> connect(Transport transport) const;
  // For a program's own loop: the handshake is under way when it calls dispatch(). Until the agent
  // is ready(), nothing else is sent: what is asked of it is refused.
  AgentHandle attach(Transport transport) const;
  // Starts the agent, and attaches it; throws StartFailed. A thread of its own reads its stderr and
  // waits for its exit.
  AgentHandle attach(const io::ProcessOptions& options) const;

  struct Config;

 private:
  static AgentHandle begin_handshake(const std::shared_ptr<detail::AgentProcess>& agent);
  std::shared_ptr<Config> config_;
};

// An update of the turn, and at its end the stop reason.
using PromptEvent = std::variant<SessionUpdate, StopReason>;

// A prompt under way: its events, one after the other, ending with the stop reason. A caller that
// drops it before its end no longer gets events; the turn goes on until it is cancelled.
class Prompt {
 public:
  Prompt(Prompt&&) noexcept;
  Prompt& operator=(Prompt&&) noexcept;
  ~Prompt();

  // The next event; nothing after the stop reason. Throws Error if the prompt failed.
  Task<std::optional<PromptEvent>> next();
  // Drops the remaining events and returns the answer.
  Task<v1::PromptResponse> finish();

  class Iterator {
   public:
    using value_type = PromptEvent;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(Prompt* prompt) : prompt_(prompt) { ++*this; }
    PromptEvent& operator*() const { return *event_; }
    PromptEvent* operator->() const { return event_; }
    Iterator& operator++() {
      event_ = prompt_->take();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) {
      return it.event_ == nullptr;
    }

   private:
    Prompt* prompt_;
    PromptEvent* event_ = nullptr;
  };
  // Blocks between events.
  Iterator begin() { return Iterator(this); }
  std::default_sentinel_t end() const { return {}; }

  // The answer to the prompt, once it has ended.
  const v1::PromptResponse& response() const;

 private:
  friend class Session;
  Prompt(std::shared_ptr<detail::ClientSession> session,
         std::shared_ptr<detail::PromptState> state);
  PromptEvent* take();
  bool take_ready(PromptEvent*& event);
  Task<void> more();

  std::shared_ptr<detail::ClientSession> session_;
  std::shared_ptr<detail::PromptState> state_;
  std::vector<PromptEvent> batch_;  // taken; given_ of them given out
  std::size_t given_ = 0;
  bool ended_ = false;
};

// The result of a turn.
struct Answer {
  std::string text;  // the agent's messages, without its thoughts
  StopReason stop_reason = StopReason::end_turn;
};

// A session of an agent. A handle: copies are the same session.
class Session {
 public:
  // The agent's id of the session, and its working directory.
  const std::string& id() const;
  const std::string& cwd() const;

  // Runs a whole turn and returns what the agent said, and why it stopped. Dropped before its end,
  // the turn is cancelled; so it is after the time, and TimedOut is thrown.
  Task<Answer> ask(std::string text) const;
  Task<Answer> ask(std::string text, std::chrono::milliseconds time) const;

  // Starts a turn, and returns its events as they happen.
  Prompt prompt(std::string text) const;
  Prompt prompt(PromptContent content) const;
  // Takes _meta of the program's own; the session's id is filled in. So do the overloads below.
  Prompt prompt(const v1::PromptRequest& request) const;
  ACP_REFUSE_TEMPORARY(Prompt prompt(v1::PromptRequest&& request) const);
  // Stops the turn. Pending permission requests are answered `cancelled`; updates are still taken.
  void cancel() const { cancel(v1::CancelNotification()); }
  void cancel(v1::CancelNotification notification) const;

  // Throw Refused for what the agent did not list.
  Task<void> set_mode(const v1::SetSessionModeRequest& request) const;
  ACP_REFUSE_TEMPORARY(Task<void> set_mode(v1::SetSessionModeRequest&& request) const);
  template <detail::Text Id>
  Task<void> set_mode(const Id& id) const {
    return set_mode_by_id(std::string(id));
  }
  // Sets the option with this id. Throw Refused for what the agent did not list.
  Task<void> set_config_option(const v1::SetSessionConfigOptionRequest& request) const;
  ACP_REFUSE_TEMPORARY(Task<void> set_config_option(v1::SetSessionConfigOptionRequest&& request)
                           const);
  Task<void> set_config_option(std::string id, std::string value) const;
  Task<void> set_config_option(std::string id, const char* value) const;
  Task<void> set_config_option(std::string id, bool value) const;
  // Closes the session; the agent may keep it for a later load.
  Task<void> close() const;

  // Takes the updates that belonged to no prompt: replayed ones, and those between turns.
  std::vector<SessionUpdate> take_updates() const;

  // A copy of the session's state. Empty if the client keeps none.
  SessionState state() const;
  // Shows the state without a copy. The connection's lock is held meanwhile: the function must be
  // quick, and must not call the library, which would wait for that lock for ever.
  void with_state(const std::function<void(const SessionState&)>& look) const;
  // Set by the code that runs the client's terminals: their output stays on view. As with_state().
  void change_state(const std::function<void(SessionState&)>& change) const;

 private:
  friend class AgentHandle;
  explicit Session(std::shared_ptr<detail::ClientSession> session) : session_(std::move(session)) {}
  Prompt begin_prompt(v1::PromptRequest request) const;
  Task<void> set_mode_by_id(std::string id) const;
  std::shared_ptr<detail::ClientSession> session_;
};

// An agent that this client is connected to. A handle; when the last one goes, and with it the last
// session, the connection is closed, and an agent that was spawned ends with all it has started.
class AgentHandle {
 public:
  // The agent's id, and its answer to `initialize`.
  const AgentId& id() const;
  const v1::InitializeResponse& info() const;
  const v1::AgentCapabilities& capabilities() const { return info().agentCapabilities; }
  const std::vector<v1::AuthMethod>& auth_methods() const { return info().authMethods; }
  // Whether a session may name a server of this kind. In version 1 each agent takes those on stdio.
  bool takes(const v1::McpServer& server) const;

  // These throw Refused for what the agent did not advertise. On -32000 they log in once, if there
  // is on_auth_required().
  template <detail::Text Cwd>
  Task<Session> new_session(const Cwd& cwd) const {
    return new_session_in(std::string(cwd));
  }
  // Opens a session with MCP servers, more directories, or _meta.
  Task<Session> new_session(const v1::NewSessionRequest& request) const;
  // Load replays the conversation, resume does not, fork makes a copy of the session.
  Task<Session> load_session(std::string id, std::string cwd) const;
  Task<Session> load_session(const v1::LoadSessionRequest& request) const;
  Task<Session> resume_session(const v1::ResumeSessionRequest& request) const;
  Task<Session> fork_session(const v1::ForkSessionRequest& request) const;
  ACP_REFUSE_TEMPORARY(Task<Session> new_session(v1::NewSessionRequest&& request) const);
  ACP_REFUSE_TEMPORARY(Task<Session> load_session(v1::LoadSessionRequest&& request) const);
  ACP_REFUSE_TEMPORARY(Task<Session> resume_session(v1::ResumeSessionRequest&& request) const);
  ACP_REFUSE_TEMPORARY(Task<Session> fork_session(v1::ForkSessionRequest&& request) const);
  // All pages.
  Task<std::vector<v1::SessionInfo>> list_sessions() const;
  Task<std::vector<v1::SessionInfo>> list_sessions(const v1::ListSessionsRequest& filter) const;
  ACP_REFUSE_TEMPORARY(
      Task<std::vector<v1::SessionInfo>> list_sessions(v1::ListSessionsRequest&& filter) const);
  Task<void> delete_session(std::string id) const;
  Task<void> authenticate(std::string method_id) const;
  Task<void> logout() const;
  // unstable
  Task<void> archive_session(std::string id) const;
  Task<void> unarchive_session(std::string id) const;
  Task<v1::SessionStatus> session_status(std::string id) const;
  Task<std::string> set_title(std::string id, std::string title) const;
  Task<v1::AuthStatusResponse> auth_status() const;
  Task<std::vector<v1::ProviderInfo>> list_providers() const;
  Task<void> set_provider(const v1::SetProviderRequest& request) const;
  ACP_REFUSE_TEMPORARY(Task<void> set_provider(v1::SetProviderRequest&& request) const);
  Task<void> disable_provider(std::string id) const;

  // Sends any message of the schema, and extension methods.
  Peer peer() const;

  // Closes the connection; a spawned agent ends. Blocks until it has.
  void close() const;
  // Whether the agent is still connected.
  bool connected() const;
  // How the spawned process ended, once it has; its last lines on stderr; its id, 0 if there is
  // none.
  std::optional<io::ExitStatus> exit_status() const;
  std::string stderr_tail() const;
  int process_id() const;

  // ---- for a program's own loop (attach) ----
  // Whether the handshake is done.
  bool ready() const;
  // What to watch, and for how many milliseconds at most; dispatch() then reads, runs handlers and
  // writes.
  std::vector<PollInterest> poll_interests() const;
  int timeout() const;
  void dispatch() const;

 private:
  friend class Client;
  explicit AgentHandle(std::shared_ptr<detail::AgentProcess> process)
      : process_(std::move(process)) {}
  Task<Session> new_session_in(std::string cwd) const;
  std::shared_ptr<detail::AgentProcess> process_;
};

}  // namespace acp
