#include "acp/role/client/client_version2.h"

#include <algorithm>
#include <utility>

#include "acp/json/codec.h"
#include "acp/role/client/client_role.h"
#include "acp/role/spoken_versions.h"
#include "acp/role/versions/content.h"
#include "acp/role/versions/elicitation.h"
#include "acp/role/versions/initialize.h"
#include "acp/role/versions/methods.h"
#include "acp/role/versions/permission.h"
#include "acp/role/versions/recode.h"
#include "acp/role/versions/session_requests.h"
#include "acp/schema/registry.h"

namespace acp::detail {

namespace {

// Requests whose params and answers have one shape in both versions, and one name.
constexpr std::string_view same_requests[] = {
    "session/delete", "session/close",  "session/archive", "session/unarchive", "session/set_title",
    "auth/status",    "providers/list", "providers/set",   "providers/disable"};

template <class T>
const T& as(const void* params) {
  return *static_cast<const T*>(params);
}

}  // namespace

std::string ClientVersion2::introduction(const v1::InitializeRequest& request, bool of_both) {
  return of_both ? versions::params_for_both(request) : json::encode(versions::to_v2(request));
}

std::optional<json::DecodeFault> ClientVersion2::read_introduction(
    std::string_view text, v1::InitializeResponse& response) {
  v2::InitializeResponse read;
  if (auto fault = json::decode(text, v2::InitializeResponse::json_type, &read)) return fault;
  const auto& session = read.capabilities.session;
  has_sessions_ = session.has_value();
  takes_stdio_ = has_sessions_ && session->mcp && session->mcp->stdio;
  response = versions::to_v1(std::move(read));
  response.protocolVersion = 2;
  return std::nullopt;
}

const Method* ClientVersion2::method_of(const json::Type& params) const {
  return versions::method_of(params);
}

ClientVersion2::Session* ClientVersion2::find(const std::string& session_id) {
  const auto found = sessions_.find(session_id);
  if (found != sessions_.end()) return &found->second;
  if (!role_.may_be_ours(session_id)) return nullptr;
  return &sessions_[session_id];
}

bool ClientVersion2::has_room_for(const std::string& session_id, std::size_t bytes) {
  if (role_.opening_ == 0 || role_.sessions_.contains(session_id)) return true;
  bytes += sessions_.contains(session_id) ? 0 : sizeof(Session);
  if (unknown_bytes_ + bytes > ClientRole::max_early_bytes) return false;
  unknown_bytes_ += bytes;
  return true;
}

void ClientVersion2::forget_unknown() {
  std::erase_if(sessions_, [&](const auto& session) {
    return !session.second.begun && !role_.sessions_.contains(session.first);
  });
  unknown_bytes_ = 0;
}

void ClientVersion2::keep_activity(const std::string& session_id,
                                   versions::SessionActivity activity) {
  if (Session* const session = find(session_id)) session->activity = std::move(activity);
}

std::optional<versions::SessionActivity> ClientVersion2::take_activity(
    const std::string& session_id) {
  Session* const session = find(session_id);
  return session == nullptr ? std::nullopt : std::exchange(session->activity, std::nullopt);
}

// ---- what the client asks

template <class Begun>
void ClientVersion2::session_begins(const std::string& id, Begun& begun) {
  Session& session = sessions_[id];
  session.begun = true;
  session.updates.set_mode_id(begun.mode_id);
  std::optional<v1::SessionModeState> modes;
  if (begun.response.modes.has_value()) modes = *begun.response.modes;
  session.updates.set_modes(std::move(modes));
  if (begun.commands) role_.give_update(id, std::move(*begun.commands));
}

template <class Request>
void ClientVersion2::check_session(const Request& request) const {
  if (!has_sessions_)
    throw Refused("the agent has no sessions: it does not advertise capabilities.session");
  for (std::size_t i = 0; i < request.mcpServers.size(); ++i)
    if (!takes_stdio_ && std::holds_alternative<v1::McpServerStdio>(request.mcpServers[i]))
      throw Refused("mcpServers[" + std::to_string(i) +
                    "]: the agent does not take servers on stdio (capabilities.session.mcp.stdio)");
}

Translation::Message ClientVersion2::open_session(const json::Type& type, const void* params,
                                                  Deliver deliver) {
  if (&type == &v1::NewSessionRequest::json_type) {
    check_session(as<v1::NewSessionRequest>(params));
    return {"session/new", json::encode(versions::to_v2(as<v1::NewSessionRequest>(params))),
            deliver_converted<v2::NewSessionResponse>(
                std::move(deliver), [this](v2::NewSessionResponse response) {
                  auto begun = versions::to_v1(std::move(response), true);
                  session_begins(begun.response.sessionId, begun);
                  return begun.response;
                })};
  }
  if (&type == &v1::ForkSessionRequest::json_type) {
    check_session(as<v1::ForkSessionRequest>(params));
    return {"session/fork", json::encode(versions::to_v2(as<v1::ForkSessionRequest>(params))),
            deliver_converted<v2::ForkSessionResponse>(
                std::move(deliver), [this](v2::ForkSessionResponse response) {
                  auto begun = versions::to_v1(std::move(response), true);
                  session_begins(begun.response.sessionId, begun);
                  return begun.response;
                })};
  }
  if (&type == &v1::LoadSessionRequest::json_type) {
    const auto& request = as<v1::LoadSessionRequest>(params);
    check_session(request);
    sessions_.erase(request.sessionId);  // all of it comes again
    return {
        "session/resume", json::encode(versions::to_v2(request)),
        deliver_converted<v2::ResumeSessionResponse>(
            std::move(deliver), [this, id = request.sessionId](v2::ResumeSessionResponse response) {
              auto begun = versions::to_v1_load(std::move(response), true);
              session_begins(id, begun);
              return begun.response;
            })};
  }
  const auto& request = as<v1::ResumeSessionRequest>(params);
  check_session(request);
  if (Session* const session = find(request.sessionId)) session->prompts.clear();
  return {
      "session/resume", json::encode(versions::to_v2(request)),
      deliver_converted<v2::ResumeSessionResponse>(
          std::move(deliver), [this, id = request.sessionId](v2::ResumeSessionResponse response) {
            auto begun = versions::to_v1(std::move(response), true);
            session_begins(id, begun);
            return begun.response;
          })};
}

Translation::Message ClientVersion2::request(const json::Type& type, const void* params,
                                             Deliver deliver) {
  if (&type == &v1::SetSessionModeRequest::json_type)
    return set_mode(as<v1::SetSessionModeRequest>(params), std::move(deliver));
  const std::string method(detail::method_of(type).name);
  if (method == "session/new" || method == "session/fork" || method == "session/load" ||
      method == "session/resume")
    return open_session(type, params, std::move(deliver));
  if (method == "authenticate") {
    v2::LoginAuthRequest login;
    login.methodId = as<v1::AuthenticateRequest>(params).methodId;
    login._meta = as<v1::AuthenticateRequest>(params)._meta;
    return {"auth/login", json::encode(login), std::move(deliver)};
  }
  if (method == "logout")
    return {"auth/logout", json::encode(as<v1::LogoutRequest>(params)), std::move(deliver)};
  if (method == "session/list")
    return {method, json::encode(as<v1::ListSessionsRequest>(params)),
            deliver_converted<v2::ListSessionsResponse>(
                std::move(deliver), [](v2::ListSessionsResponse response) {
                  return versions::to_v1(std::move(response));
                })};
  if (method == "session/status")
    return {method, json::encode(as<v1::SessionStatusRequest>(params)),
            deliver_converted<v2::SessionStatusResponse>(
                std::move(deliver), [](const v2::SessionStatusResponse& response) {
                  return versions::recoded<v1::SessionStatusResponse>(response);
                })};
  if (method == "session/set_config_option") {
    const auto& request = as<v1::SetSessionConfigOptionRequest>(params);
    return {method, json::encode(versions::to_v2(request)),
            deliver_converted<v2::SetSessionConfigOptionResponse>(
                std::move(deliver),
                [this, id = request.sessionId](v2::SetSessionConfigOptionResponse response) {
                  take_options(id, response.configOptions, false);
                  return versions::to_v1(std::move(response), true);
                })};
  }
  if (method == "session/prompt")
    throw Refused(
        "version 2 of the protocol answers a prompt at its beginning: use prompt() of the "
        "session");
  if (std::find(std::begin(same_requests), std::end(same_requests), method) ==
      std::end(same_requests))
    throw Refused("version 2 of the protocol has no " + method);
  json::Writer out;
  json::write(out, type, params);
  return {method, out.str(), std::move(deliver)};
}

// Programs set modes over and over: an answer that says what the last one said needs no reading.
Translation::Message ClientVersion2::set_mode(const v1::SetSessionModeRequest& request,
                                              Deliver deliver) {
  const Session* const session = find(request.sessionId);
  if (session == nullptr || session->updates.mode_id().empty())
    throw Refused("modeId: the session has no modes");
  return {
      "session/set_config_option",
      json::encode(versions::to_v2(request, session->updates.mode_id())),
      [this, id = request.sessionId, deliver = std::move(deliver)](
          std::string_view text, const json::Limits& limits) -> std::optional<json::DecodeFault> {
        Session* const session = find(id);
        if (session != nullptr && session->mode_answer.is(text, session->updates))
          return deliver(session->mode_answer.as_version_1, {});
        v2::SetSessionConfigOptionResponse response;
        if (auto fault = decode(text, response.json_type, &response, limits)) return fault;
        take_options(id, std::move(response.configOptions), true);
        const std::string converted = json::encode(versions::to_v1_mode(std::move(response)));
        if (session != nullptr)
          session->mode_answer = {std::string(text), converted, session->updates.option_changes()};
        return deliver(converted, {});
      }};
}

void ClientVersion2::take_options(const std::string& session_id,
                                  std::vector<v2::SessionConfigOption> options, bool with_list) {
  Session* const session = find(session_id);
  if (session == nullptr) return;
  v2::ConfigOptionUpdate list;
  list.configOptions = std::move(options);
  for (auto& change : session->updates.convert(std::move(list))) {
    auto* const update = std::get_if<v1::SessionUpdate>(&change);
    if (update == nullptr)
      show(session_id, change, 0);
    else if (with_list || std::holds_alternative<v1::CurrentModeUpdate>(*update))
      role_.give_update(session_id, std::move(*update));
  }
}

Translation::Message ClientVersion2::notification(const json::Type& type, const void* params) {
  json::Writer out;
  json::write(out, type, params);
  return {std::string(detail::method_of(type).name), out.str()};
}

// ---- what the agent asks

v1::RequestPermissionRequest ClientVersion2::read_permission(JsonView params) {
  auto request = read_params<v2::RequestPermissionRequest>(params);
  const auto known = sessions_.find(request.sessionId);
  versions::AskedCall asked{role_.new_id("asked_")};
  if (known != sessions_.end())
    asked.shown = known->second.updates.content_of(versions::asked_call(request));
  return versions::to_v1(std::move(request), asked);
}

v1::CreateElicitationRequest ClientVersion2::read_elicitation(JsonView params) {
  auto request = versions::to_v1(read_params<v2::CreateElicitationRequest>(params));
  if (!request) throw invalid_params("params", "a form or a page", "something else");
  return std::move(*request);
}

void ClientVersion2::write_result(json::Writer& out, const json::Type& type, const void* result) {
  if (&type == &v1::RequestPermissionResponse::json_type)
    return json::write(out, versions::to_v2(as<v1::RequestPermissionResponse>(result)));
  if (&type == &v1::CreateElicitationResponse::json_type)
    return json::write(out, versions::to_v2(as<v1::CreateElicitationResponse>(result)));
  json::write(out, type, result);
}

// ---- updates

bool ClientVersion2::is_echo(Session& session, const v2::SessionUpdate& update,
                             std::shared_ptr<PromptState>& inserted) {
  const v2::MessageId* id = nullptr;
  std::vector<v2::ContentBlock> content;
  if (const auto* whole = std::get_if<v2::UserMessage>(&update)) {
    id = &whole->messageId;
    if (whole->content.has_value()) content = *whole->content;
  } else if (const auto* chunk = std::get_if<v2::UserMessageChunk>(&update)) {
    id = &chunk->messageId;
    content = {chunk->content};
  } else {
    return false;
  }
  std::erase_if(session.prompts, [](const SentPrompt& prompt) { return prompt.state.expired(); });
  for (const SentPrompt& prompt : session.prompts)
    if (prompt.id == *id) return true;
  // It may come before the answer that says its id.
  for (SentPrompt& prompt : session.prompts) {
    if (!prompt.id.empty()) continue;
    const bool same = std::holds_alternative<v2::UserMessage>(update)
                          ? content == prompt.content
                          : !prompt.content.empty() && content.front() == prompt.content.front();
    if (!same) continue;
    prompt.id = *id;
    prompt.content.clear();
    // What follows may be its turn, and the end of it.
    inserted = prompt.state.lock();
    return true;
  }
  return false;
}

std::optional<ClientVersion2::Update> ClientVersion2::convert(
    v2::UpdateSessionNotification&& notification, std::size_t bytes) {
  if (!has_room_for(notification.sessionId, bytes)) {
    role_.log(LogEntry::Level::warning,
              "an update of an unknown session was dropped: too many wait for "
              "it to become known");
    return std::nullopt;
  }
  Session unknown;  // one that is not ours: of no account
  Session* const known = find(notification.sessionId);
  Session& session = known == nullptr ? unknown : *known;
  Update read{std::move(notification.sessionId), {}};
  std::shared_ptr<PromptState> inserted;
  if (!is_echo(session, notification.update, inserted))
    read.updates = session.updates.convert(std::move(notification.update));
  if (const auto warning = session.updates.take_warning())
    role_.log(LogEntry::Level::warning, "session " + read.session_id + ": " + *warning);
  if (inserted) role_.prompt_inserted(read.session_id, inserted);
  return read;
}

// ---- turns

std::string ClientVersion2::prompt(const std::string& session_id,
                                   const std::shared_ptr<PromptState>& prompt,
                                   const v1::PromptRequest& request) {
  v2::PromptRequest sent = versions::to_v2(request);
  if (Session* const session = find(session_id)) {
    std::erase_if(session->prompts, [](const SentPrompt& old) { return old.state.expired(); });
    session->prompts.push_back({prompt, sent.prompt, {}});
  }
  return json::encode(sent);
}

void ClientVersion2::answered(const std::string& session_id,
                              const std::shared_ptr<PromptState>& prompt,
                              const rpc::Engine::Answer& answer) {
  if (prompt->ended()) return;  // its turn was over before this
  if (answer.error != nullptr) {
    const bool taken_back = prompt->cancelled && answer.error->code == rpc::request_cancelled;
    if (!taken_back) return role_.end_prompt(prompt, *answer.error);
    v1::PromptResponse response;
    response.stopReason = StopReason::cancelled;
    return role_.end_prompt(prompt, std::move(response));
  }
  v2::PromptResponse inserted;
  if (const auto fault =
          json::decode(answer.result.text(), v2::PromptResponse::json_type, &inserted))
    return role_.end_prompt(prompt,
                            {rpc::internal_error,
                             "the answer to session/prompt is not valid: " + fault->message(),
                             {}});
  if (Session* const session = find(session_id))
    for (SentPrompt& sent : session->prompts)
      if (sent.state.lock() == prompt) {
        sent.id = inserted.messageId;
        sent.content.clear();
      }
  role_.prompt_inserted(session_id, prompt);
}

}  // namespace acp::detail

namespace acp {

Client& Client::versions(std::vector<int> versions) {
  config_->versions = detail::checked_versions(std::move(versions));
  config_->make_version_2 = [](detail::ClientRole& role) -> std::unique_ptr<detail::ClientDialect> {
    return std::make_unique<detail::ClientVersion2>(role);
  };
  return *this;
}

Client& Client::versions_from_environment() { return versions(detail::versions_of_environment()); }

}  // namespace acp
