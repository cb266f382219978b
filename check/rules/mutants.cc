#include "check/rules/script.h"

namespace acp::check {

std::vector<Mutant> mutants() {
  const std::string question = "> " + call(3, "_x/ask", "{}");
  std::vector<Mutant> all;
  // The envelope, from either side.
  for (const char* const side : {"A", "C"}) {
    const std::string from = *side == 'A' ? "< " : "> ", to = *side == 'A' ? "> " : "< ";
    const auto wire = [&](const std::string& number, const Script& script) {
      all.push_back({side + std::string("-") + number, start + script});
    };
    const std::string asked = to + call(5, "_x/ask", "{}");
    wire("WIRE-1", {from + "Loading model..."});
    wire("WIRE-2", {from + "{\"jsonrpc\":\"2.0\",\"method\":\"_x/\xFF\"}"});
    wire("WIRE-3", {from + R"({"method":"_x/note"})"});
    wire("WIRE-4", {from + R"([{"jsonrpc":"2.0","method":"_x/note"}])"});
    wire("WIRE-5", {from + R"({"jsonrpc":"2.0","id":null,"method":"_x/ask"})"});
    wire("WIRE-6", {from + call(5, "_x/ask", "{}"), from + call(5, "_x/ask", "{}")});
    wire("WIRE-7", {from + result(77, "{}")});
    wire("WIRE-8", {asked, from + result(5, "{}"), from + result(5, "{}")});
    wire("WIRE-9", {to + note("_x/note", "{}"),
                    from + R"({"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"?"}})"});
    wire(
        "WIRE-10",
        {asked, from + R"({"jsonrpc":"2.0","id":5,"result":{},"error":{"code":1,"message":"?"}})"});
    wire("WIRE-11", {from + R"({"jsonrpc":"2.0","method":7})"});
    wire("SCHEMA-1", {from + note("$/cancel_request", "{}")});
    wire("SCHEMA-3", {asked, from + R"({"jsonrpc":"2.0","id":5,"error":{"code":"x",)"
                                    R"("message":"?"}})"});
    wire("SCHEMA-4", {from + note("$/cancel_request", R"({"requestId":1,"mine":2})")});
    wire("SCHEMA-5", {from + note("my/note", "{}")});
  }
  const auto add = [&](const std::string& id, const Script& script) {
    all.push_back({id, script});
  };
  add("A-SCHEMA-2", start + Script{"> " + call(1, "session/new", R"({"cwd":"/w","mcpServers":[]})"),
                                   "< " + result(1, "{}")});
  add("C-SCHEMA-2", with_call + Script{asks, "> " + result(6, R"({"outcome":"selected"})")});
  add("A-SCHEMA-6", opened + Script{"< " + call(4, "session/update", R"({})")});
  add("C-SCHEMA-6", opened + Script{"> " + note("session/list", R"({})")});
  add("A-SCHEMA-7",
      prompted + Script{"< " + update(R"("tool_call","toolCallId":"c","title":"T","kind":"bash")"),
                        "< " + update(R"("tool_call_update","toolCallId":"c","status":"failed")"),
                        ends});
  add("C-SCHEMA-7",
      {"> " + call(0, "initialize", R"({"protocolVersion":1,"clientCapabilities":{"terminal":3}})"),
       start[1]});
  add("A-SCHEMA-8", prompted + Script{"< " + update(R"("agent_joke","text":"?")")});
  add("C-SCHEMA-8",
      with_call + Script{asks, "> " + result(6, R"({"outcome":{"outcome":"maybe"}})")});

  add("A-ORDER-1", {start[0], "< " + call(4, "session/request_permission",
                                          R"({"sessionId":"s","toolCall":{"toolCallId":"c"},)"
                                          R"("options":[]})")});
  add("A-ORDER-2", opened + Script{"< " + note("session/update",
                                               R"({"sessionId":"other","update":{"sessionUpdate":)"
                                               R"("available_commands_update",)"
                                               R"("availableCommands":[]}})")});
  add("A-ORDER-3", start + Script{opened[2], "< " + update(R"("available_commands_update",)"
                                                           R"("availableCommands":[])")});
  add("A-ORDER-4", prompted + Script{ends, chunk()});
  const std::string load =
      "> " + call(4, "session/load", R"({"sessionId":"s","cwd":"/w","mcpServers":[]})");
  add("A-ORDER-5", start + Script{load, "< " + result(4, "{}"), chunk()});
  add("A-ORDER-6",
      start + Script{"> " + call(4, "session/resume", R"({"sessionId":"s","cwd":"/w"})"), chunk()});
  add("A-ORDER-7", opened + Script{"> " + call(3, "session/new", R"({"cwd":"/w","mcpServers":[]})"),
                                   "< " + result(3, R"({"sessionId":"s"})")});
  add("A-ORDER-8", prompted + Script{"< " + update(R"("tool_call_update","toolCallId":"x")")});
  add("A-ORDER-9", with_call + Script{with_call.back()});
  add("A-ORDER-10", with_call + Script{"< " + update(R"("tool_call_update","toolCallId":"c",)"
                                                     R"("status":"completed")"),
                                       "< " + update(R"("tool_call_update","toolCallId":"c",)"
                                                     R"("status":"in_progress")")});
  add("C-ORDER-1", Script{"> " + call(1, "session/new", R"({"cwd":"/w","mcpServers":[]})")});
  add("C-ORDER-2", {start[0], opened[2]});
  add("C-ORDER-3", start + Script{"> " + call(4, "initialize", R"({"protocolVersion":1})")});
  add("C-ORDER-4",
      start + Script{"> " + call(4, "session/prompt", R"({"sessionId":"x","prompt":[]})")});
  add("C-ORDER-5",
      prompted + Script{"> " + call(4, "session/prompt", R"({"sessionId":"s","prompt":[]})")});

  add("A-PATH-1",
      opened + Script{"< " + call(4, "fs/read_text_file", R"({"sessionId":"s","path":"a.txt"})")});
  add("A-PATH-2", with_call + Script{"< " + update(R"("tool_call_update","toolCallId":"c",)"
                                                   R"("content":[{"type":"diff","path":"a",)"
                                                   R"("newText":""}])")});
  add("A-PATH-3",
      start + Script{"> " + call(4, "session/list", "{}"),
                     "< " + result(4, R"({"sessions":[{"sessionId":"s","cwd":"w"}]})")});
  add("A-PATH-4", opened + Script{"< " + call(4, "fs/read_text_file",
                                              R"({"sessionId":"s","path":"/a","line":0})")});
  add("C-PATH-1", start + Script{"> " + call(1, "session/new", R"({"cwd":"w","mcpServers":[]})")});
  add("C-PATH-2", start + Script{"> " + call(1, "session/new",
                                             R"({"cwd":"/w","mcpServers":[{"name":"m",)"
                                             R"("command":"npx","args":[],"env":[]}]})")});

  const Script modest = {"> " + call(0, "initialize", R"({"protocolVersion":1})"),
                         "< " + result(0, R"({"protocolVersion":1})"), opened[2],
                         "< " + result(1, R"({"sessionId":"s"})")};
  add("A-CAP-1",
      modest + Script{"< " + call(4, "fs/read_text_file", R"({"sessionId":"s","path":"/a"})")});
  add("A-CAP-2", prompted + Script{"< " + call(4, "elicitation/create",
                                               R"({"sessionId":"s","message":"m","mode":"url",)"
                                               R"("elicitationId":"e","url":"https://e"})")});
  add("A-CAP-3", opened + Script{"< " + update(R"("notice","severity":"info","title":"T")")});
  add("A-CAP-4", opened + Script{"< " + update(R"("current_mode_update","currentModeId":"z")")});
  add("A-CAP-5", {start[0], "< " + result(0, R"({"protocolVersion":1,"authMethods":[)"
                                             R"({"type":"terminal","id":"k","name":"K"}]})")});
  add("C-CAP-1", modest + Script{"> " + call(4, "session/list", "{}")});
  add("C-CAP-2", start + Script{"> " + call(4, "authenticate", R"({"methodId":"other"})")});
  add("C-CAP-3",
      opened + Script{"> " + call(4, "session/set_mode", R"({"sessionId":"s","modeId":"z"})")});
  add("C-CAP-4", opened + Script{"> " + call(4, "session/set_config_option",
                                             R"({"sessionId":"s","configId":"z","value":"x"})")});
  add("C-CAP-5", opened + Script{"> " + call(2, "session/prompt",
                                             R"({"sessionId":"s","prompt":[{"type":"image",)"
                                             R"("data":"","mimeType":"image/png"}]})")});
  add("C-CAP-6", start + Script{"> " + call(1, "session/new",
                                            R"({"cwd":"/w","mcpServers":[{"type":"http",)"
                                            R"("name":"m","url":"http://m","headers":[]}]})")});
  add("C-CAP-7",
      start +
          Script{"> " + call(1, "session/new",
                             R"({"cwd":"/w","mcpServers":[],"additionalDirectories":["/v"]})")});

  add("A-CANCEL-1", prompted + Script{stops, "< " + error(2, -32603)});
  add("A-CANCEL-2", prompted + Script{stops, ends_cancelled, chunk()});
  add("C-CANCEL-1",
      with_call + Script{asks, stops,
                         "> " + result(6, R"({"outcome":{"outcome":"selected","optionId":"y"}})")});

  add("A-TERM-1", prompted + Script{release});
  add("A-TERM-2", with_terminal + Script{release, "> " + result(9, "{}"),
                                         "< " + call(10, "terminal/output",
                                                     R"({"sessionId":"s","terminalId":"t"})")});
  add("A-TERM-3", with_terminal + Script{ends});
  add("A-TERM-4", with_call + Script{"< " + update(R"("tool_call_update","toolCallId":"c",)"
                                                   R"("content":[{"type":"terminal",)"
                                                   R"("terminalId":"u"}])")});
  add("C-TERM-1", with_terminal + Script{"< " + call(10, "terminal/create",
                                                     R"({"sessionId":"s","command":"ls"})"),
                                         "> " + result(10, R"({"terminalId":"t"})")});

  add("A-PERM-1", prompted + Script{"< " + call(6, "session/request_permission",
                                                R"({"sessionId":"s","toolCall":{"toolCallId":)"
                                                R"("c"},"options":[]})")});
  add("A-PERM-2",
      prompted + Script{"< " + call(6, "session/request_permission",
                                    R"({"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[)"
                                    R"({"optionId":"y","name":"Yes","kind":"allow_once"},)"
                                    R"({"optionId":"y","name":"No","kind":"reject_once"}]})")});
  add("C-PERM-1",
      with_call +
          Script{asks, "> " + result(6, R"({"outcome":{"outcome":"selected","optionId":"z"}})")});
  add("A-STOP-1", with_call + Script{ends});
  const auto questions = question_mutants();
  all.insert(all.end(), questions.begin(), questions.end());
  return all;
}

}  // namespace acp::check
