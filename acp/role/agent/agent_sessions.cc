// Sessions come and go, and their modes and options change.
#include "acp/role/agent/agent_updates.h"

#include <algorithm>
#include <type_traits>

namespace acp::detail {

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

namespace {
// What waits for the session, and what was bound to it, belongs to what it is now.
void replace(AgentSession& before, const std::shared_ptr<AgentSession>& now) {
  now->waiting = std::exchange(before.waiting, {});
  for (const auto& prompt : now->waiting) prompt->session = now;
  if (!before.newest) before.newest = std::make_shared<AgentSession*>();
  if (!now->commands) now->commands = std::move(before.commands);
  now->newest = before.newest;
  *now->newest = now.get();
}
}  // namespace

// What the program gave, or the agent's defaults; kept in the session, and told to the client with
// the answer.
template <class Response>
void AgentRole::settle_session(AgentCall& call, Response& response) {
  AgentSession& session = *call.session;
  if (!response.modes.has_value() && config_->modes) response.modes = *config_->modes;
  if (!response.configOptions.has_value() && !config_->config_options.empty())
    response.configOptions = config_->config_options;
  if (response.modes.has_value())
    session.modes = std::make_shared<v1::SessionModeState>(*response.modes);
  if (response.configOptions.has_value()) {
    session.config =
        std::make_unique<std::vector<v1::SessionConfigOption>>(*response.configOptions);
    hide_booleans(*response.configOptions);
  }
  session.silent = false;
  session.opened = true;
  std::shared_ptr<AgentSession>& known = sessions_[session.id];
  if (known && known != call.session) replace(*known, call.session);
  known = call.session;
  if (version_2_) {
    version_2_->options_changed(session);
    // Of a session that may have been at work; a new one is idle.
    if constexpr (std::is_same_v<Response, v1::LoadSessionResponse> ||
                  std::is_same_v<Response, v1::ResumeSessionResponse>)
      version_2_->report_state(session);
  }
  // A client learns a new session's id from the answer. A loaded one it knows: all that is sent of
  // that stands before the answer, which says that the replay is over.
  if constexpr (std::is_same_v<Response, v1::LoadSessionResponse>)
    introduce(session);
  else
    connection_->held().engine().after_answer(
        *call.id, [this, self = shared_from_this(), kept = call.session] { introduce(*kept); });
}

void AgentRole::introduce(AgentSession& session) {
  tell_unused_servers(session, false);
  const bool some = session.commands || config_->commands;
  if (!some || version_2_) return;  // version 2 has them in the answer
  v1::AvailableCommandsUpdate update;
  update.availableCommands = session.commands ? *session.commands : *config_->commands;
  const bool own = session.commands != nullptr;
  const auto locked = connection_->held();
  write_update(session, std::move(update));
  if (!own) session.commands = nullptr;
  locked.sent_something();
}

// A client that takes no notices reads it as a thought, which belongs into a turn.
void AgentRole::tell_unused_servers(AgentSession& session, bool in_turn) {
  if (!session.record_if_any || session.record().unused_servers.empty()) return;
  const auto& client = client_.clientCapabilities.session;
  const bool notices = client.has_value() && client->notices.has_value();
  if (!notices && !in_turn) return;
  const std::string title = "This agent uses no MCP servers";
  const std::string what =
      "Not started: " + std::exchange(session.record().unused_servers, {}) + ".";
  if (notices) {
    v1::Notice notice;
    notice.severity = NoticeSeverity::warning;
    notice.title = title;
    notice.description = what;
    write_update(session, std::move(notice));
  } else {
    v1::AgentThoughtChunk thought;
    thought.content = ContentBlock(title + ". " + what + "\n");
    write_update(session, std::move(thought));
  }
  connection_->held().sent_something();
}

namespace {
std::string names_of(const std::vector<v1::McpServer>& servers) {
  std::string names;
  for (const v1::McpServer& server : servers)
    names += (names.empty() ? "" : ", ") + std::visit(
                                               [](const auto& one) {
                                                 if constexpr (requires { one.name; })
                                                   return one.name;
                                                 else
                                                   return one.tag;
                                               },
                                               server);
  return names;
}
}  // namespace

template <class Request>
AgentRole::CallPtr AgentRole::begin_session(const rpc::RequestId& id, const Request& request,
                                            std::string session_id) {
  const CallPtr call = begin(id);
  call->session = std::make_shared<AgentSession>();
  call->session->id = std::move(session_id);
  call->session->cwd = request.cwd;
  call->session->directories = request.additionalDirectories;
  if (!request.mcpServers.empty() &&
      config_->mcp_servers.value_or(McpServers::unused) == McpServers::unused)
    call->session->record().unused_servers = names_of(request.mcpServers);
  // One that could not be opened sends nothing later.
  call->when_over.emplace_back([this, session = call->session] {
    const auto found = sessions_.find(session->id);
    if (found == sessions_.end() || found->second != session) session->closed = true;
  });
  return call;
}

template <class Request>
bool AgentRole::decode_session(const rpc::RequestId& id, JsonView params, Request& request) {
  return decode(id, params, request) &&
         check_directories(id, request.cwd, request.additionalDirectories) &&
         check_system_prompt(id, request.systemPrompt) && check_mcp_servers(id, request.mcpServers);
}

// session/new and session/fork.
template <class Request, class Response>
void AgentRole::make_session(const rpc::RequestId& id, JsonView params,
                             const Handler<Response(SessionContext, Request)>& handler) {
  Request request;
  if (!decode_session(id, params, request)) return;
  const CallPtr call = begin_session(id, request, new_id("sess_"));
  run_then(
      handler, call,
      [this](AgentCall& call, Response& response) {
        if (response.sessionId.empty()) response.sessionId = call.session->id;
        call.session->id = response.sessionId;
        call.session->chunk_prefix.clear();
        settle_session(call, response);
      },
      SessionContext(call), std::move(request));
}

void AgentRole::new_session(const rpc::RequestId& id, JsonView params) {
  make_session(id, params, config_->new_session);
}
void AgentRole::fork_session(const rpc::RequestId& id, JsonView params) {
  make_session(id, params, config_->fork_session);
}

// session/load and session/resume: of a session that this connection may know already.
template <class Request, class Response>
void AgentRole::open_session(const rpc::RequestId& id, JsonView params,
                             const Handler<Response(SessionContext, Request)>& handler) {
  Request request;
  if (!decode_session(id, params, request)) return;
  const auto known = sessions_.find(request.sessionId);
  if (known != sessions_.end() && known->second->turn)
    return refuse(id, rpc::invalid_request, "Invalid request: a turn of the session is at work",
                  Json::object({{"sessionId", request.sessionId}}));
  if (ending_.contains(request.sessionId))
    return refuse(id, rpc::invalid_request, "Invalid request: the session is being closed",
                  Json::object({{"sessionId", request.sessionId}}));
  const CallPtr call = begin_session(id, request, request.sessionId);
  call->session->silent = silent_;
  call->replays = std::is_same_v<Response, v1::LoadSessionResponse>;
  opening_.push_back(call);
  call->when_over.emplace_back([this, ended = call.get()] { opening_ended(*ended); });
  run_then(
      handler, call,
      [this](AgentCall& call, Response& response) {
        // The client has closed it meanwhile.
        if (call.session->closed)
          return fail(call, rpc::ErrorObject{rpc::request_cancelled, "Request cancelled", {}});
        settle_session(call, response);
      },
      SessionContext(call), std::move(request));
}

bool AgentRole::is_opening(const std::string& session_id) const {
  return std::any_of(opening_.begin(), opening_.end(),
                     [&](const auto& call) { return call->session->id == session_id; });
}

void AgentRole::opening_ended(const AgentCall& call) {
  const std::string id = call.session->id;
  std::erase_if(opening_, [&](const auto& one) { return one.get() == &call; });
  if (is_opening(id)) return;
  if (const auto ends = ending_.find(id); ends != ending_.end() && ends->second.when_opened)
    return std::exchange(ends->second.when_opened, nullptr)();
  if (AgentSession* const session = find_session(id)) start_next_turn(*session);
}

void AgentRole::load_session(const rpc::RequestId& id, JsonView params) {
  open_session(id, params, config_->load_session);
}
void AgentRole::resume_session(const rpc::RequestId& id, JsonView params) {
  open_session(id, params, config_->resume_session);
}

void AgentRole::set_mode(const rpc::RequestId& id, JsonView params) {
  v1::SetSessionModeRequest request;
  if (!decode(id, params, request)) return;
  auto session = session_of(id, request.sessionId);
  if (!session) return;
  if (!session->modes && !config_->set_mode)
    return refuse(id, rpc::method_not_found, "Method not found: the session has no modes",
                  Json::object({{"method", "session/set_mode"}}));
  if (session->modes) {
    bool listed = false;
    for (const v1::SessionMode& mode : session->modes->availableModes)
      listed = listed || mode.id == request.modeId;
    if (!listed)
      return refuse(
          id, invalid_params(version_2_ ? "params.value" : "params.modeId",
                             version_2_ ? "one of the option's values" : "one of availableModes",
                             "\"" + request.modeId + "\""));
  }
  const CallPtr call = begin(id);
  call->session = std::move(session);
  const std::string mode = request.modeId;  // the request is moved on
  run_then(
      config_->set_mode, call,
      [this, mode](AgentCall& call, v1::SetSessionModeResponse&) {
        AgentSession& session = call.session->now();
        if (session.modes) session.modes->currentModeId = mode;
        if (version_2_) version_2_->mode_changed(session);
      },
      SessionContext(call), std::move(request));
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

// Makes the change; says why it cannot. An open option takes values that it does not list.
std::optional<Error> change(std::vector<v1::SessionConfigOption>& options,
                            const v1::SetSessionConfigOptionRequest& request, bool open) {
  for (v1::SessionConfigOption& option : options) {
    if (option.id != request.configId) continue;
    if (auto* select = std::get_if<v1::SessionConfigSelect>(&option.type)) {
      const auto* chosen = std::get_if<v1::SetSessionConfigValueId>(&request.value);
      if (chosen == nullptr)
        return invalid_params("params.value", "one of the option's values", "another kind");
      if (!open && !lists(select->options, chosen->value))
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
  if (decode(id, params, request)) set_config_option(id, request);
}

void AgentRole::set_config_option(const rpc::RequestId& id,
                                  const v1::SetSessionConfigOptionRequest& request) {
  const auto session = session_of(id, request.sessionId);
  if (!session) return;
  if (!session->config)
    return refuse(id, rpc::method_not_found, "Method not found: the session has no options",
                  Json::object({{"method", "session/set_config_option"}}));
  std::vector<v1::SessionConfigOption> changed = *session->config;
  const bool open = config_->open_options.contains(request.configId);
  if (const auto error = change(changed, request, open)) return refuse(id, *error);
  const CallPtr call = begin(id);
  call->session = session;
  run_then(
      config_->set_config_option, call,
      [this, request, open](AgentCall& call, v1::SetSessionConfigOptionResponse& response) {
        AgentSession& session = call.session->now();
        if (!session.config)
          session.config = std::make_unique<std::vector<v1::SessionConfigOption>>();
        std::vector<v1::SessionConfigOption>& options = *session.config;
        if (response.configOptions.empty()) {
          change(options, request, open);
          response.configOptions = options;
        } else {
          options = response.configOptions;
        }
        hide_booleans(response.configOptions);
        if (version_2_) version_2_->options_changed(session);
      },
      SessionContext(call), request);
}

void AgentRole::set_model(const rpc::RequestId& id, JsonView params) {
  const auto session_id = params["sessionId"].as_string(), model = params["modelId"].as_string();
  if (!session_id || !model)
    return refuse(id, invalid_params(session_id ? "params.modelId" : "params.sessionId", "a string",
                                     "something else"));
  const auto session = session_of(id, *session_id);
  if (!session) return;
  const v1::SessionConfigOptionCategory wanted(v1::SessionConfigOptionCategory::model);
  if (session->config)
    for (const v1::SessionConfigOption& option : *session->config) {
      if (!option.category.has_value() || !(*option.category == wanted)) continue;
      v1::SetSessionConfigOptionRequest request;
      request.sessionId = *session_id;
      request.configId = option.id;
      v1::SetSessionConfigValueId value;
      value.value = *model;
      request.value = std::move(value);
      return set_config_option(id, request);
    }
  refuse_unknown(id, "session/set_model");
}

void AgentRole::drop_session(const CallPtr& request, const std::string& session_id,
                             std::function<void()> then) {
  if (const auto ends = ending_.find(session_id); ends != ending_.end())
    return ends->second.later.push_back(std::move(then));
  const auto found = sessions_.find(session_id);
  std::shared_ptr<AgentSession> session;
  if (found != sessions_.end()) session = found->second;
  std::vector<CallPtr> opening;
  for (const CallPtr& call : opening_)
    if (call->session->id == session_id) opening.push_back(call);
  if (!session && opening.empty()) return then();
  Ending& ends = ending_[session_id];
  request->when_over.emplace_back([this, session_id] {
    const auto ended = ending_.extract(session_id);
    for (const auto& action : ended.mapped().later) action();
  });
  if (session) {
    sessions_.erase(found);
    session->close();
    cancel_turns(*session);
  } else {
    session = opening.front()->session;
  }
  auto last = [this, session, then = std::move(then)] { end_background(session, then); };
  auto end_turns = [session, last = std::move(last)] {
    if (!session->turn) return last();
    session->when_idle.push_back(last);
  };
  if (opening.empty()) return end_turns();
  ends.when_opened = std::move(end_turns);
  for (const CallPtr& call : opening) {
    call->session->close();
    call->cancel();
  }
}

void AgentRole::close_session(const rpc::RequestId& id, JsonView params) {
  v1::CloseSessionRequest request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  const bool known = sessions_.contains(request.sessionId) || is_opening(request.sessionId);
  drop_session(call, request.sessionId, [this, call, request, known] {
    if (!known || !config_->close_session) return answer(*call, v1::CloseSessionResponse());
    run(config_->close_session, call, Context(call), request);
  });
}

void AgentRole::delete_session(const rpc::RequestId& id, JsonView params) {
  v1::DeleteSessionRequest request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  drop_session(call, request.sessionId, [this, call, request] {
    handlers().run(
        config_->delete_session,
        [this, call](v1::DeleteSessionResponse* response, std::exception_ptr error) {
          io::Connection::Lock lock(*connection_);
          if (response != nullptr) return answer(*call, *response);
          const rpc::ErrorObject failure = to_error(*call, error);
          // What is not there need not be deleted.
          if (failure.code == rpc::not_found) return answer(*call, v1::DeleteSessionResponse());
          fail(*call, failure);
        },
        Context(call), request);
  });
}

}  // namespace acp::detail
