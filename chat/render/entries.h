// Each entry of a session as lines.
#pragma once

#include <string>

#include "acp/session_state.h"
#include "chat/render/text/styled.h"
#include "chat/render/view.h"

namespace acp::chat {

// The beginning of the text that reports a command of the person's to the agent. It may follow the
// text of the prompt directly.
inline constexpr std::string_view own_command = "\n\nI ran this command myself:\n\n$ ";

// The whole entry, struck through if it was left out because its turn was refused.
Lines entry_lines(const SessionState& state, const SessionState::Entry& entry, const View& view);

// The call's line, and if the view is unfolded its content below it.
Lines tool_call_lines(const SessionState& state, const ToolCallState& call, const View& view);

// The parts of a call, for callers that keep unchanged ones: its line, with `counts` of changed
// lines; and the lines below it.
Line tool_call_head(const SessionState& state, const ToolCallState& call, const Line& counts,
                    const View& view);
Line change_counts(const ToolCallState& call);
// The content alone, at the full width; tool_call_body() indents it.
Lines content_of_call(const SessionState& state, const ToolCallState& call, const View& view);
Lines tool_call_body(const SessionState& state, const ToolCallState& call, const View& view);
// The little that is shown below a folded call.
Lines tool_call_brief(const SessionState& state, const ToolCallState& call, const View& view);

// The lines at the end of a turn; mostly none.
Lines turn_end_lines(const SessionState::Prompt& prompt, const View& view);

// The plan, and the plans with ids.
Lines plan_lines(const SessionState& state, const View& view);

// "0.4 s", "1 min 12 s"
std::string time_text(std::chrono::milliseconds time);

}  // namespace acp::chat
