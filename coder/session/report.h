// What a session tells its user: kept first, then sent. Whoever is killed in between has said
// nothing that a later session/load does not say again.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "acp/context.h"
#include "acp/json/codec.h"
#include "acp/schema/v1.h"
#include "coder/session/kept_session.h"
#include "settings/secrets.h"

namespace acp::coder {

// May be used by several threads. Everything that sends throws ConnectionClosed.
class Report {
 public:
  // `kept` and the secrets outlive this. No key is sent or kept.
  Report(SessionContext context, KeptSession& kept, const settings::Secrets& secrets)
      : context_(std::move(context)), kept_(kept), secrets_(secrets), stream_(secrets) {}

  // Gathered until flush(), or until anything else is told.
  void say(std::string_view text);
  void think(std::string_view text);
  void flush();
  // Sends what is there, but for a last piece that may be the beginning of a key.
  void pause();

  void update(const v1::SessionUpdate& update);
  // Where what is kept is not what is sent.
  void update(const v1::SessionUpdate& sent, const v1::SessionUpdate& kept);
  // Sent and not kept: what a later update replaces, and may come many times.
  void show(const v1::SessionUpdate& update);
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
  void flush_locked(bool ends = true);
  void store(std::vector<LiveSession::Entry> entries);
  // Whether all is stored, as far as that has changed.
  void tell_news();
  // Without any key in it.
  void send(const v1::SessionUpdate& update, const std::string& encoded);
  void send_note(v1::NoticeSeverity severity, const std::string& title,
                 const std::string& description);

  SessionContext context_;
  KeptSession& kept_;
  const settings::Secrets& secrets_;
  std::mutex mutex_;
  Gathered gathered_ = Gathered::nothing;
  std::string text_;
  settings::SecretStream stream_;
};

// The same without any key in it.
template <class T>
T masked(const T& value, const settings::Secrets& secrets) {
  std::string text = json::encode(value);
  if (!secrets.in(text)) return value;
  secrets.mask(text);
  auto read = json::decode<T>(text);
  return read ? std::move(*read) : T();
}

bool takes_notices(const v1::ClientCapabilities& client);
bool takes_compactions(const v1::ClientCapabilities& client);

// A notice for a client that takes none.
v1::SessionUpdate as_message(const v1::Notice& notice);

}  // namespace acp::coder
