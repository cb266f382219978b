#include "chat/permission.h"

#include <charconv>
#include <filesystem>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "chat/question_view.h"
#include "chat/tty.h"
#include "workspace/policy_store.h"

namespace acp::chat {

using io::one_line;

namespace {

using By = PermissionAnswer::By;

bool allows(PermissionOptionKind kind) {
  return kind == PermissionOptionKind::allow_once || kind == PermissionOptionKind::allow_always;
}

// By kind, never by position; the one that reaches least far. Nothing if there is none.
std::optional<PermissionOption> choose(const std::vector<PermissionOption>& options, bool allow) {
  const auto once = allow ? PermissionOptionKind::allow_once : PermissionOptionKind::reject_once;
  const auto always =
      allow ? PermissionOptionKind::allow_always : PermissionOptionKind::reject_always;
  for (const auto kind : {once, always})
    for (const PermissionOption& option : options)
      if (option.kind == kind) return option;
  return {};
}

PermissionAnswer answered(const PermissionQuestion& question, By by, bool allow,
                          std::string reason) {
  PermissionAnswer answer{.by = by, .reason = std::move(reason)};
  answer.option = choose(question.options, allow);
  answer.allowed = allow && answer.option;
  if (allow && !answer.option) answer.reason += "; but the agent offers no way to allow it";
  return answer;
}

std::string name_of(v1::ToolKind kind) {
  const auto name = Json::parse(json::encode(kind));
  return name && name->is_string() ? *name->as_string() : "other";
}

std::vector<std::string> paths_of(const ToolCallState& call) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end())
      paths.push_back(path);
  };
  for (const v1::ToolCallLocation& location : call.locations) add(location.path);
  for (const v1::ToolCallContent& content : call.content)
    if (const auto* diff = std::get_if<v1::Diff>(&content)) add(diff->path);
  return paths;
}

}  // namespace

const char* to_string(PermissionAnswer::By by) {
  switch (by) {
    case By::policy:
      return "policy";
    case By::rule:
      return "rule";
    case By::person:
      return "person";
    case By::nobody:
      return "nobody";
    case By::cancelled:
      return "cancelled";
  }
  return "";
}

workspace::Question as_question(const PermissionQuestion& question) {
  workspace::Question asked;
  asked.agent = question.agent;
  asked.project = question.cwd;
  asked.kind = name_of(question.call.kind);
  asked.tool = question.call.name.value_or("");
  if (question.call.kind == v1::ToolKind::execute) asked.command = command_of(question.call);
  for (const std::string& path : paths_of(question.call))
    asked.paths.push_back((std::filesystem::path(question.cwd) / path).lexically_normal().string());
  return asked;
}

std::string command_of(const ToolCallState& call) {
  const JsonView input = call.raw_input.view();
  const JsonView command = input["command"].absent() ? input["cmd"] : input["command"];
  if (const auto line = command.as_string()) {
    std::vector<std::string> words;
    for (const JsonView word : input["args"].elements())
      if (const auto text = word.as_string()) words.push_back(*text);
    return words.empty() ? *line : *line + " " + io::command_line(words);
  }
  std::vector<std::string> words;
  for (const JsonView word : command.elements())
    if (const auto text = word.as_string()) words.push_back(*text);
  return words.empty() ? "" : io::command_line(words);
}

std::string describe(const ToolCallState& call) {
  std::string text = name_of(call.kind);
  const std::string command = call.kind == v1::ToolKind::execute ? command_of(call) : "";
  if (!command.empty())
    text += " `" + command_line_of(command) + "`";
  else if (!call.title.empty())
    text += ": " + one_line(call.title);
  else
    text += ": " + one_line(call.id);
  return text;
}

std::unique_ptr<Permissions> Permissions::from(const std::string& word) {
  if (word == "deny") return std::make_unique<Permissions>(Kind::deny);
  if (word == "allow") return std::make_unique<Permissions>(Kind::allow);
  if (word == "ask") return std::make_unique<Permissions>(Kind::ask);
  const std::string path = std::filesystem::absolute(word).lexically_normal().string();
  if (!std::filesystem::exists(path))
    throw workspace::PolicyStoreError(path +
                                      ": there is no such file (nor is it ask, allow or deny)");
  return std::make_unique<Permissions>(Kind::rules, workspace::PolicyStore(path).load());
}

PermissionAnswer Permissions::answer(const PermissionQuestion& question, std::stop_token stop) {
  switch (kind_) {
    case Kind::allow:
      return answered(question, By::policy, true, "by --policy allow");
    case Kind::deny:
      return answered(question, By::nobody, false, "nobody was there to ask");
    case Kind::ask:
      return ask(question, std::move(stop));
    case Kind::rules:
      break;
  }
  const workspace::Judgement judged = rules_.judge(as_question(question));
  if (!judged.decision) return answered(question, By::nobody, false, "no rule decides it");
  return answered(question, By::rule, *judged.decision == workspace::Decision::allow,
                  "by the rule " + one_line(judged.rule->describe()) + " (" + judged.source + ")");
}

PermissionAnswer Permissions::ask(const PermissionQuestion& question, std::stop_token stop) {
  const std::lock_guard lock(asking_);
  std::optional<Tty> terminal = Tty::open();
  if (!terminal) return answered(question, By::nobody, false, "there is no terminal to ask at");
  const Tty::Size size = terminal->size();
  const Line title = question_title(question.call, question.cwd);
  const Lines body = question_body(question.call, question.cwd, size.columns - 2);
  const auto shown = [&](std::size_t rows) {
    return to_plain(framed(title, body, size.columns, rows, "v shows all"));
  };
  std::string options;
  for (std::size_t i = 0; i < question.options.size(); ++i)
    options += "  " + std::to_string(i + 1) + "  " + one_line(question.options[i].name) + "  (" +
               std::string(meaning_of(question.options[i].kind)) + ")\n";
  const std::string asks = "The agent asks for a permission: " + describe(question.call);
  // An empty row, what asks, the prompt and the answer.
  const std::size_t used = question.options.size() + 4 + asks.size() / size.columns;
  const std::size_t room = std::max<std::size_t>(size.rows > used ? size.rows - used : 0, 5);
  std::string text = "\n" + asks + "\n" + shown(room) + options;
  while (!stop.stop_requested()) {
    const auto line = terminal->ask(text + "A number, v to see all, or nothing to deny: ", stop);
    if (!line && stop.stop_requested()) break;
    if (!line) return answered(question, By::nobody, false, "the terminal is gone");
    if (line->empty()) return answered(question, By::person, false, "at the terminal");
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), number);
    if (error == std::errc() && end == line->data() + line->size() && number >= 1 &&
        number <= question.options.size()) {
      PermissionAnswer answer{.by = By::person, .reason = "at the terminal"};
      answer.option = question.options[number - 1];
      answer.allowed = allows(answer.option->kind);
      return answer;
    }
    text = *line == "v" ? shown(io::whole) + options : "";
  }
  return {.by = By::cancelled, .allowed = false, .reason = "the turn was cancelled"};
}

}  // namespace acp::chat
