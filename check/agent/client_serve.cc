// What a client does for an agent: permissions, files and terminals that stand in memory.
#include <algorithm>
#include <filesystem>

#include "check/agent/client.h"

namespace acp::check {

namespace {

std::string string_of(JsonView value) { return value.as_string().value_or(""); }

// The lines from `line` on, `limit` of them.
std::string part_of(const std::string& text, JsonView line, JsonView limit) {
  const std::uint64_t first = std::max<std::uint64_t>(line.as_uint64().value_or(1), 1);
  std::size_t begin = 0;
  for (std::uint64_t i = 1; i < first && begin < text.size(); ++i) {
    const std::size_t end = text.find('\n', begin);
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  std::size_t end = begin;
  if (!limit.is_number()) return text.substr(begin);
  for (std::uint64_t i = 0; i < limit.as_uint64().value_or(0) && end < text.size(); ++i) {
    const std::size_t next = text.find('\n', end);
    end = next == std::string::npos ? text.size() : next + 1;
  }
  return text.substr(begin, end - begin);
}

}  // namespace

void AgentClient::answer(const Json& id, const Json& result) {
  wire().send(Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}));
}

void AgentClient::refuse(const Json& id, int code, std::string_view message) {
  const Json error = Json::object({{"code", code}, {"message", message}});
  wire().send(Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"error", error}}));
}

void AgentClient::serve(const Call& call) {
  if (call.method == "session/request_permission") return serve_permission(call);
  const bool has_files = !run_.version_2();
  if (has_files && call.method.starts_with("fs/")) return serve_file(call);
  if (has_files && call.method.starts_with("terminal/")) return serve_terminal(call);
  if (call.method == "elicitation/create")
    return answer(call.id, Json::object({{"action", "decline"}}));
  refuse(call.id, -32601, "Method not found");
}

void AgentClient::serve_permission(const Call& call) {
  if (permit == Permit::hold)
    held_.push_back(call);
  else
    answer_permission(call);
}

void AgentClient::decide(Permit decision) {
  permit = decision;
  for (const Call& call : std::exchange(held_, {})) answer_permission(call);
}

void AgentClient::take_back(const Json& id) {
  taken_back.push_back(id);
  const auto held =
      std::ranges::find_if(held_, [&](const Call& call) { return call.id.text() == id.text(); });
  if (held == held_.end()) return;
  answer(id, Json::object({{"outcome", Json::object({{"outcome", "cancelled"}})}}));
  held_.erase(held);
}

void AgentClient::answer_permission(const Call& call) {
  if (permit == Permit::error) return refuse(call.id, -32603, "The dialog could not be shown");
  if (permit == Permit::unknown_outcome)
    return answer(call.id, Json::object({{"outcome", Json::object({{"outcome", "_acp.check/maybe"},
                                                                   {"optionId", "maybe"}})}}));
  std::string option, chosen_kind;
  const std::string_view wanted = permit == Permit::allow           ? "allow_once"
                                  : permit == Permit::reject_always ? "reject_always"
                                                                    : "reject_once";
  const std::string_view prefix = permit == Permit::allow ? "allow" : "reject";
  for (const JsonView offered : call.params["options"].elements()) {
    const std::string kind = string_of(offered["kind"]);
    if (kind != wanted && (!option.empty() || !kind.starts_with(prefix))) continue;
    option = string_of(offered["optionId"]);
    chosen_kind = kind;
  }
  if (permit == Permit::unknown_option) option = "acp-check-no-such-option";
  Json outcome = Json::object({{"outcome", "selected"}, {"optionId", option}});
  // Where nothing of the kind is offered a user can only close the dialog.
  if (permit == Permit::cancelled || option.empty())
    outcome = Json::object({{"outcome", "cancelled"}});
  else if (permit != Permit::unknown_option)
    chosen.push_back(chosen_kind);
  answer(call.id, Json::object({{"outcome", outcome}}));
}

void AgentClient::serve_file(const Call& call) {
  const std::string path = string_of(call.params["path"]);
  if (call.method == "fs/write_text_file") {
    if (fs_fails) return refuse(call.id, -32603, "No space left on device");
    written[path] = string_of(call.params["content"]);
    // An editor saves: the agent may look at the disk. Inside the session's directory, links and
    // all.
    try {
      if (std::filesystem::path(path).parent_path() == run_.folder)
        run_.in_folder.write(path, written[path]);
    } catch (const workspace::FileError& error) {
      return refuse(call.id, -32603, error.what());
    }
    return answer(call.id, Json::object());
  }
  if (call.method != "fs/read_text_file") return refuse(call.id, -32601, "Method not found");
  try {
    if (fs_fails) return refuse(call.id, -32002, "Resource not found: " + path);
    const std::string text = run_.in_folder.read_bytes(path);
    answer(call.id,
           Json::object({{"content", part_of(text, call.params["line"], call.params["limit"])}}));
  } catch (const workspace::FileError&) {
    refuse(call.id, -32002, "Resource not found: " + path);
  }
}

void AgentClient::end_terminal(Terminal& terminal, bool killed) {
  if (terminal.running) terminal.killed = killed;
  terminal.running = false;
  for (const Json& id : std::exchange(terminal.waiting, {}))
    answer(id, terminal.killed ? Json::object({{"signal", "SIGKILL"}})
                               : Json::object({{"exitCode", 0}}));
}

// No program runs: what a command would do is not what is tested.
void AgentClient::serve_terminal(const Call& call) {
  if (call.method == "terminal/create") {
    if (terminal_fails) return refuse(call.id, -32603, "No terminal can be created");
    const std::string id = "terminal-" + std::to_string(terminals_.size() + 1);
    terminals_[id].running = terminal_runs_on;
    return answer(call.id, Json::object({{"terminalId", id}}));
  }
  const auto found = terminals_.find(string_of(call.params["terminalId"]));
  if (found == terminals_.end()) return refuse(call.id, -32002, "There is no such terminal");
  Terminal& terminal = found->second;
  if (call.method == "terminal/output") {
    Json result = Json::object({{"output", "acp-check\n"}, {"truncated", false}});
    if (!terminal.running)
      result.set("exitStatus", terminal.killed ? Json::object({{"signal", "SIGKILL"}})
                                               : Json::object({{"exitCode", 0}}));
    return answer(call.id, result);
  }
  if (call.method == "terminal/wait_for_exit") {
    terminal.waiting.push_back(call.id);
    if (!terminal.running) end_terminal(terminal, false);
    return;
  }
  if (call.method == "terminal/kill" || call.method == "terminal/release") {
    end_terminal(terminal, true);
    return answer(call.id, Json::object());
  }
  refuse(call.id, -32601, "Method not found");
}

}  // namespace acp::check
