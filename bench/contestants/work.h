// What the agents that are measured do in a prompt: bench/README.md says what is asked of them.
#pragma once

#include <acp/agent.h>
#include <acp/schema/v1.h>

#include <chrono>
#include <cstddef>
#include <sstream>
#include <string>

#include "bench/wire/text.h"

namespace bench {

inline acp::Task<acp::StopReason> work(acp::Turn turn) {
  namespace v1 = acp::v1;
  using Clock = std::chrono::steady_clock;
  std::istringstream words(turn.text());
  std::string what;
  std::size_t count = 0;
  words >> what >> count;
  if (what == "diff") {
    v1::Diff diff;
    diff.path = wire::file_path;
    diff.newText = wire::file_text();
    const acp::ToolCall call = turn.tool_call("Editing", acp::ToolKind::edit);
    v1::ToolCallUpdate update;
    update.toolCallId = call.id();
    update.content.emplace();
    update.content->emplace_back(std::move(diff));
    const acp::SessionUpdate message(std::move(update));
    for (std::size_t i = 0; i < count; ++i) co_await turn.update(message);
    co_await call.complete();
  } else if (what == "read") {
    for (std::size_t i = 0; i < count; ++i) co_await turn.read_file(std::string(wire::file_path));
  } else if (what == "tick") {
    std::chrono::milliseconds pause(0);
    std::size_t milliseconds = 0;
    if (words >> milliseconds) pause = std::chrono::milliseconds(milliseconds);
    Clock::time_point next = Clock::now();
    for (std::size_t i = 0; i < count; ++i) {
      next += pause;
      co_await turn.sleep(
          std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()));
      const auto time = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
      co_await turn.say(std::to_string(i) + " " + std::to_string(time));
    }
  } else {
    const bool flush = what == "flush";
    for (std::size_t i = 0; i < count; ++i) {
      co_await turn.say(wire::chunk_text);
      if (flush) turn.flush();
    }
  }
  co_return acp::StopReason::end_turn;
}

}  // namespace bench
