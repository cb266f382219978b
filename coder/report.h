// What a session tells its user: kept first, then sent. Whoever is killed in between has said
// nothing that a later session/load does not say again.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "acp/context.h"
#include "acp/schema/v1.h"
#include "coder/kept_session.h"

namespace acp::coder {

// May be used by several threads. Everything that sends throws ConnectionClosed.
class Report {
 public:
  // `kept` outlives this.
  Report(SessionContext context, KeptSession& kept) : context_(std::move(context)), kept_(kept) {}

  // Gathered until flush(), or until anything else is told.
  void say(std::string_view text);
  void think(std::string_view text);
  void flush();

  void update(const v1::SessionUpdate& update);
  // Where what is kept is not what is sent.
  void update(const v1::SessionUpdate& sent, const v1::SessionUpdate& kept);
  // What the user knows already.
  void keep(const v1::SessionUpdate& update);
  // Entries of the conversation. What was said before is kept before.
  void keep(std::vector<LiveSession::Entry> entries);
  // As a notice where the client takes them, else as a message.
  void note(v1::NoticeSeverity severity, const std::string& title,
            const std::string& description = {});
  // At the end of a turn: stores what waits for it, if that works by now.
  void settle();

 private:
  enum class Gathered { nothing, text, thought };
  void gather(Gathered kind, std::string_view text);
  // With the lock held.
  void flush_locked();
  void store(std::vector<LiveSession::Entry> entries);
  void store(const v1::SessionUpdate& update);
  // Whether all is stored, as far as that has changed.
  void tell_news();
  void send_note(v1::NoticeSeverity severity, const std::string& title,
                 const std::string& description);

  SessionContext context_;
  KeptSession& kept_;
  std::mutex mutex_;
  Gathered gathered_ = Gathered::nothing;
  std::string text_;
};

bool takes_notices(const v1::ClientCapabilities& client);
bool takes_compactions(const v1::ClientCapabilities& client);

// A notice for a client that takes none.
v1::SessionUpdate as_message(const v1::Notice& notice);

}  // namespace acp::coder
