// Agents that ask, and do not heed the answer.
#include "check/rules/script.h"

namespace acp::check {
namespace {

std::string asks_about(const std::string& tool_call, int id = 6) {
  return "< " + call(id, "session/request_permission",
                     R"({"sessionId":"s","toolCall":{"toolCallId":"c")" + tool_call +
                         R"(},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},)"
                         R"({"optionId":"n","name":"No","kind":"reject_once"}]})");
}
std::string selects(const std::string& option) {
  return "> " + result(6, R"({"outcome":{"outcome":"selected","optionId":")" + option + R"("}})");
}
std::string status(const std::string& name, const std::string& rest = "") {
  return "< " + update(R"("tool_call_update","toolCallId":"c","status":")" + name + "\"" + rest);
}
std::string runs_line(const std::string& command, const std::string& rest = "") {
  return "< " + call(7, "terminal/create",
                     R"({"sessionId":"s","command":")" + command + "\"" + rest + "}");
}

}  // namespace

std::vector<Mutant> question_mutants() {
  std::vector<Mutant> all;
  const auto add = [&](const std::string& id, const Script& script) {
    all.push_back({id, script});
  };
  const std::string change = R"(,"content":[{"type":"diff","path":"/w/a","newText":""}])";
  const std::string command = R"(,"kind":"execute","rawInput":{"command":"npm test"})";
  const std::string writes =
      "< " + call(7, "fs/write_text_file", R"({"sessionId":"s","path":"/w/./a","content":""})");
  const std::string undecided = "> " + result(6, R"({"outcome":{"outcome":"cancelled"}})");
  const std::string in_shell = runs_line("/bin/sh", R"(,"args":["-c","npm  'test'"])");
  const std::string failed = status("failed");

  add("A-PERM-3", with_call + Script{asks_about(change), writes});
  add("A-PERM-3", with_call + Script{asks_about(command), in_shell});
  add("A-PERM-4", with_call + Script{asks_about(change), status("in_progress")});
  add("A-PERM-5", with_call + Script{asks_about(change), selects("n"), status("completed")});
  add("A-PERM-5", with_call + Script{asks_about(change), undecided, status("completed")});
  add("A-PERM-6", with_call + Script{"< " + call(6, "session/request_permission",
                                                 R"({"sessionId":"s","toolCall":{"toolCallId":)"
                                                 R"("c"},"options":[{"optionId":"y","name":"Yes",)"
                                                 R"("kind":"allow_once"},{"optionId":"z","name":)"
                                                 R"("All","kind":"allow_always"}]})")});
  add("A-PERM-7", with_call + Script{status("completed"), asks_about(change)});
  add("A-PERM-8", with_call + Script{asks_about(change), failed, ends});
  add("A-PERM-9",
      with_call +
          Script{asks_about(command), selects("y"), runs_line("rm"),
                 "> " + result(7, R"({"terminalId":"t"})"),
                 status("in_progress", R"(,"content":[{"type":"terminal","terminalId":"t"}])")});
  add("A-PERM-10", prompted + Script{"< " + update(R"("tool_call","toolCallId":"c","title":"T",)"
                                                   R"("kind":"read")" +
                                                   change)});
  // What the call said before counts for the question.
  const Script announced = prompted + Script{"< " + update(R"("tool_call","toolCallId":"c",)"
                                                           R"("title":"T")" +
                                                           change)};
  add("A-PERM-11", announced + Script{asks_about(""), selects("n"), writes});
  add("A-PERM-11", with_call + Script{asks_about(R"(,"rawInput":{"file_path":"/w/a"})"),
                                      selects("n"), failed, ends, writes});
  add("A-PERM-12", announced + Script{asks_about(""), undecided, writes});
  add("A-PERM-14", announced + Script{asks_about(""), "> " + error(6, -32603), writes});
  add("A-PERM-16", with_call + Script{asks_about(command), selects("n"), in_shell});
  add("A-PERM-16", with_call + Script{asks_about(R"(,"rawInput":{"command":["npm","test"]})"),
                                      selects("n"), in_shell});
  add("A-PERM-16", with_call + Script{asks_about(R"(,"title":"`npm test`")"), selects("n"),
                                      runs_line("npm", R"(,"args":["test"])")});
  add("A-PERM-17", with_call + Script{asks_about(command), undecided, in_shell});
  add("A-PERM-18", with_call + Script{asks_about(command), "> " + error(6, -32603), in_shell});
  add("A-ORDER-11", opened + Script{asks});
  add("A-ORDER-11", prompted + Script{ends, writes});
  add("A-ORDER-11", prompted + Script{ends, runs_line("ls")});
  add("A-CANCEL-3", prompted + Script{stops, ends_cancelled, runs_line("ls")});
  add("A-CANCEL-3", with_call + Script{stops, failed, ends_cancelled, asks});
  add("A-CANCEL-4", prompted + Script{ends_cancelled});
  return all;
}

}  // namespace acp::check
