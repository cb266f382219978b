#include "check/agent/check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "check/agent/scenarios.h"
#include "check/rules/requirement_lists.h"

namespace acp::check {

namespace {

// A folder of its own for the sessions to work in.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& given) : path_(given) {
    std::random_device random;
    if (given.empty())
      path_ = std::filesystem::canonical(std::filesystem::temp_directory_path()) /
              ("acp-check-" + std::to_string(random()) + std::to_string(random()));
    std::filesystem::create_directory(path_);
    for (const char* const name : {"work", "apart"}) {
      std::filesystem::create_directories(path_ / name / "other");
      std::ofstream(path_ / name / "notes.txt") << "one\ntwo\nthree\n";
    }
    std::filesystem::create_directory(path_ / "home");
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string work() const { return (path_ / "work").string(); }
  // For what may leave traces in the agent's settings: another place to work, another home.
  std::string apart() const { return (path_ / "apart").string(); }
  std::string home() const { return (path_ / "home").string(); }

 private:
  std::filesystem::path path_;
};

const Scenario scenarios_1[] = {
    {check_start, {"A-INIT-", "A-AUTH-"}},
    {check_sessions, {"A-SESSION-", "A-LOAD-", "A-RESUME-", "A-LIST-", "A-CLOSE-", "A-DELETE-"}},
    {check_turns, {"A-TURN-", "A-FS-", "A-TERM-", "A-PLAN-", "A-COMMAND-"}},
    {check_options, {"A-MODE-", "A-CONFIG-"}},
    {check_permissions, {"A-PERM-"}},
    {check_cancel, {"A-CANCEL-"}},
    {check_bare_client, {"A-TURN-7", "A-EXIT-3"}},
    {check_input, {"A-INPUT-", "A-EXT-", "A-META-", "A-ID-1", "A-ID-2", "A-ID-3"}},
    {check_ids, {"A-ID-4", "A-ID-5", "A-ID-6"}},
    {check_mcp, {"A-MCP-", "A-EXIT-1", "A-EXIT-2"}},
};

const Precondition preconditions_1[] = {
    {"A-ORDER-4", {"agent_message_chunk", "tool_call", "plan"}, "the agent reported nothing"},
    {"A-ORDER-5", {"session/load"}, "no session was loaded"},
    {"A-ORDER-6", {"session/resume"}, "no session was resumed"},
    {"A-ORDER-8", {"tool_call_update"}, "the agent made no tool calls"},
    {"A-ORDER-9", {"tool_call"}, "the agent made no tool calls"},
    {"A-ORDER-10", {"tool_call_update"}, "the agent made no tool calls"},
    {"A-STOP-1", {"tool_call"}, "the agent made no tool calls"},
    {"A-PATH-1",
     {"fs/read_text_file", "fs/write_text_file", "terminal/create"},
     "the agent used neither files nor terminals of the client"},
    {"A-PATH-2", {"shows diff", "location"}, "the agent showed neither diffs nor locations"},
    {"A-PATH-3", {"listed"}, "no sessions were listed"},
    {"A-PATH-4", {"line"}, "the agent told no line numbers"},
    {"A-CAP-4", {"modes"}, "the agent has no modes"},
    {"A-CANCEL-1", {"cancelled"}, "no turn could be cancelled"},
    {"A-CANCEL-2", {"cancelled"}, "no turn could be cancelled"},
    {"A-TERM-1",
     {"terminal/output", "terminal/wait_for_exit", "terminal/release", "terminal/kill"},
     "the agent used no terminal"},
    {"A-TERM-2", {"terminal/release"}, "the agent used no terminal"},
    {"A-TERM-3", {"terminal/create"}, "the agent used no terminal"},
    {"A-TERM-4", {"shows terminal"}, "the agent showed no terminal"},
    {"A-PERM-1", {"session/request_permission"}, "the agent asked for no permission"},
    {"A-PERM-2", {"session/request_permission"}, "the agent asked for no permission"},
    {"A-PERM-4", {"session/request_permission"}, "the agent asked for no permission"},
    {"A-PERM-5", {"session/request_permission"}, "the agent asked for no permission"},
    {"A-PERM-6", {"session/request_permission"}, "the agent asked for no permission"},
    {"A-PERM-7", {"session/request_permission"}, "the agent asked for no permission"},
    {"A-PERM-8", {"session/request_permission"}, "the agent asked for no permission"},
    {"A-PERM-9", {"session/request_permission"}, "the agent asked for no permission"},
    {"A-PERM-9", {"command"}, "no tool call named a command"},
    {"A-PERM-9", {"shows terminal"}, "the agent showed no terminal"},
    {"A-PERM-10", {"shows diff"}, "the agent showed no diff"},
    {"A-ORDER-11",
     {"session/request_permission", "fs/write_text_file", "terminal/create"},
     "the agent asked for no permission, wrote nothing and ran nothing"},
    {"A-CANCEL-3", {"cancelled"}, "no turn could be cancelled"},
    {"A-CANCEL-4", {"turn"}, "no prompt was answered"},
};

constexpr std::string_view tried_by_scenarios_1[] = {"A-PERM-3",  "A-PERM-11", "A-PERM-12",
                                                     "A-PERM-13", "A-PERM-14", "A-PERM-16",
                                                     "A-PERM-17", "A-PERM-18"};

const ScenarioPlan plan_1{scenarios_1, preconditions_1, tried_by_scenarios_1, check_standing_rule};

const ScenarioPlan& plan_of(const AgentRun& run) {
  return run.version_2() ? plan_of_version_2() : plan_1;
}

// The rules that nobody broke are kept, if there was an occasion.
void judge_wire(AgentRun& run, std::span<const Requirement> requirements,
                const ScenarioPlan& plan) {
  const auto tried = plan.tried_by_scenarios;
  for (const Requirement& requirement : requirements) {
    if (requirement.side != Side::agent) continue;
    if (std::ranges::find(tried, requirement.id) != tried.end()) continue;
    if (!run.seen.has("frame")) {
      run.report.skip(requirement.id, "the agent said nothing");
      continue;
    }
    const Precondition* unmet = nullptr;
    for (const Precondition& precondition : plan.preconditions) {
      if (precondition.id != requirement.id) continue;
      bool met = false;
      for (const std::string_view thing : precondition.one_of) met = met || run.seen.has(thing);
      if (!met) unmet = &precondition;
    }
    if (unmet)
      run.report.skip(requirement.id, std::string(unmet->otherwise));
    else
      run.report.pass(requirement.id);
  }
}

void judge_wire(AgentRun& run) {
  judge_wire(run, wire_requirements(), plan_1);
  judge_wire(run, wire_requirements_2(), plan_of_version_2());
}

// The sessions of this run are deleted, as far as the agent offers that. Nothing is judged.
void delete_sessions(AgentRun& run) {
  if (run.sessions.empty()) return;
  AgentClient client(run, AgentClient::no_capabilities(run.options.protocol), Watch::none);
  if (!client.open() || !client.advertises("delete")) return;
  std::vector<Json> asked;
  for (const std::string& session : run.sessions)
    asked.push_back(client.ask("session/delete", Json::object({{"sessionId", session}})));
  client.until([&] {
    return std::ranges::all_of(asked, [&](const Json& id) { return client.answered(id); });
  });
  // Time to put its files in order.
  client.wire().close_output();
  client.program().wait_exit(std::min(run.options.timeout, std::chrono::milliseconds(5000)));
}

std::string areas_of(const Scenario& scenario) {
  std::string text;
  for (std::string_view area : scenario.areas) {
    if (area.ends_with('-')) area.remove_suffix(1);
    text += (text.empty() ? "" : ", ") + std::string(area);
  }
  return text;
}

bool covers(const Scenario& scenario, std::string_view id) {
  return std::ranges::any_of(scenario.areas,
                             [&](std::string_view area) { return id.starts_with(area); });
}

// A rule that no scenario is about may be broken in any of them.
bool wanted(const AgentRun& run, const Scenario& scenario) {
  return std::ranges::any_of(requirements(), [&](const Requirement& requirement) {
    if (!run.report.selected(requirement.id)) return false;
    const bool special = std::ranges::any_of(
        plan_of(run).scenarios, [&](const Scenario& each) { return covers(each, requirement.id); });
    return !special || covers(scenario, requirement.id);
  });
}

void play_all(AgentRun& run, const WorkFolder& folder) {
  std::vector<const Scenario*> chosen;
  for (const Scenario& scenario : plan_of(run).scenarios)
    if (wanted(run, scenario)) chosen.push_back(&scenario);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (run.options.on_part) run.options.on_part(areas_of(*chosen[i]), chosen.size() - i - 1);
    chosen[i]->play(run);
  }
  run.shared.reset();
  if (run.options.elsewhere) {
    skip_all(run, {"A-PERM-21", "A2-PERM-20"},
             "the agent runs elsewhere, and would keep the rule in its user's settings");
  } else if (run.report.selected("A-PERM-21") || run.report.selected("A2-PERM-20")) {
    // A standing rule: what it was made for must not meet the user, nor another requirement.
    AgentRun apart{run.options, run.report, {}, folder.apart(), folder.home()};
    apart.answered = true;
    plan_of(run).check_standing_rule(apart);
  }
  delete_sessions(run);
  judge_wire(run);
}

}  // namespace

const std::map<std::string, std::string>& default_prompts() {
  static const std::map<std::string, std::string> prompts = {
      {"hello", "say Hello."},
      {"read", "show notes.txt"},
      {"write", "create {file} with hello"},
      {"run", "run echo acp-check"},
      {"touch", "run touch {file}"},
      {"plan", "plan read the notes, change them, run the tests"},
      {"slow", "wait 30 seconds"},
      {"sleep", "run sleep 30"},
  };
  return prompts;
}

void check_agent(const AgentCheckOptions& options, Report& report) {
  const WorkFolder folder(options.directory);
  AgentRun run{options, report, {}, folder.work()};
  try {
    play_all(run, folder);
    if (!run.initialized)
      report.give_up("the agent answered initialize with nothing but errors: " + run.refusal);
  } catch (const OtherVersion& why) {
    report.fail("A2-INIT-1", why.what());
    report.give_up(why.what());
  } catch (const NeverAnswered& why) {
    report.fail(run.number("INIT-1"), why.what());
    report.give_up(why.what());
  }
}

// ---- for the scenarios

void skip_all(AgentRun& run, std::initializer_list<std::string_view> ids, const std::string& why) {
  for (const std::string_view id : ids) run.report.skip(id, why);
}

std::optional<std::string> open_session(AgentClient& client,
                                        std::initializer_list<std::string_view> ids) {
  std::string why = "the connection could not be opened";
  if (client.open()) {
    const Reply reply = client.new_session_in(client.run().folder);
    if (const auto session = reply["sessionId"].as_string(); reply.ok() && session) return session;
    why = "no session could be opened: " + reply.describe();
    if (reply.code() == -32000) why += " (name a method of authentication with --auth)";
  }
  skip_all(client.run(), ids, why);
  return std::nullopt;
}

std::string stop_reason(const Reply& reply) {
  return reply.ok() ? reply["stopReason"].as_string().value_or("") : "";
}

}  // namespace acp::check
