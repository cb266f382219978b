#include "check/client/run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "check/client/scene.h"
#include "check/client/wire.h"
#include "check/rules/requirement_lists.h"

namespace acp::check {
namespace {

using Barrier = ClientFacts::Barrier;

// Nothing unusual happens; the client is got to know.
void play_plain(Scene& scene, ClientFacts& facts) {
  const auto wait_half = [&](const std::string& id) {
    return scene.until([&] { return scene.answered(id); }, scene.options().time / 2);
  };
  if (!scene.reach_prompt()) return;
  facts.prompted = true;
  scene.update(
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}})");
  if (!wait_half(scene.ask("_check/ping", "{}"))) {
    const std::string permission = scene.ask(
        "session/request_permission",
        R"({"sessionId":$S,"toolCall":{"toolCallId":"probe","title":"Go on?"},"options":)"
        R"([{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No",)"
        R"("kind":"reject_once"}]})");
    facts.barrier = wait_half(permission) ? Barrier::permission : Barrier::none;
  }
  const auto first = std::ranges::find(scene.calls(), "initialize", &Incoming::method);
  const JsonView initialize = first == scene.calls().end() ? JsonView() : first->json["params"];
  scene.expect("C-INIT-1", initialize["protocolVersion"].as_int64() != 0, "protocolVersion is 0");
  scene.expect("C-INIT-2", !scene.capabilities().absent(), "no clientCapabilities");
  scene.expect("C-INIT-3", initialize["clientInfo"]["name"].is_string(), "no clientInfo");
  scene.expect("C-TURN-1", scene.prompts().front()["params"]["prompt"].size() > 0,
               "the prompt is empty");

  const Scene::Ending ending = scene.finish(true);
  facts.stays = !ending.in_time;
  scene.expect("C-LIFE-7", ending.closed && ending.in_time,
               "the turn is over, and " + ending.text());
  if (!scene.started_by_us()) {
    scene.skip("C-LIFE-8", "the client was started by hand");
    scene.skip("C-LIFE-10", "the client was started by hand");
    return;
  }
  if (!ending.in_time) return;
  scene.expect("C-LIFE-8", ending.tree_gone, "the client has ended, and what it started has not");
  if (scene.options().stays) {
    scene.skip("C-LIFE-10", "the client does not end by itself");
  } else if (ending.exit && ending.exit->kind == io::ExitStatus::Kind::exited) {
    facts.plain_exit = ending.exit->value;
    // A client that had to ask for a permission may have been refused it.
    if (facts.barrier == Barrier::extension)
      scene.expect("C-LIFE-10", ending.exit->success(), scene.state());
  } else {
    scene.fail("C-LIFE-10", scene.state());
  }
}

const std::vector<std::string_view> plain_ids = {"C-INIT-1", "C-INIT-2", "C-INIT-3", "C-TURN-1",
                                                 "C-LIFE-7", "C-LIFE-8", "C-LIFE-10"};

std::vector<ClientScene> all_scenes() {
  std::vector<ClientScene> all;
  for (const auto list :
       {client_start_scenes, client_turn_scenes, client_update_scenes, client_rpc_scenes,
        client_file_scenes, client_terminal_scenes, client_question_scenes, client_end_scenes})
    for (ClientScene& each : list()) all.push_back(std::move(each));
  return all;
}

class Run {
 public:
  Run(const ClientOptions& options, Report& report)
      : options_(options), report_(report), judge_(report) {}

  bool play() {
    play_one("a plain turn", plain_ids, [&](Scene& scene) { play_plain(scene, facts_); });
    std::vector<ClientScene> chosen = all_scenes();
    // The rules of the wire may be broken anywhere: with one of them selected, all is played.
    const bool all = std::ranges::any_of(wire_requirements(), [&](const Requirement& each) {
      return each.side == Side::client && report_.selected(each.id);
    });
    if (!all)
      std::erase_if(chosen,
                    [&](const ClientScene& each) { return !report_.any_selected(each.ids); });
    std::atomic<std::size_t> next = 0;
    std::exception_ptr broken;  // of a scene that could not be played: no directory, no memory
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
                const std::function<void(Scene&)>& play) {
    const std::filesystem::path directory = base_.path() / std::to_string(++scenes_);
    Scene scene(options_, facts_, judge_, name, directory);
    scene.ids = ids;
    try {
      play(scene);
    } catch (const StartFailed& failed) {
      for (const std::string_view id : ids)
        judge_.skip(id, std::string("the client could not be started: ") + failed.what());
    }
    wire_.see(scene);
  }

  const ClientOptions& options_;
  Report& report_;
  Judge judge_;
  PrivateDirectory base_;
  ClientFacts facts_;
  ClientWire wire_;
  std::atomic<int> scenes_ = 0;
  std::mutex mutex_;
};

}  // namespace

bool names_agent(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    return word.find(agent_placeholder) != std::string::npos;
  });
}

bool check_client(const ClientOptions& options, Report& report) {
  return Run(options, report).play();
}

}  // namespace acp::check
