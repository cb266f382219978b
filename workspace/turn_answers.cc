#include "workspace/turn_answers.h"

#include <algorithm>
#include <string_view>

namespace acp::workspace {

namespace {

// A turn with more questions forgets the oldest.
constexpr std::size_t most_answers = 10'000;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && std::string_view(" \t\r\n").find(c) != std::string_view::npos) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

bool is_shell(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  return program == "sh" || program == "bash" || program == "dash" || program == "zsh";
}

bool same_place(const Touched& one, const Touched& other) {
  if (one.written == other.written) return true;
  return std::any_of(one.resolved.begin(), one.resolved.end(), [&](const std::string& path) {
    return path == other.written ||
           std::find(other.resolved.begin(), other.resolved.end(), path) != other.resolved.end();
  });
}

bool share_a_path(const Question& one, const Question& other) {
  return std::any_of(one.paths.begin(), one.paths.end(), [&](const Touched& path) {
    return std::any_of(other.paths.begin(), other.paths.end(),
                       [&](const Touched& there) { return same_place(path, there); });
  });
}

bool is_one_of(const std::string& kind, std::initializer_list<std::string_view> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// Whether the question was about calls of this kind.
bool same_kind(const Question& asked, const Question& call) {
  if (call.kind == "execute") return asked.kind == "execute" || !asked.command.empty();
  if (call.kind == "read") return is_one_of(asked.kind, {"read", "search"});
  return is_one_of(asked.kind, {"edit", "delete", "move"}) ||
         (asked.kind == "other" && asked.command.empty() && !asked.paths.empty());
}

bool says_what(const Question& asked, const Question& call) {
  return call.kind == "execute" ? !asked.command.empty() : !asked.paths.empty();
}

bool is_about(const Question& asked, Decision decision, const Question& call) {
  if (call.kind != "execute") return share_a_path(asked, call);
  if (command_words(asked.command) != command_words(call.command)) return false;
  // In another directory it is another command; one that was rejected is so everywhere.
  return decision == Decision::reject || asked.directory.written.empty() ||
         same_place(asked.directory, call.directory);
}

}  // namespace

std::vector<std::string> command_words(const std::string& command) {
  std::vector<std::string> words = split(command);
  const bool wrapped = words.size() == 3 && is_shell(words[0]) && words[1].starts_with('-') &&
                       words[1].ends_with('c');
  return wrapped ? split(words[2]) : words;
}

void TurnAnswers::add(Question question, Decision decision) {
  if (answers_.size() >= most_answers) answers_.erase(answers_.begin());
  answers_.push_back({std::move(question), decision});
}

std::optional<Decision> TurnAnswers::about(const Question& call) const {
  bool allowed_since = false;
  for (auto answer = answers_.rbegin(); answer != answers_.rend(); ++answer) {
    const auto& [asked, decision] = *answer;
    if (!same_kind(asked, call)) continue;
    if (says_what(asked, call)) {
      if (is_about(asked, decision, call)) return decision;
    } else if (decision == Decision::reject && !allowed_since) {
      return decision;
    }
    if (decision == Decision::allow) allowed_since = true;
  }
  return std::nullopt;
}

}  // namespace acp::workspace
