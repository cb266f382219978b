#include "coder/session/turn_report.h"

#include <utility>

#include "coder/session/masked.h"

namespace acp::coder {

bool takes_notices(const v1::ClientCapabilities& client) {
  return client.session.has_value() && client.session->notices.has_value();
}
bool takes_compactions(const v1::ClientCapabilities& client) {
  return client.session.has_value() && client.session->compaction.has_value();
}

v1::SessionUpdate as_message(const v1::Notice& notice) {
  std::string text = notice.severity == v1::NoticeSeverity::error     ? "\n**Error:** "
                     : notice.severity == v1::NoticeSeverity::warning ? "\n**Warning:** "
                                                                      : "\n**Note:** ";
  text += notice.title;
  if (notice.description.has_value()) text += "\n" + *notice.description;
  v1::AgentMessageChunk chunk;
  chunk.content = v1::ContentBlock(text + "\n\n");
  return chunk;
}

// The context, with every update stored in the session.
SessionContext stored_by(Session& session, const SessionContext& context) {
  // Weak: what a turn leaves open is closed after it, when the session may be gone.
  const auto keep = [weak = session.weak_from_this()](v1::SessionUpdate& update) {
    if (const auto alive = weak.lock()) alive->keep_sent(update);
  };
  return context.before_update(keep);
}

TurnReport::TurnReport(const SessionContext& context, Session& session,
                       const settings::Secrets& secrets)
    : session_(session),
      unstored_(context),
      // Weak: what a turn leaves open is closed after it, when the session may be gone.
      context_(stored_by(session, context)),
      secrets_(secrets),
      stream_(secrets) {}

void TurnReport::gather(Gathered kind, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (gathered_ != kind) flush_locked();
  gathered_ = kind;
  if (secrets_.empty())
    text_ += text;
  else
    text_ += stream_.add(text);
}

void TurnReport::say(std::string_view text) { gather(Gathered::text, text); }
void TurnReport::think(std::string_view text) { gather(Gathered::thought, text); }

void TurnReport::flush() {
  const std::lock_guard lock(mutex_);
  flush_locked();
}

void TurnReport::pause() {
  const std::lock_guard lock(mutex_);
  flush_locked(false);
}

void TurnReport::flush_locked(bool ends) {
  const Gathered kind = gathered_;
  if (ends) {
    gathered_ = Gathered::nothing;
    text_ += stream_.finish();
  }
  const std::string text = std::exchange(text_, {});
  if (kind == Gathered::nothing || text.empty()) return;
  (kind == Gathered::text ? context_.say(text) : context_.think(text)).wait();
  tell_news();
}

void TurnReport::update(const v1::SessionUpdate& update) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  context_.update(update).wait();
  tell_news();
}

void TurnReport::plan(const std::vector<v1::PlanEntry>& entries) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  context_.set_plan(entries).wait();
  tell_news();
}

acp::ToolCall TurnReport::announce(v1::ToolCall call) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  acp::ToolCall announced = context_.tool_call(call);
  tell_news();
  return announced;
}

void TurnReport::update(const acp::ToolCall& call, v1::ToolCallUpdate update) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  call.update(update).wait();
  tell_news();
}

void TurnReport::update(const acp::ToolCall& call, v1::ToolCallUpdate sent,
                        v1::ToolCallUpdate stored) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  sent.toolCallId = stored.toolCallId = call.id();
  session_.keep(v1::SessionUpdate(std::move(stored)));
  unstored_.update(masked(v1::SessionUpdate(std::move(sent)), secrets_)).wait();
  tell_news();
}

void TurnReport::show(const acp::ToolCall& call, v1::ToolCallUpdate update) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  update.toolCallId = call.id();
  unstored_.update(update).wait();
}

void TurnReport::keep(const v1::SessionUpdate& update) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  session_.keep(update);
  tell_news();
}

void TurnReport::keep(std::vector<LiveSession::Entry> entries) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  session_.keep(std::move(entries));
  tell_news();
}

void TurnReport::note(v1::NoticeSeverity severity, const std::string& title,
                      const std::string& description) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  send_note(severity, title, description);
  tell_news();
}

void TurnReport::send_note(v1::NoticeSeverity severity, const std::string& title,
                           const std::string& description) {
  v1::Notice notice;
  notice.severity = severity;
  notice.title = title;
  if (!description.empty()) notice.description = description;
  if (takes_notices(context_.client_capabilities())) {
    context_.update(notice).wait();
  } else {
    // Stored as what it is: a client that loads the session may take notices.
    notice = masked(notice, secrets_);
    session_.keep(v1::SessionUpdate(notice));
    unstored_.update(as_message(notice)).wait();
  }
}

void TurnReport::tell_news() {
  using Kind = KeptSession::News::Kind;
  for (const KeptSession::News& news : session_.kept.take_news()) {
    switch (news.kind) {
      case Kind::waits:
        send_note(v1::NoticeSeverity::error, "This session cannot be stored at the moment",
                  news.why +
                      ". What is not stored waits in memory, and is stored first when that "
                      "works again.");
        break;
      case Kind::dropped:
        send_note(v1::NoticeSeverity::error, "Too much waits to be stored", news.why);
        break;
      case Kind::stored:
        send_note(v1::NoticeSeverity::info, "This session is stored again", news.why);
        break;
      case Kind::removed:
        send_note(v1::NoticeSeverity::error, "This session is not stored any more", news.why);
        break;
    }
  }
}

void TurnReport::settle() {
  const std::lock_guard lock(mutex_);
  flush_locked();
  session_.kept.settle();
  tell_news();
}

}  // namespace acp::coder
