// What an agent of version 2 asks and reports.
#include <algorithm>

#include "acp/json/codec.h"
#include "acp/role/client/client_role.h"
#include "acp/role/client/client_version2.h"
#include "acp/role/versions/tool_call.h"

namespace acp::detail {

bool ClientVersion2::on_request(const rpc::RequestId& id, std::string_view method,
                                JsonView params) {
  if (!is_plain_id(id.json())) {
    role_.connection_->held().engine().fail_unnamed(
        id, {rpc::invalid_request, "Invalid request: an id is a string or an integer", {}});
    return true;
  }
  try {
    if (method == "session/request_permission") {
      role_.ask_permission(id, read_permission(params), params);
      return true;
    }
    if (method == "elicitation/create") {
      const v1::CreateElicitationRequest request = read_elicitation(params);
      role_.elicit(id, Json::from_valid(json::encode(request)), params);
      return true;
    }
  } catch (const Error& error) {
    role_.refuse(id, error);
    return true;
  }
  if (!method.starts_with("fs/") && !method.starts_with("terminal/")) return false;
  role_.refuse_unknown(id, method);
  return true;
}

namespace {

// What comes in pieces is kept whole.
std::size_t kept_size(const SessionUpdate& update) {
  const auto* const call = std::get_if<v1::ToolCallUpdate>(&update);
  if (call == nullptr || !call->content.has_value()) return 0;
  std::size_t size = 0;
  for (const v1::ToolCallContent& content : *call->content) size += versions::size_of(content);
  return size;
}

}  // namespace

bool ClientVersion2::may_be_same(std::string_view update) const {
  return update.starts_with(R"({"sessionUpdate":"agent_)");
}

bool ClientVersion2::take_same(const std::string& session_id, const v1::SessionUpdate& update) {
  Session* const session = find(session_id);
  return session != nullptr && session->updates.take_text(update);
}

bool ClientVersion2::on_streamed(std::string_view params) {
  if (role_.config_->update) return false;
  v2::UpdateSessionNotification notification;
  const char* const end =
      json::decode_prefix(params, v2::UpdateSessionNotification::json_type, &notification,
                          {.depth = rpc::max_streamed_depth / 2});
  if (end != params.data() + params.size()) return false;
  if (auto update = convert(std::move(notification), params.size()))
    take(std::move(*update), params);
  return true;
}

bool ClientVersion2::on_update(rpc::NotificationToken token, JsonView params) {
  if (role_.update_in_place(params.text())) return true;
  v2::UpdateSessionNotification notification;
  if (const auto fault =
          json::decode(params.text(), v2::UpdateSessionNotification::json_type, &notification)) {
    role_.log(LogEntry::Level::warning,
              "an invalid session/update was ignored: " + fault->message());
    return true;
  }
  std::optional<Update> update = convert(std::move(notification), params.text().size());
  if (!update) return true;
  const std::string session_id = update->session_id;
  std::vector<v1::SessionNotification> copies = take(std::move(*update), params.text());
  // The last one holds up what follows.
  for (std::size_t i = 0; i + 1 < copies.size(); ++i)
    role_.pass_on(0, role_.config_->update, std::move(copies[i]), session_id);
  return copies.empty() ||
         role_.pass_on(token, role_.config_->update, std::move(copies.back()), session_id);
}

std::vector<v1::SessionNotification> ClientVersion2::take(Update&& update,
                                                          std::string_view params) {
  role_.expect_more(update.session_id, params);
  std::vector<v1::SessionNotification> copies;
  for (auto& one : update.updates) {
    if (auto* shown = std::get_if<SessionUpdate>(&one)) {
      if (role_.config_->update) {
        v1::SessionNotification& copy = copies.emplace_back();
        copy.sessionId = update.session_id;
        copy.update = *shown;
      }
      const std::size_t bytes = std::max(params.size(), kept_size(*shown));
      role_.take_update(update.session_id, std::move(*shown), bytes);
    } else if (auto* activity = std::get_if<versions::SessionActivity>(&one)) {
      take_state(update.session_id, std::move(*activity));
    } else {
      show(update.session_id, one, params.size());
    }
  }
  return copies;
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

void apply(SessionState& state, versions::TerminalChanged& terminal) {
  SessionState::TerminalDescription said{std::move(terminal.command), std::move(terminal.cwd)};
  if (terminal.size.has_value())
    said.size = TerminalView::Size{terminal.size->cols, terminal.size->rows};
  else if (terminal.size.is_null())
    said.size = nullptr;
  if (!terminal.capabilities.absent())
    said.can_cancel = terminal.capabilities && terminal.capabilities->cancel.has_value();
  if (said.can_cancel || !said.command.absent() || !said.cwd.absent() || !said.size.absent())
    state.terminal_described(terminal.id, std::move(said));
  if (terminal.replaces_output)
    state.terminal_output(terminal.id, std::move(terminal.output), terminal.truncated);
  else if (!terminal.output.empty())
    state.terminal_printed(terminal.id, terminal.output);
  if (terminal.exit_status.has_value())
    state.terminal_exited(terminal.id, shown(*terminal.exit_status));
}

void apply(SessionState& state, versions::MessageReplaced& replaced) {
  using From = versions::MessageReplaced::Kind;
  using Kind = SessionState::Message::Kind;
  if (!replaced.content) return;
  const Kind kind = replaced.kind == From::user    ? Kind::user
                    : replaced.kind == From::agent ? Kind::agent
                                                   : Kind::thought;
  state.message_replaced(kind, replaced.id, std::move(*replaced.content));
}

}  // namespace

void ClientVersion2::show(const std::string& session_id, versions::UpdatesToV1::Update& change,
                          std::size_t bytes) {
  const auto found = role_.sessions_.find(session_id);
  if (found == role_.sessions_.end()) {
    role_.apply_early(
        session_id,
        [this, change = std::move(change), bytes](ClientSession& session) mutable {
          show(session, change, bytes);
        },
        bytes);
  } else if (found->second != nullptr) {
    show(*found->second, change, bytes);
  }
}

void ClientVersion2::show(ClientSession& session, versions::UpdatesToV1::Update& change,
                          std::size_t bytes) {
  if (auto* modes = std::get_if<v1::SessionModeState>(&change)) {
    session.modes = modes->availableModes.empty() ? std::nullopt : std::optional(*modes);
    if (session.state) session.state->start(Nullable<v1::SessionModeState>(std::move(*modes)), {});
  } else if (session.state) {
    if (auto* terminal = std::get_if<versions::TerminalChanged>(&change))
      apply(*session.state, *terminal);
    else if (auto* replaced = std::get_if<versions::MessageReplaced>(&change))
      apply(*session.state, *replaced);
  }
  role_.state_changed(session, bytes);
}

void ClientVersion2::take_state(const std::string& session_id, versions::SessionActivity activity) {
  using State = versions::SessionActivity::State;
  const auto found = role_.sessions_.find(session_id);
  if (found == role_.sessions_.end() || found->second == nullptr)
    return keep_activity(session_id, std::move(activity));
  ClientSession& session = *found->second;
  const bool worked = std::exchange(session.works, activity.state != State::idle);
  session.background_calls.clear();
  if (activity.background)
    for (const v2::BackgroundWork& work : *activity.background)
      if (const auto* call = std::get_if<v2::BackgroundToolCall>(&work))
        session.background_calls.push_back(call->toolCallId);
  if (session.state) {
    std::optional<std::vector<SessionState::BackgroundWork>> background;
    if (activity.background) background = shown(*activity.background);
    session.state->activity_changed(shown(activity.state), std::move(background));
    role_.state_changed(session);
  }
  const auto& prompts = session.prompts;
  if (activity.state != State::idle) {
    // What was at work when a prompt was sent may be at work still, whatever it says meanwhile.
    if (!worked)
      for (const auto& prompt : prompts) prompt->ran = true;
    return;
  }
  // A snapshot without a reason, of a session that was idle before, ends nothing.
  if (!worked && !activity.answer && !activity.error) return;
  const bool none_inserted =
      std::ranges::none_of(prompts, [](const auto& prompt) { return prompt->inserted; });
  // An agent may answer a prompt when its turn is over.
  PromptEnd end{activity.answer.value_or(v1::PromptResponse()), std::move(activity.error)};
  if (none_inserted && !prompts.empty() && prompts.front()->ran) {
    prompts.front()->early_end = std::move(end);
  } else {
    for (const auto& prompt : std::deque(prompts))
      if (prompt->inserted) role_.end_prompt_with(prompt, end);
  }
}

void ClientVersion2::session_added(ClientSession& session) {
  if (auto activity = take_activity(session.id)) take_state(session.id, std::move(*activity));
}

}  // namespace acp::detail
