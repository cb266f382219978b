// Prompts under way: version 1 answers them at the end of their turn, version 2 at its beginning.
#include <algorithm>

#include "acp/json/codec.h"
#include "acp/role/client/client_role.h"

namespace acp::detail {

void ClientRole::send_prompt(const std::shared_ptr<PromptState>& prompt,
                             const v1::PromptRequest& request) {
  ++prompts_pending;
  rpc::Engine& engine = connection_->held().engine();
  if (version_2_) {
    const std::string params = version_2_->prompt(request.sessionId, prompt, request);
    engine.request(
        "session/prompt", [&](json::Writer& out) { out.put(params); },
        [prompt, self = self(), id = request.sessionId](const rpc::Engine::Answer& answer) {
          --self->prompts_pending;
          self->version_2_->answered(id, prompt, answer);
        });
    return;
  }
  engine.request(
      "session/prompt", [&](json::Writer& out) { json::write(out, request); },
      [prompt, self = self()](const rpc::Engine::Answer& answer) {
        --self->prompts_pending;
        if (answer.error != nullptr) return self->end_prompt(prompt, *answer.error);
        v1::PromptResponse response;
        if (const auto fault =
                json::decode(answer.result.text(), v1::PromptResponse::json_type, &response))
          return self->end_prompt(prompt,
                                  {rpc::internal_error,
                                   "the answer to session/prompt is not valid: " + fault->message(),
                                   {}});
        self->end_prompt(prompt, std::move(response));
      });
}

void ClientRole::end_prompt(const std::shared_ptr<PromptState>& prompt,
                            v1::PromptResponse response) {
  prompt->response = std::move(response);
  finish_prompt(prompt);
}

void ClientRole::end_prompt(const std::shared_ptr<PromptState>& prompt,
                            const rpc::ErrorObject& error) {
  prompt->error = error.connection_closed
                      ? std::make_exception_ptr(
                            ConnectionClosed(end_reason.empty() ? error.message : end_reason))
                      : std::make_exception_ptr(CallFailed(error.code, error.message, error.data));
  finish_prompt(prompt);
}

void ClientRole::finish_prompt(const std::shared_ptr<PromptState>& prompt) {
  turn_ended();
  std::erase(inserted_, prompt);
  if (ClientSession* const session = prompt->session) {
    std::erase(session->prompts, prompt);
    if (session->state)
      prompt->response ? session->state->turn_ended(prompt->response->stopReason)
                       : session->state->turn_failed();
    state_changed(*session);
  }
  if (prompt->waiter) {
    --prompts_waited;
    prompt->wake();
  }
}

// ---- version 2

void ClientRole::prompt_inserted(const std::string& session_id,
                                 const std::shared_ptr<PromptState>& prompt) {
  if (prompt->ended() || std::exchange(prompt->inserted, true)) return;
  inserted_.push_back(prompt);
  const auto found = sessions_.find(session_id);
  if (found == sessions_.end() || found->second == nullptr || found->second != prompt->session) {
    v1::PromptResponse response;  // closed meanwhile: nothing more comes for it
    response.stopReason = StopReason::cancelled;
    end_prompt(prompt, std::move(response));
  } else if (prompt->early_end && !found->second->works) {
    end_prompt_with(prompt, *prompt->early_end);
  }
}

void ClientRole::end_prompt_with(const std::shared_ptr<PromptState>& prompt,
                                 const versions::SessionActivity& activity) {
  if (activity.error)
    end_prompt(prompt, {activity.error->code, activity.error->message, activity.error->data});
  else
    end_prompt(prompt, activity.answer.value_or(v1::PromptResponse()));
}

// Of those that wait for an answer, the engine knows.
void ClientRole::on_all_handled() {
  const rpc::ErrorObject closed{
      rpc::internal_error, "the connection closed before the turn ended", {}, true};
  for (const auto& prompt : std::vector(inserted_)) end_prompt(prompt, closed);
}

void ClientRole::end_inserted_prompts(const ClientSession& session) {
  v1::PromptResponse response;
  response.stopReason = StopReason::cancelled;
  for (const auto& prompt : std::deque(session.prompts))
    if (prompt->inserted) end_prompt(prompt, response);
}

bool ClientRole::on_request_of_version_2(const rpc::RequestId& id, std::string_view method,
                                         JsonView params) {
  if (!ClientVersion2::takes(id)) {
    connection_->held().engine().fail_unnamed(
        id, {rpc::invalid_request, "Invalid request: an id is a string or an integer", {}});
    return true;
  }
  try {
    if (method == "session/request_permission") {
      ask_permission(id, version_2_->read_permission(params), params);
      return true;
    }
    if (method == "elicitation/create") {
      const v1::CreateElicitationRequest request = version_2_->read_elicitation(params);
      elicit(id, Json::from_valid(json::encode(request)), params);
      return true;
    }
  } catch (const Error& error) {
    refuse(id, error);
    return true;
  }
  if (!method.starts_with("fs/") && !method.starts_with("terminal/")) return false;
  refuse_unknown(id, method);
  return true;
}

void ClientRole::write_result(Call& call, json::Writer& out, const json::Type& type,
                              const void* result) {
  if (!version_2_) return AnsweringRole::write_result(call, out, type, result);
  version_2_->write_result(out, type, result);
}

namespace {

// What comes in pieces is kept whole.
std::size_t kept_size(const SessionUpdate& update) {
  const auto* const call = std::get_if<v1::ToolCallUpdate>(&update);
  if (call == nullptr || !call->content.has_value()) return 0;
  std::size_t size = 0;
  for (const v1::ToolCallContent& content : *call->content) {
    size += sizeof content;
    if (const auto* diff = std::get_if<v1::Diff>(&content)) {
      size += diff->newText.size();
    } else if (const auto* one = std::get_if<v1::Content>(&content)) {
      if (const auto* text = std::get_if<v1::TextContent>(&one->content)) size += text->text.size();
    }
  }
  return size;
}

}  // namespace

bool ClientRole::update_of_version_2(rpc::NotificationToken token, JsonView params) {
  std::optional<ClientVersion2::Update> read = version_2_->read_update(params);
  if (!read) return true;
  std::vector<v1::SessionNotification> copies;
  for (auto& one : read->updates) {
    if (auto* update = std::get_if<SessionUpdate>(&one)) {
      if (config_->update) {
        v1::SessionNotification& copy = copies.emplace_back();
        copy.sessionId = read->session_id;
        copy.update = *update;
      }
      const std::size_t bytes = std::max(params.text().size(), kept_size(*update));
      take_update(read->session_id, std::move(*update), bytes);
    } else if (auto* activity = std::get_if<versions::SessionActivity>(&one)) {
      state_of_version_2(read->session_id, std::move(*activity));
    } else {
      show_version_2(read->session_id, one, params.text().size());
    }
  }
  // The last one holds up what follows.
  for (std::size_t i = 0; i + 1 < copies.size(); ++i)
    pass_on(0, config_->update, std::move(copies[i]), read->session_id);
  return copies.empty() ||
         pass_on(token, config_->update, std::move(copies.back()), read->session_id);
}

namespace {

std::vector<SessionState::BackgroundWork> shown(const std::vector<v2::BackgroundWork>& background) {
  using Kind = SessionState::BackgroundWork::Kind;
  std::vector<SessionState::BackgroundWork> result;
  for (const v2::BackgroundWork& work : background) {
    SessionState::BackgroundWork& one = result.emplace_back();
    if (const auto* terminal = std::get_if<v2::BackgroundTerminal>(&work)) {
      one = {Kind::terminal, terminal->terminalId};
    } else if (const auto* call = std::get_if<v2::BackgroundToolCall>(&work)) {
      one = {Kind::tool_call, call->toolCallId};
    } else if (const auto* subagent = std::get_if<v2::BackgroundSubagent>(&work)) {
      one = {Kind::subagent, subagent->sessionId};
    }
  }
  return result;
}

SessionState::Activity shown(versions::SessionActivity::State state) {
  using State = versions::SessionActivity::State;
  switch (state) {
    case State::idle:
      return SessionState::Activity::idle;
    case State::running:
      return SessionState::Activity::running;
    case State::requires_action:
      return SessionState::Activity::requires_action;
    case State::unknown:
      break;
  }
  return SessionState::Activity::other;
}

v1::TerminalExitStatus shown(const v2::TerminalExitStatus& status) {
  v1::TerminalExitStatus result;
  if (status.exitCode.has_value() && *status.exitCode >= 0 && *status.exitCode <= UINT32_MAX)
    result.exitCode = static_cast<std::uint32_t>(*status.exitCode);
  result.signal = status.signal;
  return result;
}

void show(SessionState& state, versions::TerminalChanged& terminal) {
  if (terminal.replaces_output)
    state.terminal_output(terminal.id, std::move(terminal.output), terminal.truncated);
  else if (!terminal.output.empty())
    state.terminal_printed(terminal.id, terminal.output);
  if (terminal.exit_status.has_value())
    state.terminal_exited(terminal.id, shown(*terminal.exit_status));
}

void show(SessionState& state, versions::MessageReplaced& replaced) {
  using From = versions::MessageReplaced::Kind;
  using Kind = SessionState::Message::Kind;
  if (!replaced.content) return;
  const Kind kind = replaced.kind == From::user    ? Kind::user
                    : replaced.kind == From::agent ? Kind::agent
                                                   : Kind::thought;
  state.message_replaced(kind, replaced.id, std::move(*replaced.content));
}

}  // namespace

void ClientRole::show_version_2(const std::string& session_id,
                                versions::UpdatesToV1::Update& change, std::size_t bytes) {
  const auto found = sessions_.find(session_id);
  if (found == sessions_.end() || found->second == nullptr) return;
  ClientSession& session = *found->second;
  if (auto* modes = std::get_if<v1::SessionModeState>(&change)) {
    session.modes = *modes;
    if (session.state) session.state->start(Nullable<v1::SessionModeState>(std::move(*modes)), {});
  } else if (session.state) {
    if (auto* terminal = std::get_if<versions::TerminalChanged>(&change))
      show(*session.state, *terminal);
    else if (auto* replaced = std::get_if<versions::MessageReplaced>(&change))
      show(*session.state, *replaced);
  }
  state_changed(session, bytes);
}

void ClientRole::state_of_version_2(const std::string& session_id,
                                    versions::SessionActivity activity) {
  using State = versions::SessionActivity::State;
  const auto found = sessions_.find(session_id);
  if (found == sessions_.end() || found->second == nullptr)
    return version_2_->keep_activity(session_id, std::move(activity));
  ClientSession& session = *found->second;
  const bool worked = std::exchange(session.works, activity.state != State::idle);
  if (session.state) {
    std::optional<std::vector<SessionState::BackgroundWork>> background;
    if (activity.background) background = shown(*activity.background);
    session.state->activity_changed(shown(activity.state), std::move(background));
    state_changed(session);
  }
  const auto& prompts = session.prompts;
  if (activity.state != State::idle) {
    for (const auto& prompt : prompts) prompt->ran = true;
    return;
  }
  // A snapshot without a reason, of a session that was idle before, ends nothing.
  if (!worked && !activity.answer && !activity.error) return;
  const bool none_inserted =
      std::ranges::none_of(prompts, [](const auto& prompt) { return prompt->inserted; });
  // An agent may answer a prompt when its turn is over.
  if (none_inserted && !prompts.empty() && prompts.front()->ran) {
    prompts.front()->early_end = std::move(activity);
  } else {
    for (const auto& prompt : std::deque(prompts))
      if (prompt->inserted) end_prompt_with(prompt, activity);
  }
}

}  // namespace acp::detail
