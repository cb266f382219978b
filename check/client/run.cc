#include "check/client/run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "check/client/client_scenario.h"
#include "check/client/wire.h"
#include "check/rules/requirement_lists.h"

namespace acp::check {
namespace {

using Barrier = ClientFacts::Barrier;

// A client that never asks for version 2 has nothing to be checked.
void expect_version_2(ClientScenario& scenario, ClientFacts& facts) {
  for (const Incoming& call : scenario.calls())
    if (call.method == "initialize") {
      const JsonView asked = call["params"]["protocolVersion"];
      if (asked.as_int64().value_or(0) >= 2) {
        facts.hopeless.clear();
        return scenario.pass("C2-INIT-1");
      }
      const std::string what = "the client asks for version " + std::string(asked.text());
      scenario.fail("C2-INIT-1", what);
      facts.hopeless = what + ", and our agent speaks version 2 alone";
    }
}

// Nothing unusual happens; the client is got to know.
void play_plain(ClientScenario& scenario, ClientFacts& facts) {
  const auto wait_half = [&](const std::string& id) {
    return scenario.until([&] { return scenario.answered(id); }, scenario.options().time / 2);
  };
  if (!scenario.reach_prompt()) {
    if (scenario.protocol == 2) expect_version_2(scenario, facts);
    return;
  }
  facts.prompted = true;
  scenario.say("Hello");
  if (!wait_half(scenario.ask("_check/ping", "{}"))) {
    const std::string permission =
        scenario.ask("session/request_permission", scenario.permission("probe"));
    facts.barrier = wait_half(permission) ? Barrier::permission : Barrier::none;
  }
  const auto first = std::ranges::find(scenario.calls(), "initialize", &Incoming::method);
  const JsonView initialize = first == scenario.calls().end() ? JsonView() : first->json["params"];
  if (scenario.protocol == 2) scenario.pass("C2-INIT-1");
  scenario.expect("C-INIT-1", initialize["protocolVersion"].as_int64() != 0,
                  "protocolVersion is 0");
  scenario.expect("C-INIT-2", !scenario.capabilities().absent(), "no clientCapabilities");
  scenario.expect("C-INIT-3", initialize["clientInfo"]["name"].is_string(), "no clientInfo");
  scenario.expect("C-TURN-1", scenario.prompts().front()["params"]["prompt"].size() > 0,
                  "the prompt is empty");

  const ClientScenario::Ending ending = scenario.finish(true);
  facts.stays = !ending.in_time;
  scenario.expect("C-LIFE-7", ending.closed && ending.in_time,
                  "the turn is over, and " + ending.text());
  if (!scenario.started_by_us()) {
    scenario.skip("C-LIFE-8", "the client was started by hand");
    scenario.skip("C-LIFE-10", "the client was started by hand");
    return;
  }
  if (!ending.in_time) return;
  scenario.expect("C-LIFE-8", ending.tree_gone,
                  "the client has ended, and what it started has not");
  if (scenario.options().stays) {
    scenario.skip("C-LIFE-10", "the client does not end by itself");
  } else if (ending.exit && ending.exit->kind == io::ExitStatus::Kind::exited) {
    facts.plain_exit = ending.exit->value;
    // A client that had to ask for a permission may have been refused it.
    if (facts.barrier == Barrier::extension)
      scenario.expect("C-LIFE-10", ending.exit->success(), scenario.state());
  } else {
    scenario.fail("C-LIFE-10", scenario.state());
  }
}

const std::vector<std::string_view> plain_ids = {"C2-INIT-1", "C-INIT-1", "C-INIT-2", "C-INIT-3",
                                                 "C-TURN-1",  "C-LIFE-7", "C-LIFE-8", "C-LIFE-10"};

// What an agent at a URL gives no occasion for, and why.
const std::map<std::string_view, std::string_view> not_over_network = {
    {"C-WIRE-1", "the server reads the messages, and passes on what is JSON"},
    {"C-WIRE-2", "the server reads the messages, and passes on what is JSON"},
    {"C-WIRE-4", "the server reads the messages, and refuses batches"},
    {"C-ORDER-1", "the server lets nothing in before initialize"},
    {"C-ORDER-3", "the server refuses a second initialize"},
    {"C2-ORDER-1", "the server refuses a second initialize"},
    {"C-RPC-6", "there are no lines"},
    {"C-RPC-7", "there are no lines"},
    {"C-RPC-11", "there are no lines"},
    {"C-RPC-12", "there are no lines"},
    {"C-LIFE-4", "the server passes on whole messages"},
    {"C-LIFE-5", "the agent has no stdout"},
    {"C-LIFE-9", "the agent is no process of the client"},
};

std::set<std::string_view> ignored(const ClientCheckOptions& options) {
  std::set<std::string_view> ids;
  if (!options.transport.empty())
    for (const auto& [id, why] : not_over_network) ids.insert(id);
  return ids;
}

std::vector<ScenarioCase> all_scenarios(int protocol) {
  std::vector<ScenarioCase> all;
  const auto add = [&](std::initializer_list<std::vector<ScenarioCase> (*)()> lists) {
    for (const auto list : lists)
      for (ScenarioCase& each : list()) all.push_back(std::move(each));
  };
  if (protocol == 2)
    add({client_scenarios_2, client_rpc_scenarios, client_end_scenarios});
  else
    add({client_start_scenarios, client_turn_scenarios, client_update_scenarios,
         client_rpc_scenarios, client_honest_scenarios, client_file_scenarios,
         client_terminal_scenarios, client_question_scenarios, client_end_scenarios});
  return all;
}

class Run {
 public:
  Run(const ClientCheckOptions& options, Report& report)
      : options_(options),
        report_(report),
        judge_(report, ignored(options)),
        base_(options.directory) {}

  bool play() {
    const bool network = !options_.transport.empty();
    if (network)
      for (const auto& [id, why] : not_over_network)
        report_.skip(id, "not over " + options_.transport + ": " + std::string(why));
    play_one("a plain turn", plain_ids,
             [&](ClientScenario& scenario) { play_plain(scenario, facts_); });
    if (!facts_.hopeless.empty()) {
      report_.give_up(facts_.hopeless);
      return false;
    }
    std::vector<ScenarioCase> chosen = all_scenarios(options_.protocol);
    if (network)
      std::erase_if(chosen, [](const ScenarioCase& each) {
        return not_over_network.contains(each.ids.front());
      });
    // The rules of the wire may be broken anywhere: with one of them selected, all is played.
    const auto chosen_rule = [&](const Requirement& each) {
      return each.side == Side::client && report_.selected(each.id);
    };
    const bool all = std::ranges::any_of(wire_requirements(), chosen_rule) ||
                     std::ranges::any_of(wire_requirements_2(), chosen_rule);
    if (!all)
      std::erase_if(chosen,
                    [&](const ScenarioCase& each) { return !report_.any_selected(each.ids); });
    std::atomic<std::size_t> next = 0;
    std::exception_ptr broken;  // of a scenario that could not be played: no directory, no memory
    const auto work = [&] {
      for (std::size_t at = next++; at < chosen.size(); at = next++) try {
          play_one(std::string(chosen[at].name), chosen[at].ids, chosen[at].play);
        } catch (...) {
          const std::lock_guard lock(mutex_);
          broken = std::current_exception();
        }
    };
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < options_.jobs && options_.listen.empty(); ++i)
      helpers.emplace_back(work);
    work();
    for (std::thread& each : helpers) each.join();
    if (broken) std::rethrow_exception(broken);
    wire_.judge(judge_);
    return facts_.prompted;
  }

 private:
  void play_one(const std::string& name, const std::vector<std::string_view>& ids,
                const std::function<void(ClientScenario&)>& play) {
    const std::filesystem::path directory = base_.path() / std::to_string(++scenarios_);
    ClientScenario scenario(options_, facts_, judge_, name, directory);
    scenario.ids = ids;
    try {
      play(scenario);
    } catch (const PeerNotStarted& failed) {
      for (const std::string_view id : ids)
        judge_.skip(id, std::string("the client could not be started: ") + failed.what());
    }
    wire_.see(scenario);
  }

  const ClientCheckOptions& options_;
  Report& report_;
  Judge judge_;
  PrivateDirectory base_;
  ClientFacts facts_;
  ClientWire wire_;
  std::atomic<int> scenarios_ = 0;
  std::mutex mutex_;
};

}  // namespace

bool names_agent(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    return word.find(agent_placeholder) != std::string::npos;
  });
}

bool check_client(const ClientCheckOptions& options, Report& report) {
  return Run(options, report).play();
}

}  // namespace acp::check
