// What only version 2 of the protocol has, by its own types. Where version 1 is spoken, sending
// them fails with acp::Refused.
#include <acp/schema/v2.h>

#include "echo_words.h"

namespace echo {

using acp::Task;
using acp::Turn;
namespace v2 = acp::v2;

namespace {

Task<void> send(Turn turn, v2::SessionUpdate update) {
  v2::UpdateSessionNotification notification;
  notification.sessionId = turn.session_id();
  notification.update = std::move(update);
  co_await turn.peer().notify(notification);
}

v2::ContentBlock text(const char* text) {
  v2::TextContent content;
  content.text = text;
  return content;
}

template <class Message>
Message message(const char* id, const char* content) {
  Message message;
  message.messageId = id;
  message.content = std::vector{text(content)};
  return message;
}

template <class State>
v2::StateUpdate with_background() {
  v2::BackgroundToolCall call;
  call.toolCallId = "two_call";
  v2::BackgroundTerminal terminal;
  terminal.terminalId = "two_terminal";
  State state;
  state.background = std::vector<v2::BackgroundWork>{call, terminal};
  return state;
}

// One of each operation.
v2::Diff all_operations() {
  v2::DiffAdd add;
  add.path = "/tmp/new";
  v2::DiffDelete gone;
  gone.path = "/tmp/gone";
  v2::DiffModify changed;
  changed.path = "/tmp/changed";
  v2::DiffMove moved;
  moved.oldPath = "/tmp/here";
  moved.path = "/tmp/there";
  v2::DiffCopy copied;
  copied.oldPath = "/tmp/there";
  copied.path = "/tmp/too";
  v2::Diff diff;
  for (const v2::DiffOperation& operation :
       {v2::DiffOperation(add), v2::DiffOperation(gone), v2::DiffOperation(changed),
        v2::DiffOperation(moved), v2::DiffOperation(copied)})
    diff.changes.emplace_back().operation = operation;
  return diff;
}

Task<void> send_tool_call(Turn turn) {
  v2::ToolCallUpdate call;
  call.toolCallId = "two_call";
  call.title = std::string("By its own types");
  call.status = v2::ToolCallStatus(v2::ToolCallStatus::paused);
  co_await send(turn, call);
  v2::ToolCallContentChunk chunk;
  chunk.toolCallId = call.toolCallId;
  v2::Content piece;
  piece.content = text("a piece");
  chunk.content = piece;
  co_await send(turn, chunk);
  chunk.content = all_operations();
  co_await send(turn, chunk);
  v2::Terminal terminal;
  terminal.terminalId = "two_terminal";
  chunk.content = terminal;
  co_await send(turn, chunk);
  v2::ToolCallUpdate end;
  end.toolCallId = call.toolCallId;
  end.status = v2::ToolCallStatus(v2::ToolCallStatus::cancelled);
  co_await send(turn, end);
}

Task<void> send_terminal(Turn turn) {
  v2::TerminalUpdate update;
  update.terminalId = "two_terminal";
  update.command = std::string("make");
  update.cwd = std::string("/tmp");
  co_await send(turn, update);
  v2::TerminalOutputChunk chunk;
  chunk.terminalId = update.terminalId;
  chunk.data = "b25lCg==";
  co_await send(turn, chunk);
  v2::TerminalUpdate end;
  end.terminalId = update.terminalId;
  end.exitStatus.emplace().exitCode = 3;
  co_await send(turn, end);
}

}  // namespace

Task<void> send_version_2(Turn turn) {
  co_await send(turn, message<v2::UserMessage>("two_user", "what another client said"));
  co_await send(turn, message<v2::AgentThought>("two_thought", "a whole thought"));
  co_await send(turn, message<v2::AgentMessage>("two_agent", "a whole message"));
  co_await send(turn, with_background<v2::RunningStateUpdate>());
  co_await send_tool_call(turn);
  co_await send_terminal(turn);
  co_await send(turn, with_background<v2::RequiresActionStateUpdate>());
  co_await send(turn, v2::StateUpdate(v2::RunningStateUpdate()));
}

Task<void> ask_about_command(Turn turn) {
  v2::RequestPermissionRequest request;
  request.sessionId = turn.session_id();
  request.title = "Run it?";
  v2::CommandPermissionSubject command;
  command.command = "make";
  command.cwd = "/tmp";
  request.subject = v2::RequestPermissionSubject(command);
  v2::PermissionOption option;
  option.optionId = option.name = "yes";
  request.options = {option};
  const v2::RequestPermissionResponse response = co_await turn.peer().request(request);
  const auto* const chosen = std::get_if<v2::SelectedPermissionOutcome>(&response.outcome);
  const std::string told = chosen ? "chosen " + chosen->optionId : "not approved";
  co_await turn.say(told);
}

}  // namespace echo
