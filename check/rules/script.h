// Conversations as text, for the tests of the rules.
#pragma once

#include <string>
#include <vector>

namespace acp::check {

// Frames, one per line: "> " from the client, "< " from the agent; "@N " before that sets the clock
// to N seconds.
using Script = std::vector<std::string>;

inline Script operator+(Script a, const Script& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::string call(int id, const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method +
         R"(","params":)" + params + "}";
}
inline std::string note(const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","method":")" + method + R"(","params":)" + params + "}";
}
inline std::string result(int id, const std::string& value) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + value + "}";
}
inline std::string error(int id, int code) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" +
         std::to_string(code) + R"(,"message":"no"}})";
}
inline std::string update(const std::string& rest) {
  return note("session/update", R"({"sessionId":"s","update":{"sessionUpdate":)" + rest + "}}");
}
inline std::string chunk(const std::string& text = "hello") {
  return "< " +
         update(R"("agent_message_chunk","content":{"type":"text","text":")" + text + R"("})");
}

inline const Script start = {
    "> " + call(0, "initialize",
                R"({"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,)"
                R"("writeTextFile":true},"terminal":true,"elicitation":{"form":{}}}})"),
    "< " + result(0, R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,)"
                     R"("sessionCapabilities":{"resume":{},"list":{},"close":{}}},)"
                     R"("authMethods":[{"id":"key","name":"Key"}]})")};
inline const Script opened =
    start +
    Script{"> " + call(1, "session/new", R"({"cwd":"/w","mcpServers":[]})"),
           "< " + result(1, R"({"sessionId":"s","modes":{"currentModeId":"a","availableModes":)"
                            R"([{"id":"a","name":"A"}]},"configOptions":[{"id":"o","name":"O",)"
                            R"("type":"select","currentValue":"x","options":[{"value":"x",)"
                            R"("name":"X"}]}]})")};
inline const Script prompted =
    opened + Script{"> " + call(2, "session/prompt",
                                R"({"sessionId":"s","prompt":[{"type":"text","text":"go"}]})")};
inline const Script with_call =
    prompted + Script{"< " + update(R"("tool_call","toolCallId":"c","title":"T")")};
inline const Script with_terminal =
    prompted +
    Script{"< " + call(7, "terminal/create", R"({"sessionId":"s","command":"ls"})"),
           "> " + result(7, R"({"terminalId":"t"})"),
           "< " + call(8, "terminal/wait_for_exit", R"({"sessionId":"s","terminalId":"t"})"),
           "> " + result(8, R"({"exitCode":0})")};
inline const std::string release =
    "< " + call(9, "terminal/release", R"({"sessionId":"s","terminalId":"t"})");
inline const std::string asks =
    "< " + call(6, "session/request_permission",
                R"({"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[)"
                R"({"optionId":"y","name":"Yes","kind":"allow_once"},)"
                R"({"optionId":"n","name":"No","kind":"reject_once"}]})");
inline const std::string stops = "> " + note("session/cancel", R"({"sessionId":"s"})");
inline const std::string ends = "< " + result(2, R"({"stopReason":"end_turn"})");
inline const std::string ends_cancelled = "< " + result(2, R"({"stopReason":"cancelled"})");

// Each breaks one rule, and no other.
struct Mutant {
  std::string id;
  Script script;
};

// The numbers of the rules that a conversation breaks; the same with what was seen.
std::vector<std::string> ids_of(const Script& script);
std::string told_of(const Script& script);

std::vector<Mutant> question_mutants();
// The mutants of questions, and all others.
std::vector<Mutant> mutants();

}  // namespace acp::check
