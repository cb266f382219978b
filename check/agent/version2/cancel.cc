// Cancellation of version 2, at each phase of a turn.
#include <algorithm>
#include <filesystem>

#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

// Cancels the turn, which cannot have been over by itself, and waits for its end.
bool expect_cancelled(AgentClient& client, const std::string& session, Turn& turn,
                      std::string_view id) {
  AgentRun& run = client.run();
  client.cancel(session);
  turn.wait();
  const bool taken_back = turn.answer().code() == -32800;
  run.report.expect(id, turn.over() && (turn.answer().ok() || taken_back), turn.describe());
  if (!turn.over()) return false;
  if (turn.answer().ok()) run.seen.things.insert("cancelled");
  if (turn.answer().ok() && turn.stop_reason() != "cancelled")
    run.report.fail("A2-CANCEL-1", "cancelled by the client, " + turn.describe());
  return true;
}

void expect_next_turn(AgentClient& client, const std::string& session, std::string_view id) {
  AgentRun& run = client.run();
  Turn turn(client, session, run.prompt("hello"));
  turn.wait();
  run.report.expect(id, turn.well() && turn.stop_reason() != "cancelled",
                    "of the next prompt, " + turn.describe());
}

Json allowing(const Call& question) {
  Json option;
  for (const JsonView each : question.params["options"].elements())
    if (option.absent() && each["kind"].as_string() == "allow_once")
      option = Json(each["optionId"]);
  return Json::object(
      {{"jsonrpc", "2.0"},
       {"id", question.id},
       {"result", Json::object({{"outcome", Json::object({{"outcome", "selected"},
                                                          {"optionId", option}})}})}});
}

// Where the turn waits for a permission, nobody answers.
void check_asking(AgentClient& client) {
  AgentRun& run = client.run();
  const auto session = client.new_session();
  const auto ids = {"A2-CANCEL-13", "A2-CANCEL-18", "A2-CANCEL-19"};
  const auto skip = [&](const char* why) {
    for (const char* const id : ids) run.report.skip(id, why);
  };
  if (!session) return skip("no session could be opened");
  const std::string file = run.new_file();
  client.permit = Permit::hold;
  Turn turn(client, *session, run.prompt("write", file));
  const auto asked = [&] {
    return client.count_calls("session/request_permission", turn.first_call()) > 0;
  };
  client.until([&] { return asked() || turn.over() || client.gone(); });
  if (!asked()) {
    turn.wait();
    client.permit = Permit::allow;
    return skip("the agent asked for no permission");
  }
  std::vector<Call> questions;
  for (std::size_t i = turn.first_call(); i < client.calls.size(); ++i)
    if (client.calls[i].method == "session/request_permission")
      questions.push_back(client.calls[i]);
  if (!expect_cancelled(client, *session, turn, "A2-CANCEL-13")) {
    client.decide(Permit::reject);
    client.permit = Permit::allow;
    return skip("the cancelled turn did not end");
  }
  client.still_there();
  const bool taken_back = std::ranges::all_of(questions, [&](const Call& call) {
    return std::ranges::any_of(client.taken_back,
                               [&](const Json& id) { return id.text() == call.id.text(); });
  });
  run.report.expect("A2-CANCEL-18", taken_back,
                    "the turn is over, and its permission request was not cancelled");
  // Too late: also where the request was taken back, and answered then.
  const std::size_t from = client.updates.size();
  client.decide(Permit::allow);
  if (taken_back)
    for (const Call& call : questions) client.wire().send(allowing(call));
  client.still_there();
  const bool works = std::any_of(client.updates.begin() + static_cast<std::ptrdiff_t>(from),
                                 client.updates.end(), [&](const Update& update) {
                                   return update.session == *session &&
                                          update.update["state"].as_string() == "running";
                                 });
  run.report.expect("A2-CANCEL-19", !works && !std::filesystem::exists(run.folder + "/" + file),
                    works ? "the session works again" : file + " was made");
  client.permit = Permit::allow;
}

void check_held(AgentClient& client) {
  AgentRun& run = client.run();
  const auto session = client.new_session();
  if (!session) return run.report.skip("A2-CANCEL-17", "no session could be opened");
  auto held = hold_prompt(client, *session, "A2-CANCEL-17");
  if (!held) return;
  client.cancel(*session);
  held->second.wait();
  held->first.wait();
  run.report.expect("A2-CANCEL-17", held->second.answer().code() == -32800,
                    "of the second turn, " + held->second.describe());
}

}  // namespace

void check_cancel(AgentRun& run) {
  AgentClient& client = run.client();
  const auto idle = open_session(
      client, {"A2-CANCEL-11", "A2-CANCEL-12", "A2-CANCEL-13", "A2-CANCEL-14", "A2-CANCEL-15",
               "A2-CANCEL-16", "A2-CANCEL-17", "A2-CANCEL-18", "A2-CANCEL-19"});
  if (!idle) return;
  client.cancel(*idle);
  expect_next_turn(client, *idle, "A2-CANCEL-15");

  if (const auto session = client.new_session()) {
    Turn turn(client, *session, run.prompt("slow"));
    expect_cancelled(client, *session, turn, "A2-CANCEL-11");
  }
  if (const auto session = client.new_session()) {
    Turn turn(client, *session, run.prompt("slow"));
    wait_reported(client, turn);
    if (turn.over() || !turn.reported()) {
      client.cancel(*session);
      turn.wait();
      skip_all(run, {"A2-CANCEL-12", "A2-CANCEL-16"},
               "the turn was over, or reported nothing in time");
    } else if (expect_cancelled(client, *session, turn, "A2-CANCEL-12")) {
      expect_next_turn(client, *session, "A2-CANCEL-16");
    } else {
      run.report.skip("A2-CANCEL-16", "no turn was cancelled");
    }
  }
  check_asking(client);
  if (const auto session = client.new_session()) {
    Turn turn(client, *session, run.prompt("sleep"));
    const auto runs = [&] {
      return std::any_of(client.updates.begin() + static_cast<std::ptrdiff_t>(turn.first_update()),
                         client.updates.end(), [](const Update& update) {
                           return update.kind == "terminal_update" ||
                                  (update.kind == "tool_call_update" &&
                                   update.update["status"].as_string() == "in_progress");
                         });
    };
    client.until([&] { return runs() || turn.over() || client.gone(); },
                 std::min(run.options.timeout, std::chrono::milliseconds(5000)));
    if (runs() && !turn.over()) {
      expect_cancelled(client, *session, turn, "A2-CANCEL-14");
    } else {
      client.cancel(*session);
      turn.wait();
      run.report.skip("A2-CANCEL-14", "no command ran long enough");
    }
  }
  check_held(client);
  client.still_there();
}

}  // namespace acp::check::version2
