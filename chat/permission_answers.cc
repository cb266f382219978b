#include "chat/permission_answers.h"

#include <algorithm>

#include "acp/workspace/permission_options.h"
#include "chat/render/question_view.h"

namespace acp::chat {

namespace {

using Answer = PermissionAnswerChoice;
using Kind = Answer::Kind;

Answer of_agent(const v1::PermissionOption& option, char key) {
  const std::string meaning(meaning_of(option.kind));
  return {.kind = Kind::option,
          .option = option,
          .allow = workspace::allows(option.kind),
          .choice = {.label = option.name, .meaning = "the agent's own: " + meaning, .key = key}};
}

}  // namespace

std::vector<Answer> permission_answers(const std::vector<v1::PermissionOption>& options,
                                       const std::optional<std::string>& session,
                                       const std::optional<std::string>& project,
                                       const std::string& agent) {
  using OptionKind = v1::PermissionOptionKind;
  std::vector<Answer> answers;
  std::vector<std::string> covered;  // options that one of the answers stands for
  const auto* const allow = workspace::least_option(options, true);
  const auto* const reject = workspace::least_option(options, false);
  if (allow != nullptr && allow->kind == OptionKind::allow_once) {
    covered.push_back(allow->optionId);
    answers.push_back(
        {.option = *allow, .allow = true, .choice = {.label = "Allow once", .key = 'y'}});
    if (session)
      answers.push_back({.kind = Kind::session,
                         .option = *allow,
                         .allow = true,
                         .choice = {.label = "This session", .description = *session, .key = 's'}});
    if (project)
      answers.push_back(
          {.kind = Kind::project,
           .option = *allow,
           .allow = true,
           .choice = {
               .label = "This project", .description = *project + ", from now on", .key = 'p'}});
  }
  // Nothing of ours would remember it: what the agent does with its "always" is its own affair.
  if (!session && !project) {
    char key = 'a';
    for (const v1::PermissionOption& option : options)
      if (option.kind == OptionKind::allow_always) {
        covered.push_back(option.optionId);
        answers.push_back(of_agent(option, std::exchange(key, '\0')));
      }
  }
  Answer no{.choice = {.label = "Reject", .key = 'n'}};
  if (reject != nullptr) {
    no.option = *reject;
    covered.push_back(reject->optionId);
    if (reject->kind == OptionKind::reject_always)
      no.choice.meaning = "the agent's own: rejects from now on";
  }
  answers.push_back(no);
  no.kind = Kind::reject_why;
  no.choice = {.label = "Reject and say why", .meaning = no.choice.meaning, .key = 'r'};
  answers.push_back(no);
  const auto rest = std::count_if(options.begin(), options.end(), [&](const auto& option) {
    return std::find(covered.begin(), covered.end(), option.optionId) == covered.end();
  });
  if (rest > 0)
    answers.push_back(
        {.kind = Kind::others, .choice = {.label = "Other answers of " + agent, .key = 'o'}});
  return answers;
}

std::vector<Answer> agents_answers(const std::vector<v1::PermissionOption>& options) {
  std::vector<Answer> answers;
  for (const v1::PermissionOption& option : options) {
    answers.push_back(of_agent(option, '\0'));
    answers.back().choice.meaning = meaning_of(option.kind);
  }
  answers.push_back({.kind = Kind::back, .choice = {.label = "Back", .key = 'b'}});
  return answers;
}

}  // namespace acp::chat
