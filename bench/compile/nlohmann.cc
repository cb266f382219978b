#include <nlohmann/json.hpp>

nlohmann::json update(const std::string& session, const std::string& text) {
  return {{"sessionId", session},
          {"update",
           {{"sessionUpdate", "agent_message_chunk"},
            {"content", {{"type", "text"}, {"text", text}}}}}};
}
