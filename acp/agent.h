// Being an agent: a program that an editor starts, and that answers its prompts.
//
//   int main() {
//     return acp::Agent("hello", "1.0")
//         .on_prompt([](acp::Turn turn) -> acp::Task<acp::StopReason> {
//           co_await turn.say("Hello, " + turn.text());
//           co_return acp::StopReason::end_turn;
//         })
//         .run(acp::stdio());
//   }
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acp/context.h"
#include "acp/handler.h"
#include "acp/io/poll_interest.h"
#include "acp/io/tap.h"
#include "acp/io/transport.h"
#include "acp/log.h"
#include "acp/own_machine.h"
#include "acp/rpc/framing.h"
#include "acp/terminal.h"
#include "acp/tool_call.h"

namespace acp {

class AgentConnection;

// Thrown by a handler, or by the library where authentication is required: -32000 with the agent's
// methods.
class AuthRequired : public Error {
 public:
  AuthRequired() : Error(rpc::auth_required, "Authentication required") {}
};

// What happens to a prompt while another one of its session is at work.
enum class SecondPrompt { waits, refused };
// "waits", "refused"
constexpr const char* to_string(SecondPrompt value) {
  switch (value) {
    case SecondPrompt::waits:
      return "waits";
    case SecondPrompt::refused:
      return "refused";
  }
  return "";
}

// When a prompt becomes a part of the conversation. Version 2 of the protocol answers it then, and
// sends it back to the client. An agent that stores its sessions inserts a prompt when it has stored
// it, so that nothing is reported that a crash could lose.
enum class PromptInsertion {
  before_handler,  // its handler begins after it
  by_handler,      // Turn::insert_prompt() does it, or the first message, tool call or plan
};
// "before_handler", "by_handler"
constexpr const char* to_string(PromptInsertion value) {
  switch (value) {
    case PromptInsertion::before_handler:
      return "before_handler";
    case PromptInsertion::by_handler:
      return "by_handler";
  }
  return "";
}

// What happens to the MCP servers that a session names. `used`: a handler of the program connects
// to them. `unused`: the user reads that nothing is started, by a notice, or by a thought of the
// first turn where the client takes no notices. `refused`: -32602.
enum class McpServers { unused, refused, used };
// "unused", "refused", "used"
constexpr const char* to_string(McpServers value) {
  switch (value) {
    case McpServers::unused:
      return "unused";
    case McpServers::refused:
      return "refused";
    case McpServers::used:
      return "used";
  }
  return "";
}

namespace detail {
// Without the definition of the response, which not all programs need.
template <class Given>
constexpr bool gives_prompt_response() {
  using Value = typename TaskValue<Given>::type;
  return std::is_same_v<Value, v1::PromptResponse> || std::is_same_v<Value, StopReason> ||
         std::is_void_v<Value>;
}
}  // namespace detail

// Built up by calls, then run. Everything but on_prompt has a default that works, and what is
// installed is what is advertised to the client: a capability cannot lie. Handlers are coroutines
// or plain functions, and run one at a time: what they share needs no lock. While one waits for a
// task, others run. What blocks without a task is wrapped: `on_load_session(acp::blocking(f))` runs
// on a thread of its own, beside the others; so does an on_prompt that is a plain function.
class Agent {
 public:
  Agent(std::string name, std::string version);
  Agent(Agent&&) noexcept;
  Agent& operator=(Agent&&) noexcept;
  ~Agent();

  // A name for people.
  Agent& title(std::string title);

  // Answers a prompt. The only handler that an agent needs.
  Agent& on_prompt(Handler<v1::PromptResponse(Turn)> handler);
  // A function of a Turn, which returns a StopReason or a v1::PromptResponse, or a Task of one of
  // them. For a StopReason this header is enough.
  template <class F>
  Agent& on_prompt(F function) {
    constexpr bool callable = std::is_invocable_v<F&, Turn>;
    static_assert(callable, "on_prompt() wants a function that takes one acp::Turn");
    if constexpr (callable) {
      using Given = std::invoke_result_t<F&, Turn>;
      constexpr bool task = std::is_same_v<Given, Task<StopReason>>;
      constexpr bool plain = std::is_same_v<Given, StopReason>;
      constexpr bool other = detail::gives_prompt_response<Given>();
      static_assert(task || plain || other,
                    "on_prompt() wants a function that returns acp::StopReason or "
                    "acp::v1::PromptResponse, or an acp::Task of one of them");
      if constexpr (task)
        on_prompt_task(detail::copyable(std::move(function)));
      else if constexpr (plain)
        on_prompt_function(detail::copyable(std::move(function)));
      else if constexpr (other)
        on_prompt(Handler<v1::PromptResponse(Turn)>(std::move(function)));
    }
    return *this;
  }

  // Also takes a plain function in blocking().
  template <class F>
  Agent& on_prompt(Blocking<F> blocking) {
    return on_prompt(std::move(blocking.function));
  }

  // ---- sessions. The library tracks them; a handler adds to that. ----
  // May return modes, config options, and a session id of its own.
  Agent& on_new_session(
      Handler<v1::NewSessionResponse(SessionContext, v1::NewSessionRequest)> handler);
  // Replays the conversation by the context's updates. Throws not_found for an id it does not know.
  Agent& on_load_session(
      Handler<v1::LoadSessionResponse(SessionContext, v1::LoadSessionRequest)> handler);
  Agent& on_resume_session(
      Handler<v1::ResumeSessionResponse(SessionContext, v1::ResumeSessionRequest)> handler);
  Agent& on_fork_session(
      Handler<v1::ForkSessionResponse(SessionContext, v1::ForkSessionRequest)> handler);
  Agent& on_list_sessions(
      Handler<v1::ListSessionsResponse(Context, v1::ListSessionsRequest)> handler);
  Agent& on_close_session(
      Handler<v1::CloseSessionResponse(Context, v1::CloseSessionRequest)> handler);
  Agent& on_delete_session(
      Handler<v1::DeleteSessionResponse(Context, v1::DeleteSessionRequest)> handler);
  Agent& on_archive_session(
      Handler<v1::ArchiveSessionResponse(Context, v1::ArchiveSessionRequest)> archive,
      Handler<v1::UnarchiveSessionResponse(Context, v1::UnarchiveSessionRequest)> unarchive);
  Agent& on_session_status(
      Handler<v1::SessionStatusResponse(Context, v1::SessionStatusRequest)> handler);
  Agent& on_set_title(
      Handler<v1::SetSessionTitleResponse(Context, v1::SetSessionTitleRequest)> handler);

  // ---- modes, options, commands: what each new session begins with ----
  // The modes that the agent offers, and which of them is current.
  Agent& modes(std::vector<v1::SessionMode> modes, std::string current);
  Agent& config_options(std::vector<v1::SessionConfigOption> options);
  Agent& commands(std::vector<AvailableCommand> commands);
  // Called after a change of mode or option was checked, before it is answered.
  Agent& on_set_mode(
      Handler<v1::SetSessionModeResponse(SessionContext, v1::SetSessionModeRequest)> handler);
  // Returns the complete list of options; an empty list means the library's own, with the change
  // made.
  Agent& on_set_config_option(
      Handler<v1::SetSessionConfigOptionResponse(SessionContext, v1::SetSessionConfigOptionRequest)>
          handler);
  // Lets this option take values that it does not list: the handler decides which.
  Agent& open_option(std::string id);
  // `session/set_model`, which the protocol no longer has and some clients still send, sets the
  // option of category `model`. Without this it is an unknown method.
  Agent& accept_set_model();

  // ---- authentication ----
  // Adds a method of login for the client to choose from.
  Agent& auth_method(v1::AuthMethod method);
  // Called when the client has chosen a method.
  Agent& on_authenticate(
      Handler<v1::AuthenticateResponse(Context, v1::AuthenticateRequest)> handler);
  // Refuses sessions until `authenticate` has succeeded.
  Agent& require_authentication();
  Agent& on_logout(Handler<v1::LogoutResponse(Context, v1::LogoutRequest)> handler);
  Agent& on_auth_status(Handler<v1::AuthStatusResponse(Context, v1::AuthStatusRequest)> handler);

  // ---- providers (unstable) ----
  // All three handlers are needed.
  Agent& on_providers(
      Handler<v1::ListProvidersResponse(Context, v1::ListProvidersRequest)> list,
      Handler<v1::SetProviderResponse(Context, v1::SetProviderRequest)> set,
      Handler<v1::DisableProviderResponse(Context, v1::DisableProviderRequest)> disable);
  // MCP over ACP (unstable): a notification from a client's MCP server.
  Agent& on_mcp_message(Handler<void(Context, v1::MessageMcpNotification)> handler);

  // ---- extension methods: names that begin with `_`, and `proxy/…`. Advertised in the
  // capabilities' _meta, under "libacp/extensions". ----
  Agent& on_request(std::string method, Handler<Json(Context, Json)> handler);
  Agent& on_notification(std::string method, Handler<void(Context, Json)> handler);

  // ---- what cannot be seen from handlers ----
  // The kinds of content that a prompt may have.
  Agent& prompt_capabilities(v1::PromptCapabilities capabilities);
  // The transports beside stdio. Also sets mcp_servers(used).
  Agent& mcp_capabilities(v1::McpCapabilities capabilities);
  // `unused`, unless something says that they are used: mcp_capabilities(), on_mcp_message(),
  // acp::mcp::SessionServers.
  Agent& mcp_servers(McpServers choice);
  Agent& additional_directories();
  Agent& system_prompt(bool with_override = false);
  // A member of agentCapabilities._meta. The key has a namespace: "example.com/feature" or
  // "example.com". Throws std::invalid_argument for any other, and for "libacp/…".
  Agent& capability_meta(std::string key, Json value);
  // The _meta of the answer to `initialize`: an object.
  Agent& initialize_meta(Json meta);

  // The versions of the protocol that the agent speaks: {1}, {1, 2} or {2}; without this call
  // version 1. Version 2 is a draft. The handlers are the same: docs/versions.md. Throws
  // std::invalid_argument for other versions.
  Agent& versions(std::vector<int> versions);
  // {1, 2} if the environment has ACP_V2=1, otherwise {1}.
  Agent& versions_from_environment();
  // What does the work of a client's files and terminals where the client speaks version 2, and so
  // has none. acp::workspace::serve_locally() calls this; see own_machine.h.
  Agent& own_machine(MakeOwnMachine make);

  // ---- how it runs ----
  // What a second prompt of a session does; by default it waits.
  Agent& second_prompt(SecondPrompt choice);
  // When a prompt becomes a part of the conversation; by default before its handler.
  Agent& prompt_insertion(PromptInsertion choice);
  // How messages are separated, and the size limit of one; 32 MiB.
  Agent& framing(rpc::Framing framing);
  Agent& max_message_bytes(std::size_t bytes);
  // Where coroutines run, instead of the connection's own threads.
  Agent& executor(std::shared_ptr<Executor> executor);
  // Sees every frame. Must be quick, and must not call the agent.
  Agent& tap(Tap tap);
  // Without a hook, only entries whose id a client got (LogEntry::correlation_id) go to stderr.
  Agent& on_log(LogHook hook);

  // Serves until the client is gone. Returns 0, or 1 if a handler did not end in time and was left
  // behind.
  int run(Transport transport);
  // Runs beside the caller.
  AgentConnection start(Transport transport);
  // Runs when the program's own loop calls dispatch().
  AgentConnection attach(Transport transport);

 private:
  struct Config;
  Agent& on_prompt_task(std::function<Task<StopReason>(Turn)> function);
  Agent& on_prompt_function(std::function<StopReason(Turn)> function);
  AgentConnection open(Transport transport, bool own_threads);
  std::shared_ptr<Config> config_;
  friend class detail::AgentRole;
};

// A client that an agent serves. Destroying it closes the connection and waits for handlers.
class AgentConnection {
 public:
  AgentConnection(AgentConnection&&) noexcept;
  AgentConnection& operator=(AgentConnection&&) noexcept;
  ~AgentConnection();

  // The client: sends it requests and notifications.
  Peer peer() const;
  // Blocks until the client is gone. Returns false if a handler was left behind.
  bool wait();
  void close();
  bool finished() const;

  // ---- for a program's own loop: watch these, with this time-out, and call dispatch() ----
  // What to watch, and for how many milliseconds at most; dispatch() then reads, runs handlers and
  // writes.
  std::vector<PollInterest> poll_interests() const;
  int timeout() const;
  void dispatch();

 private:
  friend class Agent;
  explicit AgentConnection(std::shared_ptr<io::Connection> connection);
  std::shared_ptr<io::Connection> connection_;
};

}  // namespace acp
