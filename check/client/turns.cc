// Scenes of a turn's end.
#include <thread>

#include "check/client/scene.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

// The turn was answered: the client must have noticed.
void expect_over(Scene& scene, std::string_view id, const std::string& what) {
  if (scene.options().stays || !scene.started_by_us()) {
    scene.survived(id, what);
    scene.finish();
    return;
  }
  const Scene::Ending ending = scene.finish();
  if (scene.facts().stays) return scene.skip(id, "the client never ends");
  const bool killed = ending.exit && ending.exit->kind == io::ExitStatus::Kind::killed;
  scene.expect(id, ending.in_time && !killed, "after " + what + " " + ending.text());
}

void play_stop(Scene& scene, std::string_view reason, std::string_view id) {
  if (!scene.reach_prompt()) return;
  scene.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"So"}})");
  scene.end_turn(reason);
  expect_over(scene, id, "the stop reason " + std::string(reason));
}

void play_max_tokens(Scene& scene) { play_stop(scene, "max_tokens", "C-TURN-2"); }
void play_max_requests(Scene& scene) { play_stop(scene, "max_turn_requests", "C-TURN-2"); }
void play_refusal(Scene& scene) { play_stop(scene, "refusal", "C-TURN-2"); }
void play_cancelled(Scene& scene) { play_stop(scene, "cancelled", "C-TURN-2"); }
void play_unknown_stop(Scene& scene) { play_stop(scene, "bored", "C-TURN-3"); }

void play_prompt_error(Scene& scene) {
  scene.intercept = [&](const Incoming& call) {
    if (call.method != "session/prompt") return false;
    scene.answer_error(call, -32603, "The model is out of order");
    return true;
  };
  if (!scene.start()) return;
  if (!scene.reach("session/prompt"))
    return scene.skip("C-TURN-4", "the client sent no session/prompt: " + scene.state());
  if (scene.options().stays || !scene.started_by_us()) {
    scene.survived("C-TURN-4", "an error as answer");
    scene.finish();
    return;
  }
  const Scene::Ending ending = scene.finish();
  if (scene.facts().stays) return scene.skip("C-TURN-4", "the client never ends");
  scene.expect("C-TURN-4", ending.in_time && ending.exit && !ending.exit->success(),
               "after an error as answer " + ending.text());
}

void play_slow(Scene& scene) {
  // Longer than any time that is meant for a peer on the same machine. Nothing races with it.
  scene.intercept = [&](const Incoming& call) {
    const bool first = scene.count(call.method) == 1;
    if (first && (call.method == "initialize" || call.method == "session/new"))
      std::this_thread::sleep_for(2s);
    return false;
  };
  if (!scene.start()) return;
  const auto time = scene.options().time + 4s;
  if (!scene.expect("C-TURN-5", scene.until([&] { return !scene.prompts().empty(); }, time),
                    "the client did not wait: " + scene.state())) {
    scene.finish();
    return;
  }
  scene.until([&] { return scene.gone(); }, 2000ms);
  scene.expect("C-TURN-5", !scene.gone(), "the client did not wait: " + scene.state());
  scene.end_well("C-TURN-5", "slow answers");
}

void play_rich_answer(Scene& scene) {
  scene.intercept = [&](const Incoming& call) {
    if (call.method != "session/prompt") return false;
    scene.answer(call, R"({"stopReason":"end_turn","_meta":{"x":{"y":[1]}},"mood":"good","usage":)"
                       R"({"totalTokens":3,"inputTokens":1,"outputTokens":2,"dreamTokens":7}})");
    return true;
  };
  if (!scene.start()) return;
  if (!scene.reach("session/prompt"))
    return scene.skip("C-TURN-6", "the client sent no session/prompt: " + scene.state());
  scene.pass("C-TURN-6");
  scene.end_well("C-TURN-6", "unknown fields in the answer");
}

}  // namespace

std::vector<ClientScene> client_turn_scenes() {
  return {
      {"stop reason max_tokens", {"C-TURN-2"}, play_max_tokens},
      {"stop reason max_turn_requests", {"C-TURN-2"}, play_max_requests},
      {"stop reason refusal", {"C-TURN-2"}, play_refusal},
      {"stop reason cancelled", {"C-TURN-2"}, play_cancelled},
      {"an unknown stop reason", {"C-TURN-3"}, play_unknown_stop},
      {"an error as answer", {"C-TURN-4"}, play_prompt_error},
      {"a slow agent", {"C-TURN-5"}, play_slow},
      {"an answer with more in it", {"C-TURN-6"}, play_rich_answer},
  };
}

}  // namespace acp::check
