#include "acp/workspace/turn_answers.h"

#include <algorithm>
#include <string_view>

namespace acp::workspace {

namespace {

// A turn with more forgets what was allowed first; with more that was rejected, nothing is carried
// out any more.
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

// What a shell that is started with these words runs as its `-c`: sh -c, bash -lc, sh -e -c,
// bash --norc -o pipefail -c --. Nothing if it runs none.
std::optional<std::string> shell_command(const std::vector<std::string>& words) {
  bool runs_text = false;
  std::size_t at = 1;
  for (; at < words.size() && words[at].size() > 1; ++at) {
    const std::string& word = words[at];
    if (word[0] != '-' && word[0] != '+') break;
    if (word == "--") {
      ++at;
      break;
    }
    if (word.starts_with("--")) {
      if (word == "--rcfile" || word == "--init-file") ++at;
      continue;
    }
    for (const char option : word.substr(1)) {
      runs_text |= option == 'c' && word[0] == '-';
      if (option == 'o' || option == 'O') ++at;  // the next word is its own
    }
  }
  if (!runs_text || at >= words.size()) return std::nullopt;
  return words[at];
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

// Whether the question was about calls of this kind. Who was told no may have called it anything.
bool same_kind(const Question& asked, Effect decision, const Question& call) {
  if (call.kind == "execute") return asked.kind == "execute" || !asked.command.empty();
  if (call.kind == "read") return is_one_of(asked.kind, {"read", "search"});
  if (decision == Effect::reject && !asked.paths.empty()) return true;
  return asked.kind == "edit" ||
         (asked.kind == "other" && asked.command.empty() && !asked.paths.empty());
}

bool says_what(const Question& asked, const Question& call) {
  return call.kind == "execute" ? !asked.command.empty() : !asked.paths.empty();
}

bool is_about(const Question& asked, Effect decision, const Question& call) {
  if (call.kind != "execute") return share_a_path(asked, call);
  // No for a command is no in other quotes, through a shell and elsewhere; yes is for what was
  // seen.
  if (decision == Effect::reject)
    return command_words(asked.command) == command_words(call.command);
  return asked.command == call.command && same_place(asked.directory, call.directory);
}

}  // namespace

std::vector<std::string> command_words(const std::string& command) {
  std::vector<std::string> words = split(command);
  // One in another, perhaps.
  for (int depth = 0; depth < 8 && !words.empty() && is_shell(words[0]); ++depth) {
    const std::optional<std::string> inner = shell_command(words);
    if (!inner) break;
    words = split(*inner);
  }
  return words;
}

void TurnAnswers::add(Question question, Effect decision) {
  if (answers_.size() >= most_answers) {
    // No is never forgotten.
    const auto oldest = std::find_if(answers_.begin(), answers_.end(), [](const Answer& answer) {
      return answer.decision == Effect::allow;
    });
    if (oldest == answers_.end()) {
      too_many_ = true;
      return;
    }
    answers_.erase(oldest);
  }
  answers_.push_back({std::move(question), decision});
}

std::optional<Effect> TurnAnswers::about(const Question& call) const {
  if (too_many_ && call.kind != "read") return Effect::reject;
  bool allowed_since = false;
  for (auto answer = answers_.rbegin(); answer != answers_.rend(); ++answer) {
    const auto& [asked, decision] = *answer;
    if (!same_kind(asked, decision, call)) continue;
    if (says_what(asked, call)) {
      if (is_about(asked, decision, call)) return decision;
    } else if (decision == Effect::reject && !allowed_since) {
      return decision;
    }
    if (decision == Effect::allow) allowed_since = true;
  }
  return std::nullopt;
}

}  // namespace acp::workspace
