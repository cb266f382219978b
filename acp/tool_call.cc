#include "acp/tool_call.h"

#include "acp/role/agent_updates.h"
#include "acp/role/paths.h"
#include "acp/terminal.h"

namespace acp {

namespace {
using Lock = io::Connection::Lock;

v1::ToolCallContent text_content(std::string_view text) {
  v1::Content content;
  content.content = ContentBlock(text);
  return content;
}

std::vector<PermissionOption> usual_options() {
  std::vector<PermissionOption> options(3);
  options[0].optionId = "allow_once";
  options[0].name = "Allow once";
  options[0].kind = PermissionOptionKind::allow_once;
  options[1].optionId = "allow_always";
  options[1].name = "Always allow";
  options[1].kind = PermissionOptionKind::allow_always;
  options[2].optionId = "reject_once";
  options[2].name = "Reject";
  options[2].kind = PermissionOptionKind::reject_once;
  return options;
}
}  // namespace

ToolCall SessionContext::tool_call(std::string_view title, ToolKind kind) const {
  v1::ToolCall announcement;
  announcement.title = title;
  announcement.kind = kind;
  return tool_call(std::move(announcement));
}

ToolCall SessionContext::tool_call(v1::ToolCall announcement) const {
  detail::require_absolute(announcement.content);
  detail::require_absolute(announcement.locations);
  const auto state = std::make_shared<detail::ToolCallState>();
  {
    Lock lock(*call_->connection);
    if (announcement.toolCallId.empty()) announcement.toolCallId = call_->role->new_id("call_");
  }
  state->unannounced = announcement.status.value_or(ToolCallStatus::pending);
  announcement.status = state->unannounced;
  state->shown = std::move(announcement);
  // Announcing cannot be refused for want of room.
  [[maybe_unused]] const Sent sent = detail::send_update(call_, [&](rpc::Peer& peer) {
    state->status = &detail::announce(*call_->session, state->shown);
    if (!detail::is_final(*state->status)) call_->open_tool_calls.push_back(state);
    detail::write_update(peer, call_->session->id, state->shown);
  });
  return ToolCall(*this, state);
}

const std::string& ToolCall::id() const { return state_->shown.toolCallId; }

ToolCallStatus ToolCall::status() const {
  Lock lock(*session_.call_->connection);
  return *state_->status;
}

// `fill` adds to what is shown, and to the update. What is refused is not kept.
template <class Fill>
Sent ToolCall::send(std::optional<ToolCallStatus> status, Fill fill) const {
  detail::AgentCall& call = *session_.call_;
  return detail::send_update(session_.call_, [&](rpc::Peer& peer) {
    if (status) detail::change_status(*state_->status, *status, id());
    v1::ToolCallUpdate update;
    fill(state_->shown, update);
    update.toolCallId = id();
    if (status) update.status = *status;
    if (status && detail::is_final(*status)) std::erase(call.open_tool_calls, state_);
    detail::write_update(peer, call.session->id, std::move(update));
  });
}

Sent ToolCall::update(v1::ToolCallUpdate update) const {
  if (update.content.has_value()) detail::require_absolute(*update.content);
  if (update.locations.has_value()) detail::require_absolute(*update.locations);
  std::optional<ToolCallStatus> status;
  if (update.status.has_value()) status = *update.status;
  return send(status, [&](v1::ToolCall& shown, v1::ToolCallUpdate& sent) {
    if (update.content.has_value()) shown.content = *update.content;
    if (update.locations.has_value()) shown.locations = *update.locations;
    sent = std::move(update);
  });
}

Sent ToolCall::start() const {
  return send(ToolCallStatus::in_progress, [](v1::ToolCall&, v1::ToolCallUpdate&) {});
}
Sent ToolCall::complete() const {
  return send(ToolCallStatus::completed, [](v1::ToolCall&, v1::ToolCallUpdate&) {});
}
Sent ToolCall::complete(std::string_view text) const {
  return end(ToolCallStatus::completed, text);
}
Sent ToolCall::fail(std::string_view reason) const { return end(ToolCallStatus::failed, reason); }

Sent ToolCall::end(ToolCallStatus status, std::string_view text) const {
  return send(status, [&](v1::ToolCall& shown, v1::ToolCallUpdate& update) {
    shown.content.push_back(text_content(text));
    update.content = shown.content;
  });
}

Sent ToolCall::add_text(std::string_view text) const { return add_content(text_content(text)); }

Sent ToolCall::add_content(const v1::ToolCallContent& content) const {
  if (const auto* diff = std::get_if<v1::Diff>(&content))
    detail::require_absolute("diff.path", diff->path);
  return send({}, [&](v1::ToolCall& shown, v1::ToolCallUpdate& update) {
    shown.content.push_back(content);
    update.content = shown.content;
  });
}

Sent ToolCall::add_diff(std::string path, std::optional<std::string> old_text,
                        std::string new_text) const {
  v1::Diff diff;
  diff.path = std::move(path);
  if (old_text) diff.oldText = std::move(*old_text);
  diff.newText = std::move(new_text);
  return add_content(std::move(diff));
}

Sent ToolCall::add_terminal(const Terminal& terminal) const {
  terminal.require_held();
  v1::Terminal content;
  content.terminalId = terminal.id();
  return add_content(std::move(content));
}

Sent ToolCall::add_location(std::string path) const { return add_location(std::move(path), 0); }

Sent ToolCall::add_location(std::string path, std::uint32_t line) const {
  detail::require_absolute("locations.path", path);
  v1::ToolCallLocation location;
  location.path = std::move(path);
  if (line != 0) location.line = line;
  return send({}, [&](v1::ToolCall& shown, v1::ToolCallUpdate& update) {
    shown.locations.push_back(std::move(location));
    update.locations = shown.locations;
  });
}

Sent ToolCall::set_title(std::string_view title) const {
  return send({}, [&](v1::ToolCall& shown, v1::ToolCallUpdate& update) {
    shown.title = title;
    update.title = shown.title;
  });
}
Sent ToolCall::set_raw_input(const Json& input) const {
  return send({}, [&](v1::ToolCall& shown, v1::ToolCallUpdate& update) {
    shown.rawInput = input;
    update.rawInput = input;
  });
}
Sent ToolCall::set_raw_output(const Json& output) const {
  return send({}, [&](v1::ToolCall&, v1::ToolCallUpdate& update) { update.rawOutput = output; });
}

// ---- permission

Task<Permission> ToolCall::ask_permission() const { return ask(usual_options(), {}); }
Task<Permission> ToolCall::ask_permission(std::vector<PermissionOption> options) const {
  return ask(std::move(options), {});
}
Task<Permission> ToolCall::ask_permission_for(std::string key) const {
  return ask(usual_options(), std::move(key));
}

Task<Permission> ToolCall::ask(std::vector<PermissionOption> options, std::string key) const {
  return [](ToolCall self, std::vector<PermissionOption> options,
            std::string key) -> Task<Permission> {
    detail::AgentSession& session = *self.session_.call_->session;
    Permission permission;
    v1::RequestPermissionRequest request;
    {
      Lock lock(*self.session_.call_->connection);
      if (detail::is_final(*self.state_->status))
        throw Refused("permission: the tool call \"" + self.id() + "\" has ended");
      const auto& answers = session.record().remembered;
      const auto answer = key.empty() ? answers.end() : answers.find(key);
      if (answer != answers.end()) {
        permission.allowed = answer->second;
        permission.remembered = true;
      }
      const v1::ToolCall& shown = self.state_->shown;
      request.sessionId = session.id;
      request.toolCall.toolCallId = shown.toolCallId;
      request.toolCall.title = shown.title;
      if (shown.kind) request.toolCall.kind = *shown.kind;
      request.toolCall.status = *self.state_->status;
      if (!shown.content.empty()) request.toolCall.content = shown.content;
      if (!shown.locations.empty()) request.toolCall.locations = shown.locations;
      request.toolCall.rawInput = shown.rawInput;
      request.options = options;
    }
    if (!permission.remembered) {
      const v1::RequestPermissionResponse response = co_await self.session_.peer().request(request);
      const auto* selected = std::get_if<v1::SelectedPermissionOutcome>(&response.outcome);
      // Cancelled, or an outcome that nobody knows: in no case an approval.
      if (selected == nullptr) throw Cancelled();
      permission.option_id = selected->optionId;
      for (const PermissionOption& option : options)
        if (option.optionId == selected->optionId) permission.kind = option.kind;
      permission.allowed = permission.kind == PermissionOptionKind::allow_once ||
                           permission.kind == PermissionOptionKind::allow_always;
      const bool always = permission.kind == PermissionOptionKind::allow_always ||
                          permission.kind == PermissionOptionKind::reject_always;
      if (always && !key.empty()) {
        Lock lock(*self.session_.call_->connection);
        session.record().remembered[key] = permission.allowed;
      }
    }
    if (!permission.allowed) co_await self.fail("Permission denied");
    co_return permission;
  }(*this, std::move(options), std::move(key));
}

}  // namespace acp
