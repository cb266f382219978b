// Tool calls and terminals of version 2 that can be cancelled.
#include <algorithm>

#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

Json of(const std::string& session, std::string_view key, const std::string& id) {
  return Json::object({{"sessionId", session}, {key, id}});
}

// The latest of one kind that says it can be cancelled, and has not ended.
std::optional<std::string> cancellable(const AgentClient& client, const Turn& turn, bool call) {
  const std::string_view kind = call ? "tool_call_update" : "terminal_update";
  const std::string_view key = call ? "toolCallId" : "terminalId";
  std::optional<std::string> found;
  for (std::size_t i = turn.first_update(); i < client.updates.size(); ++i) {
    const JsonView update = client.updates[i].update;
    if (client.updates[i].kind != kind || update["capabilities"].absent()) continue;
    const auto id = update[key].as_string();
    if (update["capabilities"]["cancel"].is_object())
      found = id;
    else if (found == id)
      found.reset();
  }
  return found;
}

bool has_ended(const AgentClient& client, const Turn& turn, const std::string& id, bool call) {
  return std::any_of(
      client.updates.begin() + static_cast<std::ptrdiff_t>(turn.first_update()),
      client.updates.end(), [&](const Update& update) {
        if (!call)
          return update.update["terminalId"].as_string() == id &&
                 update.update["exitStatus"].is_object();
        const auto status = update.update["status"].as_string();
        return update.update["toolCallId"].as_string() == id &&
               (status == "completed" || status == "failed" || status == "cancelled");
      });
}

void check_cancel_one(AgentClient& client, const std::string& session, bool call) {
  AgentRun& run = client.run();
  const std::string_view number = call ? "A2-TOOL-6" : "A2-TERM-3";
  const std::string_view method = call ? "tool_call/cancel" : "terminal/cancel";
  const std::string_view key = call ? "toolCallId" : "terminalId";
  Turn turn(client, session, run.prompt("sleep"));
  client.until([&] { return cancellable(client, turn, call) || turn.over() || client.gone(); },
               std::min(run.options.timeout, std::chrono::milliseconds(5000)));
  const auto id = cancellable(client, turn, call);
  if (id && !turn.over()) {
    const Reply reply = client.call(method, of(session, key, *id));
    const bool ended = reply.ok() && client.until([&] {
      return has_ended(client, turn, *id, call) || client.gone();
    }) && has_ended(client, turn, *id, call);
    run.report.expect(number, ended,
                      std::string(method) + " was answered with " + reply.describe() +
                          (reply.ok() ? ", and its end was not reported" : ""));
  } else {
    run.report.skip(number, std::string("no ") + (call ? "tool call" : "terminal") +
                                " said that it can be cancelled");
  }
  if (turn.over()) return;
  client.cancel(session);
  turn.wait();
}

}  // namespace

void check_work(AgentRun& run) {
  AgentClient& client = run.client();
  const auto session =
      open_session(client, {"A2-TOOL-5", "A2-TOOL-6", "A2-TOOL-7", "A2-TERM-2", "A2-TERM-3"});
  if (!session) return;
  const auto refused = [&](std::string_view id, std::string_view method, std::string_view key,
                           const std::string& what) {
    const Reply reply = client.call(method, of(*session, key, what));
    run.report.expect(
        id, reply.code() == -32602,
        std::string(method) + " for \"" + what + "\" was answered with " + reply.describe());
  };
  refused("A2-TOOL-5", "tool_call/cancel", "toolCallId", "acp-check-no-such-call");
  refused("A2-TERM-2", "terminal/cancel", "terminalId", "acp-check-no-such-terminal");
  for (const bool call : {true, false}) check_cancel_one(client, *session, call);
  // One that is over.
  Turn turn(client, *session, run.prompt("read"));
  turn.wait();
  std::string done;
  for (std::size_t i = turn.first_update(); i < client.updates.size(); ++i) {
    const auto id = client.updates[i].update["toolCallId"].as_string();
    if (id && has_ended(client, turn, *id, true)) done = *id;
  }
  if (done.empty()) return run.report.skip("A2-TOOL-7", "the agent made no tool calls");
  refused("A2-TOOL-7", "tool_call/cancel", "toolCallId", done);
}

}  // namespace acp::check::version2
