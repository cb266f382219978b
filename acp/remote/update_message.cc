#include "acp/remote/update_message.h"

namespace acp::remote {

bool read_update(std::string_view text, Message& message) {
  constexpr std::string_view begin =
      R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":")";
  constexpr std::size_t max_session_bytes = 256;
  if (!text.starts_with(begin)) return false;
  const std::string_view rest = text.substr(begin.size(), max_session_bytes);
  const std::size_t size = rest.find('"');
  if (size == rest.npos || rest.substr(size + 1, 1) != ",") return false;
  const std::string_view session = rest.substr(0, size);
  if (session.find('\\') != session.npos) return false;
  message.kind = Message::Kind::notification;
  message.method = "session/update";
  message.id = {};
  message.names_session = true;
  message.session = session;
  message.result_names_session = message.failed = false;
  return true;
}

}  // namespace acp::remote
