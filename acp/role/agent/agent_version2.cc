#include "acp/role/agent/agent_version2.h"

#include <algorithm>
#include <set>
#include <utility>

#include "acp/json/codec.h"
#include "acp/role/agent/agent_machine.h"
#include "acp/role/agent/agent_role.h"
#include "acp/role/agent/agent_updates.h"
#include "acp/role/spoken_versions.h"
#include "acp/role/versions/content.h"
#include "acp/role/versions/elicitation.h"
#include "acp/role/versions/initialize.h"
#include "acp/role/versions/methods.h"
#include "acp/role/versions/permission.h"
#include "acp/role/versions/session_parts.h"
#include "acp/role/versions/session_requests.h"
#include "acp/role/versions/state.h"
#include "acp/schema/registry.h"
#include "acp/schema/v2.h"

namespace acp::detail {

namespace {

template <class T>
Json as_json(const T& value) {
  return Json::from_valid(json::encode(value));
}

// Requests whose params have one shape in both versions, and one name.
constexpr std::string_view same_requests[] = {
    "session/list",      "session/delete", "session/close",     "session/archive",
    "session/unarchive", "session/status", "session/set_title", "auth/status",
    "providers/list",    "providers/set",  "providers/disable"};
// What version 1 calls otherwise, or has alone.
constexpr std::string_view only_version_1[] = {"authenticate", "logout", "session/load",
                                               "session/set_mode", "session/set_model"};

template <std::size_t N>
bool is_one_of(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

Error unknown_method(std::string_view method) {
  return Error(rpc::method_not_found, "Method not found: " + std::string(method),
               Json::object({{"method", method}}));
}

// Each name once, and nothing that an agent of version 1 could not start.
template <class Request>
void check_servers(const Request& request) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < request.mcpServers.size(); ++i) {
    const std::string place = "params.mcpServers[" + std::to_string(i) + "]";
    std::visit(
        [&](const auto& server) {
          if constexpr (requires { server.tag; })
            throw invalid_params(place + ".type", "a transport that session.mcp advertises",
                                 "\"" + server.tag + "\"");
          if constexpr (requires { server.name; })
            if (!names.insert(server.name).second)
              throw invalid_params(place + ".name", "a name of its own", "\"" + server.name + "\"");
        },
        request.mcpServers[i]);
  }
}

}  // namespace

AgentVersion2::AgentVersion2(AgentRole& role) : role_(role) {
  if (role.config().own_machine) machine_ = std::make_shared<AgentMachine>(role, *this);
}
AgentVersion2::~AgentVersion2() = default;

AgentSession2& AgentVersion2::of(AgentSession& session) {
  if (!session.version_2)
    session.version_2 = std::make_unique<AgentSession2>([this] { return role_.new_id("msg_"); });
  return *session.version_2;
}

std::optional<v1::InitializeRequest> AgentVersion2::read_as_version_1(JsonView params) {
  return versions::read_as_v1(Json(params));
}

Json AgentVersion2::auth_method(const v1::AuthMethod& method) {
  const auto written = versions::to_v2(method);
  return written ? as_json(*written) : Json();
}

const Method* AgentVersion2::method_of(const json::Type& params) const {
  return versions::method_of(params);
}

// ---- what the client asks

std::variant<v1::InitializeRequest, Error> AgentVersion2::read_initialize(JsonView params,
                                                                          int asked) {
  try {
    return versions::to_v1(read_params<v2::InitializeRequest>(params));
  } catch (const Error& error) {
    if (asked == 2) return error;
  }
  Json known = Json(params);
  Json unknown = Json::object({{"name", "unknown"}, {"version", "unknown"}});
  known.set("info", unknown);
  v2::InitializeRequest request;
  if (const auto fault = json::decode(known.text(), v2::InitializeRequest::json_type, &request))
    return invalid_params("params." + fault->path, fault->expected, fault->got);
  return versions::to_v1(std::move(request));
}

void AgentVersion2::write_initialized(json::Writer& out, const v1::InitializeResponse& response) {
  v2::InitializeResponse written = versions::to_v2(response);
  written.protocolVersion = 2;
  if (!role_.uses_mcp_servers()) written.capabilities.session->mcp->stdio = {};
  json::write(out, written);
}

AgentVersion2::Request AgentVersion2::read(std::string_view method, JsonView params) {
  if (is_one_of(only_version_1, method)) throw unknown_method(method);
  if (is_one_of(same_requests, method)) return {method, Json(params)};
  if (method == "auth/login") {
    auto login = read_params<v2::LoginAuthRequest>(params);
    v1::AuthenticateRequest request;
    request.methodId = std::move(login.methodId);
    request._meta = std::move(login._meta);
    return {"authenticate", as_json(request)};
  }
  if (method == "auth/logout")
    return {"logout", as_json(read_params<v2::LogoutAuthRequest>(params))};
  if (method == "session/new") {
    auto request = read_params<v2::NewSessionRequest>(params);
    check_servers(request);
    return {method, as_json(versions::to_v1(std::move(request)))};
  }
  if (method == "session/fork") {
    auto request = read_params<v2::ForkSessionRequest>(params);
    check_servers(request);
    return {method, as_json(versions::to_v1(std::move(request)))};
  }
  if (method == "session/prompt")
    return {method, as_json(versions::to_v1(read_params<v2::PromptRequest>(params)))};
  if (method == "session/resume") return read_resume(params);
  if (method == "session/set_config_option") {
    auto request = read_params<v2::SetSessionConfigOptionRequest>(params);
    if (std::holds_alternative<Unknown>(request.value))
      throw invalid_params("params.type", "\"id\" or \"boolean\"", "another type");
    const auto chosen = of(known(request.sessionId)).updates.options().request(std::move(request));
    if (!chosen) throw invalid_params("params.type", "\"id\" or \"boolean\"", "another type");
    if (const auto* mode = std::get_if<v1::SetSessionModeRequest>(&*chosen))
      return {"session/set_mode", as_json(*mode)};
    return {method, as_json(std::get<v1::SetSessionConfigOptionRequest>(*chosen))};
  }
  if (method == "tool_call/cancel") {
    const auto request = read_params<v2::CancelToolCallRequest>(params);
    if (!role_.cancel_tool_call(known(request.sessionId), request.toolCallId))
      throw invalid_params("params.toolCallId", "a tool call that can be cancelled",
                           "\"" + request.toolCallId + "\"");
    return {method, Json(), false, true};
  }
  if (method == "terminal/cancel") {
    const auto request = read_params<v2::CancelTerminalRequest>(params);
    const std::string& id = known(request.sessionId).id;
    if (!machine_ || !machine_->cancel(id, request.terminalId))
      throw invalid_params("params.terminalId", "a terminal that can be cancelled",
                           "\"" + request.terminalId + "\"");
    return {method, Json(), false, true};
  }
  return {method, Json(params)};
}

AgentSession& AgentVersion2::known(const std::string& session_id) {
  if (AgentSession* const session = role_.find_session(session_id)) return *session;
  throw not_found("session " + session_id, Json::object({{"sessionId", session_id}}));
}

AgentVersion2::Request AgentVersion2::read_resume(JsonView params) {
  auto request = read_params<v2::ResumeSessionRequest>(params);
  check_servers(request);
  const auto wanted = versions::to_v1(std::move(request));
  if (!wanted) throw invalid_params("params.replayFrom.type", "\"start\"", "another point");
  const auto& config = role_.config();
  if (const auto* load = std::get_if<v1::LoadSessionRequest>(&*wanted)) {
    if (!config.load_session)
      throw invalid_params("params.replayFrom", "none: this agent keeps no conversations",
                           "a replay");
    return {"session/load", as_json(*load)};
  }
  const auto& resume = std::get<v1::ResumeSessionRequest>(*wanted);
  if (config.resume_session || !config.load_session) return {"session/resume", as_json(resume)};
  v1::LoadSessionRequest load;
  load.sessionId = resume.sessionId;
  load.cwd = resume.cwd;
  load.additionalDirectories = resume.additionalDirectories;
  load.mcpServers = resume.mcpServers;
  load._meta = resume._meta;
  return {"session/load", as_json(load), true};
}

template <class Response2, class Response>
void AgentVersion2::write_opened(AgentCall& call, json::Writer& out, const Response& response) {
  Response2 opened;
  if constexpr (requires { opened.sessionId; }) opened.sessionId = response.sessionId;
  opened.configOptions = of(*call.session).updates.options().list();
  if (const auto& own = call.session->now().commands)
    opened.availableCommands = versions::to_v2(*own);
  else if (const auto& all = role_.config().commands)
    opened.availableCommands = versions::to_v2(*all);
  opened._meta = response._meta;
  json::write(out, opened);
}

void AgentVersion2::write_result(AgentCall& call, json::Writer& out, const json::Type& type,
                                 const void* result) {
  if (&type == &v1::NewSessionResponse::json_type)
    return write_opened<v2::NewSessionResponse>(
        call, out, *static_cast<const v1::NewSessionResponse*>(result));
  if (&type == &v1::ForkSessionResponse::json_type)
    return write_opened<v2::ForkSessionResponse>(
        call, out, *static_cast<const v1::ForkSessionResponse*>(result));
  if (&type == &v1::LoadSessionResponse::json_type)
    return write_opened<v2::ResumeSessionResponse>(
        call, out, *static_cast<const v1::LoadSessionResponse*>(result));
  if (&type == &v1::ResumeSessionResponse::json_type)
    return write_opened<v2::ResumeSessionResponse>(
        call, out, *static_cast<const v1::ResumeSessionResponse*>(result));
  if (&type == &v1::SetSessionModeResponse::json_type ||
      &type == &v1::SetSessionConfigOptionResponse::json_type) {
    const Json& meta = &type == &v1::SetSessionModeResponse::json_type
                           ? static_cast<const v1::SetSessionModeResponse*>(result)->_meta
                           : static_cast<const v1::SetSessionConfigOptionResponse*>(result)->_meta;
    out.put("{\"configOptions\":");
    out.put(of(call.session->now()).updates.options().list_text());
    if (!meta.absent()) {
      out.put(",\"_meta\":");
      out.put(meta.text());
    }
    out.put('}');
    return;
  }
  if (&type == &v1::ListSessionsResponse::json_type)
    return json::write(out, versions::to_v2(*static_cast<const v1::ListSessionsResponse*>(result)));
  // The others have one shape.
  json::write(out, type, result);
}

// ---- what the agent asks

Translation::Message AgentVersion2::request(const json::Type& type, const void* params,
                                            Deliver deliver) {
  if (&type == &v1::RequestPermissionRequest::json_type) {
    const auto& request = *static_cast<const v1::RequestPermissionRequest*>(params);
    const auto asked = versions::to_v2(request, {});
    if (!asked) throw Refused("options: version 2 of the protocol wants at least one");
    return {"session/request_permission", json::encode(*asked),
            deliver_converted<v2::RequestPermissionResponse>(
                std::move(deliver),
                [options = request.options](v2::RequestPermissionResponse response) {
                  return versions::to_v1(std::move(response), options, false);
                })};
  }
  if (&type == &v1::CreateElicitationRequest::json_type) {
    const auto asked = versions::to_v2(*static_cast<const v1::CreateElicitationRequest*>(params));
    if (!asked) throw Refused("version 2 of the protocol cannot express this question");
    return {"elicitation/create", json::encode(*asked),
            deliver_converted<v2::CreateElicitationResponse>(
                std::move(deliver), [](v2::CreateElicitationResponse response) {
                  return versions::to_v1(std::move(response));
                })};
  }
  json::Writer out;
  json::write(out, type, params);
  const std::string method(detail::method_of(type).name);
  if (method == "mcp/message") return {method, out.str(), std::move(deliver)};
  throw role_.refused_work(method);
}

bool AgentVersion2::carry_out(const Link& link, const json::Type& type, const void* params,
                              const std::shared_ptr<async::CompletionBase>& done, Deliver& deliver,
                              Calling how) {
  return machine_ && machine_->carry_out(link, type, params, done, deliver, how);
}

Translation::Message AgentVersion2::notification(const json::Type& type, const void* params) {
  json::Writer out;
  json::write(out, type, params);
  std::string method(detail::method_of(type).name);
  if (method == "session/update")
    throw Refused("peer().notify() with an update of version 1: use update() of the session");
  return {std::move(method), out.str()};
}

void AgentVersion2::check_notification(const json::Type& type, const void* params) {
  if (&type != &v2::UpdateSessionNotification::json_type) return;
  const std::string& id = static_cast<const v2::UpdateSessionNotification*>(params)->sessionId;
  if (!role_.session_at_work(id)) throw Refused("sessionId: no session \"" + id + "\" is open");
}

// ---- updates

void AgentVersion2::show(AgentSession& session, const v2::SessionUpdate& update) {
  const auto locked = role_.connection()->held();
  locked.engine().notify("session/update", [&](json::Writer& out) {
    out.put("{\"sessionId\":");
    out.string(session.id);
    out.put(",\"update\":");
    json::write(out, update);
    out.put('}');
  });
}

namespace {

// What a turn does, and not what the session has.
bool is_work(const v1::SessionUpdate& update) {
  return std::holds_alternative<v1::AgentMessageChunk>(update) ||
         std::holds_alternative<v1::AgentThoughtChunk>(update) ||
         std::holds_alternative<v1::ToolCall>(update) || std::holds_alternative<v1::Plan>(update) ||
         std::holds_alternative<v1::PlanUpdate>(update);
}

}  // namespace

void AgentVersion2::send(AgentSession& given, const v1::SessionUpdate& update,
                         const std::vector<v1::ToolCallContent>* shown) {
  AgentSession& session = given.now();
  if (session.turn && is_work(update)) role_.insert_prompt(*session.turn);
  // What the program changes in this way, later answers have to say.
  if (const auto* mode = std::get_if<v1::CurrentModeUpdate>(&update); mode && session.modes)
    session.modes->currentModeId = mode->currentModeId;
  if (const auto* options = std::get_if<v1::ConfigOptionUpdate>(&update))
    session.config = std::make_unique<std::vector<v1::SessionConfigOption>>(options->configOptions);
  AgentSession2& mine = of(session);
  for (v2::SessionUpdate& one : mine.updates.convert(update, shown)) {
    if (auto* const call = std::get_if<v2::ToolCallUpdate>(&one)) complete(given, *call);
    show(session, one);
  }
}

void AgentVersion2::complete(AgentSession& session, v2::ToolCallUpdate& update) {
  using Status = v2::ToolCallStatus;
  const bool failed = update.status.has_value() && *update.status == Status::failed;
  if (!failed && !(update.status.has_value() && *update.status == Status::completed)) return;
  AgentSession2& mine = of(session);
  const auto& background = role_.background();
  const bool of_turn = std::none_of(background.begin(), background.end(), [&](const auto& call) {
    return call->call->session->id == session.id && call->shown.toolCallId == update.toolCallId;
  });
  const bool with_turn =
      of_turn && (mine.ends_cancelled || (session.turn && session.turn->cancelled));
  const bool alone = mine.cancelled.erase(update.toolCallId) != 0;
  if (failed && (with_turn || alone)) update.status = Status(Status::cancelled);
  if (mine.cancellable.erase(update.toolCallId) != 0) update.capabilities = nullptr;
}

const std::string& AgentVersion2::chunk_prefix(AgentSession& session) {
  if (session.turn) role_.insert_prompt(*session.turn);
  const std::string& update = of(session).updates.agent_text_prefix();
  std::string& prefix = session.chunk_prefix;
  if (!prefix.ends_with(update)) {
    json::Writer out;
    out.put("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":");
    out.string(session.id);
    out.put(",\"update\":");
    out.put(update);
    prefix = out.str();
  }
  return prefix;
}

void AgentVersion2::options_changed(AgentSession& session) {
  of(session).updates.options() = versions::OptionsToV2(
      session.modes, session.config ? *session.config : std::vector<v1::SessionConfigOption>());
}

void AgentVersion2::mode_changed(AgentSession& session) {
  if (!session.modes) return options_changed(session);
  of(session).updates.options().set_mode(session.modes->currentModeId);
}

// ---- turns

void AgentVersion2::begin_turn(AgentCall& call) {
  AgentSession& session = *call.session;
  AgentSession2& mine = of(session);
  v2::PromptResponse inserted;
  inserted.messageId = role_.message_id(call);
  mine.updates.begin_user_message(inserted.messageId);
  call.answered = true;
  const auto locked = role_.connection()->held();
  locked.engine().respond(*call.id, [&](json::Writer& out) { json::write(out, inserted); });
  v2::UserMessage echo;
  echo.messageId = inserted.messageId;
  echo.content = versions::to_v2(call.prompt.prompt);
  show(session, v2::SessionUpdate(std::move(echo)));
  mine.works = true;
  report_state(session);
  locked.sent_something();
}

void AgentVersion2::end_turn(AgentCall& call, v1::PromptResponse response) {
  end_work(*call.session, versions::idle_state(std::move(response)));
}

void AgentVersion2::end_turn(AgentCall& call, const rpc::ErrorObject& error) {
  v1::Error failure;
  failure.code = error.code;
  failure.message = error.message;
  if (!error.data.absent()) failure.data = error.data;
  end_work(*call.session, versions::failed_state(std::move(failure)));
}

void AgentVersion2::end_work(AgentSession& session, v2::StateUpdate state) {
  AgentSession2& mine = of(session);
  mine.works = false;
  mine.ends_cancelled = false;
  mine.updates.end_message();
  write_state(session, std::move(state));
}

void AgentVersion2::report_state(AgentSession& session) {
  write_state(session, of(session).works ? versions::running_state() : versions::idle_state());
}

// ---- work in the background

void AgentVersion2::offer_cancel(AgentSession& session, const std::string& tool_call_id) {
  if (session.silent) return;
  of(session).cancellable.insert(tool_call_id);
  v2::ToolCallUpdate update;
  update.toolCallId = tool_call_id;
  update.capabilities.emplace().cancel.emplace();
  show(session, v2::SessionUpdate(std::move(update)));
}

// A process is listed as its terminal, all other work as its tool call.
std::vector<v2::BackgroundWork> AgentVersion2::background(const AgentSession& session) const {
  std::vector<v2::BackgroundWork> list;
  std::set<std::string> terminals;
  const auto add_terminal = [&](const std::string& id) {
    if (!terminals.insert(id).second) return;
    v2::BackgroundTerminal terminal;
    terminal.terminalId = id;
    list.emplace_back(std::move(terminal));
  };
  for (const auto& call : role_.background()) {
    if (call->call->session->id != session.id) continue;
    std::vector<std::string> of_call;
    if (machine_) of_call = machine_->running_for(*call->call);
    for (const v1::ToolCallContent& content : call->shown.content)
      if (const auto* shown = std::get_if<v1::Terminal>(&content))
        if (machine_ && machine_->runs(shown->terminalId)) of_call.push_back(shown->terminalId);
    for (const std::string& id : of_call) add_terminal(id);
    if (!of_call.empty()) continue;
    v2::BackgroundToolCall work;
    work.toolCallId = call->shown.toolCallId;
    list.emplace_back(std::move(work));
  }
  if (machine_)
    for (const std::string& id : machine_->in_background(session)) add_terminal(id);
  return list;
}

namespace {
std::vector<std::string> names_of(const std::vector<v2::BackgroundWork>& work) {
  std::vector<std::string> names;
  for (const v2::BackgroundWork& one : work) names.push_back(json::encode(one));
  return names;
}
}  // namespace

// Every state says what goes on in the background: a client cannot know otherwise.
void AgentVersion2::write_state(AgentSession& session, v2::StateUpdate state) {
  std::vector<v2::BackgroundWork> work = background(session);
  of(session).background = names_of(work);
  versions::set_background(state, std::move(work));
  show(session, v2::SessionUpdate(std::move(state)));
}

void AgentVersion2::background_changed(AgentSession& session) {
  // It may have been opened again meanwhile; one that is closed has no state any more.
  AgentSession* const now = role_.find_session(session.id);
  if (now == nullptr || names_of(background(*now)) == of(*now).background) return;
  report_state(*now);
  role_.connection()->held().sent_something();
}

// ---- this machine

bool AgentVersion2::holds_machine() const { return machine_ && machine_->at_work(); }

void AgentVersion2::session_closed(AgentSession& session, std::function<void()> then) {
  if (!machine_) return then();
  machine_->session_closed(session, std::move(then));
}

void AgentVersion2::shut_down() {
  if (machine_) machine_->shut_down();
}

}  // namespace acp::detail

namespace acp {

Agent& Agent::versions(std::vector<int> versions) {
  config_->versions = detail::checked_versions(std::move(versions));
  config_->make_version_2 = [](detail::AgentRole& role) -> std::unique_ptr<detail::AgentDialect> {
    return std::make_unique<detail::AgentVersion2>(role);
  };
  return *this;
}

Agent& Agent::versions_from_environment() { return versions(detail::versions_of_environment()); }

}  // namespace acp
