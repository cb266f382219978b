#include "acp/tool_call.h"

#include "acp/agent_role.h"
#include "acp/paths.h"
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

// As the client has it. Guarded by the connection's lock.
struct ToolCall::State {
  std::shared_ptr<detail::AgentCall> call;
  v1::ToolCall shown;
  ToolCallStatus status = ToolCallStatus::pending;
};

ToolCall SessionContext::tool_call(std::string_view title, ToolKind kind) const {
  v1::ToolCall announcement;
  announcement.title = title;
  announcement.kind = kind;
  return tool_call(std::move(announcement));
}

ToolCall SessionContext::tool_call(v1::ToolCall announcement) const {
  const auto state = std::make_shared<ToolCall::State>();
  state->call = call_;
  {
    Lock lock(*call_->connection);
    if (announcement.toolCallId.empty()) announcement.toolCallId = call_->role->new_id("call_");
    state->status = announcement.status.value_or(ToolCallStatus::pending);
    announcement.status = state->status;
    const bool open =
        state->status == ToolCallStatus::pending || state->status == ToolCallStatus::in_progress;
    if (open && !call_->over) call_->open_tool_calls.insert(announcement.toolCallId);
  }
  state->shown = announcement;
  // Announcing cannot be refused for want of room.
  [[maybe_unused]] const Sent sent = update(std::move(announcement));
  return ToolCall(*this, state);
}

const std::string& ToolCall::id() const { return state_->shown.toolCallId; }

ToolCallStatus ToolCall::status() const {
  Lock lock(*state_->call->connection);
  return state_->status;
}

Sent ToolCall::send(v1::ToolCallUpdate update) const {
  update.toolCallId = id();
  if (update.status.has_value()) {
    Lock lock(*state_->call->connection);
    state_->status = *update.status;
    const bool open =
        *update.status == ToolCallStatus::pending || *update.status == ToolCallStatus::in_progress;
    open ? void(state_->call->open_tool_calls.insert(id()))
         : void(state_->call->open_tool_calls.erase(id()));
  }
  return session_.update(std::move(update));
}

Sent ToolCall::update(v1::ToolCallUpdate update) const {
  if (update.content.has_value()) detail::require_absolute(*update.content);
  if (update.locations.has_value()) detail::require_absolute(*update.locations);
  {
    Lock lock(*state_->call->connection);
    if (update.content.has_value()) state_->shown.content = *update.content;
    if (update.locations.has_value()) state_->shown.locations = *update.locations;
  }
  return send(std::move(update));
}

Sent ToolCall::send_status(ToolCallStatus status) const {
  v1::ToolCallUpdate update;
  update.status = status;
  return send(std::move(update));
}

Sent ToolCall::start() const { return send_status(ToolCallStatus::in_progress); }
Sent ToolCall::complete() const { return send_status(ToolCallStatus::completed); }

Sent ToolCall::complete(std::string_view text) const {
  v1::ToolCallUpdate update;
  update.status = ToolCallStatus::completed;
  {
    Lock lock(*state_->call->connection);
    state_->shown.content.push_back(text_content(text));
    update.content = state_->shown.content;
  }
  return send(std::move(update));
}

Sent ToolCall::fail(std::string_view reason) const {
  v1::ToolCallUpdate update;
  update.status = ToolCallStatus::failed;
  {
    Lock lock(*state_->call->connection);
    state_->shown.content.push_back(text_content(reason));
    update.content = state_->shown.content;
  }
  return send(std::move(update));
}

Sent ToolCall::add_text(std::string_view text) const { return add_content(text_content(text)); }

// What is refused is not kept: the next update, with all that there is, would be refused as well.
Sent ToolCall::add_content(const v1::ToolCallContent& content) const {
  if (const auto* diff = std::get_if<v1::Diff>(&content))
    detail::require_absolute("diff.path", diff->path);
  v1::ToolCallUpdate update;
  {
    Lock lock(*state_->call->connection);
    state_->shown.content.push_back(content);
    update.content = state_->shown.content;
  }
  return send(std::move(update));
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
  v1::ToolCallUpdate update;
  {
    Lock lock(*state_->call->connection);
    state_->shown.locations.push_back(std::move(location));
    update.locations = state_->shown.locations;
  }
  return send(std::move(update));
}

Sent ToolCall::set_title(std::string_view title) const {
  v1::ToolCallUpdate update;
  update.title = std::string(title);
  return send(std::move(update));
}
Sent ToolCall::set_raw_input(const Json& input) const {
  v1::ToolCallUpdate update;
  update.rawInput = input;
  return send(std::move(update));
}
Sent ToolCall::set_raw_output(const Json& output) const {
  v1::ToolCallUpdate update;
  update.rawOutput = output;
  return send(std::move(update));
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
    detail::AgentSession& session = *self.state_->call->session;
    Permission permission;
    v1::RequestPermissionRequest request;
    {
      Lock lock(*self.state_->call->connection);
      const auto remembered = key.empty() ? session.remembered.end() : session.remembered.find(key);
      if (remembered != session.remembered.end()) {
        permission.allowed = remembered->second;
        permission.remembered = true;
      }
      const v1::ToolCall& shown = self.state_->shown;
      request.sessionId = session.id;
      request.toolCall.toolCallId = shown.toolCallId;
      request.toolCall.title = shown.title;
      if (shown.kind) request.toolCall.kind = *shown.kind;
      request.toolCall.status = self.state_->status;
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
        Lock lock(*self.state_->call->connection);
        session.remembered[key] = permission.allowed;
      }
    }
    if (!permission.allowed) co_await self.fail("Permission denied");
    co_return permission;
  }(*this, std::move(options), std::move(key));
}

}  // namespace acp
