// An agent whose program breaks the order rules of tool calls and terminals, one for each word of a
// prompt, and says what the library answers it. With --refuse-servers it refuses MCP servers.
#include <acp/agent.h>
#include <acp/schema/v1.h>

#include <functional>
#include <string_view>

namespace {

using acp::StopReason;
using acp::ToolCallStatus;
using acp::ToolKind;
using acp::Turn;
namespace v1 = acp::v1;

v1::ToolCallUpdate change(const std::string& id, ToolCallStatus status) {
  v1::ToolCallUpdate update;
  update.toolCallId = id;
  update.status = status;
  return update;
}

void change_call(const Turn& turn, const std::string& id, ToolCallStatus status) {
  const v1::ToolCallUpdate update = change(id, status);
  turn.update(update).wait();
}

void attempt(const Turn& turn, const std::function<void()>& act) {
  try {
    act();
    turn.say("done\n").wait();
  } catch (const acp::Refused& refused) {
    turn.say(std::string("refused ") + refused.what() + "\n").wait();
  }
}

void go_back(const Turn& turn) {
  const acp::ToolCall done = turn.tool_call("Done", ToolKind::other);
  done.complete().wait();
  attempt(turn, [&] { done.start().wait(); });
  attempt(turn, [&] { done.fail("after its end").wait(); });
  const v1::ToolCallUpdate back = change("", ToolCallStatus::pending);
  attempt(turn, [&] { done.update(back).wait(); });
  attempt(turn, [&] { change_call(turn, done.id(), ToolCallStatus::in_progress); });
  attempt(turn, [&] { done.ask_permission().wait(); });
  v1::ToolCall again;
  again.toolCallId = done.id();
  attempt(turn, [&] { turn.tool_call(again); });
  attempt(turn, [&] { turn.update(again).wait(); });
  // What is no step back.
  attempt(turn, [&] { done.add_text("kept").wait(); });
  attempt(turn, [&] { done.complete().wait(); });
  const acp::ToolCall failed = turn.tool_call("Failed", ToolKind::other);
  failed.fail("as it happens").wait();
  attempt(turn, [&] { failed.complete("after its end").wait(); });
}

void use_released(const Turn& turn) {
  const acp::ToolCall call = turn.tool_call("Running", ToolKind::execute);
  const acp::Terminal terminal = turn.create_terminal("true").wait();
  call.add_terminal(terminal).wait();
  terminal.release().wait();
  attempt(turn, [&] { terminal.output().wait(); });
  attempt(turn, [&] { terminal.wait_for_exit().wait(); });
  attempt(turn, [&] { terminal.kill().wait(); });
  attempt(turn, [&] { terminal.finish().wait(); });
  attempt(turn, [&] { call.add_terminal(terminal).wait(); });
  attempt(turn, [&] { terminal.release().wait(); });
  call.complete().wait();
}

acp::Task<StopReason> leave_open(Turn turn, std::string how) {
  const acp::ToolCall call = turn.tool_call("Left open", ToolKind::other);
  co_await call.start();
  co_await call.add_text("what it has shown");
  if (how == "open") co_return StopReason::end_turn;
  if (how == "open-throw") throw std::runtime_error("inside");
  co_await turn.sleep(std::chrono::hours(1));  // throws Cancelled
  co_return StopReason::end_turn;
}

StopReason answer(const Turn& turn) {
  const std::string word = turn.text();
  if (word == "back") go_back(turn);
  if (word == "released") use_released(turn);
  if (word == "unannounced") {
    attempt(turn, [&] { change_call(turn, "nobody", ToolCallStatus::in_progress); });
    attempt(turn, [&] { change_call(turn, "", ToolCallStatus::completed); });
  }
  if (word.starts_with("open")) return leave_open(turn, word).wait();
  return StopReason::end_turn;
}

}  // namespace

int main(int argc, char** argv) {
  acp::Agent agent("careless", "1.0");
  agent.on_prompt(answer)
      .on_request("_example.com/ask", [](acp::Context, acp::Json params) { return params; })
      .capability_meta("example.com/feature", acp::Json::object({{"level", 2}}))
      .initialize_meta(acp::Json::object({{"example.com/build", "7"}}));
  if (argc > 1 && std::string_view(argv[1]) == "--refuse-servers")
    agent.mcp_servers(acp::McpServers::refused);
  return agent.run(acp::stdio());
}
