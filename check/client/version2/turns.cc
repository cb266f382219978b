// Scenarios of a turn of version 2: its answer, its states, its end.
#include "check/client/version2/parts.h"

namespace acp::check::version2 {
namespace {

using namespace std::chrono_literals;

// Whether the turn still goes on for the client: it has not left, and answers. One that stays in
// any case shows nothing here.
bool expect_waiting(ClientScenario& scenario, std::string_view id, const std::string& what) {
  if (scenario.options().stays || scenario.facts().stays) {
    scenario.skip(id, "the client stays in any case");
    scenario.finish();
    return false;
  }
  const bool alive = scenario.alive();
  // What it does when a turn is over it does soon.
  scenario.until([&] { return scenario.gone(); }, 1500ms);
  return scenario.expect(id, alive && !scenario.gone(), "after " + what + ": " + scenario.state());
}

void play_answer_is_no_end(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.say("I am still thinking");
  if (!expect_waiting(scenario, "C2-TURN-1", "the answer to the prompt")) return;
  scenario.end_well("C2-TURN-1", "a turn that goes on after its prompt was answered");
}

void play_end(ClientScenario& scenario, std::string_view members, std::string_view id,
              const std::string& what) {
  if (!scenario.reach_prompt()) return;
  scenario.say("So");
  scenario.end_turn_with(members);
  expect_over(scenario, id, what);
}

void play_stop_end(ClientScenario& scenario) { play_stop(scenario, "end_turn", "C2-TURN-2"); }
void play_stop_tokens(ClientScenario& scenario) { play_stop(scenario, "max_tokens", "C2-TURN-2"); }
void play_stop_requests(ClientScenario& scenario) {
  play_stop(scenario, "max_turn_requests", "C2-TURN-2");
}
void play_stop_refusal(ClientScenario& scenario) { play_stop(scenario, "refusal", "C2-TURN-2"); }
void play_stop_cancelled(ClientScenario& scenario) {
  play_stop(scenario, "cancelled", "C2-TURN-2");
}
void play_stop_odd(ClientScenario& scenario) {
  play_end(scenario, R"("idle","stopReason":"_bored","yawns":3)", "C2-TURN-3",
           "the stop reason _bored");
}
void play_stop_future(ClientScenario& scenario) {
  play_end(scenario, R"("idle","stopReason":"enough")", "C2-TURN-3", "the stop reason enough");
}
void play_stop_none(ClientScenario& scenario) {
  play_end(scenario, "\"idle\"", "C2-TURN-3", "an end without a stop reason");
}

void play_stop_error(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.end_turn_with(
      R"("idle","stopReason":"error","error":{"code":-32603,"message":"The model is out of order"})");
  expect_failed_turn(scenario, "C2-TURN-4", "the stop reason error");
}

void play_prompt_refused(ClientScenario& scenario) {
  scenario.intercept = [&](const Incoming& call) {
    if (call.method != "session/prompt") return false;
    scenario.answer_error(call, -32603, "The model is out of order");
    return true;
  };
  if (!scenario.start()) return;
  if (!scenario.reach("session/prompt"))
    return scenario.skip("C2-TURN-5", "the client sent no session/prompt: " + scenario.state());
  expect_failed_turn(scenario, "C2-TURN-5", "an error as answer");
}

// A prompt that the scenario inserts itself. False if none came.
bool reach_open_prompt(ClientScenario& scenario, std::string_view id, Incoming& prompt) {
  scenario.intercept = [&](const Incoming& call) {
    if (call.method != "session/prompt" || !prompt.method.empty()) return false;
    prompt = call;
    return true;
  };
  if (!scenario.start()) return false;
  if (scenario.until([&] { return !prompt.method.empty(); })) return true;
  scenario.skip(id, "the client sent no session/prompt: " + scenario.state());
  scenario.finish();
  return false;
}

void play_idle_before(ClientScenario& scenario) {
  Incoming prompt;
  if (!reach_open_prompt(scenario, "C2-TURN-6", prompt)) return;
  scenario.state("\"idle\"");
  scenario.state(R"("idle","stopReason":"end_turn")");  // of an earlier turn
  scenario.insert(prompt);
  if (!expect_waiting(scenario, "C2-TURN-6", "a state idle from before the prompt")) return;
  scenario.end_well("C2-TURN-6", "a state idle from before the prompt");
}

void play_other_states(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.state("\"requires_action\"");
  scenario.state(R"("_dreaming","of":"sheep")");
  scenario.state(R"("thinking","background":[{"type":"_moon","phase":1}])");
  if (!expect_waiting(scenario, "C2-TURN-7", "the states requires_action, _dreaming and thinking"))
    return;
  scenario.end_well("C2-TURN-7", "unknown states");
}

std::string message(std::string_view kind, std::string_view content) {
  return R"({"sessionUpdate":")" + std::string(kind) + R"(","messageId":"u","content":)" +
         std::string(content) + "}";
}

// Every order that is allowed.
void play_order(ClientScenario& scenario, bool echo_first, bool state_first, bool in_pieces) {
  Incoming prompt;
  if (!reach_open_prompt(scenario, "C2-TURN-8", prompt)) return;
  const JsonView content = prompt["params"]["prompt"];
  const auto echo = [&] {
    if (!in_pieces) return scenario.update(message("user_message", content.text()));
    for (const JsonView block : content.elements())
      scenario.update(message("user_message_chunk", block.text()));
  };
  if (state_first) scenario.state("\"running\"");
  if (echo_first) echo();
  scenario.answer(prompt, R"({"messageId":"u"})");
  if (!state_first) scenario.state("\"running\"");
  if (!echo_first) echo();
  scenario.say("So");
  const std::string what =
      std::string(state_first ? "running, " : "") +
      (echo_first ? "the message and the answer" : "the answer and the message");
  // One that left at the message has ended, too, but not because the turn is over.
  if (!scenario.survived("C2-TURN-8", what)) {
    scenario.finish();
    return;
  }
  scenario.state(R"("idle","stopReason":"end_turn")");
  expect_over(scenario, "C2-TURN-8", what);
}

void play_echo_first(ClientScenario& scenario) { play_order(scenario, true, false, false); }
void play_echo_last(ClientScenario& scenario) { play_order(scenario, false, false, true); }
void play_state_first(ClientScenario& scenario) { play_order(scenario, true, true, true); }

void play_slow_agent(ClientScenario& scenario) { play_slow(scenario, "C2-TURN-9"); }

void play_rich_answer(ClientScenario& scenario) {
  Incoming prompt;
  if (!reach_open_prompt(scenario, "C2-TURN-10", prompt)) return;
  scenario.answer(prompt, R"({"messageId":"u","_meta":{"x":{"y":[1]}},"mood":"good"})");
  scenario.state("\"running\"");
  scenario.state(R"("idle","stopReason":"end_turn","mood":"good","_meta":{})");
  scenario.pass("C2-TURN-10");
  scenario.end_well("C2-TURN-10", "unknown fields in the answer");
}

}  // namespace

std::vector<ScenarioCase> turn_scenarios() {
  return {
      {"an answer before the end", {"C2-TURN-1"}, play_answer_is_no_end},
      {"stop reason end_turn", {"C2-TURN-2"}, play_stop_end},
      {"stop reason max_tokens", {"C2-TURN-2"}, play_stop_tokens},
      {"stop reason max_turn_requests", {"C2-TURN-2"}, play_stop_requests},
      {"stop reason refusal", {"C2-TURN-2"}, play_stop_refusal},
      {"stop reason cancelled", {"C2-TURN-2"}, play_stop_cancelled},
      {"a private stop reason", {"C2-TURN-3"}, play_stop_odd},
      {"a future stop reason", {"C2-TURN-3"}, play_stop_future},
      {"no stop reason", {"C2-TURN-3"}, play_stop_none},
      {"stop reason error", {"C2-TURN-4"}, play_stop_error},
      {"an error as answer", {"C2-TURN-5"}, play_prompt_refused},
      {"idle before the prompt", {"C2-TURN-6"}, play_idle_before},
      {"other states", {"C2-TURN-7"}, play_other_states},
      {"the message before the answer", {"C2-TURN-8"}, play_echo_first},
      {"the message after the answer", {"C2-TURN-8"}, play_echo_last},
      {"the state before both", {"C2-TURN-8"}, play_state_first},
      {"a slow agent", {"C2-TURN-9"}, play_slow_agent},
      {"an answer with more in it", {"C2-TURN-10"}, play_rich_answer},
  };
}

}  // namespace acp::check::version2
