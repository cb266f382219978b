// The question at the terminal.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "acp/io/printable.h"
#include "acp/workspace/permission_options.h"
#include "chat/permission.h"
#include "chat/permission_answers.h"
#include "chat/render/question_view.h"
#include "chat/tty.h"

namespace acp::chat {

using io::one_line;

namespace {

using By = PermissionAnswer::By;
using Answer = PermissionAnswerChoice;

// Those that a letter gives, as in acp chat.
std::vector<Answer> by_letter(const PermissionPrompt& question, const workspace::Question& seen,
                              const workspace::Decisions& decisions) {
  const auto reach = [&](workspace::Scope scope) -> std::optional<std::string> {
    const auto rule = decisions.offered(seen, workspace::Effect::allow, scope);
    if (!rule) return {};
    return workspace::reach_of(*rule, seen);
  };
  std::vector<Answer> choices =
      permission_answers(question.options, reach(workspace::Scope::session),
                         reach(workspace::Scope::project), question.agent);
  std::erase_if(choices, [](const Answer& one) {
    return one.kind == Answer::Kind::reject_why || one.kind == Answer::Kind::others ||
           one.choice.key == '\0';
  });
  return choices;
}

// One row each.
std::string rows_of(const std::vector<Answer>& letters) {
  std::string text;
  for (const Answer& one : letters) {
    text += std::string("  ") + one.choice.key + "  " + one_line(one.choice.label);
    if (!one.choice.description.empty()) text += ": " + one_line(one.choice.description);
    if (!one.choice.meaning.empty()) text += "  (" + one_line(one.choice.meaning) + ")";
    text += "\n";
  }
  return text;
}

std::string named(const std::vector<Answer>& letters) {
  std::string text;
  for (const Answer& one : letters) text += std::string(1, one.choice.key) + ", ";
  return text;
}

const Answer* find(const std::vector<Answer>& letters, const std::string& line) {
  std::string word = line;
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "yes" || word == "no") word.resize(1);
  const auto found = std::ranges::find_if(
      letters, [&](const Answer& one) { return word == std::string(1, one.choice.key); });
  return found == letters.end() ? nullptr : &*found;
}

std::optional<std::size_t> number_in(const std::string& line) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end != line.data() + line.size()) return {};
  return number;
}

}  // namespace

PermissionAnswer Permissions::ask(const PermissionPrompt& question, const workspace::Question& seen,
                                  std::stop_token stop) {
  const std::lock_guard lock(asking_);
  std::optional<Tty> terminal = Tty::open();
  if (!terminal) return answered(question, By::nobody, false, "there is no terminal to ask at");
  // What was answered while this one waited may answer it, too.
  if (const workspace::Judgement rule = judged(seen); rule.decision)
    return answered(question, By::rule, *rule.decision == workspace::Effect::allow, by_rule(rule));
  const Tty::Size size = terminal->size();
  const Line title = question_title(question.call, question.cwd);
  const Lines body = question_body(question.call, question.cwd, size.columns - 2);
  const auto shown = [&](std::size_t rows) {
    return to_plain(framed(title, body, size.columns, rows, "v shows all"));
  };
  const std::vector<Answer> letters = by_letter(question, seen, decisions_);
  std::string options = rows_of(letters);
  for (std::size_t i = 0; i < question.options.size(); ++i)
    options += "  " + std::to_string(i + 1) + "  " + one_line(question.options[i].name) + "  (" +
               std::string(meaning_of(question.options[i].kind)) + ")\n";
  const std::string asks = "The agent asks for a permission: " + describe(question.call);
  // An empty row, what asks, the prompt and the answer.
  const std::size_t used =
      letters.size() + question.options.size() + 4 + asks.size() / size.columns;
  const std::size_t room = std::max<std::size_t>(size.rows > used ? size.rows - used : 0, 5);
  const std::string prompt =
      named(letters) + "a number (the agent's own answers), v to see all, or nothing to deny: ";
  std::string text = "\n" + asks + "\n" + shown(room) + options;
  const std::unique_lock<std::mutex> silence =
      silence_ ? silence_() : std::unique_lock<std::mutex>();
  while (!stop.stop_requested()) {
    const auto line = terminal->ask(text + prompt, stop);
    if (!line && stop.stop_requested()) break;
    if (!line) return answered(question, By::nobody, false, "the terminal is gone");
    if (line->empty()) return answered(question, By::person, false, "at the terminal");
    const auto number = number_in(*line);
    if (number && *number >= 1 && *number <= question.options.size()) {
      PermissionAnswer answer{.by = By::person, .reason = "at the terminal"};
      answer.option = question.options[*number - 1];
      answer.allowed = workspace::allows(answer.option->kind);
      return answer;
    }
    if (const Answer* const chosen = find(letters, *line)) return taken(*chosen, seen);
    text = *line == "v" ? shown(io::whole) + options : "";
  }
  return {.by = By::cancelled, .allowed = false, .reason = "the turn was cancelled"};
}

PermissionAnswer Permissions::taken(const Answer& chosen, const workspace::Question& seen) {
  PermissionAnswer answer{.by = By::person,
                          .allowed = chosen.allow && chosen.option,
                          .option = chosen.option,
                          .reason = "at the terminal"};
  if (chosen.kind != Answer::Kind::session && chosen.kind != Answer::Kind::project) return answer;
  const auto scope =
      chosen.kind == Answer::Kind::session ? workspace::Scope::session : workspace::Scope::project;
  if (const auto kept = decisions_.remember(seen, workspace::Effect::allow, scope))
    answer.reason += ", remembered " + kept->where;
  return answer;
}

}  // namespace acp::chat
