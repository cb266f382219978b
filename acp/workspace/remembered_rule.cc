#include "acp/workspace/remembered_rule.h"

#include <algorithm>

#include "acp/io/printable.h"

namespace acp::workspace {

namespace {

// Commands that are longer stand in the question, not in the answer.
constexpr std::size_t most_command = 48;
// Nobody reads more in an answer. Each is compared with each.
constexpr std::size_t most_paths = 100;

bool every_spelling_is_below(const std::string& directory, const Touched& touched) {
  const auto& resolved = touched.resolved;
  return touched.written.find("/../") == std::string::npos && !touched.written.ends_with("/..") &&
         is_below(directory, touched.written) &&
         (resolved.empty() || std::any_of(resolved.begin(), resolved.end(), [&](const auto& path) {
            return is_below(directory, path);
          }));
}

// The session's directory that holds them all; empty if there is none.
std::string directory_of(const Question& question) {
  std::vector<std::string> directories = {question.project};
  directories.insert(directories.end(), question.more_directories.begin(),
                     question.more_directories.end());
  for (const std::string& directory : directories)
    if (!directory.empty() &&
        std::all_of(question.paths.begin(), question.paths.end(), [&](const Touched& touched) {
          return every_spelling_is_below(directory, touched);
        }))
      return directory;
  return {};
}

std::string everything_below(const std::string& directory) {
  return literal_pattern(directory) + (directory.ends_with('/') ? "**" : "/**");
}

// False if the question lacks what the rule would say.
bool say_command(const Question& question, Rule& rule) {
  if (question.command.empty() || question.directory.written.empty()) return false;
  rule.command = literal_pattern(question.command);
  rule.directory = literal_pattern(question.directory.written);
  return true;
}

bool say_paths(const Question& question, Rule& rule) {
  if (question.paths.size() > most_paths) return false;
  for (const Touched& touched : question.paths)
    if (std::string path = literal_pattern(touched.written);
        std::find(rule.paths.begin(), rule.paths.end(), path) == rule.paths.end())
      rule.paths.push_back(std::move(path));
  return !rule.paths.empty();
}

bool say_what(const Question& question, Rule& rule) {
  if (question.kind == "execute") return say_command(question, rule);
  if (question.kind == "fetch") {
    rule.origin = literal_pattern(question.origin);
    return !rule.origin.empty();
  }
  if (question.kind == "edit") {
    const std::string directory = directory_of(question);
    if (question.paths.empty() || directory.empty()) return false;
    rule.paths = {everything_below(directory)};
    return true;
  }
  if (question.kind == "delete" || question.kind == "move" || question.kind == "read" ||
      question.kind == "search")
    return say_paths(question, rule);
  if (question.kind == "other") {
    // An agent that does not say what kind of call it is may still say which command it runs.
    if (!question.command.empty()) return say_command(question, rule);
    rule.tool = literal_pattern(question.tool);
    return !rule.tool.empty();
  }
  return false;
}

std::string without_escapes(const std::string& pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    text += pattern[i];
  }
  return text;
}

std::string relative_to(const std::string& project, const std::string& path) {
  if (path == project) return "this directory";
  return is_below(project, path) ? path.substr(project.size() + (project.ends_with('/') ? 0 : 1))
                                 : path;
}

bool is_plain(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::optional<Rule> rule_for(const Question& question, Effect decision, Scope scope) {
  Rule rule;
  rule.decision = decision;
  rule.answered = true;
  rule.agent = question.agent;
  rule.kind = question.kind;
  if (scope == Scope::project) rule.project = question.project;
  if (!question.always_ask.empty() && decision == Effect::allow) return std::nullopt;
  // Nothing in a rule is anything: what has no name cannot be remembered by it.
  if (rule.agent.empty() || (scope == Scope::project && rule.project.empty())) return std::nullopt;
  if (!say_what(question, rule)) return std::nullopt;
  // A rule that does not answer the very question that it was made for was made for another one.
  if (!rule.matches(question)) return std::nullopt;
  return rule;
}

std::string reach_of(const Rule& rule, const Question& question) {
  if (!rule.command.empty()) {
    const bool shown = question.command.size() <= most_command && is_plain(question.command);
    return (shown ? "`" + question.command + "`" : "this command") + " in " +
           relative_to(question.project, question.directory.written);
  }
  if (!rule.origin.empty()) return "fetches from " + question.origin;
  if (!rule.tool.empty()) return "the tool " + io::one_line(question.tool);
  if (rule.kind == "edit" && rule.paths.size() == 1) {
    std::string directory = without_escapes(rule.paths.front());
    directory.resize(std::max<std::size_t>(directory.size() - 3, 1));
    return "all edits in " + (directory == question.project ? "this project" : directory);
  }
  std::string text = rule.kind;
  for (std::size_t i = 0; i < question.paths.size(); ++i)
    text += (i == 0 ? " " : ", ") + relative_to(question.project, question.paths[i].written);
  return text;
}

}  // namespace acp::workspace
