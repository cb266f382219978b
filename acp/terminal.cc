#include "acp/terminal.h"

#include <atomic>

#include "acp/async/when_any.h"
#include "acp/io/sleep.h"
#include "acp/role/agent/agent_role.h"

namespace acp {

struct Terminal::State {
  explicit State(SessionContext session) : session(std::move(session)) {}
  ~State();

  SessionContext session;
  detail::Link link;
  std::string id;
  std::optional<std::chrono::milliseconds> time_out;
  std::atomic<bool> released = false;

  void require_held() const {
    if (released) throw Refused("terminalId: the terminal \"" + id + "\" has been released");
  }

  template <class Request>
  Request about() const {
    Request request;
    request.sessionId = session.session_id();
    request.terminalId = id;
    return request;
  }
  // Cancelling the turn does not stop what must be done all the same (kill, read, release), and
  // bounds how long it is waited for.
  template <class Request>
  Task<decltype(response_of(std::declval<Request>()))> call(const Request& request) const {
    using Response = decltype(response_of(request));
    const auto done = std::make_shared<async::Completion<Response>>();
    link.request(Request::json_type, &request, done, detail::deliver_to<Response>(done),
                 detail::Calling::clean_up);
    return Task<Response>(done);
  }

  // Fills in the id when the answer comes, even if nobody waits for it any more: the last reference
  // then releases the terminal.
  static Task<v1::CreateTerminalResponse> create(const std::shared_ptr<State>& state,
                                                 const v1::CreateTerminalRequest& request);
};

Task<v1::CreateTerminalResponse> Terminal::State::create(const std::shared_ptr<State>& state,
                                                         const v1::CreateTerminalRequest& request) {
  const auto done = std::make_shared<async::Completion<v1::CreateTerminalResponse>>();
  const auto deliver = [done, state](
                           std::string_view text,
                           const json::Limits& limits) -> std::optional<json::DecodeFault> {
    v1::CreateTerminalResponse response;
    if (auto error = detail::decode(text, v1::CreateTerminalResponse::json_type, &response, limits))
      return error;
    state->id = response.terminalId;
    done->settle(std::move(response));
    // Here the connection is locked: what may be the last reference goes later.
    state->link.connection->held().unlocked([state] {});
    return std::nullopt;
  };
  state->link.request(v1::CreateTerminalRequest::json_type, &request, done, deliver,
                      detail::Calling::creates);
  return Task<v1::CreateTerminalResponse>(done);
}

// Asks for the release, and does not wait for it.
Terminal::State::~State() {
  if (released || id.empty()) return;
  const auto request = about<v1::ReleaseTerminalRequest>();
  const auto done = std::make_shared<async::Completion<v1::ReleaseTerminalResponse>>();
  link.request(v1::ReleaseTerminalRequest::json_type, &request, done,
               detail::deliver_to<v1::ReleaseTerminalResponse>(done), detail::Calling::clean_up);
  done->on_drop = nullptr;
}

Task<Terminal> SessionContext::create_terminal(std::string command) const {
  const CommandOptions none;
  return create_terminal(std::move(command), none);
}

Task<Terminal> SessionContext::create_terminal(std::string command,
                                               const CommandOptions& options) const {
  return [](SessionContext self, std::string command, CommandOptions options) -> Task<Terminal> {
    if (!self.client_capabilities().terminal) throw self.call_->role->refused_work("terminals");
    if (!options.cwd.empty() && !detail::is_absolute(options.cwd))
      throw Refused("cwd: expected an absolute path, got \"" + options.cwd + "\"");
    v1::CreateTerminalRequest request;
    request.sessionId = self.session_id();
    request.command = std::move(command);
    request.args = std::move(options.args);
    for (auto& [name, value] : options.env) {
      v1::EnvVariable variable;
      variable.name = std::move(name);
      variable.value = std::move(value);
      request.env.push_back(std::move(variable));
    }
    if (!options.cwd.empty()) request.cwd = std::move(options.cwd);
    if (options.output_byte_limit) request.outputByteLimit = *options.output_byte_limit;
    const auto state = std::make_shared<Terminal::State>(self);
    state->link = self.call_->link();
    state->time_out = options.time_out;
    if (self.cancelled()) throw Cancelled();
    // Not abandoned with the turn: a terminal that nobody knows of could never be released.
    co_await Terminal::State::create(state, request);
    const Terminal made(state);
    if (!self.cancelled()) co_return made;
    // Its command must not outlive the turn.
    try {
      co_await made.release();
    } catch (const Error&) {  // the session may be gone, and the terminal with it
    }
    throw Cancelled();
  }(*this, std::move(command), options);
}

const std::string& Terminal::id() const { return state_->id; }
void Terminal::require_held() const { state_->require_held(); }

Task<v1::TerminalOutputResponse> Terminal::output() const {
  return [](std::shared_ptr<State> state) -> Task<v1::TerminalOutputResponse> {
    state->require_held();
    const auto request = state->about<v1::TerminalOutputRequest>();
    co_return co_await state->call(request);
  }(state_);
}

Task<v1::WaitForTerminalExitResponse> Terminal::wait_for_exit() const {
  return [](std::shared_ptr<State> state) -> Task<v1::WaitForTerminalExitResponse> {
    state->require_held();
    const auto request = state->about<v1::WaitForTerminalExitRequest>();
    co_return co_await state->session.peer().request(request);
  }(state_);
}

Task<void> Terminal::kill() const {
  return [](std::shared_ptr<State> state) -> Task<void> {
    state->require_held();
    const auto request = state->about<v1::KillTerminalRequest>();
    co_await state->call(request);
  }(state_);
}

Task<void> Terminal::release() const {
  return [](std::shared_ptr<State> state) -> Task<void> {
    if (state->released.exchange(true)) co_return;
    const auto request = state->about<v1::ReleaseTerminalRequest>();
    co_await state->call(request);
  }(state_);
}

Task<CommandResult> Terminal::finish() const { return finish_within(state_->time_out); }
Task<CommandResult> Terminal::finish(std::chrono::milliseconds time_out) const {
  return finish_within(time_out);
}

Task<CommandResult> Terminal::finish_within(
    std::optional<std::chrono::milliseconds> time_out) const {
  return
      [](Terminal self, std::optional<std::chrono::milliseconds> time_out) -> Task<CommandResult> {
        self.require_held();
        CommandResult result;
        v1::WaitForTerminalExitResponse exit;
        std::exception_ptr error;
        try {
          if (time_out) {
            Task<v1::WaitForTerminalExitResponse> wait = self.wait_for_exit();
            Task<async::Nothing> over = io::deadline(self.state_->link.connection, *time_out);
            auto first = co_await when_any(std::move(wait), std::move(over));
            if (auto* ended = std::get_if<0>(&first))
              exit = std::move(*ended);
            else
              result.timed_out = true;
          } else {
            exit = co_await self.wait_for_exit();
          }
        } catch (...) {
          error = std::current_exception();
        }
        if (result.timed_out || error) {
          try {
            co_await self.kill();
          } catch (const Error&) {  // it may have ended by itself
          }
        }
        try {
          v1::TerminalOutputResponse output = co_await self.output();
          result.output = std::move(output.output);
          result.truncated = output.truncated;
          if (output.exitStatus.has_value() && result.timed_out) {
            if (output.exitStatus->exitCode.has_value())
              exit.exitCode = *output.exitStatus->exitCode;
            if (output.exitStatus->signal.has_value()) exit.signal = *output.exitStatus->signal;
          }
        } catch (...) {
          if (!error) error = std::current_exception();
        }
        try {
          co_await self.release();
        } catch (...) {
          if (!error) error = std::current_exception();
        }
        if (error) std::rethrow_exception(error);
        if (exit.exitCode.has_value()) result.exit_code = *exit.exitCode;
        if (exit.signal.has_value()) result.signal = *exit.signal;
        co_return result;
      }(*this, time_out);
}

Task<CommandResult> SessionContext::run_command(std::string command) const {
  const CommandOptions none;
  return run_command(std::move(command), none);
}

Task<CommandResult> SessionContext::run_command(std::string command,
                                                const CommandOptions& options) const {
  return
      [](SessionContext self, std::string command, CommandOptions options) -> Task<CommandResult> {
        Task<Terminal> creating = self.create_terminal(std::move(command), options);
        const Terminal terminal = co_await std::move(creating);
        co_return co_await terminal.finish();
      }(*this, std::move(command), options);
}

}  // namespace acp
