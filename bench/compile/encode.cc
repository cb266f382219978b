#include <acp/json/codec.h>
#include <acp/schema/v1.h>

std::string update(const std::string& session, const std::string& text) {
  return acp::json::encode(acp::v1::SessionNotification{
      .sessionId = session,
      .update = acp::v1::AgentMessageChunk{{.content = acp::v1::TextContent{.text = text}}}});
}
