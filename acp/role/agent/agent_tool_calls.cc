// The tool calls of a session: those of a turn, which end with it, and those in the background.
#include <algorithm>
#include <optional>
#include <utility>

#include "acp/role/agent/agent_role.h"
#include "acp/role/agent/agent_updates.h"

namespace acp::detail {

// ---- the work of a tool call, as a part of its handler's

std::shared_ptr<AgentCall> AgentCall::add_part() {
  auto part = std::make_shared<AgentCall>(std::static_pointer_cast<AgentRole>(owner));
  part->session = session;
  if (in_background()) return part;
  const auto self = std::static_pointer_cast<AgentCall>(shared_from_this());
  const std::shared_ptr<AgentCall> handler = is_part_ ? whole() : self;
  part->is_part_ = true;
  part->whole_ = handler;
  if (!handler) return part;
  auto& parts = handler->parts_;
  if (parts.size() >= handler->many_parts_) {
    std::erase_if(parts, [](const auto& one) { return one.expired(); });
    handler->many_parts_ = 2 * parts.size() + 16;
  }
  parts.push_back(part);
  if (handler->cancelled) part->cancel();
  return part;
}

void AgentCall::detach() {
  if (const auto handler = whole())
    std::erase_if(handler->parts_, [this](const auto& one) {
      const auto part = one.lock();
      return !part || part.get() == this;
    });
  is_part_ = false;
  whole_.reset();
}

void AgentCall::cancel() {
  Call::cancel();
  for (const auto& one : parts_)
    if (const auto part = one.lock()) part->cancel();
}

// ---- from the announcement to the end

void AgentRole::tool_call_announced(AgentCall& call,
                                    const std::shared_ptr<SentToolCall>& tool_call) {
  if (is_final(*tool_call->status)) return;
  if (tool_call->call->in_background()) {
    background_.push_back(tool_call);
    if (version_2_) version_2_->background_changed(*call.session);
  } else if (const auto handler = tool_call->call->whole()) {
    handler->open_tool_calls.push_back(tool_call);
  }
}

namespace {
bool in_background(const std::shared_ptr<SentToolCall>& tool_call) {
  return tool_call->background && !is_final(*tool_call->status);
}

bool waits_for_background(const AgentCall& turn) {
  return std::any_of(turn.open_tool_calls.begin(), turn.open_tool_calls.end(), in_background);
}

// Of many, each time when half of them have ended: to look through all at each end would take the
// square of their number.
void drop_ended(AgentCall& call) {
  constexpr std::size_t few = 64;
  auto& calls = call.open_tool_calls;
  if (calls.size() > few && 2 * ++call.ended_tool_calls < calls.size()) return;
  std::erase_if(calls, [](const auto& one) { return is_final(*one->status); });
  call.ended_tool_calls = 0;
}
}  // namespace

void AgentRole::tool_call_ended(AgentCall& call, const ToolCallStatus* status) {
  const auto ended = [&](const auto& open) { return open->status == status; };
  const std::shared_ptr<AgentCall> turn = call.session->turn;
  const std::shared_ptr<AgentCall> handler = call.whole();
  drop_ended(call);
  if (handler && handler.get() != &call) drop_ended(*handler);
  if (turn && turn != handler && turn.get() != &call) drop_ended(*turn);
  const bool was_background = std::erase_if(background_, ended) != 0;
  if (was_background && version_2_) version_2_->background_changed(*call.session);
  if (turn && turn->end_after_background && !waits_for_background(*turn))
    std::exchange(turn->end_after_background, nullptr)();
}

// ---- work that goes on after its turn

void AgentRole::to_background(const std::shared_ptr<SentToolCall>& tool_call) {
  AgentCall& call = *tool_call->call;
  if (is_final(*tool_call->status))
    throw Refused("the tool call \"" + tool_call->shown.toolCallId + "\" has ended");
  if (tool_call->background.exchange(true) || call.in_background()) return;
  const std::shared_ptr<AgentCall> handler = call.whole();
  // In version 1 nothing is shown after a turn's end: it waits.
  if (!version_2_ && handler == call.session->turn) return;
  if (handler) std::erase(handler->open_tool_calls, tool_call);
  call.detach();
  background_.push_back(tool_call);
  if (version_2_) version_2_->background_changed(*call.session);
}

void AgentRole::run_in_background(const std::shared_ptr<SentToolCall>& tool_call, ToolCall handle,
                                  Handler<void(ToolCall)> work) {
  const auto kept = std::make_shared<const Handler<void(ToolCall)>>(std::move(work));
  run_beside(
      tool_call->call, *kept, [kept] {}, std::move(handle));
}

bool AgentRole::defer_end(const CallPtr& call, const v1::PromptResponse* response,
                          const std::exception_ptr& error) {
  if (!waits_for_background(*call)) return false;
  std::optional<v1::PromptResponse> kept;
  if (response != nullptr) kept = *response;
  call->end_after_background = [this, call, kept, error]() mutable {
    end_turn(call, kept ? &*kept : nullptr, error);
  };
  return true;
}

void AgentRole::stop_deferring(AgentCall& call) {
  if (!call.end_after_background) return;
  for (const auto& tool_call : call.open_tool_calls) tool_call->background = false;
  std::exchange(call.end_after_background, nullptr)();
}

void AgentRole::end_background(const std::shared_ptr<AgentSession>& session,
                               std::function<void()> then) {
  std::vector<std::shared_ptr<SentToolCall>> open;
  std::erase_if(background_, [&](const auto& one) {
    const bool goes = one->call->session->id == session->id;
    if (goes) open.push_back(one);
    return goes;
  });
  // With nothing to report there is no need to go elsewhere.
  if (open.empty()) return version_2_ ? version_2_->session_closed(*session, then) : then();
  for (const auto& one : open) {
    one->call->session->closed = true;
    one->call->cancel();
  }
  const bool hooked =
      std::any_of(open.begin(), open.end(), [](const auto& one) { return one->filter != nullptr; });
  auto end = [this, self = shared_from_this(), session, open, then = std::move(then)] {
    for (const auto& one : open) end_with_session(*one);
    const io::Connection::Lock lock(*connection_);
    version_2_ ? version_2_->session_closed(*session, then) : then();
  };
  if (hooked)
    connection_->post_blocking(std::move(end));
  else
    connection_->held().unlocked(std::move(end));
}

namespace {
v1::ToolCallUpdate failed_update(const v1::ToolCall& shown, std::string_view why) {
  v1::Content reason;
  reason.content = ContentBlock(why);
  v1::ToolCallUpdate update;
  update.toolCallId = shown.toolCallId;
  update.status = ToolCallStatus::failed;
  update.content = shown.content;
  update.content->push_back(std::move(reason));
  return update;
}
}  // namespace

void AgentRole::end_with_session(SentToolCall& tool_call) {
  std::unique_lock<std::mutex> order;
  if (tool_call.filter) order = std::unique_lock(tool_call.filter->one_at_a_time);
  SessionUpdate update;
  {
    const io::Connection::Lock lock(*connection_);
    if (is_final(*tool_call.status)) return;
    *tool_call.status = ToolCallStatus::failed;
    update = failed_update(tool_call.shown, "The session was closed before this ended.");
  }
  try {
    if (tool_call.filter) tool_call.filter->hook(update);
  } catch (const std::exception& error) {
    const io::Connection::Lock lock(*connection_);
    return log(LogEntry::Level::error, "the tool call " + tool_call.shown.toolCallId +
                                           " cannot be ended with its session: " + error.what());
  }
  const io::Connection::Lock lock(*connection_);
  if (version_2_) version_2_->cancels(*tool_call.call->session, tool_call.shown.toolCallId);
  write_update(*tool_call.call->session, update, content_of(tool_call, update));
  lock.sent_something();
}

// ---- cancelling one

void AgentRole::listens(SentToolCall& tool_call) {
  if (std::exchange(tool_call.listens, true) || !version_2_ || is_final(*tool_call.status)) return;
  version_2_->offer_cancel(*tool_call.call->session, tool_call.shown.toolCallId);
}

bool AgentRole::cancel_tool_call(AgentSession& session, const std::string& id) {
  const auto matches = [&](const auto& one) {
    return one->call->session->id == session.id && one->shown.toolCallId == id;
  };
  std::shared_ptr<SentToolCall> found;
  const auto look_in = [&](const auto& calls) {
    const auto place = std::find_if(calls.begin(), calls.end(), matches);
    if (place != calls.end()) found = *place;
  };
  look_in(background_);
  if (!found && session.turn) look_in(session.turn->open_tool_calls);
  if (!found || !found->listens || is_final(*found->status)) return false;
  version_2_->cancels(*found->call->session, id);
  found->call->cancel();
  return true;
}

// ---- at the end of a turn

// What was left open has failed, and says why after all that it has shown. What goes on in the
// background ends by itself.
void AgentRole::close_tool_calls(AgentCall& call, std::string_view why) {
  std::vector<std::shared_ptr<SentToolCall>> background;
  for (const auto& tool_call : std::exchange(call.open_tool_calls, {})) {
    if (is_final(*tool_call->status)) continue;
    if (tool_call->background) {
      background.push_back(tool_call);
      continue;
    }
    *tool_call->status = ToolCallStatus::failed;
    v1::ToolCallUpdate update = failed_update(tool_call->shown, why);
    log(LogEntry::Level::warning,
        "the turn ended with the tool call " + update.toolCallId + " still open");
    const SessionUpdate failed = std::move(update);
    write_update(*call.session, failed, content_of(*tool_call, failed));
  }
  call.open_tool_calls = std::move(background);
}

// The same for those whose updates pass a hook of the program, which runs without the lock.
void AgentRole::close_hooked_tool_calls(const CallPtr& call, std::string_view why, bool cancelled) {
  std::vector<std::shared_ptr<SentToolCall>> open;
  {
    const io::Connection::Lock lock(*connection_);
    if (version_2_) version_2_->ends_cancelled(*call->session, cancelled);
    for (const auto& tool_call : call->open_tool_calls)
      if (tool_call->filter && !tool_call->background && !is_final(*tool_call->status))
        open.push_back(tool_call);
  }
  for (const auto& tool_call : open) {
    SessionUpdate update;
    try {
      [[maybe_unused]] const Sent sent = send_update(
          call, tool_call->filter.get(), update,
          [&] {
            require_status(*tool_call->status, ToolCallStatus::failed, tool_call->shown.toolCallId);
            update = failed_update(tool_call->shown, why);
          },
          [&] { *tool_call->status = ToolCallStatus::failed; }, tool_call.get());
    } catch (const std::exception& error) {
      const io::Connection::Lock lock(*connection_);
      log(LogEntry::Level::error, "the tool call " + tool_call->shown.toolCallId +
                                      " cannot be ended with the turn: " + error.what());
    }
  }
}

}  // namespace acp::detail
