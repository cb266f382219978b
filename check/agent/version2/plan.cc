// What a check of version 2 consists of.
#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

const Scenario all[] = {
    {check_start, {"A2-INIT-", "A2-AUTH-", "A2-GONE-", "A2-ID-"}},
    {check_sessions, {"A2-SESSION-", "A2-RESUME-", "A2-LIST-", "A2-CLOSE-", "A2-DELETE-"}},
    {check_turns, {"A2-TURN-", "A2-PLAN-", "A2-COMMAND-"}},
    {check_work, {"A2-TOOL-", "A2-TERM-"}},
    {check_options, {"A2-CONFIG-"}},
    {check_permissions, {"A2-PERM-"}},
    {check_cancel, {"A2-CANCEL-"}},
    {check_last_turn, {"A-EXIT-3"}},
    {check_input, {"A-INPUT-", "A-EXT-", "A-META-", "A-ID-1", "A-ID-2", "A-ID-3"}},
    {check_ids, {"A-ID-4", "A-ID-5", "A-ID-6"}},
    {check_mcp, {"A2-MCP-", "A-EXIT-1", "A-EXIT-2"}},
};

constexpr std::string_view no_calls = "the agent made no tool calls";
constexpr std::string_view no_questions = "the agent asked for no permission";
constexpr std::string_view no_terminals = "the agent reported no terminals";
constexpr std::string_view no_background = "the agent listed no background work";
constexpr std::string_view no_cancelled = "no turn could be cancelled";

const Precondition conditions[] = {
    {"A2-RESUME-6", {"session/resume", "replayed"}, "no session was resumed"},
    {"A2-RESUME-7", {"session/resume"}, "no session was resumed"},
    {"A2-RESUME-10", {"replayed"}, "nothing was replayed"},
    {"A2-CLOSE-4", {"turn"}, "no session was closed"},
    {"A2-TURN-2", {"turn"}, "no prompt was answered"},
    {"A2-TURN-4", {"state_update"}, "the agent reported no state"},
    {"A2-TURN-5", {"turn"}, "no prompt was answered"},
    {"A2-TURN-6", {"turn"}, "no prompt was answered"},
    {"A2-TURN-15", {"turn"}, "no prompt was answered"},
    {"A2-STATE-1",
     {"agent_message", "agent_message_chunk", "tool_call_update", "plan_update"},
     "the agent reported nothing"},
    {"A2-STATE-2", {"requires_action"}, "the agent never reported requires_action"},
    {"A2-STATE-3", {"background"}, no_background},
    {"A2-STATE-4", {"background"}, no_background},
    {"A2-STATE-5", {"background"}, no_background},
    {"A2-STATE-6", {"background"}, no_background},
    {"A2-MESSAGE-1", {"agent_message_chunk"}, "the agent said nothing in pieces"},
    {"A2-STOP-1", {"tool_call_update"}, no_calls},
    {"A2-CANCEL-1", {"cancelled"}, no_cancelled},
    {"A2-CANCEL-2", {"cancelled"}, no_cancelled},
    {"A2-CANCEL-3", {"cancelled"}, no_cancelled},
    {"A2-CANCEL-4", {"turn"}, "no prompt was answered"},
    {"A2-TOOL-1", {"tool_call_update"}, no_calls},
    {"A2-TOOL-2", {"tool_call_content_chunk"}, "the agent sent no content of tool calls in pieces"},
    {"A2-TOOL-4", {"cancellable tool_call_update"}, "no tool call said that it can be cancelled"},
    {"A2-TERM-1", {"terminal_update", "terminal_output_chunk"}, no_terminals},
    {"A2-TERM-4", {"shows terminal"}, "no tool call showed a terminal"},
    {"A2-TERM-5", {"cancellable terminal_update"}, "no terminal said that it can be cancelled"},
    {"A2-PATH-1", {"shows diff", "location"}, "the agent showed neither diffs nor locations"},
    {"A2-PATH-2", {"listed", "directory"}, "the agent named no directories"},
    {"A2-DIFF-1", {"patch"}, "the agent showed no patch"},
    {"A2-DIFF-2", {"patch"}, "the agent showed no patch"},
    {"A2-PERM-1", {"session/request_permission"}, no_questions},
    {"A2-PERM-2", {"session/request_permission"}, no_questions},
    {"A2-PERM-3", {"session/request_permission"}, no_questions},
    {"A2-PERM-4", {"asks about a call"}, "no question named a tool call"},
    {"A2-PERM-5", {"asks about a call"}, "no question named a tool call"},
    {"A2-PERM-6", {"session/request_permission"}, no_questions},
    {"A2-PERM-7", {"session/request_permission"}, no_questions},
};

constexpr std::string_view tried[] = {"A2-CLOSE-3"};

}  // namespace

}  // namespace acp::check::version2

namespace acp::check {

const ScenarioPlan& plan_of_version_2() {
  static const ScenarioPlan plan{version2::all, version2::conditions, version2::tried,
                                 version2::check_standing_rule};
  return plan;
}

}  // namespace acp::check
