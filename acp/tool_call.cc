#include "acp/tool_call.h"

#include <exception>

#include "acp/role/agent/agent_updates.h"
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

template <class T>
std::vector<T> with(const std::vector<T>& before, T one_more) {
  std::vector<T> all;
  all.reserve(before.size() + 1);
  all.insert(all.end(), before.begin(), before.end());
  all.push_back(std::move(one_more));
  return all;
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

PermissionQuestion::PermissionQuestion() = default;
PermissionQuestion::~PermissionQuestion() = default;
PermissionQuestion::PermissionQuestion(PermissionQuestion&&) noexcept = default;
PermissionQuestion& PermissionQuestion::operator=(PermissionQuestion&&) noexcept = default;

// Goes with the last handle.
struct ToolCall::Scope {
  Scope(SessionContext session, std::shared_ptr<State> state)
      : session(std::move(session)), state(std::move(state)) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() {
    const bool background = state->background;
    const bool interrupted = std::uncaught_exceptions() > exceptions;
    if (!background && !interrupted) return;
    try {
      {
        const Lock lock(*session.call_->connection);
        // The end of a cancelled turn says so itself.
        if ((session.call_->cancelled && !background) || detail::is_final(*state->status)) return;
      }
      [[maybe_unused]] const Sent sent =
          ToolCall(session, state, nullptr)
              .fail(interrupted ? "This was interrupted." : "This ended without a result.");
    } catch (...) {  // the end of the turn reports it
    }
  }

  const SessionContext session;
  const std::shared_ptr<State> state;
  const int exceptions = std::uncaught_exceptions();
};

ToolCall SessionContext::tool_call(std::string_view title, ToolKind kind) const {
  v1::ToolCall announcement;
  announcement.title = title;
  announcement.kind = kind;
  return tool_call(announcement);
}

ToolCall SessionContext::tool_call(const v1::ToolCall& wanted) const {
  detail::require_absolute(wanted.content);
  detail::require_absolute(wanted.locations);
  v1::ToolCall announcement = wanted;
  const auto state = std::make_shared<detail::SentToolCall>();
  {
    Lock lock(*call_->connection);
    if (announcement.toolCallId.empty()) announcement.toolCallId = call_->role->new_id("call_");
    state->call = call_->add_part();
  }
  state->unannounced = announcement.status.value_or(ToolCallStatus::pending);
  announcement.status = state->unannounced;
  state->shown = announcement;
  state->filter = filter_;
  SessionUpdate update = std::move(announcement);
  // Announcing cannot be refused for want of room.
  [[maybe_unused]] const Sent sent = detail::send_update(
      call_, filter_.get(), update, [&] { detail::require_order(*call_->session, update); },
      [&] {
        if (auto* announced = std::get_if<v1::ToolCall>(&update))
          state->shown = std::move(*announced);
        state->status = &detail::note_announced(*call_->session, state->shown);
        call_->role->tool_call_announced(*call_, state);
      },
      state.get());
  return ToolCall(*this, state, std::make_shared<ToolCall::Scope>(*this, state));
}

const std::string& ToolCall::id() const { return state_->shown.toolCallId; }

ToolCallStatus ToolCall::status() const {
  Lock lock(*session_.call_->connection);
  return *state_->status;
}

namespace {

// What the client has of the call, now that it has got this.
void take(v1::ToolCallUpdate& sent, v1::ToolCall& shown) {
  if (sent.title.has_value()) shown.title = std::move(*sent.title);
  if (sent.kind.has_value()) shown.kind = *sent.kind;
  if (sent.content.has_value()) shown.content = std::move(*sent.content);
  if (sent.locations.has_value()) shown.locations = std::move(*sent.locations);
  if (!sent.rawInput.absent()) shown.rawInput = std::move(sent.rawInput);
}

}  // namespace

// `fill` makes the update of what is shown, with the lock.
template <class Fill>
Sent ToolCall::send(std::optional<ToolCallStatus> status, Fill fill) const {
  detail::AgentCall& call = *state_->call;
  SessionUpdate update = v1::ToolCallUpdate();
  const auto prepare = [&] {
    if (status) detail::require_status(*state_->status, *status, id());
    auto& change = std::get<v1::ToolCallUpdate>(update);
    fill(std::as_const(state_->shown), change);
    change.toolCallId = id();
    if (status) change.status = *status;
  };
  const auto sent = [&] {
    if (status) *state_->status = *status;
    if (auto* change = std::get_if<v1::ToolCallUpdate>(&update)) take(*change, state_->shown);
    if (status && detail::is_final(*status)) call.role->tool_call_ended(call, state_->status);
  };
  return detail::send_update(state_->call, session_.filter_.get(), update, prepare, sent,
                             state_.get());
}

Sent ToolCall::update(const v1::ToolCallUpdate& update) const {
  if (update.content.has_value()) detail::require_absolute(*update.content);
  if (update.locations.has_value()) detail::require_absolute(*update.locations);
  std::optional<ToolCallStatus> status;
  if (update.status.has_value()) status = *update.status;
  return send(status, [&](const v1::ToolCall&, v1::ToolCallUpdate& sent) { sent = update; });
}

Sent ToolCall::start() const {
  return send(ToolCallStatus::in_progress, [](const v1::ToolCall&, v1::ToolCallUpdate&) {});
}
Sent ToolCall::complete() const {
  return send(ToolCallStatus::completed, [](const v1::ToolCall&, v1::ToolCallUpdate&) {});
}
Sent ToolCall::complete(std::string_view text) const {
  return end(ToolCallStatus::completed, text);
}
Sent ToolCall::fail(std::string_view reason) const { return end(ToolCallStatus::failed, reason); }

Sent ToolCall::end(ToolCallStatus status, std::string_view text) const {
  return send(status, [&](const v1::ToolCall& shown, v1::ToolCallUpdate& update) {
    update.content = with(shown.content, text_content(text));
  });
}

Sent ToolCall::add_text(std::string_view text) const { return add_content(text_content(text)); }

Sent ToolCall::add_content(const v1::ToolCallContent& content) const {
  if (const auto* diff = std::get_if<v1::Diff>(&content))
    detail::require_absolute("diff.path", diff->path);
  return send({}, [&](const v1::ToolCall& shown, v1::ToolCallUpdate& update) {
    update.content = with(shown.content, content);
  });
}

Sent ToolCall::add_diff(std::string path, std::optional<std::string> old_text,
                        std::string new_text) const {
  v1::Diff diff;
  diff.path = std::move(path);
  if (old_text) diff.oldText = std::move(*old_text);
  diff.newText = std::move(new_text);
  return add_content(diff);
}

Sent ToolCall::add_terminal(const Terminal& terminal) const {
  terminal.require_held();
  v1::Terminal content;
  content.terminalId = terminal.id();
  return add_content(content);
}

Sent ToolCall::add_location(std::string path) const { return add_location(std::move(path), 0); }

Sent ToolCall::add_location(std::string path, std::uint32_t line) const {
  detail::require_absolute("locations.path", path);
  v1::ToolCallLocation location;
  location.path = std::move(path);
  if (line != 0) location.line = line;
  return send({}, [&](const v1::ToolCall& shown, v1::ToolCallUpdate& update) {
    update.locations = with(shown.locations, std::move(location));
  });
}

Sent ToolCall::set_title(std::string_view title) const {
  return send({}, [&](const v1::ToolCall&, v1::ToolCallUpdate& update) {
    update.title = std::string(title);
  });
}
Sent ToolCall::set_raw_input(const Json& input) const {
  return send({},
              [&](const v1::ToolCall&, v1::ToolCallUpdate& update) { update.rawInput = input; });
}
Sent ToolCall::set_raw_output(const Json& output) const {
  return send({},
              [&](const v1::ToolCall&, v1::ToolCallUpdate& update) { update.rawOutput = output; });
}

// ---- work of its own

void ToolCall::listen() const {
  // Where nothing may be sent any more nobody can cancel it.
  [[maybe_unused]] const Sent sent =
      detail::send_update(state_->call, [&] { state_->call->role->listens(*state_); });
}

SessionContext ToolCall::context() const {
  listen();
  SessionContext own = session_;
  own.call_ = state_->call;
  return own;
}

std::stop_token ToolCall::stop_token() const {
  listen();
  return state_->call->stop_token();
}

bool ToolCall::cancelled() const {
  listen();
  const Lock lock(*state_->call->connection);
  return state_->call->cancelled;
}

Sent ToolCall::background() const {
  return detail::send_update(state_->call, [&] { state_->call->role->to_background(state_); });
}

Sent ToolCall::work_in_background(Handler<void(ToolCall)> work) const {
  ToolCall handle = *this;
  return detail::send_update(state_->call, [&] {
    detail::AgentRole& role = *state_->call->role;
    role.to_background(state_);
    role.run_in_background(state_, std::move(handle), std::move(work));
  });
}

// ---- permission

Task<Permission> ToolCall::ask_permission() const { return ask_permission(PermissionQuestion()); }
Task<Permission> ToolCall::ask_permission(std::vector<PermissionOption> options) const {
  PermissionQuestion question;
  question.options = std::move(options);
  return ask_permission(std::move(question));
}
Task<Permission> ToolCall::ask_permission_for(std::string key) const {
  PermissionQuestion question;
  question.remember_as = std::move(key);
  return ask_permission(std::move(question));
}

// What was answered for the whole session, if anything was. With the lock.
std::optional<Permission> ToolCall::remembered(const std::string& key) const {
  const auto& answers = session_.call_->session->record().remembered;
  const auto answer = key.empty() ? answers.end() : answers.find(key);
  if (answer == answers.end()) return std::nullopt;
  Permission permission;
  permission.allowed = answer->second;
  permission.remembered = true;
  return permission;
}

// The call as the client has it. With the lock.
v1::RequestPermissionRequest ToolCall::permission_request(PermissionQuestion& question) const {
  const v1::ToolCall& shown = state_->shown;
  v1::RequestPermissionRequest request;
  request.sessionId = session_.call_->session->id;
  request.toolCall.toolCallId = shown.toolCallId;
  request.toolCall.title = shown.title;
  if (shown.kind) request.toolCall.kind = *shown.kind;
  request.toolCall.status = *state_->status;
  std::vector<v1::ToolCallContent> content;
  if (!question.reason.empty()) {
    content.push_back(text_content(question.reason));
    state_->asked = true;
  }
  content.insert(content.end(), shown.content.begin(), shown.content.end());
  if (!content.empty()) request.toolCall.content = std::move(content);
  if (!shown.locations.empty()) request.toolCall.locations = shown.locations;
  request.toolCall.rawInput = shown.rawInput;
  request.options = question.options.empty() ? usual_options() : std::move(question.options);
  return request;
}

Task<Permission> ToolCall::ask_permission(PermissionQuestion question) const {
  return [](ToolCall self, PermissionQuestion question) -> Task<Permission> {
    io::Connection& connection = *self.session_.call_->connection;
    std::optional<Permission> permission;
    v1::RequestPermissionRequest request;
    {
      Lock lock(connection);
      if (detail::is_final(*self.state_->status))
        throw Refused("permission: the tool call \"" + self.id() + "\" has ended");
      permission = self.remembered(question.remember_as);
      if (!permission) request = self.permission_request(question);
    }
    if (!permission) {
      const Peer peer(self.state_->call->link());
      const v1::RequestPermissionResponse response = co_await peer.request(request);
      const auto* selected = std::get_if<v1::SelectedPermissionOutcome>(&response.outcome);
      if (std::holds_alternative<v1::CancelledPermissionOutcome>(response.outcome))
        throw Cancelled();
      // An outcome that nobody knows is no approval.
      permission.emplace();
      if (selected != nullptr) permission->option_id = selected->optionId;
      for (const PermissionOption& option : request.options)
        if (selected != nullptr && option.optionId == selected->optionId)
          permission->kind = option.kind;
      permission->allowed = permission->kind == PermissionOptionKind::allow_once ||
                            permission->kind == PermissionOptionKind::allow_always;
      const bool always = permission->kind == PermissionOptionKind::allow_always ||
                          permission->kind == PermissionOptionKind::reject_always;
      if (always && !question.remember_as.empty()) {
        Lock lock(connection);
        self.session_.call_->session->record().remembered[question.remember_as] =
            permission->allowed;
      }
    }
    if (!permission->allowed && question.rejected_fails) co_await self.fail("Permission denied");
    co_return std::move(*permission);
  }(*this, std::move(question));
}

}  // namespace acp
