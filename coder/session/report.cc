#include "coder/session/report.h"

#include <utility>

#include "acp/json/codec.h"

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

void Report::gather(Gathered kind, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (gathered_ != kind) flush_locked();
  gathered_ = kind;
  if (secrets_.empty())
    text_ += text;
  else
    text_ += stream_.add(text);
}

void Report::say(std::string_view text) { gather(Gathered::text, text); }
void Report::think(std::string_view text) { gather(Gathered::thought, text); }

void Report::flush() {
  const std::lock_guard lock(mutex_);
  flush_locked();
}

void Report::pause() {
  const std::lock_guard lock(mutex_);
  flush_locked(false);
}

void Report::flush_locked(bool ends) {
  const Gathered kind = gathered_;
  if (ends) {
    gathered_ = Gathered::nothing;
    text_ += stream_.finish();
  }
  const std::string text = std::exchange(text_, {});
  if (kind == Gathered::nothing || text.empty()) return;
  v1::SessionUpdate update;
  if (kind == Gathered::text) {
    v1::AgentMessageChunk chunk;
    chunk.content = v1::ContentBlock(text);
    update = std::move(chunk);
  } else {
    v1::AgentThoughtChunk chunk;
    chunk.content = v1::ContentBlock(text);
    update = std::move(chunk);
  }
  store({{EntryKind::update, json::encode(update)}});
  context_.update(update).wait();
}

void Report::update(const v1::SessionUpdate& update) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  std::string encoded = json::encode(update);
  if (secrets_.empty()) {
    store({{EntryKind::update, std::move(encoded)}});
    context_.update(update).wait();
  } else {
    store({{EntryKind::update, encoded}});
    send(update, encoded);
  }
}

void Report::update(const v1::SessionUpdate& sent, const v1::SessionUpdate& kept) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  store({{EntryKind::update, json::encode(kept)}});
  send(sent, secrets_.empty() ? "" : json::encode(sent));
}

void Report::send(const v1::SessionUpdate& update, const std::string& encoded) {
  if (secrets_.in(encoded))
    context_.update(masked(update, secrets_)).wait();
  else
    context_.update(update).wait();
}

void Report::show(const v1::SessionUpdate& update) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  context_.update(update).wait();
}

void Report::keep(const v1::SessionUpdate& update) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  store({{EntryKind::update, json::encode(update)}});
}

void Report::keep(std::vector<LiveSession::Entry> entries) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  store(std::move(entries));
}

void Report::note(v1::NoticeSeverity severity, const std::string& title,
                  const std::string& description) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  send_note(severity, title, description);
}

void Report::send_note(v1::NoticeSeverity severity, const std::string& title,
                       const std::string& description) {
  v1::Notice notice;
  notice.severity = severity;
  notice.title = title;
  if (!description.empty()) notice.description = description;
  const v1::SessionUpdate update = masked(v1::SessionUpdate(notice), secrets_);
  store({{EntryKind::update, json::encode(update)}});
  const auto* shown = std::get_if<v1::Notice>(&update);
  if (takes_notices(context_.client_capabilities()) || shown == nullptr)
    context_.update(update).wait();
  else
    context_.update(as_message(*shown)).wait();
}

// What cannot be kept is sent all the same: the user is there, and waits.
void Report::store(std::vector<LiveSession::Entry> entries) {
  for (LiveSession::Entry& entry : entries) secrets_.mask(entry.body);
  kept_.append(std::move(entries));
  tell_news();
}

void Report::tell_news() {
  using Kind = KeptSession::News::Kind;
  for (const KeptSession::News& news : kept_.take_news()) {
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

void Report::settle() {
  const std::lock_guard lock(mutex_);
  flush_locked();
  kept_.settle();
  tell_news();
}

}  // namespace acp::coder
