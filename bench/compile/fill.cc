#include <acp/schema/v1.h>

acp::v1::SessionNotification update(const std::string& session, const std::string& text) {
  return {.sessionId = session,
          .update = acp::v1::AgentMessageChunk{{.content = acp::v1::TextContent{.text = text}}}};
}
