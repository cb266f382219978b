// Sessions: opening, loading, resuming, listing, closing, deleting.
#include <algorithm>
#include <set>

#include "acp/rpc/error.h"
#include "check/agent/scenarios.h"

namespace acp::check {

namespace {

constexpr std::string_view nobody = "acp-check-no-such-session";

Json reopen(AgentRun& run, std::string_view session) {
  return Json::object({{"sessionId", session}, {"cwd", run.folder}, {"mcpServers", Json::array()}});
}

void check_new(AgentClient& client, const std::string& first) {
  AgentRun& run = client.run();
  run.report.expect("A-SESSION-1", !first.empty(), "the session's id is empty");
  const Reply relative = client.new_session_in("relative/folder");
  run.report.expect("A-SESSION-2", relative.refused(),
                    "session/new in \"relative/folder\" was answered with " + relative.describe());
  const Reply nowhere = client.call("session/new", Json::object({{"mcpServers", Json::array()}}));
  run.report.expect("A-SESSION-3", nowhere.code() == -32602,
                    "session/new without cwd was answered with " + nowhere.describe());
  const Reply lost = client.prompt(std::string(nobody), run.prompt("hello"));
  run.report.expect("A-SESSION-4", lost.refused(),
                    "a prompt for an unknown session was answered with " + lost.describe());
  if (const auto second = client.new_session()) {
    const Json one = client.ask_prompt(first, run.prompt("hello"));
    const Json two = client.ask_prompt(*second, run.prompt("hello"));
    const Reply answer_two = client.wait(two), answer_one = client.wait(one);
    run.report.expect("A-SESSION-5", answer_one.answered() && answer_two.answered(),
                      "the prompts were answered with " + answer_one.describe() + " and " +
                          answer_two.describe());
  } else {
    run.report.fail("A-SESSION-5", "a second session could not be opened");
  }
  if (!client.advertises("additionalDirectories")) {
    run.report.skip("A-SESSION-6", "additional directories are not advertised");
  } else {
    const Reply more =
        client.call("session/new",
                    Json::object({{"cwd", run.folder},
                                  {"additionalDirectories", Json::array({run.folder + "/other"})},
                                  {"mcpServers", Json::array()}}));
    run.report.expect(
        "A-SESSION-6", more.ok(),
        "session/new with additionalDirectories was answered with " + more.describe());
  }
}

// `said` by the agent, in the turns of the session.
void check_load(AgentClient& client, const std::string& session, const std::string& said) {
  AgentRun& run = client.run();
  if (client.agent_capabilities().view()["loadSession"].as_bool() != true)
    return skip_all(run, {"A-LOAD-1", "A-LOAD-2", "A-LOAD-3", "A-LOAD-4"},
                    "session/load is not advertised");
  const Reply unknown = client.call("session/load", reopen(run, nobody));
  run.report.expect("A-LOAD-4", unknown.refused(),
                    "loading an unknown session was answered with " + unknown.describe());
  const std::size_t from = client.updates.size();
  const Reply loaded = client.call("session/load", reopen(run, session));
  run.report.expect("A-LOAD-1", loaded.ok(), "session/load was answered with " + loaded.describe());
  if (!loaded.ok())
    return skip_all(run, {"A-LOAD-2", "A-LOAD-3"}, "the session could not be loaded");
  run.seen.things.insert("session/load");
  const std::string asked = client.said(session, "user_message_chunk", from);
  run.report.expect(
      "A-LOAD-2", asked.find(run.prompt("hello")) != std::string::npos,
      "the user had said \"" + run.prompt("hello") + "\"; replayed was \"" + asked + "\"");
  if (said.empty()) return run.report.skip("A-LOAD-3", "the agent had said nothing");
  const std::string replayed = client.said(session, "agent_message_chunk", from);
  run.report.expect("A-LOAD-3", replayed.find(said) != std::string::npos,
                    "the agent had said \"" + said + "\"; replayed was \"" + replayed + "\"");
}

void check_resume(AgentClient& client, const std::string& session) {
  AgentRun& run = client.run();
  if (!client.advertises("resume"))
    return skip_all(run, {"A-RESUME-1", "A-RESUME-2"}, "session/resume is not advertised");
  const Reply unknown = client.call("session/resume", reopen(run, nobody));
  run.report.expect("A-RESUME-2", unknown.refused(),
                    "resuming an unknown session was answered with " + unknown.describe());
  Reply reply = client.call("session/resume", reopen(run, session));
  if (reply.ok()) {
    run.seen.things.insert("session/resume");
    reply = client.prompt(session, run.prompt("hello"));
  }
  run.report.expect("A-RESUME-1", reply.ok(),
                    "resuming, or the prompt after it, was answered with " + reply.describe());
}

struct Listed {
  std::vector<Json> sessions;
  std::string fault;  // of the cursors
  bool paged = false;
};

std::optional<Listed> list(AgentClient& client, const Json& cwd) {
  Listed all;
  Json cursor;
  std::set<std::string> ids;
  for (int page = 0; page < 200; ++page) {
    const Reply reply =
        client.call("session/list", Json::object({{"cwd", cwd}, {"cursor", cursor}}));
    if (!reply.ok() || !reply["sessions"].is_array()) {
      client.run().report.fail(client.run().number("LIST-1"),
                               "session/list was answered with " + reply.describe());
      return std::nullopt;
    }
    for (const JsonView session : reply["sessions"].elements()) {
      all.sessions.emplace_back(session);
      if (!ids.insert(std::string(session["sessionId"].text())).second)
        all.fault = "listed twice: " + std::string(session["sessionId"].text());
    }
    const JsonView next = reply["nextCursor"];
    if (!next.is_string() || !all.fault.empty()) return all;
    all.paged = true;
    cursor = Json(next);
  }
  all.fault = "200 pages, and still a cursor";
  return all;
}

bool holds(const Listed& listed, const std::string& session) {
  return std::ranges::any_of(
      listed.sessions, [&](const Json& each) { return each["sessionId"].as_string() == session; });
}

}  // namespace

void check_list(AgentClient& client, const std::string& session) {
  AgentRun& run = client.run();
  const auto skip = [&](std::initializer_list<std::string_view> ids, const char* why) {
    for (const std::string_view id : ids) run.report.skip(run.number(id), why);
  };
  if (!client.advertises("list"))
    return skip({"LIST-1", "LIST-2", "LIST-3", "LIST-4", "LIST-5"},
                "session/list is not advertised");
  const std::string other = run.folder + "/other";
  const Reply elsewhere = client.new_session_in(other);
  if (const auto id = elsewhere["sessionId"].as_string(); elsewhere.ok() && id)
    client.prompt(*id, run.prompt("hello"));
  const auto all = list(client, Json());
  if (!all) return skip({"LIST-2", "LIST-3", "LIST-4", "LIST-5"}, "session/list does not work");
  run.report.pass(run.number("LIST-1"));
  run.report.expect(run.number("LIST-2"), holds(*all, session), "not listed: " + session);
  if (!all->paged)
    run.report.skip(run.number("LIST-4"), "the agent gave out no cursor");
  else
    run.report.expect(run.number("LIST-4"), all->fault.empty(), all->fault);
  if (const auto here = list(client, run.folder)) {
    std::string stranger;
    for (const Json& each : here->sessions)
      if (each["cwd"].as_string() != run.folder) stranger = each.text();
    run.report.expect(run.number("LIST-3"), stranger.empty(),
                      "asked for those in " + run.folder + ", got " + stranger);
  }
  const Reply wrong =
      client.call("session/list", Json::object({{"cursor", "acp-check-no-such-cursor"}}));
  run.report.expect(run.number("LIST-5"), wrong.refused(),
                    "an unknown cursor was answered with " + wrong.describe());
}

namespace {

void check_close(AgentClient& client) {
  AgentRun& run = client.run();
  if (!client.advertises("close"))
    return skip_all(run, {"A-CLOSE-1", "A-CLOSE-2", "A-CLOSE-3"},
                    "session/close is not advertised");
  const auto idle = client.new_session(), busy = client.new_session();
  if (!idle || !busy)
    return skip_all(run, {"A-CLOSE-1", "A-CLOSE-2", "A-CLOSE-3"}, "no session could be opened");
  const Reply closed = client.call("session/close", Json::object({{"sessionId", *idle}}));
  run.report.expect("A-CLOSE-1", closed.ok(),
                    "session/close was answered with " + closed.describe());
  if (!closed.ok()) return skip_all(run, {"A-CLOSE-2", "A-CLOSE-3"}, "sessions cannot be closed");
  const Reply after = client.prompt(*idle, run.prompt("hello"));
  run.report.expect("A-CLOSE-2", after.refused(),
                    "a prompt for a closed session was answered with " + after.describe());

  const std::size_t from = client.updates.size();
  const Json turn = client.ask_prompt(*busy, run.prompt("slow"));
  client.until(
      [&] {
        return std::any_of(client.updates.begin() + static_cast<std::ptrdiff_t>(from),
                           client.updates.end(), [&](const Update& update) {
                             return update.session == *busy &&
                                    update.kind != "available_commands_update";
                           });
      },
      std::min(run.options.timeout, std::chrono::milliseconds(5000)));
  const Json close = client.ask("session/close", Json::object({{"sessionId", *busy}}));
  const Reply ended = client.wait(turn);
  client.wait(close);
  run.report.expect("A-CLOSE-3", ended.answered(),
                    "the prompt of a session that was closed got " + ended.describe());
}

}  // namespace

void check_delete(AgentClient& client) {
  AgentRun& run = client.run();
  const auto skip = [&](std::initializer_list<std::string_view> ids, const char* why) {
    for (const std::string_view id : ids) run.report.skip(run.number(id), why);
  };
  if (!client.advertises("delete"))
    return skip({"DELETE-1", "DELETE-2", "DELETE-3"}, "session/delete is not advertised");
  const Reply unknown = client.call("session/delete", Json::object({{"sessionId", nobody}}));
  if (run.options.over_network && unknown.code() == rpc::not_found)
    skip({"DELETE-3"}, "the server passes on only ids of its client's sessions");
  else
    run.report.expect(run.number("DELETE-3"), unknown.ok(),
                      "deleting an unknown session was answered with " + unknown.describe());
  const auto session = client.new_session();
  if (!session) return skip({"DELETE-1", "DELETE-2"}, "no session could be opened");
  client.prompt(*session, run.prompt("hello"));
  // What is open need not be deletable.
  if (client.advertises("close"))
    client.call("session/close", Json::object({{"sessionId", *session}}));
  const Reply gone = client.call("session/delete", Json::object({{"sessionId", *session}}));
  run.report.expect(run.number("DELETE-1"), gone.ok(),
                    "session/delete was answered with " + gone.describe());
  if (!gone.ok() || !client.advertises("list"))
    return run.report.skip(run.number("DELETE-2"),
                           "session/list is not advertised, or nothing was deleted");
  if (const auto all = list(client, Json()))
    run.report.expect(run.number("DELETE-2"), !holds(*all, *session), "still listed: " + *session);
}

void check_sessions(AgentRun& run) {
  AgentClient& client = run.client();
  const auto ids = {"A-SESSION-2", "A-SESSION-3", "A-SESSION-4", "A-SESSION-5", "A-SESSION-6",
                    "A-LOAD-1",    "A-LOAD-2",    "A-LOAD-3",    "A-LOAD-4",    "A-RESUME-1",
                    "A-RESUME-2",  "A-LIST-1",    "A-LIST-2",    "A-LIST-3",    "A-LIST-4",
                    "A-LIST-5",    "A-CLOSE-1",   "A-CLOSE-2",   "A-CLOSE-3",   "A-DELETE-1",
                    "A-DELETE-2",  "A-DELETE-3"};
  if (!client.open()) {
    for (const char* id : ids) run.report.skip(id, "the connection could not be opened");
    return run.report.skip("A-SESSION-1", "the connection could not be opened");
  }
  const Reply opened = client.new_session_in(run.folder);
  const auto first = opened["sessionId"].as_string();
  if (!opened.ok() || !first) {
    if (opened.code() == -32000)
      run.report.skip("A-SESSION-1", "the agent wants authentication: name a method with --auth");
    else
      run.report.fail("A-SESSION-1", "session/new was answered with " + opened.describe());
    for (const char* id : ids) run.report.skip(id, "no session could be opened");
    return;
  }
  const Reply turn = client.prompt(*first, run.prompt("hello"));
  const std::string said = client.said(*first, "agent_message_chunk");
  if (turn.ok())
    check_load(client, *first, said);
  else
    skip_all(run, {"A-LOAD-1", "A-LOAD-2", "A-LOAD-3", "A-LOAD-4"}, "no turn to replay");
  check_resume(client, *first);
  check_new(client, *first);
  check_list(client, *first);
  check_close(client);
  check_delete(client);
}

}  // namespace acp::check
