// Scenarios of agents that die, or do not.
#include <csignal>

#include "check/client/client_scenario.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

// The agent is gone: the client notices.
void expect_noticed(ClientScenario& scenario, std::string_view id, const std::string& what) {
  if (!scenario.started_by_us()) {
    scenario.until([&] { return scenario.gone(); });
    scenario.expect(id, scenario.gone(), what + ": " + scenario.state());
    scenario.skip("C-LIFE-6", "the client was started by hand");
    return;
  }
  const bool stays = scenario.options().stays || scenario.facts().stays;
  if (stays) scenario.signal(SIGTERM);
  const ClientScenario::Ending ending = scenario.finish();
  scenario.expect(id, ending.in_time, what + ", and the client does not end");
  if (stays)
    scenario.skip("C-LIFE-6", "the client does not end by itself");
  else if (ending.in_time && ending.exit)
    scenario.expect("C-LIFE-6", !ending.exit->success(), what + ", and " + scenario.state());
}

void play_dies_at(ClientScenario& scenario, std::string_view method, std::string_view id) {
  bool reached = false;
  scenario.intercept = [&](const Incoming& call) {
    return reached = reached || call.method == method;
  };
  if (!scenario.start()) return;
  if (!scenario.until([&] { return reached; }))
    return scenario.skip(id, "the client did not call " + std::string(method));
  scenario.die();
  expect_noticed(scenario, id, "the agent died instead of answering " + std::string(method));
}

void play_dies_first(ClientScenario& scenario) { play_dies_at(scenario, "initialize", "C-LIFE-1"); }
void play_dies_second(ClientScenario& scenario) {
  play_dies_at(scenario, "session/new", "C-LIFE-2");
}

void play_dies_in_turn(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.say("I");
  scenario.show_call("d");
  scenario.alive();
  scenario.die();
  expect_noticed(scenario, "C-LIFE-3", "the agent died in the middle of a turn");
}

void play_dies_in_message(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.raw("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"");
  scenario.until([&] { return scenario.gone(); }, 50ms);
  scenario.die();
  expect_noticed(scenario, "C-LIFE-4", "the agent died in the middle of a message");
}

void play_closes(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.close_output();
  expect_noticed(scenario, "C-LIFE-5", "the agent closed its stdout and lives on");
}

void play_stubborn(ClientScenario& scenario) {
  scenario.stubborn = true;
  if (!scenario.started_by_us()) return scenario.skip("C-LIFE-9", "the client was started by hand");
  if (!scenario.reach_prompt()) return;
  const ClientScenario::Ending ending = scenario.finish(true);
  if (scenario.facts().stays) return scenario.skip("C-LIFE-9", "the client never ends");
  scenario.expect("C-LIFE-9", ending.in_time && ending.tree_gone,
                  ending.in_time ? "the client has ended, and its agent has not"
                                 : "the client waits for its agent for ever");
}

}  // namespace

std::vector<ScenarioCase> client_end_scenarios() {
  return {
      {"an agent that dies at initialize", {"C-LIFE-1", "C-LIFE-6"}, play_dies_first},
      {"an agent that dies at session/new", {"C-LIFE-2", "C-LIFE-6"}, play_dies_second},
      {"an agent that dies in a turn", {"C-LIFE-3", "C-LIFE-6"}, play_dies_in_turn},
      {"an agent that dies in a message", {"C-LIFE-4", "C-LIFE-6"}, play_dies_in_message},
      {"an agent that closes its stdout", {"C-LIFE-5", "C-LIFE-6"}, play_closes},
      {"an agent that does not end", {"C-LIFE-9"}, play_stubborn},
  };
}

}  // namespace acp::check
