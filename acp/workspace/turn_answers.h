// How the questions of a turn were answered, to judge the calls that follow them: an agent may do
// something else than it asked about, or do it though it was told not to.
#pragma once

#include <optional>
#include <vector>

#include "acp/workspace/policy.h"

namespace acp::workspace {

// What is known of a call from the questions before it.
enum class Answered {
  nothing,    // there was no question about it, or none that showed what is written
  allowed,    // as it is
  rejected,   // under any name
  otherwise,  // a write of this path was allowed, but with another content
};
// "nothing", "allowed", "rejected", "otherwise"
constexpr const char* to_string(Answered value) {
  switch (value) {
    case Answered::nothing:
      return "nothing";
    case Answered::allowed:
      return "allowed";
    case Answered::rejected:
      return "rejected";
    case Answered::otherwise:
      return "otherwise";
  }
  return "";
}

// What the user decided in this turn.
class TurnAnswers {
 public:
  // Forgets the answers of the last turn.
  void begin_turn() {
    answers_.clear();
    shown_bytes_ = 0;
    too_many_ = false;
  }
  // How much an answer that allows covers.
  enum class Covers {
    what_was_shown,  // each change that the question showed, once
    its_paths,       // every write of its paths: the person chose the agent's own "always"
  };
  // Adds an answer; at most so many are kept, with so much text.
  void add(Question question, Effect decision, Covers covers = Covers::what_was_shown);

  // The latest answer to a question about this call, found by its command or its path. A rejected
  // question that did not say what it was about counts for every call of its kind, until one of
  // that kind is allowed. A write is allowed if its text is what a question showed of a new file,
  // or the present text with the part replaced that a question showed and that it has once; that
  // answer is used up then.
  Answered take(const Question& call);

 private:
  struct Answer {
    Question question;
    Effect decision;
    Covers covers;
  };
  // Whether an answer that allows covers this write; then it is used up.
  Answered take_write(Answer& answer, const Question& call);
  void forget_texts(Answer& answer);
  void use_up(ShownChange& shown);

  std::vector<Answer> answers_;
  std::size_t shown_bytes_ = 0;
  bool too_many_ = false;  // that were rejected
};

// The words of a shell's line without their quotes, and what `sh -c` would run in place of that.
std::vector<std::string> command_words(const std::string& command);

// "what_was_shown", "its_paths"
constexpr const char* to_string(TurnAnswers::Covers value) {
  return value == TurnAnswers::Covers::its_paths ? "its_paths" : "what_was_shown";
}

}  // namespace acp::workspace
