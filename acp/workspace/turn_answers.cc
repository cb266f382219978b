#include "acp/workspace/turn_answers.h"

#include <algorithm>
#include <string_view>

namespace acp::workspace {

namespace {

// A turn with more forgets what was allowed first; with more that was rejected, nothing is carried
// out any more.
constexpr std::size_t most_answers = 10'000;
// Of what was shown. With more, the oldest answers cover nothing any more.
constexpr std::size_t most_shown_bytes = 64 * 1024 * 1024;

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

bool share_where_they_lead(const Touched& one, const Touched& other) {
  return std::any_of(one.resolved.begin(), one.resolved.end(), [&](const std::string& path) {
    return std::find(other.resolved.begin(), other.resolved.end(), path) != other.resolved.end();
  });
}

// One place, as far as anybody knows: by each of their names.
bool may_be_same_place(const Touched& one, const Touched& other) {
  const auto leads_to = [](const Touched& path, const std::string& place) {
    return std::find(path.resolved.begin(), path.resolved.end(), place) != path.resolved.end();
  };
  return one.written == other.written || leads_to(one, other.written) ||
         leads_to(other, one.written) || share_where_they_lead(one, other);
}

// One place for certain: a link that was exchanged since then leads elsewhere.
bool same_place(const Touched& one, const Touched& other) {
  if (one.resolved.empty() || other.resolved.empty()) return one.written == other.written;
  return share_where_they_lead(one, other);
}

bool share_a_path(const Question& one, const Question& other, Effect decision) {
  const auto same = decision == Effect::reject ? may_be_same_place : same_place;
  return std::any_of(one.paths.begin(), one.paths.end(), [&](const Touched& path) {
    return std::any_of(other.paths.begin(), other.paths.end(),
                       [&](const Touched& there) { return same(path, there); });
  });
}

// The text after a change of it, or of a part of it that it has once: which of several was not
// shown. Nothing if it has no such part, or if a text is there that the change does not show.
std::optional<std::string> after(const TextChange& change, const std::optional<std::string>& text) {
  if (!change.before || change.before->empty())
    return text.value_or("").empty() ? std::optional(change.after) : std::nullopt;
  if (!text) return std::nullopt;
  const std::size_t found = text->find(*change.before);
  if (found == std::string::npos || text->find(*change.before, found + 1) != std::string::npos)
    return std::nullopt;
  std::string result(*text, 0, found);
  return result.append(change.after).append(*text, found + change.before->size());
}

std::size_t size_of(const ShownChange& shown) {
  return shown.change->after.size() + shown.change->before.value_or("").size();
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
  if (call.kind != "execute") return share_a_path(asked, call, decision);
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

void TurnAnswers::forget_texts(Answer& answer) {
  for (ShownChange& shown : answer.question.shown) use_up(shown);
}

void TurnAnswers::use_up(ShownChange& shown) {
  if (shown.change) shown_bytes_ -= size_of(shown);
  shown.change.reset();
}

void TurnAnswers::add(Question question, Effect decision, Covers covers) {
  if (answers_.size() >= most_answers) {
    // No is never forgotten.
    const auto oldest = std::find_if(answers_.begin(), answers_.end(), [](const Answer& answer) {
      return answer.decision == Effect::allow;
    });
    if (oldest == answers_.end()) {
      too_many_ = true;
      return;
    }
    forget_texts(*oldest);
    answers_.erase(oldest);
  }
  question.change.reset();
  if (decision == Effect::reject) question.shown.clear();  // no is no to every content
  for (const ShownChange& shown : question.shown) shown_bytes_ += size_of(shown);
  answers_.push_back({std::move(question), decision, covers});
  for (auto oldest = answers_.begin(); shown_bytes_ > most_shown_bytes; ++oldest)
    forget_texts(*oldest);
}

Answered TurnAnswers::take_write(Answer& answer, const Question& call) {
  if (answer.covers == Covers::its_paths) return Answered::allowed;
  std::vector<ShownChange*> of_this_path;
  for (ShownChange& shown : answer.question.shown)
    if (std::any_of(call.paths.begin(), call.paths.end(),
                    [&](const Touched& path) { return same_place(shown.path, path); }))
      of_this_path.push_back(&shown);
  if (of_this_path.empty()) return Answered::nothing;
  if (!call.change || call.change->over_other) return Answered::otherwise;
  // One of them, or all at once.
  std::optional<std::string> text = call.change->before;
  bool all = true;
  for (ShownChange* const shown : of_this_path) {
    if (!shown->change) continue;
    if (after(*shown->change, call.change->before) == call.change->after) {
      use_up(*shown);
      return Answered::allowed;
    }
    if (all) text = after(*shown->change, text);
    all = all && text.has_value();
  }
  const bool any_left =
      std::any_of(of_this_path.begin(), of_this_path.end(),
                  [](const ShownChange* shown) { return shown->change != nullptr; });
  if (any_left && all && text == call.change->after) {
    for (ShownChange* const shown : of_this_path) use_up(*shown);
    return Answered::allowed;
  }
  // Nothing is changed: what was allowed is there already.
  return call.change->before == call.change->after ? Answered::allowed : Answered::otherwise;
}

Answered TurnAnswers::take(const Question& call) {
  if (too_many_ && call.kind != "read") return Answered::rejected;
  Answered known = Answered::nothing;
  bool allowed_since = false, allowed_here = false;
  for (auto answer = answers_.rbegin(); answer != answers_.rend(); ++answer) {
    const auto& [asked, decision, covers] = *answer;
    if (!same_kind(asked, decision, call)) continue;
    if (!says_what(asked, call)) {
      if (decision == Effect::reject && !allowed_since) return Answered::rejected;
    } else if (is_about(asked, decision, call)) {
      if (decision == Effect::reject) return allowed_here ? known : Answered::rejected;
      const Answered here = call.kind == "edit" ? take_write(*answer, call) : Answered::allowed;
      if (here == Answered::allowed) return here;
      // A write that was allowed without its content says nothing of this one, but takes back an
      // earlier no.
      if (here == Answered::nothing)
        allowed_here = true;
      else if (!allowed_here)
        known = here;
    }
    if (decision == Effect::allow) allowed_since = true;
  }
  return known;
}

}  // namespace acp::workspace
