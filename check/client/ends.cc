// Scenes of agents that die, or do not.
#include <csignal>

#include "check/client/scene.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

// The agent is gone: the client notices.
void expect_noticed(Scene& scene, std::string_view id, const std::string& what) {
  if (!scene.started_by_us()) {
    scene.until([&] { return scene.gone(); });
    scene.expect(id, scene.gone(), what + ": " + scene.state());
    scene.skip("C-LIFE-6", "the client was started by hand");
    return;
  }
  const bool stays = scene.options().stays || scene.facts().stays;
  if (stays) scene.signal(SIGTERM);
  const Scene::Ending ending = scene.finish();
  scene.expect(id, ending.in_time, what + ", and the client does not end");
  if (stays)
    scene.skip("C-LIFE-6", "the client does not end by itself");
  else if (ending.in_time && ending.exit)
    scene.expect("C-LIFE-6", !ending.exit->success(), what + ", and " + scene.state());
}

void play_dies_at(Scene& scene, std::string_view method, std::string_view id) {
  bool reached = false;
  scene.intercept = [&](const Incoming& call) {
    return reached = reached || call.method == method;
  };
  if (!scene.start()) return;
  if (!scene.until([&] { return reached; }))
    return scene.skip(id, "the client did not call " + std::string(method));
  scene.die();
  expect_noticed(scene, id, "the agent died instead of answering " + std::string(method));
}

void play_dies_first(Scene& scene) { play_dies_at(scene, "initialize", "C-LIFE-1"); }
void play_dies_second(Scene& scene) { play_dies_at(scene, "session/new", "C-LIFE-2"); }

void play_dies_in_turn(Scene& scene) {
  if (!scene.reach_prompt()) return;
  scene.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I"}})");
  scene.update(R"({"sessionUpdate":"tool_call","toolCallId":"d","title":"Dig"})");
  scene.alive();
  scene.die();
  expect_noticed(scene, "C-LIFE-3", "the agent died in the middle of a turn");
}

void play_dies_in_message(Scene& scene) {
  if (!scene.reach_prompt()) return;
  scene.raw("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"");
  scene.until([&] { return scene.gone(); }, 50ms);
  scene.die();
  expect_noticed(scene, "C-LIFE-4", "the agent died in the middle of a message");
}

void play_closes(Scene& scene) {
  if (!scene.reach_prompt()) return;
  scene.close_output();
  expect_noticed(scene, "C-LIFE-5", "the agent closed its stdout and lives on");
}

void play_stubborn(Scene& scene) {
  scene.stubborn = true;
  if (!scene.started_by_us()) return scene.skip("C-LIFE-9", "the client was started by hand");
  if (!scene.reach_prompt()) return;
  const Scene::Ending ending = scene.finish(true);
  if (scene.facts().stays) return scene.skip("C-LIFE-9", "the client never ends");
  scene.expect("C-LIFE-9", ending.in_time && ending.tree_gone,
               ending.in_time ? "the client has ended, and its agent has not"
                              : "the client waits for its agent for ever");
}

}  // namespace

std::vector<ClientScene> client_end_scenes() {
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
