// Scenes of the beginning: initialize, authenticate, session/new.
#include "check/client/scene.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

void play_minimal(Scene& scene) {
  scene.initialize_result = R"({"protocolVersion":1})";
  if (!scene.start()) return;
  const bool went_on = scene.until([&] { return !scene.prompts().empty(); });
  if (scene.expect("C-INIT-7", went_on, "no prompt followed: " + scene.state()))
    scene.end_well("C-INIT-7", "an answer without capabilities");
  else
    scene.finish();
}

void play_rich_initialize(Scene& scene) {
  scene.initialize_result =
      R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":)"
      R"({"image":true,"hologram":true,"_meta":{"x":1}},"mcpCapabilities":{"http":true,"pigeon":)"
      R"({}},"sessionCapabilities":{"list":{},"teleport":{}},"dreams":{"lucid":[1,2,null]}},)"
      R"("agentInfo":{"name":"acp-check","version":"1","title":null,"colour":"red"},)"
      R"("authMethods":[{"id":"a","name":"A","kind":"riddle"},{"type":"handshake","id":"b",)"
      R"("name":"B","grip":"firm"}],"_meta":{"check":{"deep":[{}]}},"unheardOf":[]})";
  if (!scene.start()) return;
  const bool went_on = scene.until([&] { return !scene.prompts().empty(); });
  if (scene.expect("C-INIT-8", went_on, "no prompt followed: " + scene.state()))
    scene.end_well("C-INIT-8", "unknown capabilities");
  else
    scene.finish();
}

void play_version(Scene& scene, const std::string& version) {
  scene.initialize_result = "{\"protocolVersion\":" + version + ",\"agentCapabilities\":{}}";
  if (!scene.start()) return;
  if (!scene.reach("initialize")) {
    for (const std::string_view id : scene.ids) scene.skip(id, "no initialize: " + scene.state());
    return;
  }
  const auto went_on = [&] {
    for (const Incoming& each : scene.calls())
      if (each.method != "initialize" && !each.method.starts_with("$/") &&
          !each.method.starts_with('_'))
        return true;
    return false;
  };
  scene.until([&] { return went_on() || scene.gone(); });
  const bool quiet = !went_on();
  scene.expect("C-INIT-4", quiet,
               quiet ? "" : "after version " + version + ": " + scene.calls().back().method);
  if (!quiet) {
    // What it does with a connection that it takes for good says nothing more.
    scene.finish();
    return;
  }
  scene.expect("C-INIT-5", scene.gone(), "after version " + version + ": " + scene.state());
  const Scene::Ending ending = scene.finish();
  if (scene.options().stays || !scene.started_by_us())
    scene.skip("C-INIT-6", "the client does not end by itself");
  else if (ending.exit)
    scene.expect("C-INIT-6", !ending.exit->success(),
                 "after version " + version + " the client " + ending.exit->describe());
}

void play_version_65535(Scene& scene) { play_version(scene, "65535"); }
void play_version_0(Scene& scene) { play_version(scene, "0"); }

// The client has been refused something that it cannot do without.
void expect_failure(Scene& scene, std::string_view id, const std::string& what) {
  if (scene.options().stays || !scene.started_by_us()) {
    scene.expect(id, scene.alive() || scene.gone(), "after " + what + ": " + scene.state());
    scene.finish();
    return;
  }
  scene.until([&] { return scene.gone(); });
  const Scene::Ending ending = scene.finish();
  if (!ending.in_time)
    scene.fail(id, "after " + what + " the client does not end");
  else
    scene.expect(id, !ending.exit || !ending.exit->success(),
                 "after " + what + " the client " + ending.exit->describe());
}

void play_initialize_error(Scene& scene) {
  scene.intercept = [&](const Incoming& call) {
    if (call.method == "initialize") scene.answer_error(call, -32603, "Out of order");
    return call.method == "initialize";
  };
  if (!scene.start()) return;
  scene.until([&] { return scene.called("session/new") || scene.gone(); });
  if (scene.called("session/new")) {
    scene.fail("C-INIT-9", "session/new followed");
    scene.finish();
    return;
  }
  expect_failure(scene, "C-INIT-9", "the error of initialize");
}

constexpr std::string_view methods_result =
    R"({"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"login","name":"Log in",)"
    R"("description":"With a name"},{"id":"other","name":"Another way"}]})";

void play_authenticate(Scene& scene) {
  scene.initialize_result = methods_result;
  bool authenticated = false;
  scene.intercept = [&](const Incoming& call) {
    if (call.method == "authenticate") authenticated = true;
    if (call.method != "session/new" || authenticated) return false;
    scene.answer_error(call, -32000, "Authentication required");
    return true;
  };
  if (!scene.start()) return;
  if (!scene.reach("session/new") && !authenticated) {
    scene.skip("C-AUTH-1", "the client asked for no session: " + scene.state());
    scene.skip("C-AUTH-2", "the client asked for no session: " + scene.state());
    return;
  }
  scene.until([&] {
    return authenticated || scene.count("session/new") > 1 || !scene.prompts().empty() ||
           scene.gone();
  });
  if (!authenticated) {
    if (scene.count("session/new") > 1 || !scene.prompts().empty()) {
      scene.fail("C-AUTH-1", "the client goes on without authenticate");
    } else {
      scene.skip("C-AUTH-1", "the client did not log in: " + scene.state());
    }
    scene.skip("C-AUTH-2", "the client did not log in");
    scene.finish();
    return;
  }
  scene.pass("C-AUTH-1");
  const bool again = scene.until([&] { return !scene.prompts().empty(); });
  scene.expect("C-AUTH-2", again, "no session after authenticate: " + scene.state());
  scene.finish();
}

void play_authenticate_fails(Scene& scene) {
  scene.initialize_result = methods_result;
  scene.intercept = [&](const Incoming& call) {
    if (call.method == "authenticate")
      scene.answer_error(call, -32603, "Wrong password");
    else if (call.method == "session/new")
      scene.answer_error(call, -32000, "Authentication required");
    else
      return false;
    return true;
  };
  if (!scene.start()) return;
  scene.until([&] { return scene.called("authenticate") || scene.gone(); });
  if (!scene.called("authenticate")) {
    scene.skip("C-AUTH-3", "the client did not log in");
    scene.finish();
    return;
  }
  expect_failure(scene, "C-AUTH-3", "the error of authenticate");
}

void play_session_error(Scene& scene) {
  scene.intercept = [&](const Incoming& call) {
    if (call.method == "session/new") scene.answer_error(call, -32603, "No more sessions");
    return call.method == "session/new";
  };
  if (!scene.start()) return;
  if (!scene.reach("session/new"))
    return scene.skip("C-SESS-1", "the client asked for no session: " + scene.state());
  expect_failure(scene, "C-SESS-1", "the error of session/new");
}

void play_rich_session(Scene& scene) {
  scene.initialize_result =
      R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":)"
      R"({"image":true,"audio":true,"embeddedContext":true},"mcpCapabilities":{"http":true,)"
      R"("sse":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},)"
      R"("additionalDirectories":{}}},"agentInfo":{"name":"acp-check","version":"1"}})";
  scene.session_members =
      R"(,"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},)"
      R"({"id":"act","name":"Act","glow":true}]},"_meta":{"a":[]},"weather":"fine",)"
      R"("configOptions":[{"id":"model","name":"Model","type":"select","category":"model",)"
      R"("currentValue":"small","options":[{"value":"small","name":"Small"},{"value":"big",)"
      R"("name":"Big","_meta":{}}]},{"id":"dial","name":"Dial","type":"dial","angle":90},)"
      R"({"id":"taste","name":"Taste","type":"select","category":"_flavour","currentValue":)"
      R"("sweet","options":[{"value":"sweet","name":"Sweet"}]}])";
  if (!scene.start()) return;
  const bool went_on = scene.until([&] { return !scene.prompts().empty(); });
  if (scene.expect("C-SESS-2", went_on, "no prompt followed: " + scene.state()))
    scene.end_well("C-SESS-2", "modes and options");
  else
    scene.finish();
}

void play_early_update(Scene& scene) {
  scene.intercept = [&](const Incoming& call) {
    if (call.method == "session/new") {
      scene.notify("session/update",
                   R"({"sessionId":"early-1","update":{"sessionUpdate":)"
                   R"("available_commands_update","availableCommands":[{"name":"go",)"
                   R"("description":"Goes"}]}})");
      scene.notify("session/update",
                   R"({"sessionId":"early-1","update":{"sessionUpdate":"agent_message_chunk",)"
                   R"("content":{"type":"text","text":"Before its time"}}})");
      scene.answer(call, R"({"sessionId":"early-1"})");
      return true;
    }
    return false;
  };
  if (!scene.start()) return;
  const bool went_on = scene.until([&] { return !scene.prompts().empty(); });
  if (scene.expect("C-SESS-3", went_on, "no prompt followed: " + scene.state()))
    scene.end_well("C-SESS-3", "updates before the session");
  else
    scene.finish();
}

}  // namespace

std::vector<ClientScene> client_start_scenes() {
  return {
      {"an agent without capabilities", {"C-INIT-7"}, play_minimal},
      {"an agent of the future", {"C-INIT-8"}, play_rich_initialize},
      {"version 65535", {"C-INIT-4", "C-INIT-5", "C-INIT-6"}, play_version_65535},
      {"version 0", {"C-INIT-4", "C-INIT-5", "C-INIT-6"}, play_version_0},
      {"initialize fails", {"C-INIT-9"}, play_initialize_error},
      {"a login is needed", {"C-AUTH-1", "C-AUTH-2"}, play_authenticate},
      {"a login fails", {"C-AUTH-3"}, play_authenticate_fails},
      {"session/new fails", {"C-SESS-1"}, play_session_error},
      {"modes and options", {"C-SESS-2"}, play_rich_session},
      {"updates before the session", {"C-SESS-3"}, play_early_update},
  };
}

}  // namespace acp::check
