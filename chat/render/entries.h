// Each entry of a session as lines.
#pragma once

#include <string>

#include "acp/session_state.h"
#include "chat/render/text/styled.h"
#include "chat/render/view.h"

namespace acp::chat {

// How the text begins that tells an agent of a command that the person ran. It may stand right
// after the text of the prompt.
inline constexpr std::string_view own_command = "\n\nI ran this command myself:\n\n$ ";

// The whole entry. What the refusal of its turn has left out is struck through.
Lines entry_lines(const SessionState& state, const SessionState::Entry& entry, const View& view);

// One line, and if the view is unfolded its content below it.
Lines tool_call_lines(const SessionState& state, const ToolCallState& call, const View& view);

// Its parts, for who keeps those that have not changed: the one line, with how many lines its diffs
// change if that is to be shown there; and what is below it.
Line tool_call_head(const SessionState& state, const ToolCallState& call, const Line& counts,
                    const View& view);
Line change_counts(const ToolCallState& call);
// Its content alone, at the full width; tool_call_body() sets it off.
Lines content_of_call(const SessionState& state, const ToolCallState& call, const View& view);
Lines tool_call_body(const SessionState& state, const ToolCallState& call, const View& view);
// The little that is shown below a folded call.
Lines tool_call_brief(const SessionState& state, const ToolCallState& call, const View& view);

// What the end of a turn has to say; mostly nothing.
Lines turn_end_lines(const SessionState::Prompt& prompt, const View& view);

// The plan, and those that have ids.
Lines plan_lines(const SessionState& state, const View& view);

// "0.4 s", "1 min 12 s"
std::string time_text(std::chrono::milliseconds time);

}  // namespace acp::chat
