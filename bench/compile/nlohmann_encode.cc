#include <nlohmann/json.hpp>

std::string update(const std::string& session, const std::string& text) {
  return nlohmann::json{
      {"sessionId", session},
      {"update",
       {{"sessionUpdate", "agent_message_chunk"}, {"content", {{"type", "text"}, {"text", text}}}}}}
      .dump();
}
