// Sends a turn's updates to the user: stored first, then sent. So a later session/load sends
// everything again that was ever sent.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "acp/context.h"
#include "acp/schema/v1.h"
#include "acp/tool_call.h"
#include "coder/session/session.h"
#include "settings/secrets.h"

namespace acp::coder {

// May be used by several threads. Everything that sends throws ConnectionClosed.
class TurnReport {
 public:
  // The session, which a shared_ptr owns, and the secrets outlive this. No key is sent or stored.
  TurnReport(const SessionContext& context, Session& session, const settings::Secrets& secrets);

  // Says text, which is gathered until flush(), or until anything else is sent.
  void say(std::string_view text);
  void think(std::string_view text);
  void flush();
  // Sends the gathered text, except a last piece that may be the beginning of a key.
  void pause();

  void update(const v1::SessionUpdate& update);
  void plan(const std::vector<v1::PlanEntry>& entries);
  acp::ToolCall announce(v1::ToolCall call);
  void update(const acp::ToolCall& call, v1::ToolCallUpdate update);
  // Sends one update, and stores another.
  void update(const acp::ToolCall& call, v1::ToolCallUpdate sent, v1::ToolCallUpdate stored);
  // Sends an update without storing it: a frequent one, which a later update replaces.
  void show(const acp::ToolCall& call, v1::ToolCallUpdate update);
  // Stores an update that the user has seen already.
  void keep(const v1::SessionUpdate& update);
  // Stores entries of the conversation, after the text said before.
  void keep(std::vector<LiveSession::Entry> entries);
  // Sends a notice, or a message if the client takes no notices.
  void note(v1::NoticeSeverity severity, const std::string& title,
            const std::string& description = {});
  // Ends a turn: stores what waits, if that works by now.
  void settle();

 private:
  enum class Gathered { nothing, text, thought };
  void gather(Gathered kind, std::string_view text);
  // With the lock held.
  void flush_locked(bool ends = true);
  // Reports changes of whether all is stored.
  void tell_news();
  void send_note(v1::NoticeSeverity severity, const std::string& title,
                 const std::string& description);

  Session& session_;
  const SessionContext unstored_;
  const SessionContext context_;  // what it sends is stored
  const settings::Secrets& secrets_;
  std::mutex mutex_;
  Gathered gathered_ = Gathered::nothing;
  std::string text_;
  settings::SecretStream stream_;
};

bool takes_notices(const v1::ClientCapabilities& client);
bool takes_compactions(const v1::ClientCapabilities& client);

// Converts a notice for a client that takes none.
v1::SessionUpdate as_message(const v1::Notice& notice);

}  // namespace acp::coder
