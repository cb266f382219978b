// Cancellation, at each phase of a turn.
#include "check/agent/scenarios.h"

namespace acp::check {

namespace {

// Begins a turn, waits until it has come to what is to be interrupted, and cancels it.
class Interrupted {
 public:
  Interrupted(AgentClient& client, std::string_view id) : client_(client), id_(id) {
    if (const auto session = client.new_session()) session_ = *session;
  }

  // False if there was nothing to interrupt; then the requirement is skipped.
  bool play(const std::string& text, bool waits, const std::function<bool()>& reached,
            std::string_view otherwise) {
    AgentRun& run = client_.run();
    if (session_.empty()) {
      run.report.skip(id_, "no session could be opened");
      return false;
    }
    first_update_ = client_.updates.size();
    first_call_ = client_.calls.size();
    const Json turn = client_.ask_prompt(session_, text);
    client_.until([&] { return reached() || client_.answered(turn); });
    if (!reached()) {
      if (!client_.answered(turn)) end(turn);
      run.report.skip(id_, std::string(otherwise));
      return false;
    }
    client_.cancel(session_);
    const Reply reply = client_.wait(turn);
    run.report.expect(id_, reply.answered(), "the cancelled prompt got " + reply.describe());
    if (reply.answered()) run.seen.things.insert("cancelled");
    // Where it was waiting for us it cannot have been over already.
    if (reply.answered() && waits && stop_reason(reply) != "cancelled")
      run.report.fail("A-CANCEL-1",
                      "cancelled while it waited for the client, the prompt was answered with " +
                          reply.describe());
    return reply.answered();
  }

  bool reported() const {
    for (std::size_t i = first_update_; i < client_.updates.size(); ++i)
      if (client_.updates[i].session == session_ &&
          client_.updates[i].kind != "available_commands_update" &&
          client_.updates[i].kind != "session_info_update")
        return true;
    return false;
  }
  bool called(std::string_view method) const {
    return client_.count_calls(method, first_call_) > 0;
  }
  const std::string& session() const { return session_; }

 private:
  void end(const Json& turn) {
    client_.cancel(session_);
    client_.wait(turn);
  }

  AgentClient& client_;
  std::string_view id_;
  std::string session_;
  std::size_t first_update_ = 0, first_call_ = 0;
};

void expect_next_turn(AgentClient& client, const std::string& session, std::string_view id) {
  AgentRun& run = client.run();
  const Reply reply = client.prompt(session, run.prompt("hello"));
  const std::string reason = stop_reason(reply);
  run.report.expect(id, !reason.empty() && reason != "cancelled",
                    "the next prompt was answered with " + reply.describe());
}

}  // namespace

void check_cancel(AgentRun& run) {
  AgentClient& client = run.client();
  const auto idle = open_session(client, {"A-CANCEL-11", "A-CANCEL-12", "A-CANCEL-13",
                                          "A-CANCEL-14", "A-CANCEL-15", "A-CANCEL-16"});
  if (!idle) return;
  client.cancel(*idle);
  expect_next_turn(client, *idle, "A-CANCEL-15");

  Interrupted at_once(client, "A-CANCEL-11");
  at_once.play(
      run.prompt("slow"), false, [] { return true; }, "");

  Interrupted reporting(client, "A-CANCEL-12");
  if (reporting.play(
          run.prompt("slow"), false, [&] { return reporting.reported(); },
          "the turn was over before it reported anything"))
    expect_next_turn(client, reporting.session(), "A-CANCEL-16");
  else
    run.report.skip("A-CANCEL-16", "no turn was cancelled");

  client.permit = Permit::hold;
  Interrupted asking(client, "A-CANCEL-13");
  asking.play(
      run.prompt("write", run.new_file()), true,
      [&] { return asking.called("session/request_permission"); },
      "the agent asked for no permission");
  client.permit = Permit::allow;

  client.terminal_runs_on = true;
  Interrupted running(client, "A-CANCEL-14");
  running.play(
      run.prompt("run"), true,
      [&] { return running.called("terminal/wait_for_exit") || running.called("terminal/output"); },
      "the agent waited for no terminal");
  client.terminal_runs_on = false;
  client.still_there();
}

}  // namespace acp::check
