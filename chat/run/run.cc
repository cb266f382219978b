#include "chat/run/run.h"

#include <csignal>
#include <thread>
#include <utility>

#include "chat/last_session.h"
#include "chat/mcp_servers.h"
#include "chat/remote_agent.h"
#include "chat/render/long_session.h"
#include "chat/run/host.h"

namespace acp::chat {

namespace {

using Why = Stopping::Why;

class Run {
 public:
  Run(const RunOptions& options, std::unique_ptr<RunPrinter> printer, std::stop_token interrupt)
      : options_(options),
        reporter_(std::make_shared<RunReporter>(std::move(printer))),
        host_(std::make_shared<RunHost>(reporter_, options.permissions, options.agent.name,
                                        options.agent.kind == KnownAgent::Kind::built_in,
                                        options.auth, options.command_environment,
                                        !options.agent.elsewhere)),
        stopping_(std::move(interrupt), options.time, options.grace) {}

  int operator()() {
    event::Failed failure{phase_, "", exit_code::failed};
    try {
      start();
      open();
      make_choices(*session_, options_.choices, stopping_.please());
      show_updates(false);  // of these choices, and not after the turn
      const int code = turn();
      end();
      return code;
    } catch (...) {
      failure = what_went_wrong();
    }
    host_->stop_asking();
    reporter_->tell(failure);
    end();
    return failure.exit_code;
  }

 private:
  void start() {
    Client client("acp run", options_.version);
    host_->install(client);
    client.framing(options_.framing).versions(options_.versions);
    io::ProcessOptions process = options_.agent.process();
    // Nobody would see that it is not the model they meant.
    if (options_.agent.kind == KnownAgent::Kind::built_in)
      process.argv.push_back("--require-model");
    process.cwd = options_.cwd;
    phase_ = "handshake";
    reporter_->tell(event::Starting{options_.agent});
    agent_ = client.spawn(process).wait(stopping_.please());
    reporter_->tell(event::Initialized{agent_->info()});
  }

  // ---- the session

  void open() {
    phase_ = "session";
    cwd_ = session_directory(options_.agent, *agent_, options_.cwd);
    const LastSession last(options_.agent.name, named_directory(options_.agent, options_.cwd));
    SessionStart how = SessionStart::created;
    if (options_.session.empty()) {
      v1::NewSessionRequest request;
      request.cwd = cwd_;
      request.mcpServers = servers();
      session_ = agent_->new_session(request).wait(stopping_.please());
    } else {
      reopening_ = options_.session;
      if (options_.session == "last") {
        const auto id = last.load();
        if (!id)
          throw std::runtime_error("there is no last session of " + options_.agent.name + " in " +
                                   cwd_);
        reopening_ = *id;
      }
      how = reopen(*reopening_);
      reopening_.reset();
    }
    host_->remember(*session_);
    reporter_->tell(event::SessionOpened{*session_, how});
    show_updates(how == SessionStart::loaded);
    try {
      last.store(session_->id());
    } catch (const std::runtime_error& error) {
      reporter_->later({LogEntry::Level::warning,
                        std::string("--session last will not find this session: ") + error.what()});
    }
  }

  // Those that the agent takes; of the others it is said.
  std::vector<v1::McpServer> servers() {
    for (const v1::McpServer& server : options_.servers)
      if (const auto why = not_taken(server, *agent_))
        reporter_->later({LogEntry::Level::warning,
                          "the MCP server " + name_of(server) + " is not passed on: " + *why});
    return taken(options_.servers, *agent_);
  }

  SessionStart reopen(const std::string& id) {
    const auto ask = [&](auto request) {
      request.sessionId = id;
      request.cwd = cwd_;
      request.mcpServers = servers();
      return request;
    };
    const v1::AgentCapabilities& can = agent_->capabilities();
    if (can.sessionCapabilities.resume.has_value()) {
      const v1::ResumeSessionRequest request = ask(v1::ResumeSessionRequest());
      session_ = agent_->resume_session(request).wait(stopping_.please());
      return SessionStart::resumed;
    }
    if (!can.loadSession)
      throw std::runtime_error(
          "the agent can go on with no session: it offers neither "
          "session/resume nor session/load");
    const v1::LoadSessionRequest request = ask(v1::LoadSessionRequest());
    session_ = agent_->load_session(request).wait(stopping_.please());
    return SessionStart::loaded;
  }

  void show_updates(bool replayed) {
    for (const SessionUpdate& update : session_->take_updates())
      reporter_->tell(event::Updated{session_->id(), update, replayed});
  }

  // ---- the turn

  int turn() {
    phase_ = "prompt";
    v1::PromptResponse response;
    try {
      response = prompt();
    } catch (const CallFailed& failed) {
      if (failed.code() == rpc::rate_limited)
        wait_as_told(failed);
      else
        log_in_late(failed);
      response = prompt();
    }
    host_->stop_asking();  // an agent that does not wait for the answer
    settle();
    event::Stopped stopped{response, exit_code::done, ""};
    judge(stopped);
    reporter_->tell(stopped);
    return stopped.exit_code;
  }

  // Some agents want a login only now. Rethrows if there is none to give.
  void log_in_late(const CallFailed& failed) {
    if (failed.code() != rpc::auth_required || options_.auth.empty() || host_->logged_in()) throw;
    phase_ = "authenticate";
    reporter_->tell(event::LoggingIn{options_.auth});
    agent_->authenticate(options_.auth).wait(stopping_.please());
    phase_ = "prompt";
  }

  // An agent that has not begun, and says when to come again. Rethrows if it does not.
  void wait_as_told(const CallFailed& failed) {
    constexpr double longest = 60;
    const auto seconds = failed.retry_after();
    if (updates_ != 0 || !seconds || *seconds > longest) throw;
    reporter_->tell(
        event::Logged{{LogEntry::Level::warning,
                       std::string(failed.what()) + "; the prompt is sent again then"}});
    if (!sleep_unless(stopping_.please(),
                      std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000))))
      throw Cancelled();
  }

  v1::PromptResponse prompt() {
    Prompt prompt = session_->prompt(options_.prompt);
    const std::stop_callback please(stopping_.please(), [this] {
      host_->stop_asking();  // an open question keeps all else from being printed
      reporter_->tell(event::Cancelling{cancel_reason()});
      session_->cancel();
    });
    const std::stop_callback now(stopping_.now(), [this] { agent_->close(); });
    for (const PromptEvent& event : prompt) {
      if (const auto* update = std::get_if<SessionUpdate>(&event))
        reporter_->tell(event::Updated{session_->id(), *update, false});
      // Only what permissions are asked for is looked up there.
      if (++updates_ % 256 == 0) session_->change_state(keep_short);
    }
    return prompt.response();
  }

  // Closing is a question whose answer stands after all that the agent still had to say of the
  // turn.
  void settle() {
    if (agent_->capabilities().sessionCapabilities.close.has_value()) {
      try {
        session_->close().wait_for(std::chrono::seconds(2));
      } catch (const std::exception& error) {
        reporter_->later({LogEntry::Level::debug, std::string("session/close: ") + error.what()});
      }
    }
    show_updates(false);
  }

  int signal() const { return options_.signal ? options_.signal() : SIGINT; }
  const char* cancel_reason() const {
    if (stopping_.why() == Why::timed_out) return "timeout";
    return signal() == SIGTERM ? "terminated" : signal() == SIGHUP ? "hangup" : "interrupt";
  }

  void judge(event::Stopped& stopped) const {
    const StopReason reason = stopped.response.stopReason;
    if (stopping_.why() == Why::timed_out) {
      stopped.exit_code = exit_code::timed_out;
      stopped.note = "the time was over before the turn was";
    } else if (stopping_.why() == Why::interrupted) {
      stopped.exit_code = exit_code::signalled + signal();
      stopped.note =
          signal() == SIGINT ? "cancelled" : std::string("cancelled: ") + cancel_reason();
    } else if (host_->permission_needed()) {
      stopped.exit_code = exit_code::permission_needed;
      stopped.note =
          "a permission was needed and not given; --policy says what is allowed, and by whom";
    } else if (reason == StopReason::cancelled) {
      stopped.exit_code = exit_code::cancelled;
      stopped.note = "the agent says that the turn was cancelled";
    } else if (reason == StopReason::refusal) {
      stopped.exit_code = exit_code::refusal;
      stopped.note = "the agent refused";
    } else if (reason == StopReason::max_tokens || reason == StopReason::max_turn_requests) {
      stopped.exit_code = exit_code::cut_off;
      stopped.note = reason == StopReason::max_tokens ? "the turn was cut off: max_tokens"
                                                      : "the turn was cut off: max_turn_requests";
    }
  }

  // ---- failures

  // Of the exception that is being handled.
  event::Failed what_went_wrong() {
    event::Failed failed{phase_, "", exit_code::failed};
    const auto describe = [&](const std::string& message, int code) {
      failed.message = message;
      failed.exit_code = reopening_ && code == exit_code::failed ? exit_code::no_session : code;
    };
    try {
      throw;
    } catch (const Cancelled&) {
      describe("", exit_code::failed);
    } catch (const StartFailed& error) {
      if (const std::string wrong = wrong_model(error.diagnosis()); !wrong.empty()) {
        describe(wrong, exit_code::bad_usage);
        failed.phase = "session";  // where any other agent would be asked for it
        return failed;
      }
      failed.phase = to_string(error.diagnosis().phase);
      failed.start = error.diagnosis();
      if (const std::string why = why_not_reached(options_.agent, error.diagnosis());
          !why.empty()) {
        describe(why, exit_code::no_agent);
        return failed;
      }
      describe(error.what(), exit_code::no_agent);
      const std::string advice = options_.agent.advice(options_.typed);
      if (error.diagnosis().phase == StartFailed::Phase::resolve && !advice.empty()) {
        failed.message += "\n" + advice;
        failed.start->hint = advice;
      }
    } catch (const NoSuchChoice& error) {
      describe(error.what(), exit_code::bad_usage);
    } catch (const ConnectionClosed& error) {
      describe(std::string("the connection was lost: ") + error.what(), exit_code::no_agent);
      if (agent_) {
        // Its end may come a moment after that of its output.
        for (int i = 0; i < 50 && agent_->process_id() != 0 && !agent_->exit_status(); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        const auto exit = agent_->exit_status();
        const std::string how = exit ? exit->describe("agent") : "";
        if (!how.empty() && failed.message.find(how) == std::string::npos)
          failed.message += "; " + how;
        const std::string tail = agent_->stderr_tail();
        if (!tail.empty()) failed.message += "; its last words:\n" + tail;
      }
    } catch (const CallFailed& error) {
      failed.code = error.code();
      failed.data = error.data();
      describe(error.what(), exit_code::failed);
      if (const std::string advice = directory_advice(options_.agent);
          phase_ == "session" && error.code() != rpc::auth_required && !advice.empty())
        failed.message += "\n" + advice;
      if (const auto id = error.data()["correlationId"].as_string(); id && !id->empty())
        failed.log_line = host_->logged_as(*id);
      if (error.data()["reason"].as_string() == "no_model") {
        // Nobody let it use the server that it has found.
        const bool denied = host_->permission_needed();
        failed.exit_code = denied ? exit_code::permission_needed : exit_code::no_model;
      }
      if (error.code() == rpc::auth_required) {
        failed.phase = "authenticate";
        failed.exit_code = exit_code::login_needed;
        // There is a key, and the message says what is wrong with it.
        if (error.data()["keySource"].absent()) {
          failed.message = "the agent wants a login first: " + failed.message;
          failed.methods = agent_->auth_methods();
          if (!options_.auth.empty() && !host_->logged_in())
            failed.message += "; it has no login \"" + options_.auth + "\" that --auth can do";
        }
      }
    } catch (const std::exception& error) {
      describe(error.what(), exit_code::failed);
    }
    if (failed.exit_code == exit_code::no_session)
      failed.message = "the session " + reopening_.value_or("") +
                       " cannot be resumed: " + failed.message + ". No new one was begun";
    if (stopping_.why() == Why::not_at_all) return failed;
    // Whatever else it looks like: this is why.
    const bool timed_out = stopping_.why() == Why::timed_out;
    failed.exit_code = timed_out ? exit_code::timed_out : exit_code::signalled + signal();
    failed.message = timed_out             ? "the time was over"
                     : signal() == SIGINT  ? "interrupted"
                     : signal() == SIGTERM ? "terminated"
                                           : "hung up";
    failed.message += "; " + what_was_awaited();
    failed.start.reset();
    return failed;
  }

  // What our own agent says of the --model that it was started with; empty if that is not it.
  std::string wrong_model(const StartFailed::Diagnosis& diagnosis) const {
    constexpr std::string_view said = "acp agent: --model: ";
    const bool ours = options_.agent.kind == KnownAgent::Kind::built_in;
    const std::string& told = diagnosis.stderr_tail;
    if (!ours || !diagnosis.exit || !told.starts_with(said)) return {};
    return told.substr(said.size(), told.find('\n') - said.size());
  }

  // Of the agent, when it was stopped.
  std::string what_was_awaited() const {
    if (phase_ == "prompt")
      return stopping_.now().stop_requested() ? "the agent did not end the turn, and was ended"
                                              : "the turn did not end well";
    if (phase_ == "handshake")
      return "the agent did not answer initialize: is it an ACP agent, and does it need an option "
             "such as --acp?";
    if (phase_ == "authenticate") return "the agent did not answer authenticate";
    if (phase_ == "session" && !session_) return "the agent did not open a session";
    return phase_ == "session" ? "the agent did not take a mode, a model or an option" : "";
  }

  void end() {
    host_->forget();
    session_.reset();
    if (agent_) agent_->close();
    agent_.reset();
  }

  const RunOptions& options_;
  const std::shared_ptr<RunReporter> reporter_;
  const std::shared_ptr<RunHost> host_;
  std::string phase_ = "spawn";
  std::string cwd_;                       // the session's, on the agent's machine
  std::size_t updates_ = 0;               // of the turn
  std::optional<std::string> reopening_;  // the session that is being resumed
  std::optional<AgentHandle> agent_;
  std::optional<Session> session_;
  Stopping stopping_;  // goes first: its callbacks use the rest
};

}  // namespace

int run(const RunOptions& options, std::unique_ptr<RunPrinter> printer, std::stop_token interrupt) {
  return Run(options, std::move(printer), std::move(interrupt))();
}

}  // namespace acp::chat
