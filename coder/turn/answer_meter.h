// Limits one answer of a model.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "coder/model/model.h"
#include "settings/settings.h"

namespace acp::coder {

// A limit of one answer was reached. what() is a sentence that names the limit.
class AnswerTooLarge : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Counts the events of one answer.
class AnswerMeter {
 public:
  explicit AnswerMeter(const settings::Settings& limits)
      : text_limit_(limits.answer_bytes.value),
        argument_limit_(limits.argument_bytes.value),
        call_limit_(limits.answer_calls.value) {}

  // Counts an event. Throws AnswerTooLarge if the answer with it is over a limit: then drop the
  // event.
  void count(const ModelEvent& event);

 private:
  enum class Kind { nothing, text, thought, call };
  void add_text(Kind kind, std::size_t bytes, bool ends_part);
  void add_arguments(std::size_t bytes);

  const std::uint64_t text_limit_, argument_limit_, call_limit_;
  std::uint64_t text_ = 0, arguments_ = 0, calls_ = 0;
  Kind last_ = Kind::nothing;
};

}  // namespace acp::coder
