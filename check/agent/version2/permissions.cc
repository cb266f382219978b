// Questions for permission of version 2: what is done when the answer is no, or has not come. The
// agent acts itself, so what it does shows in the directory.
#include <algorithm>
#include <filesystem>

#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

// A turn that is to make a file: by writing it ("write"), or by a command ("touch").
class Making {
 public:
  Making(AgentClient& client, const std::string& session, const char* kind, Permit permit,
         std::string file = "")
      : client_(client), file_(file.empty() ? client.run().new_file() : std::move(file)) {
    client.permit = permit;
    turn_.emplace(client, session, client.run().prompt(kind, file_));
  }

  Turn& turn() { return *turn_; }
  bool asked() const {
    return client_.count_calls("session/request_permission", turn_->first_call()) > 0;
  }
  bool made() const { return std::filesystem::exists(client_.run().folder + "/" + file_); }
  std::string seen() {
    return file_ + (made() ? " was made; " : " was not made; ") + turn_->describe();
  }

 private:
  AgentClient& client_;
  std::string file_;
  std::optional<Turn> turn_;
};

constexpr const char* asked_for_nothing = "the agent asked for no permission";

void check_one(AgentClient& client, const char* kind, Permit permit, std::string_view id) {
  AgentRun& run = client.run();
  const auto session = client.new_session();
  if (!session) return run.report.skip(id, "no session could be opened");
  Making making(client, *session, kind, permit);
  making.turn().wait();
  if (!making.asked()) return run.report.skip(id, asked_for_nothing);
  run.report.expect(id, making.turn().well() && making.made() == (permit == Permit::allow),
                    making.seen());
}

// The answer comes late: nothing is done until then.
void check_waiting(AgentClient& client, const char* kind) {
  AgentRun& run = client.run();
  constexpr std::string_view id = "A2-PERM-18";
  const auto session = client.new_session();
  if (!session) return run.report.skip(id, "no session could be opened");
  Making making(client, *session, kind, Permit::hold);
  client.until([&] { return making.asked() || making.turn().over() || client.gone(); });
  if (making.asked()) {
    // Time for an agent that does not wait.
    client.wait(client.ask("_acp.check/are_you_there", Json::object()),
                std::min(run.options.timeout, std::chrono::milliseconds(2000)));
    run.report.expect(id, !making.made() && !making.turn().over(),
                      "before the question was answered: " + making.seen());
  } else {
    run.report.skip(id, asked_for_nothing);
  }
  client.decide(Permit::reject);
  making.turn().wait();
}

// The same twice in one session, the second time rejected: it is not done unasked.
void check_memory(AgentClient& client, Permit first, std::string_view kind, std::string_view id) {
  AgentRun& run = client.run();
  const auto session = client.new_session();
  if (!session) return run.report.skip(id, "no session could be opened");
  const std::size_t from = client.chosen.size();
  Making one(client, *session, "write", first);
  one.turn().wait();
  if (!one.asked()) return run.report.skip(id, asked_for_nothing);
  if (std::ranges::find(client.chosen.begin() + static_cast<std::ptrdiff_t>(from),
                        client.chosen.end(), kind) == client.chosen.end())
    return run.report.skip(id, "the agent did not offer " + std::string(kind));
  Making two(client, *session, "write", Permit::reject);
  two.turn().wait();
  if (!two.asked() && !two.made() && first == Permit::allow)
    return run.report.skip(id, "the agent did not do it again");
  run.report.expect(id, two.asked() || !two.made(),
                    "after " + std::string(kind) + ", and unasked: " + two.seen());
}

}  // namespace

void check_permissions(AgentRun& run) {
  AgentClient& client = run.client();
  if (!open_session(client, {"A2-PERM-11", "A2-PERM-12", "A2-PERM-13", "A2-PERM-14", "A2-PERM-15",
                             "A2-PERM-16", "A2-PERM-17", "A2-PERM-18", "A2-PERM-19"}))
    return;
  check_one(client, "write", Permit::reject, "A2-PERM-11");
  check_one(client, "write", Permit::cancelled, "A2-PERM-12");
  check_one(client, "write", Permit::unknown_option, "A2-PERM-13");
  check_one(client, "write", Permit::error, "A2-PERM-14");
  check_one(client, "write", Permit::allow, "A2-PERM-15");
  check_one(client, "write", Permit::unknown_outcome, "A2-PERM-16");
  check_one(client, "touch", Permit::reject, "A2-PERM-17");
  for (const char* const kind : {"write", "touch"}) check_waiting(client, kind);
  check_memory(client, Permit::allow, "allow_once", "A2-PERM-19");
  // What is allowed, for the rules to look at.
  if (const auto session = client.new_session())
    Making(client, *session, "touch", Permit::allow).turn().wait();
  client.permit = Permit::allow;
}

void check_standing_rule(AgentRun& run) {
  AgentClient client(run, AgentClient::all_capabilities(2));
  if (!client.open())
    return run.report.skip("A2-PERM-20", "the agent does not start with a HOME of its own");
  check_memory(client, Permit::reject_always, "reject_always", "A2-PERM-20");
}

}  // namespace acp::check::version2
