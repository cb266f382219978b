#include "acp/agent_role.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <type_traits>

#include "acp/json/codec.h"

namespace acp::detail {

namespace {

constexpr v1::ProtocolVersion our_version = 1;

std::string random_hex() {
  std::random_device device;
  std::string text;
  for (int i = 0; i < 4; ++i) {
    std::array<char, 9> part{};
    std::snprintf(part.data(), part.size(), "%08x", static_cast<unsigned>(device()));
    text += part.data();
  }
  return text;
}

}  // namespace

AgentRole::AgentRole(std::shared_ptr<const Agent::Parts> parts,
                     std::shared_ptr<io::Connection> connection)
    : parts_(std::move(parts)),
      connection_(std::move(connection)),
      handlers_(std::make_shared<RunningHandlers>(connection_)),
      nonce_(random_hex()) {}

// Not to be guessed, and never the same twice, whatever a client has kept from an earlier run.
std::string AgentRole::new_id(const char* prefix) {
  return prefix + nonce_ + "_" + std::to_string(next_id_++);
}

void AgentRole::log(LogEntry::Level level, std::string message, std::string correlation_id) {
  if (!parts_->log) return;
  connection_->unlocked(
      [parts = parts_, entry = LogEntry{level, std::move(message), std::move(correlation_id)}] {
        parts->log(entry);
      });
}

// ---- answering

AgentRole::CallPtr AgentRole::begin(const rpc::RequestId& id) {
  auto call = std::make_shared<AgentCall>(shared_from_this(), connection_);
  call->id = id;
  active_.emplace(id.key(), call);
  return call;
}

// With the lock.
void AgentRole::end(const CallPtr& call) {
  call->over = true;
  if (call->id) active_.erase(call->id->key());
  connection_->sent_something();
  connection_->check_finished();
}

template <class Response>
void AgentRole::answer(const CallPtr& call, const Response& response) {
  call->over = true;
  connection_->peer().respond(*call->id, [&](json::Writer& out) { json::write(out, response); });
  end(call);
}
template <>
void AgentRole::answer(const CallPtr& call, const Json& response) {
  call->over = true;
  connection_->peer().respond(*call->id, [&](json::Writer& out) {
    response.absent() ? out.null() : out.put(response.text());
  });
  end(call);
}

Error AgentRole::auth_required() const {
  Json methods = Json::array();
  for (const v1::AuthMethod& method : parts_->auth_methods)
    methods.append(Json::from_valid(json::encode(method)));
  return Error(rpc::auth_required, "Authentication required",
               Json::object({{"reason", "auth_required"}, {"authMethods", methods}}));
}

rpc::Error AgentRole::to_error(const CallPtr& call, std::exception_ptr error) {
  std::string what;
  try {
    std::rethrow_exception(error);
  } catch (const AuthRequired&) {
    const Error required = auth_required();
    return {required.code(), required.what(), required.data()};
  } catch (const Cancelled&) {
    return {rpc::request_cancelled, "Request cancelled", {}};
  } catch (const CallFailed& failed) {
    what = "a call to the client failed: " + std::to_string(failed.code()) + " " + failed.what();
  } catch (const Refused& refused) {
    what = refused.what();
  } catch (const ConnectionClosed& closed) {
    what = closed.what();
  } catch (const Error& thrown) {
    if (call->cancelled) return {rpc::request_cancelled, "Request cancelled", {}};
    return {thrown.code(), thrown.what(), thrown.data()};
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
    what = "an exception that is no std::exception";
  }
  if (call->cancelled) return {rpc::request_cancelled, "Request cancelled", {}};
  // What went wrong in there is nobody's business but the log's.
  const std::string correlation = new_id("e_");
  log(LogEntry::Level::error, "a handler failed: " + what, correlation);
  return {rpc::internal_error, "Internal error", Json::object({{"correlationId", correlation}})};
}

void AgentRole::fail(const CallPtr& call, std::exception_ptr error) {
  connection_->peer().fail(*call->id, to_error(call, error));
  end(call);
}

void AgentRole::refuse(const rpc::RequestId& id, std::int32_t code, std::string message,
                       Json data) {
  connection_->peer().fail(id, {code, std::move(message), std::move(data)});
}

void AgentRole::refuse(const rpc::RequestId& id, const Error& error) {
  refuse(id, error.code(), error.what(), error.data());
}

template <class Request>
bool AgentRole::decode(const rpc::RequestId& id, JsonView params, Request& request) {
  const bool none = params.absent() || params.is_null();
  const auto error = json::decode(none ? "{}" : params.text(), Request::json_type, &request);
  if (!error) return true;
  refuse(id, invalid_params(error->path.empty() ? "params" : "params." + error->path,
                            error->expected, error->got));
  return false;
}

std::shared_ptr<AgentSession> AgentRole::session_of(const rpc::RequestId& id,
                                                    const std::string& session_id) {
  const auto found = sessions_.find(session_id);
  if (found != sessions_.end()) return found->second;
  refuse(id, not_found("session " + session_id, Json::object({{"sessionId", session_id}})));
  return nullptr;
}

// ---- requests

void AgentRole::on_request(const rpc::RequestId& id, std::string_view method, JsonView params) {
  if (method == "initialize") return initialize(id, params);
  // A proxy is initialized by its conductor, with the same params.
  if (method == "proxy/initialize" && parts_->requests.contains(method) && !initialized_) {
    json::decode(params.text(), v1::InitializeRequest::json_type, &client_);
    initialized_ = true;
  }
  if (!initialized_)
    return refuse(id, rpc::invalid_request, "Invalid request: initialize comes first");
  const bool session_method = method.starts_with("session/");
  if (session_method && parts_->require_authentication && !authenticated_ &&
      method != "session/list")
    return refuse(id, auth_required());
  if (method == "session/prompt") return prompt(id, params);
  if (method == "session/new") return new_session(id, params);
  if (method == "session/set_mode") return set_mode(id, params);
  if (method == "session/set_config_option") return set_config_option(id, params);
  if (method == "session/close") return close_session(id, params);
  if (method == "authenticate") return authenticate(id, params);
  if (method == "session/load" && parts_->load_session)
    return open_session(id, params, parts_->load_session);
  if (method == "session/resume" && parts_->resume_session)
    return open_session(id, params, parts_->resume_session);
  if (method == "session/fork" && parts_->fork_session) return fork_session(id, params);
  if (method == "session/delete" && parts_->delete_session) return delete_session(id, params);
  if (method == "session/list") return pass_on(id, method, params, parts_->list_sessions);
  if (method == "session/archive") return pass_on(id, method, params, parts_->archive_session);
  if (method == "session/unarchive") return pass_on(id, method, params, parts_->unarchive_session);
  if (method == "session/status") return pass_on(id, method, params, parts_->session_status);
  if (method == "session/set_title") return pass_on(id, method, params, parts_->set_title);
  if (method == "logout") return pass_on(id, method, params, parts_->logout);
  if (method == "auth/status") return pass_on(id, method, params, parts_->auth_status);
  if (method == "providers/list") return pass_on(id, method, params, parts_->list_providers);
  if (method == "providers/set") return pass_on(id, method, params, parts_->set_provider);
  if (method == "providers/disable") return pass_on(id, method, params, parts_->disable_provider);
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
      Context(call), Json(params));
}

template <class Request, class Response>
void AgentRole::pass_on(const rpc::RequestId& id, std::string_view method, JsonView params,
                        const Handler<Response(Context, Request)>& handler) {
  if (!handler)
    return refuse(id, rpc::method_not_found, "Method not found: " + std::string(method),
                  Json::object({{"method", method}}));
  Request request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  const bool logout = method == "logout";
  handlers_->run(
      handler,
      [this, self = shared_from_this(), call, logout](Response* response,
                                                      std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        if (response != nullptr && logout) authenticated_ = false;
        response ? answer(call, *response) : fail(call, error);
      },
      Context(call), std::move(request));
}

v1::AgentCapabilities AgentRole::capabilities() const {
  const Agent::Parts& parts = *parts_;
  v1::AgentCapabilities result;
  result.loadSession = static_cast<bool>(parts.load_session);
  result.promptCapabilities = parts.prompt_capabilities;
  result.mcpCapabilities = parts.mcp_capabilities;
  v1::SessionCapabilities& session = result.sessionCapabilities;
  session.close.emplace();
  if (parts.list_sessions) session.list.emplace();
  if (parts.delete_session) session.delete_.emplace();
  if (parts.resume_session) session.resume.emplace();
  if (parts.fork_session) session.fork.emplace();
  if (parts.archive_session) session.archive.emplace();
  if (parts.session_status) session.status.emplace();
  if (parts.set_title) session.title.emplace();
  if (parts.additional_directories) session.additionalDirectories.emplace();
  if (parts.system_prompt) {
    session.systemPrompt.emplace();
    session.systemPrompt->mode.emplace();
    if (parts.system_prompt_override) session.systemPrompt->mode->override.emplace();
  }
  if (parts.logout) result.auth.logout.emplace();
  if (parts.auth_status) result.auth.status.emplace();
  if (parts.list_providers) result.providers.emplace();
  if (!parts.requests.empty() || !parts.notifications.empty()) {
    Json requests = Json::array(), notifications = Json::array();
    for (const auto& [name, handler] : parts.requests) requests.append(name);
    for (const auto& [name, handler] : parts.notifications) notifications.append(name);
    result._meta = Json::object(
        {{"extensions", Json::object({{"requests", requests}, {"notifications", notifications}})}});
  }
  return result;
}

void AgentRole::initialize(const rpc::RequestId& id, JsonView params) {
  if (initialized_)
    return refuse(id, rpc::invalid_request, "Invalid request: the connection is initialized");
  v1::InitializeRequest request;
  if (!decode(id, params, request)) return;
  client_ = std::move(request);
  initialized_ = true;
  v1::InitializeResponse response;
  // Whatever was asked for: the client closes if it cannot speak this one.
  response.protocolVersion = our_version;
  response.agentCapabilities = capabilities();
  for (const v1::AuthMethod& method : parts_->auth_methods) {
    const bool terminal = std::holds_alternative<v1::AuthMethodTerminal>(method);
    if (!terminal || client_.clientCapabilities.auth.terminal)
      response.authMethods.push_back(method);
  }
  response.agentInfo = parts_->info;
  connection_->peer().respond(id, [&](json::Writer& out) { json::write(out, response); });
}

void AgentRole::authenticate(const rpc::RequestId& id, JsonView params) {
  v1::AuthenticateRequest request;
  if (!decode(id, params, request)) return;
  bool listed = false;
  for (const v1::AuthMethod& method : parts_->auth_methods)
    if (const auto* agent = std::get_if<v1::AuthMethodAgent>(&method))
      listed = listed || agent->id == request.methodId;
  if (!listed)
    return refuse(id, invalid_params("params.methodId", "one of authMethods", request.methodId));
  const CallPtr call = begin(id);
  const auto done = [this, self = shared_from_this(), call](v1::AuthenticateResponse* response,
                                                            std::exception_ptr error) {
    io::Connection::Lock lock(*connection_);
    if (response != nullptr) authenticated_ = true;
    response ? answer(call, *response) : fail(call, error);
  };
  if (parts_->authenticate)
    return handlers_->run(parts_->authenticate, done, Context(call), std::move(request));
  authenticated_ = true;
  answer(call, v1::AuthenticateResponse());
}

// ---- sessions

bool AgentRole::check_directories(const rpc::RequestId& id, const std::string& cwd,
                                  const std::vector<std::string>& additional) {
  if (!is_absolute(cwd)) {
    refuse(id, invalid_params("params.cwd", "an absolute path", "\"" + cwd + "\""));
    return false;
  }
  if (!additional.empty() && !parts_->additional_directories) {
    refuse(id, invalid_params("params.additionalDirectories",
                              "none: sessionCapabilities.additionalDirectories was not advertised",
                              std::to_string(additional.size())));
    return false;
  }
  for (std::size_t i = 0; i < additional.size(); ++i) {
    if (is_absolute(additional[i])) continue;
    refuse(id, invalid_params("params.additionalDirectories[" + std::to_string(i) + "]",
                              "an absolute path", "\"" + additional[i] + "\""));
    return false;
  }
  return true;
}

bool AgentRole::check_system_prompt(const rpc::RequestId& id,
                                    const Nullable<v1::SystemPrompt>& prompt) {
  if (!prompt.has_value()) return true;
  const auto no = [&](std::string_view path, std::string_view expected, std::string_view got) {
    refuse(id, invalid_params("params.systemPrompt" + std::string(path), expected, got));
    return false;
  };
  if (!parts_->system_prompt) return no("", "none: it was not advertised", "an object");
  if (prompt->mode == v1::SystemPromptMode::unknown_)
    return no(".mode", "a known mode", prompt->mode.unlisted);
  if (prompt->mode == v1::SystemPromptMode::override && !parts_->system_prompt_override)
    return no(".mode", "append", "override");
  for (const ContentBlock& block : prompt->content)
    if (!std::holds_alternative<v1::TextContent>(block))
      return no(".content", "text blocks", "another kind");
  return true;
}

bool AgentRole::check_mcp_servers(const rpc::RequestId& id,
                                  const std::vector<v1::McpServer>& servers) {
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const v1::McpServer& server = servers[i];
    const v1::McpCapabilities& can = parts_->mcp_capabilities;
    const char* missing = std::holds_alternative<v1::McpServerHttp>(server) && !can.http ? "http"
                          : std::holds_alternative<v1::McpServerSse>(server) && !can.sse ? "sse"
                          : std::holds_alternative<v1::McpServerAcp>(server) && !can.acp ? "acp"
                          : std::holds_alternative<Unknown>(server)                      ? "unknown"
                                                                                         : nullptr;
    if (missing == nullptr) continue;
    refuse(id, invalid_params("params.mcpServers[" + std::to_string(i) + "].type",
                              "a transport that mcpCapabilities advertise", missing));
    return false;
  }
  return true;
}

void AgentRole::hide_booleans(std::vector<v1::SessionConfigOption>& options) {
  const auto& session = client_.clientCapabilities.session;
  const bool takes = session.has_value() && session->configOptions.has_value() &&
                     session->configOptions->boolean.has_value();
  if (takes) return;
  const std::size_t before = options.size();
  std::erase_if(options, [](const v1::SessionConfigOption& option) {
    return std::holds_alternative<v1::SessionConfigBoolean>(option.type);
  });
  if (options.size() != before)
    log(LogEntry::Level::warning, "boolean options were left out: the client does not take them");
}

// What the program gave, or the agent's defaults; kept in the session, and told to the client.
template <class Response>
void AgentRole::settle_session(const CallPtr& call, Response& response) {
  AgentSession& session = *call->session;
  if (!response.modes.has_value() && parts_->modes) response.modes = *parts_->modes;
  if (!response.configOptions.has_value() && !parts_->config_options.empty())
    response.configOptions = parts_->config_options;
  if (response.modes.has_value())
    session.modes = std::make_unique<v1::SessionModeState>(*response.modes);
  if (response.configOptions.has_value()) {
    session.config =
        std::make_unique<std::vector<v1::SessionConfigOption>>(*response.configOptions);
    hide_booleans(*response.configOptions);
  }
  sessions_[session.id] = call->session;
  // A client learns a new session's id from the answer. A loaded one it knows: all that is told of
  // that stands before the answer, which says that the replay is over.
  if constexpr (std::is_same_v<Response, v1::LoadSessionResponse>)
    send_commands(session);
  else
    connection_->peer().after_answer(*call->id, [this, self = shared_from_this(),
                                                 kept = call->session] { send_commands(*kept); });
  answer(call, response);
}

void AgentRole::send_commands(const AgentSession& session) {
  if (!parts_->commands) return;
  v1::SessionNotification notification;
  notification.sessionId = session.id;
  v1::AvailableCommandsUpdate update;
  update.availableCommands = *parts_->commands;
  notification.update = std::move(update);
  connection_->peer().notify("session/update",
                             [&](json::Writer& out) { json::write(out, notification); });
  connection_->sent_something();
}

void AgentRole::new_session(const rpc::RequestId& id, JsonView params) {
  v1::NewSessionRequest request;
  if (!decode(id, params, request)) return;
  if (!check_directories(id, request.cwd, request.additionalDirectories)) return;
  if (!check_system_prompt(id, request.systemPrompt) || !check_mcp_servers(id, request.mcpServers))
    return;
  const CallPtr call = begin(id);
  call->session = std::make_shared<AgentSession>();
  call->session->id = new_id("sess_");
  call->session->cwd = request.cwd;
  call->session->directories = request.additionalDirectories;
  const auto done = [this, self = shared_from_this(), call](v1::NewSessionResponse* response,
                                                            std::exception_ptr error) {
    io::Connection::Lock lock(*connection_);
    if (response == nullptr) return fail(call, error);
    if (response->sessionId.empty()) response->sessionId = call->session->id;
    call->session->id = response->sessionId;
    call->session->chunk_prefix.clear();
    settle_session(call, *response);
  };
  if (parts_->new_session)
    return handlers_->run(parts_->new_session, done, SessionContext(call), std::move(request));
  v1::NewSessionResponse response;
  response.sessionId = call->session->id;
  settle_session(call, response);
}

void AgentRole::fork_session(const rpc::RequestId& id, JsonView params) {
  v1::ForkSessionRequest request;
  if (!decode(id, params, request)) return;
  if (!check_directories(id, request.cwd, request.additionalDirectories)) return;
  if (!check_system_prompt(id, request.systemPrompt) || !check_mcp_servers(id, request.mcpServers))
    return;
  const CallPtr call = begin(id);
  call->session = std::make_shared<AgentSession>();
  call->session->id = new_id("sess_");
  call->session->cwd = request.cwd;
  call->session->directories = request.additionalDirectories;
  handlers_->run(
      parts_->fork_session,
      [this, self = shared_from_this(), call](v1::ForkSessionResponse* response,
                                              std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        if (response == nullptr) return fail(call, error);
        if (response->sessionId.empty()) response->sessionId = call->session->id;
        call->session->id = response->sessionId;
        call->session->chunk_prefix.clear();
        settle_session(call, *response);
      },
      SessionContext(call), std::move(request));
}

// session/load and session/resume: of a session that this connection may know already.
template <class Request, class Response>
void AgentRole::open_session(const rpc::RequestId& id, JsonView params,
                             const Handler<Response(SessionContext, Request)>& handler) {
  Request request;
  if (!decode(id, params, request)) return;
  if (!check_directories(id, request.cwd, request.additionalDirectories)) return;
  if (!check_system_prompt(id, request.systemPrompt) || !check_mcp_servers(id, request.mcpServers))
    return;
  const auto known = sessions_.find(request.sessionId);
  if (known != sessions_.end() && known->second->turn)
    return refuse(id, rpc::invalid_request, "Invalid request: a turn of the session is at work",
                  Json::object({{"sessionId", request.sessionId}}));
  const CallPtr call = begin(id);
  call->session = std::make_shared<AgentSession>();
  call->session->id = request.sessionId;
  call->session->cwd = request.cwd;
  call->session->directories = request.additionalDirectories;
  handlers_->run(
      handler,
      [this, self = shared_from_this(), call](Response* response, std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        response ? settle_session(call, *response) : fail(call, error);
      },
      SessionContext(call), std::move(request));
}

void AgentRole::set_mode(const rpc::RequestId& id, JsonView params) {
  v1::SetSessionModeRequest request;
  if (!decode(id, params, request)) return;
  const auto session = session_of(id, request.sessionId);
  if (!session) return;
  if (!session->modes && !parts_->set_mode)
    return refuse(id, rpc::method_not_found, "Method not found: the session has no modes",
                  Json::object({{"method", "session/set_mode"}}));
  if (session->modes) {
    bool listed = false;
    for (const v1::SessionMode& mode : session->modes->availableModes)
      listed = listed || mode.id == request.modeId;
    if (!listed)
      return refuse(id, invalid_params("params.modeId", "one of availableModes",
                                       "\"" + request.modeId + "\""));
  }
  const CallPtr call = begin(id);
  call->session = session;
  const auto done = [this, self = shared_from_this(), call, mode = request.modeId](
                        v1::SetSessionModeResponse* response, std::exception_ptr error) {
    io::Connection::Lock lock(*connection_);
    if (response == nullptr) return fail(call, error);
    if (call->session->modes) call->session->modes->currentModeId = mode;
    answer(call, *response);
  };
  if (parts_->set_mode)
    return handlers_->run(parts_->set_mode, done, SessionContext(call), std::move(request));
  session->modes->currentModeId = request.modeId;
  answer(call, v1::SetSessionModeResponse());
}

namespace {

// Whether a select has this value.
bool lists(const v1::SessionConfigSelectOptions& options, const std::string& value) {
  const auto in = [&](const std::vector<v1::SessionConfigSelectOption>& flat) {
    return std::any_of(flat.begin(), flat.end(),
                       [&](const auto& one) { return one.value == value; });
  };
  if (const auto* flat = std::get_if<0>(&options)) return in(*flat);
  for (const v1::SessionConfigSelectGroup& group : std::get<1>(options))
    if (in(group.options)) return true;
  return false;
}

// Makes the change; says why it cannot.
std::optional<Error> change(std::vector<v1::SessionConfigOption>& options,
                            const v1::SetSessionConfigOptionRequest& request) {
  for (v1::SessionConfigOption& option : options) {
    if (option.id != request.configId) continue;
    if (auto* select = std::get_if<v1::SessionConfigSelect>(&option.type)) {
      const auto* chosen = std::get_if<v1::SetSessionConfigValueId>(&request.value);
      if (chosen == nullptr)
        return invalid_params("params.value", "one of the option's values", "another kind");
      if (!lists(select->options, chosen->value))
        return invalid_params("params.value", "one of the option's values",
                              "\"" + chosen->value + "\"");
      select->currentValue = chosen->value;
    } else if (auto* boolean = std::get_if<v1::SessionConfigBoolean>(&option.type)) {
      const auto* chosen = std::get_if<v1::SetSessionConfigBoolean>(&request.value);
      if (chosen == nullptr) return invalid_params("params.value", "a boolean", "another kind");
      boolean->currentValue = chosen->value;
    }
    return std::nullopt;
  }
  return invalid_params("params.configId", "one of configOptions", "\"" + request.configId + "\"");
}

}  // namespace

void AgentRole::set_config_option(const rpc::RequestId& id, JsonView params) {
  v1::SetSessionConfigOptionRequest request;
  if (!decode(id, params, request)) return;
  const auto session = session_of(id, request.sessionId);
  if (!session) return;
  if (!session->config)
    return refuse(id, rpc::method_not_found, "Method not found: the session has no options",
                  Json::object({{"method", "session/set_config_option"}}));
  std::vector<v1::SessionConfigOption> changed = *session->config;
  if (const auto error = change(changed, request)) return refuse(id, *error);
  const CallPtr call = begin(id);
  call->session = session;
  const auto done = [this, self = shared_from_this(), call, request](
                        v1::SetSessionConfigOptionResponse* response, std::exception_ptr error) {
    io::Connection::Lock lock(*connection_);
    if (response == nullptr) return fail(call, error);
    if (response->configOptions.empty()) {
      change(*call->session->config, request);
      response->configOptions = *call->session->config;
    } else {
      *call->session->config = response->configOptions;
    }
    hide_booleans(response->configOptions);
    answer(call, *response);
  };
  if (parts_->set_config_option)
    return handlers_->run(parts_->set_config_option, done, SessionContext(call), request);
  *session->config = changed;
  v1::SetSessionConfigOptionResponse response;
  response.configOptions = std::move(changed);
  hide_booleans(response.configOptions);
  answer(call, response);
}

void AgentRole::drop_session(const std::string& session_id, std::function<void()> then) {
  const auto found = sessions_.find(session_id);
  if (found == sessions_.end()) return then();
  const std::shared_ptr<AgentSession> session = found->second;
  sessions_.erase(found);
  cancel_turns(*session);
  if (!session->turn) return then();
  session->when_idle.push_back(std::move(then));
}

void AgentRole::close_session(const rpc::RequestId& id, JsonView params) {
  v1::CloseSessionRequest request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  const bool known = sessions_.contains(request.sessionId);
  drop_session(request.sessionId, [this, self = shared_from_this(), call, request, known] {
    if (!known || !parts_->close_session) return answer(call, v1::CloseSessionResponse());
    handlers_->run(
        parts_->close_session,
        [this, self, call](v1::CloseSessionResponse* response, std::exception_ptr error) {
          io::Connection::Lock lock(*connection_);
          response ? answer(call, *response) : fail(call, error);
        },
        Context(call), request);
  });
}

void AgentRole::delete_session(const rpc::RequestId& id, JsonView params) {
  v1::DeleteSessionRequest request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  drop_session(request.sessionId, [this, self = shared_from_this(), call, request] {
    handlers_->run(
        parts_->delete_session,
        [this, self, call](v1::DeleteSessionResponse* response, std::exception_ptr error) {
          io::Connection::Lock lock(*connection_);
          if (response != nullptr) return answer(call, *response);
          // What is not there need not be deleted.
          const rpc::Error failure = to_error(call, error);
          if (failure.code == rpc::not_found) return answer(call, v1::DeleteSessionResponse());
          connection_->peer().fail(*call->id, failure);
          end(call);
        },
        Context(call), request);
  });
}

// ---- turns

bool AgentRole::check_prompt(const rpc::RequestId& id, const std::vector<ContentBlock>& prompt) {
  const v1::PromptCapabilities& can = parts_->prompt_capabilities;
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    const ContentBlock& block = prompt[i];
    const char* missing =
        std::holds_alternative<v1::ImageContent>(block) && !can.image                 ? "image"
        : std::holds_alternative<v1::AudioContent>(block) && !can.audio               ? "audio"
        : std::holds_alternative<v1::EmbeddedResource>(block) && !can.embeddedContext ? "resource"
                                                                                      : nullptr;
    if (missing == nullptr) continue;
    refuse(id, invalid_params("params.prompt[" + std::to_string(i) + "].type",
                              "a kind that promptCapabilities advertise",
                              "\"" + std::string(missing) + "\""));
    return false;
  }
  return true;
}

void AgentRole::prompt(const rpc::RequestId& id, JsonView params) {
  v1::PromptRequest request;
  if (!decode(id, params, request)) return;
  const auto session = session_of(id, request.sessionId);
  if (!session || !check_prompt(id, request.prompt)) return;
  if (session->turn && parts_->second_prompt == SecondPrompt::refused)
    return refuse(id, rpc::invalid_request, "Invalid request: a turn of the session is at work",
                  Json::object({{"sessionId", session->id}}));
  const CallPtr call = begin(id);
  call->session = session;
  call->prompt = std::move(request);
  if (session->turn)
    session->waiting.push_back(call);
  else
    start_turn(call);
}

void AgentRole::start_turn(const CallPtr& call) {
  call->session->turn = call;
  handlers_->run(
      parts_->prompt,
      [this, self = shared_from_this(), call](v1::PromptResponse* response,
                                              std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        end_turn(call, response, error);
      },
      Turn(call));
}

namespace {

// A turn may also be cancelled by the answer to what it asked: a permission request.
bool is_cancellation(const std::exception_ptr& error) {
  if (!error) return false;
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void AgentRole::end_turn(const CallPtr& call, v1::PromptResponse* response,
                         std::exception_ptr error) {
  AgentSession& session = *call->session;
  // What was left open has not come to its end.
  for (const std::string& tool_call : std::exchange(call->open_tool_calls, {})) {
    v1::SessionNotification notification;
    notification.sessionId = session.id;
    v1::ToolCallUpdate update;
    update.toolCallId = tool_call;
    update.status = ToolCallStatus::failed;
    notification.update = std::move(update);
    connection_->peer().notify("session/update",
                               [&](json::Writer& out) { json::write(out, notification); });
    log(LogEntry::Level::warning, "the turn ended with the tool call " + tool_call + " still open");
  }
  session.turn = nullptr;
  if (call->cancelled || is_cancellation(error)) {
    v1::PromptResponse cancelled;
    if (response != nullptr) cancelled = std::move(*response);
    cancelled.stopReason = StopReason::cancelled;
    answer(call, cancelled);
  } else if (response != nullptr) {
    answer(call, *response);
  } else {
    fail(call, error);
  }
  if (!session.waiting.empty()) {
    const CallPtr next = session.waiting.front();
    session.waiting.erase(session.waiting.begin());
    start_turn(next);
  } else {
    for (const auto& action : std::exchange(session.when_idle, {})) action();
  }
}

void AgentRole::cancel_turns(AgentSession& session) {
  for (const CallPtr& call : std::exchange(session.waiting, {})) {
    call->cancelled = true;
    v1::PromptResponse response;
    response.stopReason = StopReason::cancelled;
    answer(call, response);
  }
  if (session.turn) session.turn->cancel();
}

void AgentRole::on_cancel(const rpc::RequestId& id) {
  const auto found = active_.find(id.key());
  if (found == active_.end()) return;
  const CallPtr call = found->second;
  if (!call->session || call->session->turn == call || call->prompt.sessionId.empty())
    return call->cancel();
  // A prompt that waits for its turn.
  std::erase(call->session->waiting, call);
  call->cancelled = true;
  v1::PromptResponse response;
  response.stopReason = StopReason::cancelled;
  answer(call, response);
}

// ---- notifications

bool AgentRole::on_urgent(std::string_view method, JsonView params) {
  if (method != "session/cancel") return false;
  v1::CancelNotification notification;
  if (json::decode(params.text(), v1::CancelNotification::json_type, &notification)) {
    log(LogEntry::Level::warning, "session/cancel without a session id was ignored");
    return true;
  }
  const auto found = sessions_.find(notification.sessionId);
  if (found != sessions_.end()) cancel_turns(*found->second);
  return true;
}

bool AgentRole::on_notification(rpc::NotificationToken token, std::string_view method,
                                JsonView params) {
  const auto done = [this, self = shared_from_this(), token](async::Nothing*,
                                                             std::exception_ptr error) {
    io::Connection::Lock lock(*connection_);
    --notifications_running_;
    if (error) {
      auto call = std::make_shared<AgentCall>(shared_from_this(), connection_);
      to_error(call, error);
    }
    connection_->peer().finished(token);
    connection_->check_finished();
  };
  const auto begin_notification = [&] {
    ++notifications_running_;
    auto call = std::make_shared<AgentCall>(shared_from_this(), connection_);
    call->inside = token;
    return call;
  };
  if (!initialized_) {
    log(LogEntry::Level::warning, "ignored before initialize: " + std::string(method));
    return true;
  }
  if (method == "mcp/message" && parts_->mcp_message) {
    v1::MessageMcpNotification notification;
    if (json::decode(params.text(), v1::MessageMcpNotification::json_type, &notification)) {
      log(LogEntry::Level::warning, "an mcp/message that does not fit was ignored");
      return true;
    }
    handlers_->run(parts_->mcp_message, done, Context(begin_notification()), notification);
    return false;
  }
  const auto extension = parts_->notifications.find(method);
  if (extension != parts_->notifications.end()) {
    handlers_->run(extension->second, done, Context(begin_notification()), Json(params));
    return false;
  }
  log(LogEntry::Level::warning, "an unknown notification was ignored: " + std::string(method));
  return true;
}

void AgentRole::on_trouble(const rpc::Trouble& trouble) {
  log(LogEntry::Level::warning, "from the client: " + trouble.what);
}

void AgentRole::on_input_ended(const std::string& reason) { log(LogEntry::Level::debug, reason); }

void AgentRole::on_drain_over() {
  for (const auto& [id, session] : sessions_) cancel_turns(*session);
  std::vector<CallPtr> calls;
  for (const auto& [key, call] : active_) calls.push_back(call);
  for (const CallPtr& call : calls) call->cancel();
}

}  // namespace acp::detail
