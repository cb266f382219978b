#include "echo_words.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace echo {

using acp::Json;
using acp::StopReason;
using acp::Task;
using acp::ToolKind;
using acp::Turn;
namespace v1 = acp::v1;

const char* const help_text =
    "say TEXT | think TEXT | content | updates | unstable | version2 | plan | tool | diff PATH |\n"
    "open-tool | permission [KEY] | permission-all | permission-command |\n"
    "read PATH [LINE LIMIT] | write PATH TEXT | run COMMAND |\n"
    "run-for MS COMMAND | terminal COMMAND | kill COMMAND | elicit | elicit-url | mode ID |\n"
    "option MODEL | title TEXT | commands | notice TEXT | usage | auth-update |\n"
    "ext METHOD JSON | ext-notify METHOD JSON | mcp ID METHOD | servers | wait | block MS | "
    "refusal |\n"
    "max_tokens | max_turn_requests | error CODE | throw | silence | stream N |\n"
    "try WORDS (what the client refuses is said, instead of failing the turn)\n";

Task<void> until_cancelled(std::stop_token stop) {
  const auto done = std::make_shared<acp::async::Completion<void>>();
  const std::stop_callback wake(stop, [done] { done->settle(); });
  co_await acp::Task<void>(done);
  throw acp::Cancelled();
}

namespace {

Task<void> use_tool(Turn turn) {
  v1::ToolCall announcement;
  announcement.title = "Searching";
  announcement.kind = ToolKind::search;
  announcement.name = std::string("grep");
  announcement.rawInput = Json::object({{"pattern", "main"}});
  const acp::ToolCall call = turn.tool_call(announcement);
  co_await call.start();
  co_await call.add_text("one match");
  const Json output = Json::object({{"matches", 1}});
  co_await call.set_raw_output(output);
  co_await call.complete();
}

// In pieces, as a model would; not inside a character.
Task<void> echo_text(Turn turn, std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(at + 8, text.size());
    while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
    co_await turn.say(text.substr(at, end - at));
    at = end;
  }
}

Task<void> try_it(Turn turn, std::string text, std::shared_ptr<std::string> spoken) {
  std::string failure;
  try {
    Task<StopReason> trying = answer(turn, std::move(text), spoken);
    co_await std::move(trying);
  } catch (const acp::CallFailed& failed) {
    failure = "failed " + std::to_string(failed.code()) + " " + failed.what() + " " +
              failed.data().text();
  } catch (const acp::Refused& refused) {
    failure = std::string("refused ") + refused.what();
  }
  if (!failure.empty()) co_await turn.say(failure);
}

}  // namespace

Task<StopReason> answer(Turn turn, std::string text, std::shared_ptr<std::string> spoken) {
  std::istringstream words(text);
  std::string word, rest;
  words >> word;
  std::getline(words >> std::ws, rest);
  if (word == "help") {
    co_await turn.say(help_text);
  } else if (word == "try") {
    co_await try_it(turn, rest, spoken);
  } else if (word == "think") {
    co_await turn.think(rest);
  } else if (word == "content") {
    co_await send_content(turn);
  } else if (word == "updates") {
    co_await send_updates(turn);
  } else if (word == "unstable") {
    co_await send_unstable(turn);
  } else if (word == "version2") {
    co_await send_version_2(turn);
  } else if (word == "permission-command") {
    co_await ask_about_command(turn);
  } else if (word == "plan") {
    acp::Plan plan = turn.make_plan();
    co_await plan.add("look", acp::PlanEntryPriority::high);
    co_await plan.add("change");
    co_await plan.set(0, acp::PlanEntryStatus::in_progress);
  } else if (word == "tool") {
    co_await use_tool(turn);
  } else if (word == "diff") {
    const acp::ToolCall call = turn.tool_call("Editing " + rest, ToolKind::edit);
    co_await call.start();
    co_await call.add_diff(rest, std::string("old\n"), "new\n");
    co_await call.complete();
  } else if (word == "open-tool") {
    const acp::ToolCall call = turn.tool_call("Left open", ToolKind::other);
    co_await call.start();
  } else if (word == "mode") {
    co_await turn.set_mode(rest);
  } else if (word == "option") {
    const std::vector<v1::SessionConfigOption> changed = options(rest);
    co_await turn.set_config_options(changed);
  } else if (word == "title") {
    co_await turn.set_title(rest);
  } else if (word == "commands") {
    const std::vector<acp::AvailableCommand> none;
    co_await turn.set_commands(none);
  } else if (word == "notice") {
    co_await turn.notice(acp::NoticeSeverity::warning, rest);
  } else if (word == "usage") {
    co_await turn.report_usage(10, 100);
  } else if (word == "auth-update") {
    v1::AuthStatusUpdateNotification status;
    co_await turn.peer().notify(status);
  } else if (word == "wait") {
    co_await turn.say("waiting");
    co_await until_cancelled(turn.stop_token());
  } else if (word == "block") {
    int milliseconds = 0;
    std::istringstream(rest) >> milliseconds;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < until && !turn.cancelled())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } else if (word == "stream") {
    std::size_t count = 0;
    std::istringstream(rest) >> count;
    for (std::size_t i = 0; i < count && !turn.cancelled(); ++i)
      co_await turn.say("The quick brown fox jumps over the lazy dog again.");
  } else if (word == "refusal") {
    co_return StopReason::refusal;
  } else if (word == "max_tokens") {
    co_return StopReason::max_tokens;
  } else if (word == "max_turn_requests") {
    co_return StopReason::max_turn_requests;
  } else if (word == "error") {
    int code = 0;
    std::istringstream(rest) >> code;
    throw acp::Error(code, "as you wish", Json::object({{"asked", true}}));
  } else if (word == "throw") {
    throw std::runtime_error("a secret of the agent's");
  } else if (word != "silence" && !co_await ask_client(turn, word, rest)) {
    *spoken = word == "say" ? rest : text;
    co_await echo_text(turn, *spoken);
  }
  co_return StopReason::end_turn;
}

}  // namespace echo
