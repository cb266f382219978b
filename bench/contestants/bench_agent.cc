// The contestant: an ordinary agent on the library. README.md says what is asked of it.
#include <acp/agent.h>
#include <acp/schema/v1.h>

#include <memory>
#include <sstream>

#include "bench/wire/text.h"

namespace v1 = acp::v1;

namespace {

acp::Task<acp::StopReason> work(acp::Turn turn) {
  std::istringstream words(turn.text());
  std::string what;
  std::size_t count = 0;
  words >> what >> count;
  if (what == "diff") {
    v1::Diff diff;
    diff.path = bench::wire::file_path;
    diff.newText = bench::wire::file_text();
    const acp::ToolCall call = turn.tool_call("Editing", acp::ToolKind::edit);
    v1::ToolCallUpdate update;
    update.toolCallId = call.id();
    update.content.emplace();
    update.content->emplace_back(std::move(diff));
    const acp::SessionUpdate message(std::move(update));
    for (std::size_t i = 0; i < count; ++i) co_await turn.update(message);
    co_await call.complete();
  } else if (what == "read") {
    for (std::size_t i = 0; i < count; ++i)
      co_await turn.read_file(std::string(bench::wire::file_path));
  } else {
    const bool flush = what == "flush";
    for (std::size_t i = 0; i < count; ++i) {
      co_await turn.say(bench::wire::chunk_text);
      if (flush) turn.flush();
    }
  }
  co_return acp::StopReason::end_turn;
}

}  // namespace

int main() {
  return acp::Agent("bench", "1.0")
      .on_prompt(work)
      .on_set_mode(
          [](acp::SessionContext, v1::SetSessionModeRequest) -> acp::Task<void> { co_return; })
      .run(acp::stdio());
}
