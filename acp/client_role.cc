#include "acp/client_role.h"

#include "acp/json/codec.h"
#include "acp/paths.h"

namespace acp::detail {

namespace {

// Kept for sessions that are not known yet, and for nobody in particular.
constexpr std::size_t max_early_bytes = 4 * 1024 * 1024;
constexpr std::size_t max_outside = 100'000;
// Events that nobody takes: beyond this, the agent has to wait.
constexpr std::size_t max_event_bytes = 32 * 1024 * 1024;

bool offers_terminals(const TerminalHandlers& handlers) {
  return handlers.create && handlers.output && handlers.wait_for_exit && handlers.kill &&
         handlers.release;
}

}  // namespace

void PromptState::wake() {
  if (const auto done = std::exchange(waiter, nullptr)) done->settle();
}

ClientRole::ClientRole(std::shared_ptr<const Client::Parts> parts,
                       std::shared_ptr<io::Connection> connection)
    : parts_(std::move(parts)),
      connection_(std::move(connection)),
      handlers_(std::make_shared<RunningHandlers>(connection_)) {}

void ClientRole::log(LogEntry::Level level, std::string message, std::string correlation_id) {
  if (!parts_->log) return;
  connection_->unlocked(
      [parts = parts_, entry = LogEntry{level, std::move(message), std::move(correlation_id)}] {
        parts->log(entry);
      });
}

v1::InitializeRequest ClientRole::introduction() const {
  v1::InitializeRequest request;
  request.protocolVersion = 1;
  request.clientInfo = parts_->info;
  v1::ClientCapabilities& capabilities = request.clientCapabilities;
  capabilities = parts_->capabilities;
  capabilities.fs.readTextFile = static_cast<bool>(parts_->read_text_file);
  capabilities.fs.writeTextFile = static_cast<bool>(parts_->write_text_file);
  capabilities.terminal = offers_terminals(parts_->terminals);
  if (parts_->form || parts_->url) {
    capabilities.elicitation.emplace();
    if (parts_->form) capabilities.elicitation->form.emplace();
    if (parts_->url) capabilities.elicitation->url.emplace();
  }
  if (!parts_->requests.empty() || !parts_->notifications.empty()) {
    Json requests = Json::array(), notifications = Json::array();
    for (const auto& [name, handler] : parts_->requests) requests.append(name);
    for (const auto& [name, handler] : parts_->notifications) notifications.append(name);
    capabilities._meta = Json::object(
        {{"extensions", Json::object({{"requests", requests}, {"notifications", notifications}})}});
  }
  return request;
}

// Whoever waits for something must get it, whatever else has piled up.
bool ClientRole::takes_input() const {
  return event_bytes <= max_event_bytes || prompts_waited > 0 ||
         connection_->peer().pending_calls() > prompts_pending;
}

// ---- answering

ClientRole::CallPtr ClientRole::begin(const rpc::RequestId& id) {
  auto call = std::make_shared<ClientCall>(shared_from_this(), connection_);
  call->id = id;
  active_.emplace(id.key(), call);
  return call;
}

void ClientRole::end(const CallPtr& call) {
  call->over = true;
  if (call->id) active_.erase(call->id->key());
  connection_->sent_something();
  connection_->check_finished();
}

template <class Response>
void ClientRole::answer(const CallPtr& call, const Response& response) {
  if (call->over) return;
  connection_->peer().respond(*call->id, [&](json::Writer& out) {
    if constexpr (std::is_same_v<Response, Json>)
      response.absent() ? out.null() : out.put(response.text());
    else
      json::write(out, response);
  });
  end(call);
}

rpc::Error ClientRole::to_error(const CallPtr& call, std::exception_ptr error) {
  std::string what;
  try {
    std::rethrow_exception(error);
  } catch (const CallFailed& failed) {
    what = "a call to the agent failed: " + std::to_string(failed.code()) + " " + failed.what();
  } catch (const Refused& refused) {
    what = refused.what();
  } catch (const ConnectionClosed& closed) {
    what = closed.what();
  } catch (const Error& thrown) {
    if (!call->cancelled) return {thrown.code(), thrown.what(), thrown.data()};
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
    what = "an exception that is no std::exception";
  }
  if (call->cancelled) return {rpc::request_cancelled, "Request cancelled", {}};
  const std::string correlation = "c_" + std::to_string(next_error_++);
  log(LogEntry::Level::error, "a handler failed: " + what, correlation);
  return {rpc::internal_error, "Internal error", Json::object({{"correlationId", correlation}})};
}

void ClientRole::fail(const CallPtr& call, std::exception_ptr error) {
  if (call->over) return;
  connection_->peer().fail(*call->id, to_error(call, error));
  end(call);
}

void ClientRole::refuse(const rpc::RequestId& id, std::int32_t code, std::string message,
                        Json data) {
  connection_->peer().fail(id, {code, std::move(message), std::move(data)});
}
void ClientRole::refuse(const rpc::RequestId& id, const Error& error) {
  refuse(id, error.code(), error.what(), error.data());
}

template <class Request>
bool ClientRole::decode(const rpc::RequestId& id, JsonView params, Request& request) {
  const bool none = params.absent() || params.is_null();
  const auto error = json::decode(none ? "{}" : params.text(), Request::json_type, &request);
  if (!error) return true;
  refuse(id, invalid_params(error->path.empty() ? "params" : "params." + error->path,
                            error->expected, error->got));
  return false;
}

// ---- requests

namespace {

// What is wrong with a request for a file, whatever the program makes of it. Line 0 is taken as 1.
std::optional<Error> check(v1::ReadTextFileRequest& request) {
  if (!is_absolute(request.path))
    return invalid_params("params.path", "an absolute path", "\"" + request.path + "\"");
  if (request.line.has_value() && *request.line == 0) request.line = 1;
  return std::nullopt;
}
std::optional<Error> check(v1::WriteTextFileRequest& request) {
  if (!is_absolute(request.path))
    return invalid_params("params.path", "an absolute path", "\"" + request.path + "\"");
  return std::nullopt;
}
std::optional<Error> check(v1::CreateTerminalRequest& request) {
  if (request.cwd.has_value() && !is_absolute(*request.cwd))
    return invalid_params("params.cwd", "an absolute path", "\"" + *request.cwd + "\"");
  return std::nullopt;
}
template <class Request>
std::optional<Error> check(Request&) {
  return std::nullopt;
}

template <class Request>
std::string session_of(const Request& request) {
  if constexpr (requires { request.sessionId; })
    return request.sessionId;
  else
    return {};
}

}  // namespace

void ClientRole::on_request(const rpc::RequestId& id, std::string_view method, JsonView params) {
  if (method == "session/request_permission") return ask_permission(id, params);
  if (method == "fs/read_text_file") return pass_on(id, method, params, parts_->read_text_file);
  if (method == "fs/write_text_file") return pass_on(id, method, params, parts_->write_text_file);
  if (method.starts_with("terminal/") && offers_terminals(parts_->terminals)) {
    const TerminalHandlers& terminals = parts_->terminals;
    if (method == "terminal/create") return pass_on(id, method, params, terminals.create);
    if (method == "terminal/output") return pass_on(id, method, params, terminals.output);
    if (method == "terminal/wait_for_exit")
      return pass_on(id, method, params, terminals.wait_for_exit);
    if (method == "terminal/kill") return pass_on(id, method, params, terminals.kill);
    if (method == "terminal/release") return pass_on(id, method, params, terminals.release);
  }
  if (method == "elicitation/create") return elicit(id, params);
  if (method == "mcp/message") return pass_on(id, method, params, parts_->mcp_message);
  const auto extension = parts_->requests.find(method);
  if (extension == parts_->requests.end())
    return refuse(id, rpc::method_not_found, "Method not found: " + std::string(method),
                  Json::object({{"method", method}}));
  const CallPtr call = begin(id);
  handlers_->run(
      extension->second,
      [this, self = shared_from_this(), call](Json* response, std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        response ? answer(call, *response) : fail(call, error);
      },
      ClientContext(call), Json(params));
}

template <class Request, class Response>
void ClientRole::pass_on(const rpc::RequestId& id, std::string_view method, JsonView params,
                         const Handler<Response(ClientContext, Request)>& handler) {
  if (!handler)
    return refuse(id, rpc::method_not_found, "Method not found: " + std::string(method),
                  Json::object({{"method", method}}));
  Request request;
  if (!decode(id, params, request)) return;
  if (const auto error = check(request)) return refuse(id, *error);
  const std::string session_id = session_of(request);
  if (!session_id.empty() && !sessions_.contains(session_id)) {
    const std::size_t bytes = params.text().size();
    if (opening_ > 0 && early_bytes_ + bytes <= max_early_bytes) {
      early_bytes_ += bytes;
      deferred_.push_back({id, std::string(method), Json(params)});
      return;
    }
    return refuse(id, not_found("session " + session_id, Json::object({{"sessionId", session_id}})));
  }
  const CallPtr call = begin(id);
  call->session_id = session_id;
  handlers_->run(
      handler,
      [this, self = shared_from_this(), call](Response* response, std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        response ? answer(call, *response) : fail(call, error);
      },
      ClientContext(call), std::move(request));
}

void ClientRole::ask_permission(const rpc::RequestId& id, JsonView params) {
  v1::RequestPermissionRequest request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  call->session_id = request.sessionId;
  call->permission = true;
  call->options = request.options;
  if (const auto known = sessions_.find(request.sessionId); known != sessions_.end())
    if (ClientSession* const session = known->second; session && session->state)
      session->state->on_permission_request(request);
  if (!parts_->permission) {
    log(LogEntry::Level::warning, "a permission request was rejected: nobody is there to ask");
    return answer_permission(call, PermissionOptionKind::reject_once);
  }
  handlers_->run(
      parts_->permission,
      [this, self = shared_from_this(), call](Decision* decision, std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        decision ? answer_permission(call, *decision) : fail(call, error);
      },
      ClientContext(call), std::move(request));
}

void ClientRole::answer_permission(const CallPtr& call, const Decision& decision) {
  v1::RequestPermissionResponse response;
  std::optional<std::string> chosen;
  if (decision.option_id()) {
    for (const PermissionOption& option : call->options)
      if (option.optionId == *decision.option_id()) chosen = option.optionId;
  } else if (decision.kind()) {
    for (const PermissionOption& option : call->options)
      if (option.kind == *decision.kind() && !chosen) chosen = option.optionId;
  }
  if (!chosen && (decision.option_id() || decision.kind()))
    log(LogEntry::Level::warning, "the permission request has no such option: answered cancelled");
  if (chosen) {
    v1::SelectedPermissionOutcome selected;
    selected.optionId = *chosen;
    response.outcome = std::move(selected);
  } else {
    response.outcome = v1::CancelledPermissionOutcome();
  }
  answer(call, response);
}

void ClientRole::cancel_permissions(const std::string& session_id) {
  std::vector<CallPtr> pending;
  for (const auto& [key, call] : active_)
    if (call->permission && call->session_id == session_id) pending.push_back(call);
  for (const CallPtr& call : pending) {
    answer_permission(call, Decision::cancelled());
    call->cancel();
  }
}

void ClientRole::elicit(const rpc::RequestId& id, JsonView params) {
  if (!parts_->form && !parts_->url)
    return refuse(id, rpc::method_not_found, "Method not found: elicitation/create",
                  Json::object({{"method", "elicitation/create"}}));
  v1::CreateElicitationRequest request;
  if (!decode(id, params, request)) return;
  const bool form = std::holds_alternative<v1::ElicitationFormMode>(request.mode);
  const bool url = std::holds_alternative<v1::ElicitationUrlMode>(request.mode);
  const auto& handler = form ? parts_->form : parts_->url;
  if ((!form && !url) || !handler)
    return refuse(id, invalid_params("params.mode", "a mode that was advertised",
                                     form  ? "\"form\""
                                     : url ? "\"url\""
                                           : "another one"));
  pass_on(id, "elicitation/create", params, handler);
}

void ClientRole::on_cancel(const rpc::RequestId& id) {
  const auto found = active_.find(id.key());
  if (found != active_.end()) CallPtr(found->second)->cancel();
}

// ---- notifications

bool ClientRole::on_notification(rpc::NotificationToken token, std::string_view method,
                                 JsonView params) {
  if (method == "session/update") return update(token, params);
  const auto ignore = [&] {
    log(LogEntry::Level::warning,
        "a notification that does not fit was ignored: " + std::string(method));
    return true;
  };
  if (method == "elicitation/complete" && parts_->elicitation_complete) {
    v1::CompleteElicitationNotification notification;
    if (json::decode(params.text(), v1::CompleteElicitationNotification::json_type, &notification))
      return ignore();
    return pass_on(token, parts_->elicitation_complete, std::move(notification), {});
  }
  if (method == "auth/status_update" && parts_->auth_status) {
    v1::AuthStatusUpdateNotification notification;
    if (json::decode(params.text(), v1::AuthStatusUpdateNotification::json_type, &notification))
      return ignore();
    return pass_on(token, parts_->auth_status, std::move(notification), {});
  }
  const auto extension = parts_->notifications.find(method);
  if (extension != parts_->notifications.end())
    return pass_on(token, extension->second, Json(params), {});
  log(LogEntry::Level::warning, "an unknown notification was ignored: " + std::string(method));
  return true;
}

template <class Notification>
bool ClientRole::pass_on(rpc::NotificationToken token,
                         const Handler<void(ClientContext, Notification)>& handler,
                         Notification notification, const std::string& session_id) {
  ++notifications_running_;
  const auto call = std::make_shared<ClientCall>(shared_from_this(), connection_);
  call->inside = token;
  call->session_id = session_id;
  handlers_->run(
      handler,
      [this, self = shared_from_this(), token, call](async::Nothing*, std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        --notifications_running_;
        if (error) to_error(call, error);
        connection_->peer().finished(token);
        connection_->check_finished();
      },
      ClientContext(call), std::move(notification));
  return false;
}

// The common case at no cost but the decoding: the next update of the prompt that got the last one
// is read where it will be taken from. False if it is none, or does not fit.
bool ClientRole::update_in_place(JsonView params) {
  ClientSession* const session = streaming_;
  if (session == nullptr || parts_->update) return false;
  if (session->prompts.empty() || session->prompts.front()->abandoned) return false;
  PromptState& prompt = *session->prompts.front();
  const std::string_view text = params.text();
  json::Reader in(text);
  bool first = true, ours = false, odd = false;
  SessionUpdate* update = nullptr;
  std::string_view key;
  odd = !in.begin_object();
  while (!odd && in.next_key(first, key)) {
    if (key == "sessionId") {
      ours = in.string(id_) && id_ == session->id;
      odd = !ours;
    } else if (key == "update") {
      odd = update != nullptr;  // twice: the last one counts
      if (odd) break;
      in.peek();  // to where it begins
      update = &std::get<SessionUpdate>(prompt.ready.emplace_back());
      const std::string_view rest = text.substr(static_cast<std::size_t>(in.at() - text.data()));
      // The two change more than what is shown.
      odd = !json::decode_next(in, rest, SessionUpdate::json_type, update) ||
            std::holds_alternative<v1::CurrentModeUpdate>(*update) ||
            std::holds_alternative<v1::ConfigOptionUpdate>(*update);
    } else {
      odd = !in.skip();
    }
  }
  if (odd || in.failed() || !ours || update == nullptr) {
    if (update != nullptr) prompt.ready.pop_back();
    return false;
  }
  if (session->state) session->state->apply(*update);
  count(prompt, text.size());
  return true;
}

void ClientRole::count(PromptState& prompt, std::size_t bytes) {
  prompt.bytes += bytes;
  event_bytes += bytes;
  if (prompt.waiter) {
    --prompts_waited;
    prompt.wake();
  }
}

bool ClientRole::update(rpc::NotificationToken token, JsonView params) {
  if (update_in_place(params)) return true;
  v1::SessionNotification notification;
  if (const auto error =
          json::decode(params.text(), v1::SessionNotification::json_type, &notification)) {
    log(LogEntry::Level::warning,
        "a session/update that does not fit was ignored: " + error->message());
    return true;
  }
  const std::size_t bytes = params.text().size();
  const auto found = sessions_.find(notification.sessionId);
  ClientSession* const session = found == sessions_.end() ? nullptr : found->second;
  std::optional<v1::SessionNotification> copy;
  if (parts_->update) copy = notification;
  if (session) {
    streaming_ = session->prompts.empty() ? nullptr : session;
    deliver(*session, std::move(notification.update), bytes);
  } else if (found == sessions_.end()) {
    if (early_bytes_ + bytes > max_early_bytes) {
      log(LogEntry::Level::warning,
          "an update of an unknown session was dropped: too many wait for it to become known");
    } else {
      early_bytes_ += bytes;
      early_[notification.sessionId].emplace_back(std::move(notification.update), bytes);
    }
  }
  if (!copy) return true;
  const std::string session_id = copy->sessionId;
  return pass_on(token, parts_->update, std::move(*copy), session_id);
}

void ClientRole::add_session(const std::shared_ptr<ClientSession>& session) {
  sessions_[session->id] = session.get();
  const auto early = early_.find(session->id);
  if (early == early_.end()) return;
  auto updates = std::move(early->second);
  early_.erase(early);
  for (auto& [update, bytes] : updates) {
    early_bytes_ -= bytes;
    deliver(*session, std::move(update), bytes);
  }
}

void ClientRole::forget_session(const ClientSession* session) {
  if (streaming_ == session) streaming_ = nullptr;
  const auto known = sessions_.find(session->id);
  if (known != sessions_.end() && known->second == session) known->second = nullptr;
}

void ClientRole::opening_ends() {
  --opening_;
  for (const Deferred& request : std::exchange(deferred_, {})) {
    early_bytes_ -= request.params.text().size();
    on_request(request.id, request.method, request.params);
  }
}

ClientSession::~ClientSession() {
  if (!agent) return;
  io::Connection::Lock lock(*agent->connection);
  agent->role->forget_session(this);
  for (const auto& prompt : prompts) prompt->session = nullptr;
}

void ClientRole::deliver(ClientSession& session, SessionUpdate update, std::size_t bytes) {
  if (session.state) session.state->apply(update);
  if (const auto* mode = std::get_if<v1::CurrentModeUpdate>(&update); mode && session.modes)
    session.modes->currentModeId = mode->currentModeId;
  if (const auto* options = std::get_if<v1::ConfigOptionUpdate>(&update))
    session.remember_options(options->configOptions);
  if (session.prompts.empty()) {
    session.outside.push_back(std::move(update));
    if (session.outside.size() > max_outside) {
      session.outside.pop_front();
      log(LogEntry::Level::warning, "an update that nobody took was dropped");
    }
    return;
  }
  PromptState& prompt = *session.prompts.front();
  if (prompt.abandoned) return;
  prompt.ready.emplace_back(std::move(update));
  count(prompt, bytes);
}

void ClientRole::on_trouble(const rpc::Trouble& trouble) {
  log(LogEntry::Level::warning, "from the agent: " + trouble.what);
}

void ClientRole::on_input_ended(const std::string& reason) {
  end_reason = reason;
  for (const auto& waiter : std::exchange(waiters_, {}))
    if (const auto waiting = waiter.lock())
      waiting->fail(std::make_exception_ptr(ConnectionClosed(reason)));
  log(LogEntry::Level::debug, reason);
  // Nobody waits for these answers.
  on_drain_over();
}

void ClientRole::on_drain_over() {
  std::vector<CallPtr> calls;
  for (const auto& [key, call] : active_) calls.push_back(call);
  for (const CallPtr& call : calls) call->cancel();
}

}  // namespace acp::detail
