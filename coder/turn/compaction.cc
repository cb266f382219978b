// A conversation that has become too long goes on from its summary.
#include <algorithm>

#include "coder/model/compaction_prompt.h"
#include "coder/session/random_id.h"
#include "coder/turn/turn.h"

namespace acp::coder {

namespace {

// What a long result is cut to before it is summarized, and what else is long.
constexpr std::size_t short_result = 2000;
constexpr std::size_t short_text = 64 * 1024;

v1::CompactionUpdate compaction_update(const std::string& id, v1::CompactionStatus status) {
  v1::CompactionUpdate update;
  update.compactionId = id;
  update.status = status;
  return update;
}

}  // namespace

bool TurnLoop::context_is_full() const {
  const auto size = session_.model()->info().context_tokens;
  if (!size || session_.conversation.messages().size() < 2) return false;
  const std::uint64_t used =
      std::max(session_.context_used, estimated_tokens(session_.conversation.messages()));
  return used >= *size / 100 * session_.wanted.settings.compact_at_percent.value;
}

std::string TurnLoop::summary(std::size_t messages, const std::string& wish) {
  // With the tools: Anthropic takes no conversation with calls in it without them.
  ModelRequest asked = request();
  asked.messages.resize(messages, Message{Message::Role::user, {}});
  for (Message& message : asked.messages)
    for (Part& part : message.parts)
      if (auto* result = std::get_if<ToolResultPart>(&part)) {
        result->text = bounded(std::move(result->text), short_result);
        result->media.clear();
      } else if (auto* text = std::get_if<TextPart>(&part)) {
        // A conversation that is too long because of one text would never become shorter.
        text->text = bounded(std::move(text->text), short_text);
      } else if (auto* call = std::get_if<ToolCallPart>(&part);
                 call && call->arguments.size() > short_text) {
        call->arguments = Json::object({{"left_out_bytes", call->arguments.size()}}).text();
      }
  Message question{Message::Role::user, {}};
  question.parts.push_back(TextPart{compaction_prompt});
  if (!wish.empty()) question.parts.push_back(TextPart{"Above all: " + wish});
  asked.messages.push_back(std::move(question));
  std::string text;
  AnswerMeter meter(session_.wanted.settings);
  try {
    ask(asked, [&](const ModelEvent& event) {
      meter.count(event);
      if (const auto* more = std::get_if<TextDelta>(&event)) text += more->text;
    });
  } catch (const AnswerTooLarge& limit) {
    throw ModelError(ModelError::Kind::broken, std::string("no summary: ") + limit.what());
  }
  if (text.empty()) throw ModelError(ModelError::Kind::broken, "the model gave no summary");
  return text;
}

void TurnLoop::compact(const std::string& wish) {
  const bool takes = takes_compactions(turn_.client_capabilities());
  const std::string id = random_id("compaction_");
  if (takes) report_.update(compaction_update(id, v1::CompactionStatus::in_progress));
  Conversation& conversation = session_.conversation;
  // A prompt that nobody has looked at yet stays as the user wrote it.
  const bool unanswered =
      messages_before_ > 0 && conversation.messages().size() == messages_before_ + 1;
  const std::size_t messages = conversation.messages().size() - (unanswered ? 1 : 0);
  std::string text;
  try {
    text = summary(messages, wish);
  } catch (const Cancelled&) {
    if (takes) report_.update(compaction_update(id, v1::CompactionStatus::cancelled));
    throw;
  } catch (const ModelError& error) {
    if (takes) {
      v1::CompactionUpdate failed = compaction_update(id, v1::CompactionStatus::failed);
      failed.error = std::string(error.what());
      report_.update(failed);
    }
    throw;
  }
  const std::vector<Message>& before = conversation.messages();
  if (!before_compaction_)
    before_compaction_.emplace(before.begin(),
                               before.begin() + static_cast<std::ptrdiff_t>(messages_before_));
  std::optional<Message> prompt;
  if (unanswered) prompt = before.back();
  std::vector<LiveSession::Entry> entries = {conversation.compact(text)};
  if (prompt) entries.push_back(conversation.add(std::move(*prompt)));
  report_.keep(std::move(entries));
  messages_before_ = 1;
  session_.context_used = 0;
  if (takes) {
    v1::CompactionUpdate done = compaction_update(id, v1::CompactionStatus::completed);
    done.summary = std::vector<v1::ContentBlock>{v1::ContentBlock(text)};
    report_.update(done);
  } else {
    report_.note(v1::NoticeSeverity::info, "The conversation was compacted",
                 std::to_string(messages) + " messages became a summary of " +
                     std::to_string(text.size()) + " bytes.");
  }
}

// There is room left: the turn goes on without.
bool TurnLoop::try_to_compact() {
  try {
    compact({});
    return true;
  } catch (const ModelError& error) {
    report_.note(v1::NoticeSeverity::warning, "The conversation could not be compacted",
                 error.what());
    return false;
  }
}

}  // namespace acp::coder
