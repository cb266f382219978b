// How the questions of a turn were answered, to judge the calls that follow them: an agent may do
// something else than it asked about, or do it though it was told not to.
#pragma once

#include <optional>
#include <vector>

#include "acp/workspace/policy.h"

namespace acp::workspace {

// What the user decided in this turn.
class TurnAnswers {
 public:
  // Forgets the answers of the last turn.
  void begin_turn() {
    answers_.clear();
    too_many_ = false;
  }
  // Adds an answer; at most so many are kept.
  void add(Question question, Effect decision);

  // The latest answer to a question about this call, found by its command or its path; nothing if
  // there was none. A rejected question that did not say what it was about counts for every call of
  // its kind, until one of that kind is allowed.
  std::optional<Effect> about(const Question& call) const;

 private:
  struct Answer {
    Question question;
    Effect decision;
  };
  std::vector<Answer> answers_;
  bool too_many_ = false;  // that were rejected
};

// The words of a shell's line without their quotes, and what `sh -c` would run in place of that.
std::vector<std::string> command_words(const std::string& command);

}  // namespace acp::workspace
