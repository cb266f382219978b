#include "coder/turn/answer_meter.h"

#include <string>

namespace acp::coder {

namespace {

// What a part costs us besides its text. Without it, an answer that changes between text and
// thought at each byte would cost a hundred times its size.
constexpr std::size_t part_bytes = 256;

[[noreturn]] void over(const char* what, std::uint64_t limit, const char* setting) {
  throw AnswerTooLarge(std::string("the model's answer has more than ") + std::to_string(limit) +
                       " " + what + " (limits." + setting + ")");
}

}  // namespace

void AnswerMeter::count(const ModelEvent& event) {
  if (const auto* text = std::get_if<TextDelta>(&event)) {
    add_text(Kind::text, text->text.size(), false);
  } else if (const auto* thought = std::get_if<ThoughtDelta>(&event)) {
    add_text(Kind::thought, thought->text.size() + thought->signature.size(),
             !thought->signature.empty());
  } else if (const auto* begins = std::get_if<ToolCallBegins>(&event)) {
    if (calls_ == call_limit_) over("tool calls", call_limit_, "answer_calls");
    ++calls_;
    last_ = Kind::call;
    add_arguments(begins->id.size() + begins->name.size());
  } else if (const auto* goes_on = std::get_if<ToolCallDelta>(&event)) {
    add_arguments(goes_on->arguments.size());
  }
}

void AnswerMeter::add_text(Kind kind, std::size_t bytes, bool ends_part) {
  if (kind != last_ || ends_part) bytes += last_ == Kind::nothing ? 0 : part_bytes;
  last_ = kind;
  if (bytes > text_limit_ - text_) over("bytes of text and thoughts", text_limit_, "answer_bytes");
  text_ += bytes;
}

void AnswerMeter::add_arguments(std::size_t bytes) {
  if (bytes > argument_limit_ - arguments_)
    over("bytes of arguments for its calls", argument_limit_, "argument_bytes");
  arguments_ += bytes;
}

}  // namespace acp::coder
