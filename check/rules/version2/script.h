// Conversations of version 2 as text, for the tests of the rules.
#pragma once

#include "check/rules/script.h"

namespace acp::check::version2 {

inline const Script start = {
    "> " + call(0, "initialize",
                R"({"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":)"
                R"({"elicitation":{"form":{}}}})"),
    "< " + result(0, R"({"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":)"
                     R"({"session":{"mcp":{"stdio":{}}}},"authMethods":[{"type":"agent",)"
                     R"("methodId":"key","name":"Key"}]})")};
inline const Script opened =
    start +
    Script{"> " + call(1, "session/new", R"({"cwd":"/w"})"),
           "< " + result(1, R"({"sessionId":"s","configOptions":[{"configId":"o","name":"O",)"
                            R"("type":"select","currentValue":"x","options":[{"value":"x",)"
                            R"("name":"X"}]}]})")};

inline std::string told(const std::string& rest) { return "< " + update(rest); }
inline std::string state(const std::string& rest) {
  return told(R"("state_update","state":)" + rest);
}
inline std::string said(const std::string& message) {
  return told(R"("agent_message_chunk","messageId":")" + message +
              R"(","content":{"type":"text","text":"hello"})");
}
inline std::string echo(const std::string& message) {
  return told(R"("user_message","messageId":")" + message +
              R"(","content":[{"type":"text","text":"go"}])");
}
inline std::string prompt_of(int id) {
  return call(id, "session/prompt", R"({"sessionId":"s","prompt":[{"type":"text","text":"go"}]})");
}
inline std::string inserted_as(int id, const std::string& message) {
  return result(id, R"({"messageId":")" + message + R"("})");
}
inline std::string asks(const std::string& tool_call) {
  return "< " +
         call(6, "session/request_permission",
              R"({"sessionId":"s","title":"Go on?","subject":{"type":"tool_call","toolCall":)"
              R"({"toolCallId":")" +
                  tool_call +
                  R"("}},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},)"
                  R"({"optionId":"n","name":"No","kind":"reject_once"}]})");
}

inline const std::string prompt = "> " + prompt_of(2);
inline const std::string inserted = "< " + inserted_as(2, "u");
inline const Script at_work = opened + Script{prompt, inserted, echo("u"), state("\"running\"")};
inline const std::string ends = state(R"("idle","stopReason":"end_turn")");
inline const std::string ends_cancelled = state(R"("idle","stopReason":"cancelled")");

std::vector<Mutant> mutants();

}  // namespace acp::check::version2
