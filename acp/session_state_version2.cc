// What only version 2 of the protocol says of a session.
#include <algorithm>

#include "acp/role/versions/kept.h"
#include "acp/session_state.h"

namespace acp {

std::string_view to_string(SessionState::Activity activity) {
  using Activity = SessionState::Activity;
  switch (activity) {
    case Activity::not_reported:
      return "not_reported";
    case Activity::idle:
      return "idle";
    case Activity::running:
      return "running";
    case Activity::requires_action:
      return "requires_action";
    case Activity::other:
      return "other";
  }
  return "";
}

std::string_view to_string(SessionState::BackgroundWork::Kind kind) {
  using Kind = SessionState::BackgroundWork::Kind;
  switch (kind) {
    case Kind::terminal:
      return "terminal";
    case Kind::tool_call:
      return "tool_call";
    case Kind::subagent:
      return "subagent";
    case Kind::other:
      return "other";
  }
  return "";
}

bool is_cancelled(const v1::PlanEntry& entry) {
  return entry._meta[detail::versions::kept_key]["status"].as_string() == "cancelled";
}
// Its chunks may stand in several places: all is in the last, and the others are empty.
void SessionState::message_replaced(Message::Kind kind, const v1::MessageId& id,
                                    std::vector<v1::ContentBlock> content) {
  bool first = true;
  for (std::size_t i = timeline_.size(); i-- > 0;) {
    auto* const message = std::get_if<Message>(&timeline_[i].content);
    if (message == nullptr || message->kind != kind || message->id != id) continue;
    message->content = first ? std::move(content) : std::vector<v1::ContentBlock>();
    first = false;
    touch(i);
  }
}

void SessionState::terminal_described(const v1::TerminalId& id, TerminalDescription description) {
  TerminalView& view = touch_terminal(id);
  const auto patch = [](std::string& kept, Nullable<std::string>&& news) {
    if (news.has_value()) kept = std::move(*news);
    if (news.is_null()) kept.clear();
  };
  patch(view.command, std::move(description.command));
  patch(view.cwd, std::move(description.cwd));
  if (description.size.has_value()) view.size = *description.size;
  if (description.size.is_null()) view.size.reset();
  if (description.can_cancel) view.can_cancel = *description.can_cancel;
}

bool SessionState::in_background(const v1::ToolCallId& call) const {
  return background_ && std::ranges::any_of(*background_, [&](const BackgroundWork& work) {
           return work.kind == BackgroundWork::Kind::tool_call && work.id == call;
         });
}

void SessionState::activity_changed(Activity activity,
                                    std::optional<std::vector<BackgroundWork>> background) {
  activity_ = activity;
  background_ = std::move(background);
  touch(Part::activity);
}

}  // namespace acp
