#include "acp/role/agent/agent_machine.h"

#include <algorithm>
#include <utility>

#include "acp/async/wait.h"
#include "acp/io/process/process.h"
#include "acp/json/codec.h"
#include "acp/role/agent/agent_version2.h"
#include "acp/role/versions/base64.h"

namespace acp::detail {

namespace {

using Lock = io::Connection::Lock;

// What the machine has thrown, as a client's answer would be.
std::exception_ptr as_answer(std::exception_ptr error) {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const Cancelled&) {
    return std::current_exception();
  } catch (const Error& thrown) {
    return std::make_exception_ptr(CallFailed(thrown.code(), thrown.what(), thrown.data()));
  } catch (const std::exception& exception) {
    return std::make_exception_ptr(CallFailed(rpc::internal_error, exception.what()));
  } catch (...) {
    return std::make_exception_ptr(CallFailed(rpc::internal_error, "the machine has failed"));
  }
}

std::exception_ptr no_such(const char* what, const std::string& id, const char* member) {
  return as_answer(std::make_exception_ptr(
      not_found(std::string(what) + " " + id, Json::object({{member, id}}))));
}

OwnMachine::Session as_seen_by_machine(const AgentSession& session) {
  return {session.id, session.cwd, session.directories};
}

template <class Status>
Status status_of(const v1::TerminalExitStatus& exit) {
  Status status;
  if (exit.exitCode.has_value()) status.exitCode = *exit.exitCode;
  if (exit.signal.has_value()) status.signal = *exit.signal;
  return status;
}

v1::TerminalExitStatus killed() {
  v1::TerminalExitStatus exit;
  exit.signal = "SIGKILL";
  return exit;
}

std::string command_of(const v1::CreateTerminalRequest& request) {
  if (request.args.empty()) return request.command;
  std::vector<std::string> words = {request.command};
  words.insert(words.end(), request.args.begin(), request.args.end());
  return io::command_line(words);
}

}  // namespace

OwnMachine& AgentMachine::machine() {
  std::call_once(made_, [this] { machine_ = role_.config().own_machine(*this); });
  return *machine_;
}

// ---- requests

std::optional<AgentMachine::Asked> AgentMachine::ask(
    const Link& link, const std::shared_ptr<async::CompletionBase>& done, Deliver& deliver,
    Calling how) {
  done->home = link.connection;
  done->helper = link.connection;
  CallScope* const scope = link.scope.get();
  const bool late = scope != nullptr && scope->cancelled() && how == Calling::while_wanted;
  if (over_)
    done->fail(std::make_exception_ptr(ConnectionClosed("the connection is closed")));
  else if (late)
    done->fail(std::make_exception_ptr(Cancelled()));
  if (over_ || late) return std::nullopt;
  Asked asked{done, std::move(deliver), link.scope, next_--, {}};
  if (scope == nullptr) return asked;
  if (scope->out_of_time())
    done->fail(std::make_exception_ptr(Cancelled()));
  else
    scope->add(asked.id, done, how);
  if (scope->owner() != nullptr) asked.stop = scope->owner()->stop_token(connection()->held());
  return asked;
}

void AgentMachine::answer(const Asked& asked, const json::Type& type, const void* response) {
  if (asked.scope) asked.scope->remove(asked.id);
  if (!asked.deliver) return;
  json::Writer out;
  json::write(out, type, response);
  if (const auto fault = asked.deliver(out.view(), {}))
    fail(asked, std::make_exception_ptr(CallFailed(rpc::internal_error, fault->message())));
}

void AgentMachine::fail(const Asked& asked, std::exception_ptr error) {
  if (asked.scope) asked.scope->remove(asked.id);
  if (asked.done) asked.done->fail(std::move(error));
}

void AgentMachine::run(std::function<void()> job) {
  if (over_) return;
  used_ = true;
  // What the job needs lives as long as it.
  threads_.run([self = shared_from_this(), role = role_.shared_from_this(), job = std::move(job)] {
    job();
  });
}

void AgentMachine::try_on(void (OwnMachine::*function)(const std::string&), const std::string& id) {
  try {
    (machine().*function)(id);
  } catch (const std::exception&) {  // what it is about is not there
  }
}

template <class Work>
void AgentMachine::run_and_answer(Asked asked, Work work) {
  run([this, asked = std::move(asked), work = std::move(work)] {
    decltype(work(machine())) response;
    std::exception_ptr error;
    try {
      response = work(machine());
    } catch (...) {
      error = as_answer(std::current_exception());
    }
    const Lock lock(*connection());
    if (error)
      fail(asked, error);
    else
      answer(asked, decltype(response)::json_type, &response);
  });
}

bool AgentMachine::carry_out(const Link& link, const json::Type& type, const void* params,
                             const std::shared_ptr<async::CompletionBase>& done, Deliver& deliver,
                             Calling how) {
  const auto asks = [&]<class Request>(std::in_place_type_t<Request>, auto begin) {
    if (&type != &Request::json_type) return false;
    if (auto asked = ask(link, done, deliver, how))
      begin(*static_cast<const Request*>(params), std::move(*asked));
    return true;
  };
  const auto of_terminal = [&]<class Request>(std::in_place_type_t<Request> request,
                                              auto function) {
    return asks(request, [&](const Request& request, Asked asked) {
      with_terminal(request, std::move(asked), function);
    });
  };
  using std::in_place_type;
  return asks(in_place_type<v1::ReadTextFileRequest>,
              [&](const v1::ReadTextFileRequest& request, Asked asked) {
                with_files(request, std::move(asked), &OwnMachine::read_file);
              }) ||
         asks(in_place_type<v1::WriteTextFileRequest>,
              [&](const v1::WriteTextFileRequest& request, Asked asked) {
                with_files(request, std::move(asked), &OwnMachine::write_file);
              }) ||
         asks(in_place_type<v1::CreateTerminalRequest>,
              [&](const v1::CreateTerminalRequest& request, Asked asked) {
                create(request, std::move(asked));
              }) ||
         of_terminal(in_place_type<v1::TerminalOutputRequest>,
                     [&](const std::string& id, Terminal&, Asked asked) {
                       output(id, std::move(asked));
                     }) ||
         of_terminal(in_place_type<v1::WaitForTerminalExitRequest>,
                     [&](const std::string&, Terminal& terminal, Asked asked) {
                       wait(terminal, std::move(asked));
                     }) ||
         of_terminal(in_place_type<v1::KillTerminalRequest>,
                     [&](const std::string& id, Terminal&, Asked asked) {
                       kill(id, std::move(asked));
                     }) ||
         of_terminal(in_place_type<v1::ReleaseTerminalRequest>,
                     [&](const std::string& id, Terminal& terminal, Asked asked) {
                       release(id, terminal, std::move(asked));
                     });
}

template <class Request, class Function>
void AgentMachine::with_files(const Request& request, Asked asked, Function function) {
  const auto session = role_.session_at_work(request.sessionId);
  if (!session) return fail(asked, no_such("session", request.sessionId, "sessionId"));
  run_and_answer(asked,
                 [session = as_seen_by_machine(*session), request, function, stop = asked.stop](
                     OwnMachine& machine) { return (machine.*function)(session, request, stop); });
}

template <class Request, class Function>
void AgentMachine::with_terminal(const Request& request, Asked asked, Function function) {
  const auto found = terminals_.find(request.terminalId);
  if (found == terminals_.end() || found->second.session->id != request.sessionId)
    return fail(asked, no_such("terminal", request.terminalId, "terminalId"));
  function(found->first, found->second, std::move(asked));
}

// ---- terminals

void AgentMachine::create(const v1::CreateTerminalRequest& request, Asked asked) {
  const auto session = role_.session_at_work(request.sessionId);
  if (!session) return fail(asked, no_such("session", request.sessionId, "sessionId"));
  const std::string id = role_.new_id("term_");
  Terminal terminal;
  terminal.session = session;
  if (asked.scope && asked.scope->owner() != nullptr)
    terminal.owner = std::static_pointer_cast<AgentCall>(asked.scope->owner()->shared_from_this());
  terminals_.emplace(id, std::move(terminal));
  run([this, id, request, asked = std::move(asked), place = as_seen_by_machine(*session)] {
    OwnMachine::TerminalSize size;
    std::exception_ptr error;
    try {
      size = machine().create_terminal(place, id, request);
    } catch (...) {
      error = as_answer(std::current_exception());
    }
    const Lock lock(*connection());
    if (!error) return started(id, request, size, asked);
    terminals_.erase(id);
    fail(asked, error);
  });
}

void AgentMachine::started(const std::string& id, const v1::CreateTerminalRequest& request,
                           OwnMachine::TerminalSize size, const Asked& asked) {
  const auto found = terminals_.find(id);
  // Its session has been closed meanwhile.
  if (found == terminals_.end()) {
    run([this, id] { try_on(&OwnMachine::release, id); });
    return fail(asked, no_such("session", request.sessionId, "sessionId"));
  }
  Terminal& terminal = found->second;
  v2::TerminalUpdate begins;
  begins.terminalId = id;
  begins.command = command_of(request);
  begins.cwd = request.cwd.value_or(terminal.session->cwd);
  if (size.columns != 0 && size.rows != 0) {
    v2::TerminalSize& shown = begins.size.emplace();
    shown.cols = size.columns;
    shown.rows = size.rows;
  }
  begins.capabilities.emplace().cancel.emplace();
  show(terminal, std::move(begins));
  terminal.shown = true;
  if (!terminal.printed_before.empty())
    show_output(id, terminal, std::exchange(terminal.printed_before, {}));
  v1::CreateTerminalResponse response;
  response.terminalId = id;
  if (const auto exit = terminal.exit)
    ended(id, terminal, *exit);
  else
    dialect_.background_changed(*terminal.session);
  answer(asked, v1::CreateTerminalResponse::json_type, &response);
}

void AgentMachine::output(const std::string& id, Asked asked) {
  run_and_answer(std::move(asked), [this, id](OwnMachine& machine) {
    v1::TerminalOutputResponse response = machine.output(id);
    const Lock lock(*connection());
    // A program that has waited for the exit reads it here as well.
    const auto found = terminals_.find(id);
    if (found != terminals_.end() && found->second.exit) response.exitStatus = *found->second.exit;
    return response;
  });
}

void AgentMachine::wait(Terminal& terminal, Asked asked) {
  if (!terminal.exit) return terminal.waiting.push_back(std::move(asked));
  const auto response = status_of<v1::WaitForTerminalExitResponse>(*terminal.exit);
  answer(asked, v1::WaitForTerminalExitResponse::json_type, &response);
}

// Its exit is known from then on, and is not waited for: what it has printed before may still wait
// for a client that does not read.
void AgentMachine::kill(const std::string& id, Asked asked) {
  run_and_answer(std::move(asked), [this, id](OwnMachine& machine) {
    machine.kill(id);
    const Lock lock(*connection());
    const auto found = terminals_.find(id);
    if (found != terminals_.end() && !found->second.exit) ended(id, found->second, killed());
    return v1::KillTerminalResponse();
  });
}

void AgentMachine::release(const std::string& given, Terminal& terminal, Asked asked) {
  const std::string id = given;
  if (!terminal.exit) ended(id, terminal, killed());
  terminals_.erase(id);
  run_and_answer(std::move(asked), [id](OwnMachine& machine) {
    machine.release(id);
    return v1::ReleaseTerminalResponse();
  });
}

void AgentMachine::ended(const std::string& id, Terminal& terminal,
                         const v1::TerminalExitStatus& exit) {
  terminal.exit = exit;
  if (!terminal.shown) return;
  v2::TerminalUpdate ends;
  ends.terminalId = id;
  ends.exitStatus = status_of<v2::TerminalExitStatus>(exit);
  ends.capabilities = nullptr;
  show(terminal, std::move(ends));
  dialect_.background_changed(*terminal.session);
  const auto response = status_of<v1::WaitForTerminalExitResponse>(exit);
  for (const Asked& asked : std::exchange(terminal.waiting, {}))
    answer(asked, v1::WaitForTerminalExitResponse::json_type, &response);
}

void AgentMachine::show(const Terminal& terminal, const v2::SessionUpdate& update) {
  if (terminal.session->silent) return;
  dialect_.show(*terminal.session, update);
  connection()->held().sent_something();
}

void AgentMachine::show_output(const std::string& id, const Terminal& terminal,
                               std::string_view text) {
  v2::TerminalOutputChunk chunk;
  chunk.terminalId = id;
  chunk.data = versions::encode_base64(text);
  show(terminal, std::move(chunk));
}

// ---- the watcher

void AgentMachine::on_output(const std::string& id, std::string_view text) {
  std::shared_ptr<async::Completion<void>> room;
  {
    const Lock lock(*connection());
    const auto found = terminals_.find(id);
    if (over_ || found == terminals_.end() || found->second.exit) return;
    if (!found->second.shown) return void(found->second.printed_before += text);
    show_output(id, found->second, text);
    if (!lock.congested()) return;
    room = lock.room();
    // This thread only waits: it is no place to read, or to run the program's coroutines.
    room->helper.reset();
    waiting_for_room_.push_back(room);
  }
  Task<void>(room).wait();
  const Lock lock(*connection());
  std::erase(waiting_for_room_, room);
}

void AgentMachine::on_exit(const std::string& id, const v1::TerminalExitStatus& exit) {
  const Lock lock(*connection());
  const auto found = terminals_.find(id);
  if (found != terminals_.end() && !found->second.exit) ended(id, found->second, exit);
}

// ---- what others want to know, and the end

bool AgentMachine::cancel(const std::string& session_id, const std::string& id) {
  const auto found = terminals_.find(id);
  if (!runs(id) || found->second.session->id != session_id) return false;
  run([this, id] { try_on(&OwnMachine::kill, id); });
  return true;
}

bool AgentMachine::runs(const std::string& id) const {
  const auto found = terminals_.find(id);
  return found != terminals_.end() && found->second.shown && !found->second.exit;
}

std::vector<std::string> AgentMachine::running_for(const AgentCall& call) const {
  std::vector<std::string> ids;
  for (const auto& [id, terminal] : terminals_)
    if (terminal.owner.lock().get() == &call && runs(id)) ids.push_back(id);
  return ids;
}

std::vector<std::string> AgentMachine::in_background(const AgentSession& session) const {
  std::vector<std::string> ids;
  for (const auto& [id, terminal] : terminals_) {
    if (terminal.session->id != session.id || !runs(id)) continue;
    const std::shared_ptr<AgentCall> owner = terminal.owner.lock();
    const std::shared_ptr<AgentCall>& turn = session.turn;
    if (!owner || !turn || (owner != turn && owner->whole() != turn)) ids.push_back(id);
  }
  return ids;
}

void AgentMachine::session_closed(const AgentSession& session, std::function<void()> then) {
  std::vector<std::string> ids;
  for (auto& [id, terminal] : terminals_) {
    if (terminal.session->id != session.id) continue;
    if (!terminal.exit) ended(id, terminal, killed());
    ids.push_back(id);
  }
  for (const std::string& id : ids) terminals_.erase(id);
  if (!used_ || over_) return then();
  run([this, ids, session_id = session.id, then = std::move(then)] {
    for (const std::string& id : ids) try_on(&OwnMachine::release, id);
    try_on(&OwnMachine::session_closed, session_id);
    const Lock lock(*connection());
    then();
  });
}

void AgentMachine::shut_down() {
  if (std::exchange(over_, true)) return;
  const auto closed = std::make_exception_ptr(ConnectionClosed("the connection is closed"));
  for (const auto& [id, terminal] : std::exchange(terminals_, {}))
    for (const Asked& asked : terminal.waiting) fail(asked, closed);
  for (const auto& room : std::exchange(waiting_for_room_, {})) room->settle();
  if (!std::exchange(used_, false)) return;
  connection()->post_blocking([self = shared_from_this(), role = role_.shared_from_this()] {
    self->threads_.stop();
    self->machine_.reset();
  });
}

}  // namespace acp::detail
