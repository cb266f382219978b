#include "acp/context.h"

#include <limits>

#include "acp/role/agent/agent_updates.h"
#include "acp/role/paths.h"
#include "acp/terminal.h"

namespace acp {

namespace {

using Lock = io::Connection::Lock;

using detail::require_absolute;
using detail::send_update;

// What must not go out, whatever the program says.
void check(const SessionUpdate& update, const v1::ClientCapabilities& client) {
  const auto& session = client.session;
  if (const auto* call = std::get_if<v1::ToolCall>(&update)) {
    require_absolute(call->content);
    require_absolute(call->locations);
  } else if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update)) {
    if (change->content.has_value()) require_absolute(*change->content);
    if (change->locations.has_value()) require_absolute(*change->locations);
  } else if (std::holds_alternative<v1::Notice>(update)) {
    if (!session.has_value() || !session->notices.has_value())
      throw Refused("the client takes no notices (clientCapabilities.session.notices)");
  } else if (std::holds_alternative<v1::CompactionUpdate>(update) ||
             std::holds_alternative<v1::CompactionSummaryChunk>(update)) {
    if (!session.has_value() || !session->compaction.has_value())
      throw Refused("the client takes no compactions (clientCapabilities.session.compaction)");
  } else if (std::holds_alternative<v1::PlanUpdate>(update) ||
             std::holds_alternative<v1::PlanRemoved>(update)) {
    if (!client.plan.has_value())
      throw Refused("the client takes no plan_update (clientCapabilities.plan)");
  } else if (std::holds_alternative<v1::SubagentUpdate>(update) ||
             std::holds_alternative<v1::SessionMessage>(update) ||
             std::holds_alternative<v1::SessionMessageChunk>(update)) {
    if (!client.subagents.has_value())
      throw Refused("the client knows no subagents (clientCapabilities.subagents)");
  }
}

}  // namespace

// ---- Context

std::stop_token Context::stop_token() const { return call_->stop_token(); }
// What waits has been told before the token is set: asked between the two, the answer is yes.
bool Context::cancelled() const {
  const Lock lock(*call_->connection);
  return call_->cancelled;
}
const v1::InitializeRequest& Context::client() const { return call_->role->client(); }
const v1::ClientCapabilities& Context::client_capabilities() const {
  return client().clientCapabilities;
}
Peer Context::peer() const { return Peer(call_->link()); }

Task<void> Context::sleep(std::chrono::milliseconds time) const {
  return detail::sleep(call_, time);
}

bool Context::run_on_thread(std::function<void()> function) const {
  call_->connection->post_blocking(std::move(function));
  // Asked afterwards: with work to do it does not end.
  return !call_->connection->finished();
}

void Context::after_response(std::function<void()> action) const {
  Lock lock(*call_->connection);
  auto later = [connection = call_->connection, action = std::move(action)] {
    connection->post(action);
  };
  const std::shared_ptr<detail::AgentCall> handler = call_->is_part() ? call_->whole() : call_;
  if (!handler || !handler->id || handler->over)
    later();
  else if (handler->answered)
    handler->when_over.push_back(std::move(later));
  else
    lock.engine().after_answer(*handler->id, std::move(later));
}

// ---- SessionContext

const std::string& SessionContext::session_id() const { return call_->session->id; }
const std::string& SessionContext::cwd() const { return call_->session->cwd; }
const std::vector<std::string>& SessionContext::additional_directories() const {
  return call_->session->directories;
}

SessionContext SessionContext::background() const {
  auto call = std::make_shared<detail::AgentCall>(
      std::static_pointer_cast<detail::AgentRole>(call_->owner));
  call->session = call_->session;
  return SessionContext(std::move(call));
}

std::shared_ptr<detail::UpdateFilter> SessionContext::filter_of(UpdateHook hook) {
  return std::make_shared<detail::UpdateFilter>(std::move(hook));
}

Sent SessionContext::say(std::string_view text) const {
  if (filter_) return say(ContentBlock(text));
  if (call_->role->translation() == nullptr)  // the common case, at no more than it costs
    return send_update(call_, [&] { call_->role->write_text(*call_->session, text); });
  return send_update(call_, [&] {
    std::exception_ptr reason = detail::why_idle(*call_, nullptr);
    if (!reason) call_->role->write_text(*call_->session, text);
    return reason;
  });
}

Sent SessionContext::say(const ContentBlock& content) const {
  v1::AgentMessageChunk chunk;
  chunk.content = content;
  return update(chunk);
}
Sent SessionContext::think(std::string_view text) const {
  v1::AgentThoughtChunk chunk;
  chunk.content = ContentBlock(text);
  return update(chunk);
}
Sent SessionContext::user_said(const ContentBlock& content) const { return user_said(content, {}); }
Sent SessionContext::user_said(const ContentBlock& content, const std::string& message_id) const {
  v1::UserMessageChunk chunk;
  chunk.content = content;
  if (!message_id.empty()) chunk.messageId = message_id;
  return update(chunk);
}

Sent SessionContext::update(const SessionUpdate& update) const {
  check(update, client_capabilities());
  if (filter_) {
    SessionUpdate filtered = update;
    ToolCallStatus* status = nullptr;
    return send_update(
        call_, filter_.get(), filtered,
        [&] { status = detail::require_order(*call_->session, filtered); },
        [&] { detail::note_order(*call_, filtered, status); });
  }
  return send_update(call_, [&]() -> std::exception_ptr {
    ToolCallStatus* const status = detail::require_order(*call_->session, update);
    if (std::exception_ptr reason = detail::why_idle(*call_, &update)) return reason;
    call_->role->write_update(*call_->session, update);
    detail::note_order(*call_, update, status);
    return nullptr;
  });
}

void SessionContext::flush() const {
  Lock lock(*call_->connection);
  lock.flush_now();
}

Sent SessionContext::set_plan(const std::vector<PlanEntry>& entries) const {
  v1::Plan plan;
  plan.entries = entries;
  return update(plan);
}
Plan SessionContext::make_plan() const { return Plan(*this); }

Sent SessionContext::set_commands(const std::vector<AvailableCommand>& commands) const {
  v1::AvailableCommandsUpdate change;
  change.availableCommands = commands;
  return update(change);
}

// The session changes when the update is written, and with the same lock: later requests are
// checked against what the client was sent last.
Sent SessionContext::set_mode(const std::string& id) const {
  v1::CurrentModeUpdate change;
  change.currentModeId = id;
  SessionUpdate update = std::move(change);
  return send_update(
      call_, filter_.get(), update,
      [&] {
        const v1::SessionModeState* const modes = call_->session->now().modes.get();
        bool listed = false;
        if (modes != nullptr)
          for (const v1::SessionMode& mode : modes->availableModes)
            listed = listed || mode.id == id;
        if (!listed) throw Refused("currentModeId: the session has no mode \"" + id + "\"");
      },
      [&] {
        const auto* sent = std::get_if<v1::CurrentModeUpdate>(&update);
        v1::SessionModeState* const modes = call_->session->now().modes.get();
        if (sent != nullptr && modes != nullptr) modes->currentModeId = sent->currentModeId;
      });
}

Sent SessionContext::set_config_options(const std::vector<v1::SessionConfigOption>& options) const {
  v1::ConfigOptionUpdate change;
  change.configOptions = options;
  {
    const Lock lock(*call_->connection);
    call_->role->hide_booleans(change.configOptions);
  }
  const std::vector<v1::SessionConfigOption> shown = change.configOptions;
  SessionUpdate update = std::move(change);
  return send_update(
      call_, filter_.get(), update, [] {},
      [&] {
        const auto* sent = std::get_if<v1::ConfigOptionUpdate>(&update);
        if (sent == nullptr) return;
        // With those that this client does not know, unless the program's hook chose others.
        call_->session->now().config = std::make_unique<std::vector<v1::SessionConfigOption>>(
            sent->configOptions == shown ? options : sent->configOptions);
      });
}

Sent SessionContext::report_usage(std::uint64_t used, std::uint64_t size) const {
  v1::UsageUpdate change;
  change.used = used;
  change.size = size;
  return update(change);
}
Sent SessionContext::report_usage(std::uint64_t used, std::uint64_t size, double cost,
                                  std::string_view currency) const {
  v1::UsageUpdate change;
  change.used = used;
  change.size = size;
  v1::Cost sum;
  sum.amount = cost;
  sum.currency = currency;
  change.cost = std::move(sum);
  return update(change);
}
Sent SessionContext::set_title(std::string_view title) const {
  v1::SessionInfoUpdate change;
  change.title = std::string(title);
  return update(change);
}
Sent SessionContext::notice(NoticeSeverity severity, std::string_view title,
                            std::string_view description) const {
  v1::Notice notice;
  notice.severity = severity;
  notice.title = title;
  if (!description.empty()) notice.description = std::string(description);
  return update(notice);
}

// ---- what the client does

Task<std::string> SessionContext::read_file(std::string path) const {
  return read_file(std::move(path), 0, std::numeric_limits<std::uint32_t>::max());
}

Task<std::string> SessionContext::read_file(std::string path, std::uint32_t line,
                                            std::uint32_t limit) const {
  return [](SessionContext self, std::string path, std::uint32_t line,
            std::uint32_t limit) -> Task<std::string> {
    if (!self.client_capabilities().fs.readTextFile)
      throw self.call_->role->refused_work("fs/read_text_file");
    require_absolute("path", path);
    v1::ReadTextFileRequest request;
    request.sessionId = self.session_id();
    request.path = std::move(path);
    if (line != 0) request.line = line;
    if (limit != std::numeric_limits<std::uint32_t>::max()) request.limit = limit;
    v1::ReadTextFileResponse response = co_await self.peer().request(request);
    co_return std::move(response.content);
  }(*this, std::move(path), line, limit);
}

Task<void> SessionContext::write_file(std::string path, std::string content) const {
  return [](SessionContext self, std::string path, std::string content) -> Task<void> {
    if (!self.client_capabilities().fs.writeTextFile)
      throw self.call_->role->refused_work("fs/write_text_file");
    require_absolute("path", path);
    v1::WriteTextFileRequest request;
    request.sessionId = self.session_id();
    request.path = std::move(path);
    request.content = std::move(content);
    co_await self.peer().request(request);
  }(*this, std::move(path), std::move(content));
}

Task<v1::CreateElicitationResponse> SessionContext::ask_user(
    std::string message, const v1::ElicitationSchema& form) const {
  return [](SessionContext self, std::string message,
            v1::ElicitationSchema form) -> Task<v1::CreateElicitationResponse> {
    const auto& offered = self.client_capabilities().elicitation;
    if (!offered.has_value() || !offered->form.has_value())
      throw Refused("the client does not offer forms (clientCapabilities.elicitation.form)");
    v1::ElicitationSessionScope scope;
    scope.sessionId = self.session_id();
    v1::ElicitationFormMode mode;
    mode.scope = std::move(scope);
    mode.requestedSchema = std::move(form);
    v1::CreateElicitationRequest request;
    request.mode = std::move(mode);
    request.message = std::move(message);
    co_return co_await self.peer().request(request);
  }(*this, std::move(message), form);
}

Task<v1::CreateElicitationResponse> SessionContext::ask_user_at(std::string message,
                                                                std::string url,
                                                                std::string elicitation_id) const {
  return [](SessionContext self, std::string message, std::string url,
            std::string elicitation_id) -> Task<v1::CreateElicitationResponse> {
    const auto& offered = self.client_capabilities().elicitation;
    if (!offered.has_value() || !offered->url.has_value())
      throw Refused("the client does not open pages (clientCapabilities.elicitation.url)");
    v1::ElicitationSessionScope scope;
    scope.sessionId = self.session_id();
    v1::ElicitationUrlMode mode;
    mode.scope = std::move(scope);
    mode.url = std::move(url);
    mode.elicitationId = std::move(elicitation_id);
    v1::CreateElicitationRequest request;
    request.mode = std::move(mode);
    request.message = std::move(message);
    co_return co_await self.peer().request(request);
  }(*this, std::move(message), std::move(url), std::move(elicitation_id));
}

Sent SessionContext::elicitation_complete(const std::string& elicitation_id) const {
  v1::CompleteElicitationNotification notification;
  notification.elicitationId = elicitation_id;
  return peer().notify(notification);
}

// ---- Plan

Plan::Plan(SessionContext session)
    : session_(std::move(session)), entries_(std::make_unique<std::vector<PlanEntry>>()) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

const std::vector<PlanEntry>& Plan::entries() const { return *entries_; }

Sent Plan::add(std::string content, PlanEntryPriority priority) {
  PlanEntry entry;
  entry.content = std::move(content);
  entry.priority = priority;
  entries_->push_back(std::move(entry));
  return session_.set_plan(*entries_);
}
Sent Plan::set(std::size_t entry, PlanEntryStatus status) {
  entries_->at(entry).status = status;
  return session_.set_plan(*entries_);
}
Sent Plan::remove(std::size_t entry) {
  if (entry >= entries_->size()) throw std::out_of_range("the plan has no such entry");
  entries_->erase(entries_->begin() + static_cast<std::ptrdiff_t>(entry));
  return session_.set_plan(*entries_);
}

// ---- Turn

const std::vector<ContentBlock>& Turn::prompt() const { return call_->prompt.prompt; }
const v1::PromptRequest& Turn::request() const { return call_->prompt; }
void Turn::insert_prompt() const {
  const io::Connection::Lock lock(*call_->role->connection());
  call_->role->insert_prompt(*call_);
}
std::string Turn::message_id() const {
  const io::Connection::Lock lock(*call_->role->connection());
  return call_->role->message_id(*call_);
}
std::string Turn::text() const { return v1::text_of(call_->prompt.prompt); }

}  // namespace acp
