// Sessions of version 2: opening, resuming, closing. Listing and deleting are those of version 1.
#include <algorithm>

#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

constexpr std::string_view nobody = "acp-check-no-such-session";

Json reopen(AgentRun& run, std::string_view session) {
  return Json::object({{"sessionId", session}, {"cwd", run.folder}});
}

Json from_start() { return Json::object({{"type", "start"}}); }

void check_new(AgentClient& client, const std::string& first) {
  AgentRun& run = client.run();
  run.report.expect("A2-SESSION-1", !first.empty(), "the session's id is empty");
  const Reply relative = client.new_session_in("relative/folder");
  run.report.expect("A2-SESSION-2", relative.refused(),
                    "session/new in \"relative/folder\" was answered with " + relative.describe());
  const Reply nowhere = client.call("session/new", Json::object());
  run.report.expect("A2-SESSION-3", nowhere.code() == -32602,
                    "session/new without cwd was answered with " + nowhere.describe());
  Turn lost(client, std::string(nobody), run.prompt("hello"));
  lost.wait();
  const Reply refusal = lost.answer();
  run.report.expect("A2-SESSION-4", refusal.refused(),
                    "a prompt for an unknown session was answered with " + refusal.describe());
  if (refusal.refused())
    run.report.expect(
        "A2-SESSION-5",
        refusal.code() == -32002 && refusal["data"]["sessionId"].as_string() == nobody,
        "a prompt for an unknown session was answered with " + refusal.describe());
  else
    run.report.skip("A2-SESSION-5", "the prompt was not refused");
  if (const auto second = client.new_session()) {
    Turn one(client, first, run.prompt("hello")), two(client, *second, run.prompt("hello"));
    const bool both = two.wait() && one.wait();
    run.report.expect("A2-SESSION-6", both, one.describe() + "; " + two.describe());
  } else {
    run.report.fail("A2-SESSION-6", "a second session could not be opened");
  }
  if (!client.advertises("additionalDirectories"))
    return run.report.skip("A2-SESSION-7", "additional directories are not advertised");
  const Reply more =
      client.call("session/new",
                  Json::object({{"cwd", run.folder},
                                {"additionalDirectories", Json::array({run.folder + "/other"})}}));
  run.report.expect("A2-SESSION-7", more.ok(),
                    "session/new with additionalDirectories was answered with " + more.describe());
}

// The text of a message with all its pieces, of any id.
std::string text_since(const AgentClient& client, const std::string& session, std::string_view who,
                       std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < client.updates.size(); ++i) {
    const Update& update = client.updates[i];
    if (update.session != session || !update.kind.starts_with(who)) continue;
    const JsonView content = update.update["content"];
    if (content.is_object()) text += content["text"].as_string().value_or("");
    for (const JsonView block : content.elements()) text += block["text"].as_string().value_or("");
  }
  return text;
}

void check_replay(AgentClient& client, const std::string& session, const std::string& said,
                  const std::string& message) {
  AgentRun& run = client.run();
  for (const auto& [id, cursor] :
       {std::pair<std::string_view, Json>{"A2-RESUME-8", Json::object({{"type", "_acp.check/x"}})},
        {"A2-RESUME-9", Json::object()},
        {"A2-RESUME-9", Json("start")}}) {
    const Reply odd = client.call("session/resume", reopen(run, session).set("replayFrom", cursor));
    run.report.expect(
        id, odd.code() == -32602,
        "session/resume from " + cursor.text() + " was answered with " + odd.describe());
  }
  const std::size_t from = client.updates.size();
  const Reply replayed =
      client.call("session/resume", reopen(run, session).set("replayFrom", from_start()));
  if (replayed.code() == -32602)
    return skip_all(run, {"A2-RESUME-3", "A2-RESUME-4", "A2-RESUME-5"},
                    "the agent keeps no conversations: " + replayed.describe());
  run.report.expect("A2-RESUME-1", replayed.ok(),
                    "session/resume with a replay was answered with " + replayed.describe());
  if (!replayed.ok())
    return skip_all(run, {"A2-RESUME-3", "A2-RESUME-4", "A2-RESUME-5"},
                    "the session could not be resumed");
  run.seen.things.insert("replayed");
  const std::string asked = text_since(client, session, "user_message", from);
  run.report.expect(
      "A2-RESUME-3", asked.find(run.prompt("hello")) != std::string::npos,
      "the user had said \"" + run.prompt("hello") + "\"; replayed was \"" + asked + "\"");
  if (said.empty()) {
    run.report.skip("A2-RESUME-4", "the agent had said nothing");
  } else {
    const std::string answer = text_since(client, session, "agent_message", from);
    run.report.expect("A2-RESUME-4", answer.find(said) != std::string::npos,
                      "the agent had said \"" + said + "\"; replayed was \"" + answer + "\"");
  }
  if (asked.empty()) return run.report.skip("A2-RESUME-5", "no message of the user was replayed");
  bool kept = false;
  for (std::size_t i = from; i < client.updates.size(); ++i)
    kept = kept || (client.updates[i].kind.starts_with("user_message") &&
                    client.updates[i].update["messageId"].as_string() == message);
  run.report.expect("A2-RESUME-5", kept,
                    "no message that was replayed has the id \"" + message +
                        "\", with which the prompt was answered");
}

void check_resume(AgentClient& client, const std::string& session, const std::string& said,
                  const std::string& message) {
  AgentRun& run = client.run();
  const Reply unknown = client.call("session/resume", reopen(run, nobody));
  run.report.expect("A2-RESUME-2", unknown.refused(),
                    "resuming an unknown session was answered with " + unknown.describe());
  const Reply reply = client.call("session/resume", reopen(run, session));
  if (reply.ok()) {
    run.seen.things.insert("session/resume");
    Turn turn(client, session, run.prompt("hello"));
    turn.wait();
    run.report.expect("A2-RESUME-1", turn.well(), "after resuming, " + turn.describe());
  } else {
    run.report.fail("A2-RESUME-1", "session/resume was answered with " + reply.describe());
  }
  check_replay(client, session, said, message);
}

Json just(const std::string& session) { return Json::object({{"sessionId", session}}); }

void check_close(AgentClient& client) {
  AgentRun& run = client.run();
  const auto idle = client.new_session(), busy = client.new_session(), full = client.new_session();
  const auto all = {"A2-CLOSE-1", "A2-CLOSE-2", "A2-CLOSE-3", "A2-CLOSE-5", "A2-CLOSE-6"};
  if (!idle || !busy || !full) {
    for (const char* const id : all) run.report.skip(id, "no session could be opened");
    return;
  }
  const Reply closed = client.call("session/close", just(*idle));
  run.report.expect("A2-CLOSE-1", closed.ok(),
                    "session/close was answered with " + closed.describe());
  if (!closed.ok()) {
    for (const char* const id : all) run.report.skip(id, "sessions cannot be closed");
    return;
  }
  Turn after(client, *idle, run.prompt("hello"));
  after.wait();
  run.report.expect("A2-CLOSE-2", after.answer().refused(),
                    "a prompt for a closed session: " + after.describe());
  for (const std::string& gone : {*idle, std::string(nobody)}) {
    const Reply again = client.call("session/close", just(gone));
    run.report.expect("A2-CLOSE-5", again.ok(),
                      "closing " + std::string(gone == nobody ? "an unknown" : "a closed") +
                          " session was answered with " + again.describe());
  }

  Turn turn(client, *busy, run.prompt("slow"));
  wait_reported(client, turn);
  if (turn.over()) {
    run.report.skip("A2-CLOSE-3", "the turn was over before its session could be closed");
  } else {
    const std::size_t from = client.updates.size();
    const Reply ended = client.call("session/close", just(*busy));
    std::string stop;
    for (std::size_t i = from; i < client.updates.size(); ++i)
      if (client.updates[i].session == *busy && client.updates[i].frame < ended.frame &&
          client.updates[i].update["state"].as_string() == "idle")
        stop = client.updates[i].update["stopReason"].as_string().value_or("none");
    run.report.expect("A2-CLOSE-3", ended.ok() && stop == "cancelled",
                      stop.empty() ? "no state idle stands before " + ended.describe()
                                   : "the stop reason is " + stop);
  }
  if (auto held = hold_prompt(client, *full, "A2-CLOSE-6")) {
    client.call("session/close", just(*full));
    held->second.wait();
    run.report.expect("A2-CLOSE-6", held->second.answer().code() == -32800,
                      "of the second turn, " + held->second.describe());
  }
}

}  // namespace

std::optional<Held> hold_prompt(AgentClient& client, const std::string& session,
                                std::string_view id) {
  AgentRun& run = client.run();
  Held held{Turn(client, session, run.prompt("slow")), Turn(client, session, run.prompt("hello"))};
  wait_reported(client, held.first);
  client.still_there();  // it has read the second
  if (!held.first.over() && !held.second.answered()) return held;
  run.report.skip(id, held.first.over() ? "the turn was over before anything could wait for it"
                                        : "the agent lets no prompt wait");
  client.cancel(session);
  held.first.wait();
  held.second.wait();
  return std::nullopt;
}

void wait_reported(AgentClient& client, Turn& turn) {
  client.until([&] { return turn.reported() || turn.over() || client.gone(); },
               std::min(client.run().options.timeout, std::chrono::milliseconds(5000)));
}

void check_sessions(AgentRun& run) {
  AgentClient& client = run.client();
  const auto ids = {"A2-SESSION-2", "A2-SESSION-3", "A2-SESSION-4", "A2-SESSION-5", "A2-SESSION-6",
                    "A2-SESSION-7", "A2-RESUME-1",  "A2-RESUME-2",  "A2-RESUME-3",  "A2-RESUME-4",
                    "A2-RESUME-5",  "A2-RESUME-8",  "A2-RESUME-9",  "A2-LIST-1",    "A2-LIST-2",
                    "A2-LIST-3",    "A2-LIST-4",    "A2-LIST-5",    "A2-CLOSE-1",   "A2-CLOSE-2",
                    "A2-CLOSE-3",   "A2-CLOSE-5",   "A2-CLOSE-6",   "A2-DELETE-1",  "A2-DELETE-2",
                    "A2-DELETE-3"};
  const auto skip_rest = [&](const std::string& why) {
    for (const char* id : ids) run.report.skip(id, why);
  };
  if (!client.open()) {
    skip_rest("the connection could not be opened");
    return run.report.skip("A2-SESSION-1", "the connection could not be opened");
  }
  if (!client.agent_capabilities().view()["session"].is_object()) {
    skip_rest("the agent does not advertise sessions");
    return run.report.skip("A2-SESSION-1", "the agent does not advertise sessions");
  }
  const Reply opened = client.call("session/new", Json::object({{"cwd", run.folder}}));
  const auto first = opened["sessionId"].as_string();
  if (!opened.ok() || !first) {
    if (opened.code() == -32000)
      run.report.skip("A2-SESSION-1", "the agent wants authentication: name a method with --auth");
    else
      run.report.fail("A2-SESSION-1", "session/new was answered with " + opened.describe());
    return skip_rest("no session could be opened");
  }
  Turn turn(client, *first, run.prompt("hello"));
  turn.wait();
  const std::string said = client.said(*first, "agent_message_chunk");
  if (turn.well())
    check_resume(client, *first, said, turn.message_id());
  else
    skip_all(run,
             {"A2-RESUME-1", "A2-RESUME-2", "A2-RESUME-3", "A2-RESUME-4", "A2-RESUME-5",
              "A2-RESUME-8", "A2-RESUME-9"},
             "no turn to replay");
  check_new(client, *first);
  check_list(client, *first);
  check_close(client);
  check_delete(client);
}

}  // namespace acp::check::version2
