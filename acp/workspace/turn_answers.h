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
  // Those of the last turn count no more.
  void begin_turn() {
    answers_.clear();
    too_many_ = false;
  }
  // One more; at most so many are kept.
  void add(Question question, Decision decision);

  // What a question about this call was answered with, the latest first: by its command, or by its
  // path. Nothing: none was about it. A rejected question that did not say what it was about
  // counts for every call of its kind, until one of that kind is allowed.
  std::optional<Decision> about(const Question& call) const;

 private:
  struct Answer {
    Question question;
    Decision decision;
  };
  std::vector<Answer> answers_;
  bool too_many_ = false;  // that were rejected
};

// The words of a shell's line without their quotes, and what `sh -c` would run in place of that.
std::vector<std::string> command_words(const std::string& command);

}  // namespace acp::workspace
