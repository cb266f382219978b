// A tool call of an agent, as an object: what the user sees of it follows what is called here.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/context.h"
#include "acp/handler.h"

namespace acp {

namespace detail {
struct SentToolCall;
}

// A question about a tool call, with all that may be said of it.
struct PermissionQuestion {
  // Defined elsewhere: this header has only the name of PermissionOption.
  PermissionQuestion();
  ~PermissionQuestion();
  PermissionQuestion(PermissionQuestion&&) noexcept;
  PermissionQuestion& operator=(PermissionQuestion&&) noexcept;

  std::vector<PermissionOption> options;  // none: the usual ones
  std::string reason;                     // why the user is asked; shown above the call's content
  std::string remember_as;                // a key, see ask_permission_for()
  bool rejected_fails = true;             // rejected, the call has failed
};

// A handle; copies are the same call. It is reported as failed if it is still open when its turn
// ends, and as soon as an exception destroys its last handle. Its status is final once it is
// completed or failed: what would change it then throws Refused, and nothing is sent.
//
// Where version 2 of the protocol is spoken, a client may cancel a call alone: its stop token is
// set, and once it fails it is reported as cancelled. A client can do so from the moment on when
// the program asks for context(), stop_token() or cancelled(), because only then somebody listens.
// In version 1 the token is set when the turn is cancelled.
class ToolCall {
 public:
  // The id by which the client knows the call.
  const std::string& id() const;
  ToolCallStatus status() const;

  // Reports that the work begins.
  Sent start() const;
  // Content and locations: each call adds one, and sends all.
  Sent add_text(std::string_view text) const;
  Sent add_content(const v1::ToolCallContent& content) const;
#if ACP_TEMPORARIES_BREAK
  template <async::AggregateTemporary T>
  ACP_REFUSE_TEMPORARY(Sent add_content(T&& content) const);
#endif
  // An absolute path. Without an old text the file is new.
  Sent add_diff(std::string path, std::optional<std::string> old_text, std::string new_text) const;
  Sent add_terminal(const Terminal& terminal) const;
  Sent add_location(std::string path) const;
  Sent add_location(std::string path, std::uint32_t line) const;
  Sent set_title(std::string_view title) const;
  Sent set_raw_input(const Json& input) const;
  Sent set_raw_output(const Json& output) const;
  // Sends any other update; the id is this call's.
  Sent update(const v1::ToolCallUpdate& update) const;
  ACP_REFUSE_TEMPORARY(Sent update(v1::ToolCallUpdate&& update) const);

  // End the call. Content and locations may still be added, until the turn ends.
  Sent complete() const;
  Sent complete(std::string_view text) const;
  Sent fail(std::string_view reason) const;

  // Asks the client's user, while the call is pending: allow once, always, reject once. Rejected,
  // the call has failed; cancelled, this throws Cancelled; after the call's end, Refused.
  Task<Permission> ask_permission() const;
  Task<Permission> ask_permission(std::vector<PermissionOption> options) const;
  // "Always" is remembered for the session under this key: the next call with it is not asked
  // again.
  Task<Permission> ask_permission_for(std::string key) const;
  Task<Permission> ask_permission(PermissionQuestion question) const;

  // The session, for the work of this call: what it waits for ends with Cancelled when the call is
  // cancelled, alone or with its turn. A program that lets a Cancelled pass out of its handler has
  // ended the turn, too.
  SessionContext context() const;
  std::stop_token stop_token() const;
  bool cancelled() const;

  // The call goes on after its turn, which may end before it: session/cancel does not reach it any
  // more, tool_call/cancel and the end of the session do. In version 2 of the protocol the client
  // reads that the session is idle, and that this goes on. In version 1, where nothing is shown
  // after a turn, the end of the turn waits for it, and cancelling the turn cancels it. It has
  // failed when its last handle goes and it is still open. Throws Refused if it has ended.
  Sent background() const;
  // The same, and calls the function with the call: a coroutine, a plain function, or blocking(f).
  template <class Work>
  Sent background(Work&& work) const {
    ACP_REFUSE_TEMPORARY_LAMBDA(Work);
    return work_in_background(Handler<void(ToolCall)>(std::forward<Work>(work)));
  }

 private:
  friend class SessionContext;
  using State = detail::SentToolCall;
  struct Scope;
  ToolCall(SessionContext session, std::shared_ptr<State> state, std::shared_ptr<Scope> scope)
      : session_(std::move(session)), state_(std::move(state)), scope_(std::move(scope)) {}
  template <class Fill>
  Sent send(std::optional<ToolCallStatus> status, Fill fill) const;
  Sent end(ToolCallStatus status, std::string_view text) const;
  // Lets the client cancel the call.
  void listen() const;
  Sent work_in_background(Handler<void(ToolCall)> work) const;
  std::optional<Permission> remembered(const std::string& key) const;
  v1::RequestPermissionRequest permission_request(PermissionQuestion& question) const;

  SessionContext session_;
  std::shared_ptr<State> state_;
  std::shared_ptr<Scope> scope_;
};

}  // namespace acp
