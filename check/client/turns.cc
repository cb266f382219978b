// Scenarios of a turn's end.
#include <thread>

#include "check/client/scenario_parts.h"

namespace acp::check {

using namespace std::chrono_literals;

void expect_over(ClientScenario& scenario, std::string_view id, const std::string& what) {
  if (scenario.options().stays || !scenario.started_by_us()) {
    scenario.survived(id, what);
    scenario.finish();
    return;
  }
  const ClientScenario::Ending ending = scenario.finish();
  if (scenario.facts().stays) return scenario.skip(id, "the client never ends");
  const bool killed = ending.exit && ending.exit->kind == io::ExitStatus::Kind::killed;
  scenario.expect(id, ending.in_time && !killed, "after " + what + " " + ending.text());
}

void play_stop(ClientScenario& scenario, std::string_view reason, std::string_view id) {
  if (!scenario.reach_prompt()) return;
  scenario.say("So");
  scenario.end_turn(reason);
  expect_over(scenario, id, "the stop reason " + std::string(reason));
}

void expect_failed_turn(ClientScenario& scenario, std::string_view id, const std::string& what) {
  if (scenario.options().stays || !scenario.started_by_us()) {
    scenario.survived(id, what);
    scenario.finish();
    return;
  }
  const ClientScenario::Ending ending = scenario.finish();
  if (scenario.facts().stays) return scenario.skip(id, "the client never ends");
  scenario.expect(id, ending.in_time && ending.exit && !ending.exit->success(),
                  "after " + what + " " + ending.text());
}

namespace {

void play_max_tokens(ClientScenario& scenario) { play_stop(scenario, "max_tokens", "C-TURN-2"); }
void play_max_requests(ClientScenario& scenario) {
  play_stop(scenario, "max_turn_requests", "C-TURN-2");
}
void play_refusal(ClientScenario& scenario) { play_stop(scenario, "refusal", "C-TURN-2"); }
void play_cancelled(ClientScenario& scenario) { play_stop(scenario, "cancelled", "C-TURN-2"); }
void play_unknown_stop(ClientScenario& scenario) { play_stop(scenario, "bored", "C-TURN-3"); }

void play_prompt_error(ClientScenario& scenario) {
  scenario.intercept = [&](const Incoming& call) {
    if (call.method != "session/prompt") return false;
    scenario.answer_error(call, -32603, "The model is out of order");
    return true;
  };
  if (!scenario.start()) return;
  if (!scenario.reach("session/prompt"))
    return scenario.skip("C-TURN-4", "the client sent no session/prompt: " + scenario.state());
  expect_failed_turn(scenario, "C-TURN-4", "an error as answer");
}

}  // namespace

void play_slow(ClientScenario& scenario, std::string_view id) {
  // Longer than any time that is meant for a peer on the same machine. Nothing races with it.
  scenario.intercept = [&](const Incoming& call) {
    const bool first = scenario.count(call.method) == 1;
    if (first && (call.method == "initialize" || call.method == "session/new"))
      std::this_thread::sleep_for(2s);
    return false;
  };
  if (!scenario.start()) return;
  const auto time = scenario.options().time + 4s;
  if (!scenario.expect(id, scenario.until([&] { return !scenario.prompts().empty(); }, time),
                       "the client did not wait: " + scenario.state())) {
    scenario.finish();
    return;
  }
  scenario.until([&] { return scenario.gone(); }, 2000ms);
  scenario.expect(id, !scenario.gone(), "the client did not wait: " + scenario.state());
  scenario.end_well(id, "slow answers");
}

namespace {

void play_slow_agent(ClientScenario& scenario) { play_slow(scenario, "C-TURN-5"); }

void play_rich_answer(ClientScenario& scenario) {
  scenario.intercept = [&](const Incoming& call) {
    if (call.method != "session/prompt") return false;
    scenario.answer(call,
                    R"({"stopReason":"end_turn","_meta":{"x":{"y":[1]}},"mood":"good","usage":)"
                    R"({"totalTokens":3,"inputTokens":1,"outputTokens":2,"dreamTokens":7}})");
    return true;
  };
  if (!scenario.start()) return;
  if (!scenario.reach("session/prompt"))
    return scenario.skip("C-TURN-6", "the client sent no session/prompt: " + scenario.state());
  scenario.pass("C-TURN-6");
  scenario.end_well("C-TURN-6", "unknown fields in the answer");
}

}  // namespace

std::vector<ScenarioCase> client_turn_scenarios() {
  return {
      {"stop reason max_tokens", {"C-TURN-2"}, play_max_tokens},
      {"stop reason max_turn_requests", {"C-TURN-2"}, play_max_requests},
      {"stop reason refusal", {"C-TURN-2"}, play_refusal},
      {"stop reason cancelled", {"C-TURN-2"}, play_cancelled},
      {"an unknown stop reason", {"C-TURN-3"}, play_unknown_stop},
      {"an error as answer", {"C-TURN-4"}, play_prompt_error},
      {"a slow agent", {"C-TURN-5"}, play_slow_agent},
      {"an answer with more in it", {"C-TURN-6"}, play_rich_answer},
  };
}

}  // namespace acp::check
