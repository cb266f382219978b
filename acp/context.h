// What a handler of an agent is given: the session it works for, the client it can call, and the
// stop token. Contexts are handles: copies are the same request.
//
// Messages of the protocol are only declared here: a program that uses them includes
// <acp/schema/v1.h>.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>  // durations, without <chrono>'s calendars: a user's file compiles quicker
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/async/promise.h"
#include "acp/async/task.h"
#include "acp/peer.h"
#include "acp/schema/v1_names.h"

namespace acp {

using v1::AvailableCommand;
using v1::ContentBlock;
using v1::NoticeSeverity;
using v1::PermissionOption;
using v1::PermissionOptionKind;
using v1::PlanEntry;
using v1::PlanEntryPriority;
using v1::PlanEntryStatus;
using v1::SessionUpdate;
using v1::StopReason;
using v1::ToolCallStatus;
using v1::ToolKind;

namespace detail {
struct AgentCall;
class AgentRole;
struct AgentSession;
struct UpdateFilter;
}  // namespace detail

// Sees an update before it is sent, and may change it.
using UpdateHook = std::function<void(SessionUpdate& update)>;

// What every handler of an agent is given.
class Context {
 public:
  explicit Context(std::shared_ptr<detail::AgentCall> call) : call_(std::move(call)) {}

  // Set when the client cancels this request, and when the connection ends.
  std::stop_token stop_token() const;
  bool cancelled() const;

  // The client's `initialize` request.
  const v1::InitializeRequest& client() const;
  // One of version 2 has files and terminals if the agent has a machine of its own for them.
  const v1::ClientCapabilities& client_capabilities() const;

  // Sends any message of the schema, and extension methods.
  Peer peer() const;

  // Waits; throws Cancelled as soon as the request is cancelled, ConnectionClosed at the end.
  Task<void> sleep(std::chrono::milliseconds time) const;
  // Runs a function that may block, on a thread of its own; begins at once. The task has its result
  // or exception.
  template <class F>
  Task<std::invoke_result_t<std::decay_t<F>&>> on_thread(F&& function) const {
    ACP_REFUSE_TEMPORARY_LAMBDA(F);
    auto [run, task] = async::outcome_of(std::forward<F>(function));
    if (!run_on_thread(std::move(run))) return closed<decltype(task)>();
    return std::move(task);
  }

  // Runs the action when this request has been answered: what it sends follows the answer.
  void after_response(std::function<void()> action) const;

 protected:
  friend class ToolCall;
  // Returns false if the connection has ended: it has no threads any more.
  bool run_on_thread(std::function<void()> function) const;
  template <class T>
  static T closed() {
    return T(std::make_exception_ptr(ConnectionClosed("the connection is closed")));
  }
  std::shared_ptr<detail::AgentCall> call_;
};

class Plan;
class Terminal;
class ToolCall;

// How a client's user decided.
struct Permission {
  bool allowed = false;
  std::optional<PermissionOptionKind> kind = {};
  std::string option_id = {};
  bool remembered = false;  // decided by an earlier answer
};

// How a command runs in the client's terminal, or in one of ours (own_machine.h).
struct CommandOptions {
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};
  std::string cwd = {};                                    // absolute; empty: the session's
  std::optional<std::uint64_t> output_byte_limit = {};     // the client keeps the last bytes
  std::optional<std::chrono::milliseconds> time_out = {};  // then it is killed
};

// How a command ended, and what it printed.
struct CommandResult {
  std::string output = {};
  bool truncated = false;
  std::optional<std::uint32_t> exit_code = {};  // none if a signal ended it
  std::optional<std::string> signal = {};
  bool timed_out = false;
};

// What a handler of one session is given.
class SessionContext : public Context {
 public:
  using Context::Context;

  // The id by which the client knows the session.
  const std::string& session_id() const;
  // The session's directory, absolute, as the client gave it; and its additional directories.
  const std::string& cwd() const;
  const std::vector<std::string>& additional_directories() const;

  // ---- updates ----
  // All throw Error when awaited after the request was answered: nothing of it may follow. What
  // goes on in the background sends by background().
  Sent say(std::string_view text) const;
  Sent say(const std::string& text) const { return say(std::string_view(text)); }
  Sent say(const char* text) const { return say(std::string_view(text)); }
  Sent say(const ContentBlock& content) const;
  Sent think(std::string_view text) const;
  // What the user said, when a conversation is replayed.
  Sent user_said(const ContentBlock& content) const;
  // With the id that the message had: Turn::message_id(). It may be empty.
  Sent user_said(const ContentBlock& content, const std::string& message_id) const;
  // Throws Refused for an update of a tool call that was not announced in this session, and for one
  // that changes a status which is completed or failed; nothing is sent then.
  Sent update(const SessionUpdate& update) const;
#if ACP_TEMPORARIES_BREAK
  template <async::AggregateTemporary T>
  ACP_REFUSE_TEMPORARY(Sent say(T&& content) const);
  template <async::AggregateTemporary T>
  ACP_REFUSE_TEMPORARY(Sent user_said(T&& content) const);
  template <async::AggregateTemporary T>
  ACP_REFUSE_TEMPORARY(Sent user_said(T&& content, const std::string& message_id) const);
  template <async::AggregateTemporary T>
  ACP_REFUSE_TEMPORARY(Sent update(T&& update) const);
#endif
  // Sends now what waits to go out together with later messages.
  void flush() const;

  // Replaces the plan.
  Sent set_plan(const std::vector<PlanEntry>& entries) const;
  Plan make_plan() const;
  Sent set_commands(const std::vector<AvailableCommand>& commands) const;
  // Reports the mode; later session/set_mode requests are checked against it. Throws Refused for a
  // mode that is not listed.
  Sent set_mode(const std::string& id) const;
  Sent set_config_options(const std::vector<v1::SessionConfigOption>& options) const;
  Sent report_usage(std::uint64_t used, std::uint64_t size) const;
  Sent report_usage(std::uint64_t used, std::uint64_t size, double cost,
                    std::string_view currency) const;
  Sent set_title(std::string_view title) const;
  // Throws Refused unless the client takes notices.
  Sent notice(NoticeSeverity severity, std::string_view title,
              std::string_view description = {}) const;

  // ---- tool calls ----
  // Announces a tool call at once, as pending.
  ToolCall tool_call(std::string_view title, ToolKind kind) const;
  // Announces a tool call with all that the program knows: name, raw input, locations, an id.
  ToolCall tool_call(const v1::ToolCall& announcement) const;
  ACP_REFUSE_TEMPORARY(ToolCall tool_call(v1::ToolCall&& announcement) const);

  // ---- what the client does for us; each throws Refused if the client does not offer it. In
  // version 2 of the protocol there are no files and terminals of the client: own_machine.h ----
  Task<std::string> read_file(std::string path) const;
  // `line` counts from 1.
  Task<std::string> read_file(std::string path, std::uint32_t line, std::uint32_t limit) const;
  Task<void> write_file(std::string path, std::string content) const;
  // Runs a command to its end. One without args is a line for a shell.
  Task<CommandResult> run_command(std::string command) const;
  Task<CommandResult> run_command(std::string command, const CommandOptions& options) const;
  ACP_REFUSE_TEMPORARY(Task<CommandResult> run_command(std::string command,
                                                       CommandOptions&& options) const);
  Task<Terminal> create_terminal(std::string command) const;
  Task<Terminal> create_terminal(std::string command, const CommandOptions& options) const;
  ACP_REFUSE_TEMPORARY(Task<Terminal> create_terminal(std::string command, CommandOptions&& options)
                           const);
  Task<v1::CreateElicitationResponse> ask_user(std::string message,
                                               const v1::ElicitationSchema& form) const;
  ACP_REFUSE_TEMPORARY(Task<v1::CreateElicitationResponse> ask_user(std::string message,
                                                                    v1::ElicitationSchema&& form)
                           const);
  // Sends the user to a page; elicitation_complete() reports the result.
  Task<v1::CreateElicitationResponse> ask_user_at(std::string message, std::string url,
                                                  std::string elicitation_id) const;
  Sent elicitation_complete(const std::string& elicitation_id) const;

  // Returns the same session, bound to no request: for work that goes on after this one. Its
  // updates throw Refused when awaited after the client has closed or deleted the session; in
  // version 2 those that belong to a turn (say, think, plans) also while no turn is at work.
  SessionContext background() const;

  // Returns the same request with a hook for all updates sent by this copy, and by tool calls and
  // plans made with it: for a program that stores what it sends. The hook runs on the sender's
  // thread, for one update at a time, in the order of sending, and must not send updates by this
  // copy. If it throws, nothing is sent, and the sender gets the exception.
  template <class Hook>
  SessionContext before_update(Hook&& hook) const {
    ACP_REFUSE_TEMPORARY_LAMBDA(Hook);
    SessionContext filtered = *this;
    filtered.filter_ = filter_of(std::forward<Hook>(hook));
    return filtered;
  }

 protected:
  // For before_update().
  static std::shared_ptr<detail::UpdateFilter> filter_of(UpdateHook hook);
  friend class ToolCall;
  std::shared_ptr<detail::UpdateFilter> filter_;  // null: no hook
};

// A plan that is changed step by step; each change sends the whole plan.
class Plan {
 public:
  explicit Plan(SessionContext session);
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();
  // Entries are numbered from 0, in order.
  Sent add(std::string content, PlanEntryPriority priority = PlanEntryPriority::medium);
  Sent set(std::size_t entry, PlanEntryStatus status);
  Sent remove(std::size_t entry);
  const std::vector<PlanEntry>& entries() const;

 private:
  SessionContext session_;
  std::unique_ptr<std::vector<PlanEntry>> entries_;
};

// One turn: a prompt that waits for its end.
class Turn : public SessionContext {
 public:
  using SessionContext::SessionContext;
  // The content of the prompt; and the whole request.
  const std::vector<ContentBlock>& prompt() const;
  const v1::PromptRequest& request() const;
  // The text blocks of the prompt.
  std::string text() const;
  // The id of its message, which that keeps when the session is loaded again: an agent that stores
  // conversations stores it, too, and sends it with the message. Empty in version 1.
  std::string message_id() const;
  // Makes the prompt a part of the conversation: PromptInsertion::by_handler. Without effect if it
  // is one, and in version 1. If the handler throws before, that is the answer to the prompt.
  void insert_prompt() const;

  // As SessionContext::before_update().
  template <class Hook>
  Turn before_update(Hook&& hook) const {
    ACP_REFUSE_TEMPORARY_LAMBDA(Hook);
    Turn filtered = *this;
    filtered.filter_ = filter_of(std::forward<Hook>(hook));
    return filtered;
  }
};

}  // namespace acp
