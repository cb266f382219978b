// Conversations of version 2, each of which breaks one rule.
#include "check/rules/version2/script.h"

namespace acp::check::version2 {
namespace {

// In a session of its own, so that it can be any.
std::string in(const std::string& session, const std::string& rest) {
  return "< " + note("session/update", R"({"sessionId":")" + session +
                                           R"(","update":{"sessionUpdate":)" + rest + "}}");
}

}  // namespace

std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  const auto add = [&](const std::string& id, const Script& script) {
    all.push_back({id, script});
  };
  const std::string tool = told(R"("tool_call_update","toolCallId":"c","title":"T")");
  const std::string done = told(R"("tool_call_update","toolCallId":"c","status":"completed")");
  const Script asked = at_work + Script{tool, asks("c")};
  const std::string yes = "> " + result(6, R"({"outcome":{"outcome":"selected","optionId":"y"}})");
  const std::string no = "> " + result(6, R"({"outcome":{"outcome":"selected","optionId":"n"}})");

  // ---- sessions
  add("A2-ORDER-1", opened + Script{in("other", R"("usage_update","used":1,"size":2)")});
  add("A2-ORDER-1", start + Script{"> " + call(1, "session/new", R"({"cwd":"/w"})"),
                                   in("other", R"("usage_update","used":1,"size":2)"),
                                   "< " + result(1, R"({"sessionId":"s"})")});
  add("A2-SESSION-9", opened + Script{"> " + call(2, "session/new", R"({"cwd":"/w"})"),
                                      "< " + result(2, R"({"sessionId":"s"})")});
  const std::string resume = "> " + call(4, "session/resume", R"({"sessionId":"s","cwd":"/w"})");
  const std::string replay =
      "> " +
      call(4, "session/resume", R"({"sessionId":"s","cwd":"/w","replayFrom":{"type":"start"}})");
  const std::string resumed = "< " + result(4, "{}");
  add("A2-RESUME-6", start + Script{resume, resumed});
  add("A2-RESUME-6", start + Script{replay, state("\"idle\""), said("m"), resumed});
  add("A2-RESUME-7", start + Script{resume, said("m"), state("\"idle\""), resumed});
  add("A2-RESUME-7", start + Script{resume, echo("u"), state("\"idle\""), resumed});
  add("A2-RESUME-10", start + Script{replay, state("\"idle\""), resumed, said("m")});
  const std::string close = "> " + call(5, "session/close", R"({"sessionId":"s"})");
  add("A2-CLOSE-3", at_work + Script{close, "< " + result(5, "{}")});
  add("A2-CLOSE-4",
      opened + Script{close, "< " + result(5, "{}"), told(R"("usage_update","used":1,"size":2)")});

  // ---- turns
  add("A2-TURN-2", opened + Script{prompt, echo("u"), state("\"running\""), ends, inserted});
  add("A2-TURN-4", at_work + Script{state("\"idle\"")});
  add("A2-TURN-5", opened + Script{prompt, inserted, echo("u"), said("m"), ends});
  add("A2-TURN-5", opened + Script{prompt, inserted, echo("u"), ends});
  add("A2-TURN-6", opened + Script{prompt, inserted, state("\"running\""), ends});
  add("A2-TURN-6", opened + Script{prompt, inserted, echo("other"), state("\"running\""), ends});
  add("A2-TURN-15", at_work + Script{ends, "> " + prompt_of(3), "< " + inserted_as(3, "u")});
  add("A2-STATE-1", at_work + Script{ends, said("m")});
  add("A2-STATE-1", at_work + Script{ends, tool});
  add("A2-STATE-1", at_work + Script{tool, done, ends, done});
  add("A2-STATE-1",
      at_work +
          Script{ends, told(R"("plan_update","plan":{"type":"items","planId":"p","entries":[]})")});
  add("A2-STATE-2", at_work + Script{state("\"requires_action\""), said("m"), ends});
  const std::string listed = R"(,"background":[{"type":"tool_call","toolCallId":"c"}])";
  add("A2-STATE-3", at_work + Script{state("\"running\"" + listed)});
  add("A2-STATE-4",
      at_work + Script{tool, state("\"running\"" + listed), state(R"("running","background":[])")});
  add("A2-STATE-5", at_work + Script{tool, state("\"running\"" + listed), state("\"running\"")});
  add("A2-STATE-6",
      at_work +
          Script{tool, state(R"("running","background":[{"type":"tool_call","toolCallId":"c"},)"
                             R"({"type":"tool_call","toolCallId":"c"}])")});
  add("A2-MESSAGE-1",
      at_work + Script{said("m"), ends, "> " + prompt_of(3), "< " + inserted_as(3, "v"), echo("v"),
                       state("\"running\""), said("m")});
  add("A2-STOP-1", at_work + Script{tool, ends});

  // ---- cancelling
  const std::string ask = "> " + call(8, "_x/ask", "{}"), answer = "< " + result(8, "{}");
  add("A2-CANCEL-1", at_work + Script{stops, ask, answer, ends});
  add("A2-CANCEL-2", at_work + Script{stops, ends_cancelled, said("m")});
  add("A2-CANCEL-3", at_work + Script{stops, ends_cancelled, asks("c")});
  add("A2-CANCEL-4", at_work + Script{ends_cancelled});

  // ---- tools
  add("A2-TOOL-1", at_work + Script{tool, done,
                                    told(R"("tool_call_update","toolCallId":"c",)"
                                         R"("status":"in_progress")")});
  add("A2-TOOL-2",
      at_work + Script{told(R"("tool_call_content_chunk","toolCallId":"c","content":)"
                            R"({"type":"content","content":{"type":"text","text":""}})"),
                       done, ends});
  add("A2-TOOL-4", at_work + Script{told(R"("tool_call_update","toolCallId":"c","status":"failed",)"
                                         R"("capabilities":{"cancel":{}})")});
  add("A2-TERM-1",
      at_work + Script{told(R"("terminal_output_chunk","terminalId":"t","data":"hello!")")});
  add("A2-TERM-4",
      at_work + Script{told(R"("tool_call_update","toolCallId":"c","status":"failed","content":)"
                            R"([{"type":"terminal","terminalId":"t"}])"),
                       ends});
  add("A2-TERM-5", at_work + Script{told(R"("terminal_update","terminalId":"t","exitStatus":{},)"
                                         R"("capabilities":{"cancel":{}})")});
  add("A2-PATH-1", at_work + Script{told(R"("tool_call_update","toolCallId":"c","locations":)"
                                         R"([{"path":"a"}])")});
  add("A2-PATH-2",
      opened + Script{"> " + call(3, "session/list", "{}"),
                      "< " + result(3, R"({"sessions":[{"sessionId":"s","cwd":"w"}]})")});
  add("A2-PATH-2", at_work + Script{told(R"("terminal_update","terminalId":"t","cwd":"w")")});
  const auto diff = [&](const std::string& patch) {
    return at_work + Script{told(R"("tool_call_update","toolCallId":"c","content":[{"type":"diff",)"
                                 R"("changes":[{"operation":"modify","path":"/w/a"}],"patch":)"
                                 R"({"format":"git_patch","text":")" +
                                 patch + R"("}}])")};
  };
  add("A2-DIFF-1", diff(R"(diff --git a/w/a b/w/a\n--- a/w/a\n+++ b/w/a\n@@ -1 +1 @@\n-x\n+y\n)"));
  add("A2-DIFF-1", diff(R"(--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-x\n+y\n)"));
  add("A2-DIFF-2", diff(R"(diff --git /w/b /w/b\n--- /w/b\n+++ /w/b\n@@ -1 +1 @@\n-x\n+y\n)"));

  // ---- permission
  const auto question = [&](const std::string& title, const std::string& options) {
    return "< " +
           call(6, "session/request_permission",
                R"({"sessionId":"s","title":")" + title + R"(","options":[)" + options + "]}");
  };
  const std::string allow = R"({"optionId":"y","name":"Yes","kind":"allow_once"})";
  const std::string reject = R"({"optionId":"n","name":"No","kind":"reject_once"})";
  add("A2-PERM-1", at_work + Script{question("T", allow + "," + reject + "," + reject)});
  add("A2-PERM-2", at_work + Script{question("T", allow)});
  add("A2-PERM-3", at_work + Script{question("", allow + "," + reject)});
  add("A2-PERM-4", asked + Script{told(R"("tool_call_update","toolCallId":"c",)"
                                       R"("status":"in_progress")")});
  add("A2-PERM-5", asked + Script{no, done});
  add("A2-PERM-6", opened + Script{question("T", allow + "," + reject)});
  // It is still open when the next turn ends, but is none of that turn's.
  add("A2-PERM-6", opened + Script{question("T", allow + "," + reject), prompt, inserted, echo("u"),
                                   state("\"running\""), ends});
  add("A2-PERM-7",
      asked + Script{told(R"("tool_call_update","toolCallId":"c","status":"failed")"), ends});
  add("C2-PERM-1",
      asked + Script{"> " + result(6, R"({"outcome":{"outcome":"selected","optionId":"z"}})")});
  add("A2-CAP-1",
      at_work + Script{"< " + call(7, "fs/read_text_file", R"({"sessionId":"s","path":"/w/a"})")});
  add("A2-CAP-2", at_work + Script{"< " + call(7, "elicitation/create",
                                               R"({"sessionId":"s","mode":"url","message":"?",)"
                                               R"("elicitationId":"e","url":"https://x"})")});
  add("A2-CAP-3",
      {start[0], "< " + result(0, R"({"protocolVersion":2,"info":{"name":"a","version":"1"},)"
                                  R"("capabilities":{},"authMethods":[{"type":"terminal",)"
                                  R"("methodId":"t","name":"T"}]})")});

  // ---- the client
  add("C2-ORDER-1", opened + Script{start[0], "< " + error(0, -32600)});
  add("C2-ORDER-2", start + Script{prompt});
  add("C2-PATH-1", start + Script{"> " + call(1, "session/new", R"({"cwd":"w"})")});
  const auto servers = [&](const std::string& list) {
    return start +
           Script{"> " + call(1, "session/new", R"({"cwd":"/w","mcpServers":[)" + list + "]}")};
  };
  const std::string cat = R"({"type":"stdio","name":"a","command":"/bin/cat"})";
  add("C2-PATH-2", servers(R"({"type":"stdio","name":"a","command":"cat"})"));
  add("C2-CAP-6", servers(R"({"type":"http","name":"a","url":"http://x"})"));
  add("C2-MCP-1", servers(cat + "," + cat));
  add("C2-CAP-1",
      opened + Script{"> " + call(3, "session/set_mode", R"({"sessionId":"s","modeId":"m"})")});
  add("C2-CAP-2", opened + Script{"> " + call(3, "session/delete", R"({"sessionId":"s"})")});
  add("C2-CAP-3", start + Script{"> " + call(3, "auth/login", R"({"methodId":"none"})")});
  add("C2-CAP-4", opened + Script{"> " + call(3, "session/set_config_option",
                                              R"({"sessionId":"s","configId":"none","type":"id",)"
                                              R"("value":"x"})")});
  add("C2-CAP-5",
      opened + Script{"> " + call(2, "session/prompt",
                                  R"({"sessionId":"s","prompt":[{"type":"image","data":"",)"
                                  R"("mimeType":"image/png"}]})")});
  add("C2-CAP-7", start + Script{"> " + call(1, "session/new",
                                             R"({"cwd":"/w","additionalDirectories":["/v"]})")});
  add("C2-CAP-8", at_work + Script{tool, "> " + call(3, "tool_call/cancel",
                                                     R"({"sessionId":"s","toolCallId":"c"})")});
  return all;
}

}  // namespace acp::check::version2
