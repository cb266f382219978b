// What the rules of version 2 look for.
#include "check/rules/requirement_lists.h"

namespace acp::check {
namespace {

#define ACP_PAGE "https://agentclientprotocol.com/protocol/v2/"

constexpr Requirement agent(std::string_view id, Level level, std::string_view sentence,
                            std::string_view page) {
  return {id, Side::agent, level, sentence, page};
}
constexpr Requirement client(std::string_view id, Level level, std::string_view sentence,
                             std::string_view page) {
  return {id, Side::client, level, sentence, page};
}

constexpr Level must = Level::must, should = Level::should;

constexpr Requirement wire_list[] = {
    agent("A2-ORDER-1", must, "The agent speaks only of sessions that the client knows.",
          ACP_PAGE "session-setup#session-id"),
    agent("A2-SESSION-8", must,
          "Options and commands in the answer that opens a session are lists, never null.",
          ACP_PAGE "session-setup#creating-a-session"),
    agent("A2-SESSION-9", must, "Every session has an id of its own.",
          ACP_PAGE "session-setup#session-id"),
    agent("A2-RESUME-6", must,
          "The state of a resumed session is told after any replay, and before the answer.",
          ACP_PAGE "session-setup#current-state-synchronization"),
    agent("A2-RESUME-7", must, "session/resume replays nothing unless it was asked to.",
          ACP_PAGE "session-setup#resuming-sessions"),
    agent("A2-RESUME-10", must, "All of a replay stands before the answer to session/resume.",
          ACP_PAGE "session-setup#resuming-sessions"),
    agent("A2-CLOSE-3", must,
          "Closing a session at work: the state idle stands before the answer, with the stop "
          "reason cancelled.",
          ACP_PAGE "session-setup#closing-sessions"),
    agent("A2-CLOSE-4", must, "After the answer to session/close nothing more is sent for it.",
          ACP_PAGE "session-setup#closing-sessions"),

    agent("A2-TURN-2", must, "A prompt is answered when its message is inserted, not after the turn.",
          ACP_PAGE "prompt-lifecycle#2-prompt-accepted"),
    agent("A2-TURN-4", should, "The state idle that ends a turn says why: it has a stop reason.",
          ACP_PAGE "prompt-lifecycle#stop-reasons"),
    agent("A2-TURN-5", must,
          "When work starts the state running, or requires_action, is told, before all else of it.",
          ACP_PAGE "prompt-lifecycle#session-states"),
    agent("A2-TURN-6", must,
          "The user's message is sent back, with the id that its prompt was answered with.",
          ACP_PAGE "prompt-lifecycle#2-prompt-accepted"),
    agent("A2-TURN-15", must, "Every message of the user has an id of its own.",
          ACP_PAGE "prompt-lifecycle#2-prompt-accepted"),
    agent("A2-STATE-1", must,
          "Nothing of a turn follows the state idle that ended it: messages, thoughts, plans, tool "
          "calls that are no background work.",
          ACP_PAGE "prompt-lifecycle#session-states"),
    agent("A2-STATE-2", must, "After requires_action the state running stands before what goes on.",
          ACP_PAGE "prompt-lifecycle#session-states"),
    agent("A2-STATE-3", must, "Background work is told of before it is listed.",
          ACP_PAGE "prompt-lifecycle#background-work"),
    agent("A2-STATE-4", must,
          "Background work that is no longer listed was told to have ended before that.",
          ACP_PAGE "prompt-lifecycle#background-work"),
    agent("A2-STATE-5", must,
          "An agent that lists background work does so in every state_update of the session.",
          ACP_PAGE "prompt-lifecycle#background-work"),
    agent("A2-STATE-6", must, "Background work is listed once.",
          ACP_PAGE "prompt-lifecycle#background-work"),
    agent("A2-MESSAGE-1", must, "What the agent says in a turn has no id of an earlier turn's.",
          ACP_PAGE "prompt-lifecycle#3-agent-reports-output"),
    agent("A2-STOP-1", should,
          "A turn that ends by itself leaves no tool call pending or in progress, but for background "
          "work.",
          ACP_PAGE "prompt-lifecycle"),

    agent("A2-CANCEL-1", must, "A turn that was cancelled ends with the stop reason cancelled.",
          ACP_PAGE "prompt-lifecycle#cancellation"),
    agent("A2-CANCEL-2", must, "Nothing of a cancelled turn follows its end.",
          ACP_PAGE "prompt-lifecycle#cancellation"),
    agent("A2-CANCEL-3", must, "After the end of a cancelled turn nothing is asked for it.",
          ACP_PAGE "prompt-lifecycle#cancellation"),
    agent("A2-CANCEL-4", should,
          "The stop reason cancelled is for turns that the user or the client stopped.",
          ACP_PAGE "prompt-lifecycle#stop-reasons"),

    agent("A2-TOOL-1", should,
          "The status of a tool call does not go back, and completed, failed and cancelled are "
          "final.",
          ACP_PAGE "tool-calls#status"),
    agent("A2-TOOL-2", should, "tool_call_content_chunk speaks of a tool call that was told of.",
          ACP_PAGE "tool-calls#content"),
    agent("A2-TOOL-4", should, "A tool call that is over does not say that it can be cancelled.",
          ACP_PAGE "tool-calls#cancelling-tool-calls"),
    agent("A2-TERM-1", must, "The output of a terminal is base64.", ACP_PAGE "tool-calls#terminals"),
    agent("A2-TERM-4", should, "Of a terminal that a tool call shows, terminal_update tells.",
          ACP_PAGE "tool-calls#terminals"),
    agent("A2-TERM-5", should, "A terminal that has exited does not say that it can be cancelled.",
          ACP_PAGE "tool-calls#cancelling-terminals"),
    agent("A2-PATH-1", must, "Paths in diffs and locations are absolute.",
          ACP_PAGE "tool-calls#content"),
    agent("A2-PATH-2", must, "The directories of sessions, terminals and commands are absolute.",
          ACP_PAGE "schema#absolutepath"),
    agent("A2-DIFF-1", must,
          "A git_patch has sections diff --git, whose paths are absolute and have no prefix (a/, b/).",
          ACP_PAGE "tool-calls#content"),
    agent("A2-DIFF-2", must, "A patch names no file that its list of changes does not.",
          ACP_PAGE "tool-calls#content"),

    agent("A2-PERM-1", must, "The options of a permission request have distinct ids.",
          ACP_PAGE "tool-calls#requesting-permission"),
    agent("A2-PERM-2", should, "A permission request offers a way to say no.",
          ACP_PAGE "tool-calls#requesting-permission"),
    agent("A2-PERM-3", should, "The title of a permission request is not empty.",
          ACP_PAGE "tool-calls#requesting-permission"),
    agent("A2-PERM-4", should, "A tool call that waits for permission is pending: it does not begin.",
          ACP_PAGE "tool-calls#status"),
    agent("A2-PERM-5", should, "A tool call that was not allowed is not reported as completed.",
          ACP_PAGE "tool-calls#status"),
    agent("A2-PERM-6", should,
          "Permission is asked for by work: within a turn, or where background work is listed.",
          ACP_PAGE "tool-calls#requesting-permission"),
    agent("A2-PERM-7", should, "A turn that ends by itself leaves no permission request open.",
          ACP_PAGE "prompt-lifecycle"),

    agent("A2-CAP-1", must,
          "The agent calls nothing that version 2 does not have: the client's files and terminals.",
          ACP_PAGE "overview"),
    agent("A2-CAP-2", must, "Elicitations have a mode that the client advertised.",
          ACP_PAGE "elicitation"),
    agent("A2-CAP-3", must,
          "Authentication in a terminal is offered only to clients that advertised it.",
          ACP_PAGE "initialization"),

    client("C2-ORDER-1", must,
           "initialize is repeated only before the first other request, and for version 2.",
           ACP_PAGE "initialization"),
    client("C2-ORDER-2", must, "The client speaks only of sessions that the agent has opened.",
           ACP_PAGE "session-setup#session-id"),
    client("C2-PATH-1", must, "The directories of a session are absolute.",
           ACP_PAGE "session-setup"),
    client("C2-PATH-2", must, "The command of an MCP server is the absolute path of a program.",
           ACP_PAGE "session-setup#mcp-servers"),
    client("C2-CAP-1", must,
           "The client calls nothing that version 2 does not have: authenticate, session/load, "
           "session/set_mode …",
           ACP_PAGE "overview"),
    client("C2-CAP-2", must, "The client calls only methods that the agent advertised.",
           ACP_PAGE "initialization"),
    client("C2-CAP-3", must,
           "The client logs in with a method that the agent listed and that is not one for the "
           "terminal.",
           ACP_PAGE "initialization"),
    client("C2-CAP-4", must, "The client sets an option that the agent offered.",
           ACP_PAGE "session-config-options"),
    client("C2-CAP-5", must, "A prompt has only kinds of content that the agent advertised.",
           ACP_PAGE "initialization#session-prompt-capabilities"),
    client("C2-CAP-6", must, "MCP servers use only transports that the agent advertised: stdio, too.",
           ACP_PAGE "session-setup#mcp-servers"),
    client("C2-CAP-7", must, "Additional directories go only to agents that advertised them.",
           ACP_PAGE "session-setup"),
    client("C2-CAP-8", must,
           "Tool calls and terminals are cancelled only while they say that they can be.",
           ACP_PAGE "tool-calls#cancelling-tool-calls"),
    client("C2-MCP-1", must, "The MCP servers of a session have distinct names.",
           ACP_PAGE "session-setup#mcp-servers"),
    client("C2-PERM-1", must, "The option that was selected is one of those offered.",
           ACP_PAGE "tool-calls#requesting-permission"),
};

}  // namespace

std::span<const Requirement> wire_requirements_2() { return wire_list; }

}  // namespace acp::check
