// Questions for permission: what is done when the answer is no, or has not come.
#include <algorithm>
#include <filesystem>

#include "check/agent/scenarios.h"
#include "check/rules/subject.h"

namespace acp::check {

namespace {

constexpr std::string_view question = "session/request_permission";

struct Case {
  Permit permit;
  std::string_view id;
};

// A turn that is to make a file: by writing it ("write"), or by a command ("touch").
class MakingTurn {
 public:
  MakingTurn(AgentClient& client, std::string session, std::string kind)
      : client_(client), session_(std::move(session)), kind_(std::move(kind)) {
    file_ = client.run().new_file();
    path_ = client.run().folder + "/" + file_;
    first_call_ = client.calls.size();
    first_update_ = client.updates.size();
  }

  Json begin(Permit permit) {
    client_.permit = permit;
    return client_.ask_prompt(session_, client_.run().prompt(kind_, file_));
  }
  Reply play(Permit permit) { return client_.wait(begin(permit)); }

  bool asked() const { return client_.count_calls(question, first_call_) > 0; }
  bool made() const { return client_.written.contains(path_) || std::filesystem::exists(path_); }
  const std::string& path() const { return path_; }
  std::string seen() const { return path_ + (made() ? " was made" : " was not made"); }

  // The first call that runs a command, or writes, after the first question, and that `counts`;
  // empty if there is none.
  template <class Counts>
  std::string act_after_question(Counts counts) const {
    bool after = false;
    for (std::size_t i = first_call_; i < client_.calls.size(); ++i) {
      const Call& call = client_.calls[i];
      after = after || call.method == question;
      const bool act = call.method == "terminal/create" || call.method == "fs/write_text_file";
      if (after && act && counts(call)) return call.method + " of " + call.params.text();
    }
    return "";
  }
  // The command that one of the questions named is this one. Nothing if none of them named any.
  std::optional<bool> is_asked_for(const Call& call) const {
    std::optional<bool> named;
    for (std::size_t i = first_call_; i < client_.calls.size(); ++i) {
      if (client_.calls[i].method != question) continue;
      const Subject subject = subject_of(client_.calls[i].params["toolCall"]);
      if (subject.command.empty()) continue;
      named = named.value_or(false) || subject.names_command(command_line(call.params));
    }
    return named;
  }

 private:
  // With what the agent has said of the tool call before.
  Subject subject_of(JsonView tool_call) const {
    Subject subject;
    for (std::size_t i = first_update_; i < client_.updates.size(); ++i)
      if (client_.updates[i].update["toolCallId"] == tool_call["toolCallId"])
        subject.add(client_.updates[i].update);
    subject.add(tool_call);
    return subject;
  }

  AgentClient& client_;
  std::string session_, kind_, file_, path_;
  std::size_t first_call_ = 0, first_update_ = 0;
};

std::optional<MakingTurn> new_turn(AgentClient& client, std::string_view id, const char* kind) {
  if (const auto session = client.new_session()) return MakingTurn(client, *session, kind);
  client.run().report.skip(id, "no session could be opened");
  return std::nullopt;
}

void check_detour(AgentRun& run, const std::string& act) {
  run.report.expect("A-PERM-19", act.empty(), "after the rejection: " + act);
}

void check_write(AgentClient& client, const Case& one) {
  AgentRun& run = client.run();
  auto turn = new_turn(client, one.id, "write");
  if (!turn) return;
  const Reply reply = turn->play(one.permit);
  if (!turn->asked()) return run.report.skip(one.id, "the agent asked for no permission");
  const bool right = turn->made() == (one.permit == Permit::allow);
  run.report.expect(one.id, right && reply.answered(),
                    reply.answered() ? turn->seen() : "the prompt got " + reply.describe());
  if (one.permit != Permit::reject) return;
  check_detour(run, turn->act_after_question([&](const Call& call) {
    return call.method == "terminal/create" || call.params["path"].as_string() != turn->path();
  }));
}

// What a question named is the business of the rules; here the rest: commands that the agent runs
// itself, and questions that name none.
void check_command(AgentClient& client, const Case& one) {
  AgentRun& run = client.run();
  auto turn = new_turn(client, one.id, "touch");
  if (!turn) return;
  const Reply reply = turn->play(one.permit);
  if (!turn->asked()) return run.report.skip(one.id, "the agent asked for no permission");
  const std::string act = turn->act_after_question([&](const Call& call) {
    return call.method == "terminal/create" && !turn->is_asked_for(call);
  });
  std::string seen = act.empty() ? turn->seen() : "after the question: " + act;
  if (!reply.answered()) seen = "the prompt got " + reply.describe();
  run.report.expect(one.id, act.empty() && !turn->made() && reply.answered(), seen);
  if (one.permit != Permit::reject) return;
  check_detour(run, turn->act_after_question([&](const Call& call) {
    return call.method == "fs/write_text_file" || turn->is_asked_for(call) == false;
  }));
}

// The answer comes late: nothing is done until then.
void check_waiting(AgentClient& client, const char* kind) {
  AgentRun& run = client.run();
  constexpr std::string_view id = "A-PERM-3";
  auto turn = new_turn(client, id, kind);
  if (!turn) return;
  const Json prompt = turn->begin(Permit::hold);
  client.until([&] { return turn->asked() || client.answered(prompt); });
  if (turn->asked()) {
    // Time for an agent that does not wait.
    client.wait(client.ask("_acp.check/are_you_there", Json::object()),
                std::min(run.options.timeout, std::chrono::milliseconds(2000)));
    const std::string act = turn->act_after_question([](const Call&) { return true; });
    run.report.expect(id, act.empty() && !turn->made(),
                      "before the question was answered: " + (act.empty() ? turn->seen() : act));
  } else {
    run.report.skip(id, "the agent asked for no permission");
  }
  client.decide(Permit::reject);
  client.wait(prompt);
}

// The same twice in one session, the second time rejected: it is not done unasked.
void check_memory(AgentClient& client, Permit first, std::string_view kind, std::string_view id) {
  AgentRun& run = client.run();
  const auto session = client.new_session();
  if (!session) return run.report.skip(id, "no session could be opened");
  const std::size_t from = client.chosen.size();
  MakingTurn one(client, *session, "write");
  one.play(first);
  if (!one.asked()) return run.report.skip(id, "the agent asked for no permission");
  if (std::ranges::find(client.chosen.begin() + static_cast<std::ptrdiff_t>(from),
                        client.chosen.end(), kind) == client.chosen.end())
    return run.report.skip(id, "the agent did not offer " + std::string(kind));
  MakingTurn two(client, *session, "write");
  two.play(Permit::reject);
  if (!two.asked() && !two.made())
    return first == Permit::allow ? run.report.skip(id, "the agent did not do it again")
                                  : run.report.pass(id);
  run.report.expect(id, two.asked(), "after " + std::string(kind) + ", and unasked: " + two.seen());
}

}  // namespace

void check_permissions(AgentRun& run) {
  AgentClient& client = run.client();
  if (!open_session(client,
                    {"A-PERM-3", "A-PERM-11", "A-PERM-12", "A-PERM-13", "A-PERM-14", "A-PERM-15",
                     "A-PERM-16", "A-PERM-17", "A-PERM-18", "A-PERM-19", "A-PERM-20"}))
    return;
  for (const Case& one : {Case{Permit::reject, "A-PERM-11"}, Case{Permit::cancelled, "A-PERM-12"},
                          Case{Permit::unknown_option, "A-PERM-13"},
                          Case{Permit::error, "A-PERM-14"}, Case{Permit::allow, "A-PERM-15"}})
    check_write(client, one);
  for (const Case& one : {Case{Permit::reject, "A-PERM-16"}, Case{Permit::cancelled, "A-PERM-17"},
                          Case{Permit::error, "A-PERM-18"}})
    check_command(client, one);
  if (!run.report.tried("A-PERM-19"))
    run.report.skip("A-PERM-19", "the agent asked for no permission");
  // What is allowed, for the rules to look at.
  if (auto turn = new_turn(client, "A-PERM-9", "touch")) turn->play(Permit::allow);
  for (const char* const kind : {"write", "touch"}) check_waiting(client, kind);
  check_memory(client, Permit::allow, "allow_once", "A-PERM-20");
  client.permit = Permit::allow;
}

void check_standing_rule(AgentRun& run) {
  AgentClient client(run, AgentClient::all_capabilities());
  if (!client.open())
    return run.report.skip("A-PERM-21", "the agent does not start with a HOME of its own");
  check_memory(client, Permit::reject_always, "reject_always", "A-PERM-21");
}

}  // namespace acp::check
