// Scenarios of the beginning: initialize, authenticate, session/new.
#include "check/client/scenario_parts.h"

namespace acp::check {

using namespace std::chrono_literals;

void expect_prompt(ClientScenario& scenario, std::string_view id, const std::string& what) {
  if (!scenario.start()) return;
  const bool came = scenario.until([&] { return !scenario.prompts().empty(); });
  if (scenario.expect(id, came, "no prompt followed: " + scenario.state()))
    scenario.end_well(id, what);
  else
    scenario.finish();
}

bool went_on(const ClientScenario& scenario) {
  for (const Incoming& each : scenario.calls())
    if (each.method != "initialize" && !each.method.starts_with("$/") &&
        !each.method.starts_with('_'))
      return true;
  return false;
}

namespace {

void play_minimal(ClientScenario& scenario) {
  scenario.initialize_result = R"({"protocolVersion":1})";
  expect_prompt(scenario, "C-INIT-7", "an answer without capabilities");
}

void play_rich_initialize(ClientScenario& scenario) {
  scenario.initialize_result =
      R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":)"
      R"({"image":true,"hologram":true,"_meta":{"x":1}},"mcpCapabilities":{"http":true,"pigeon":)"
      R"({}},"sessionCapabilities":{"list":{},"teleport":{}},"dreams":{"lucid":[1,2,null]}},)"
      R"("agentInfo":{"name":"acp-check","version":"1","title":null,"colour":"red"},)"
      R"("authMethods":[{"id":"a","name":"A","kind":"riddle"},{"type":"handshake","id":"b",)"
      R"("name":"B","grip":"firm"}],"_meta":{"check":{"deep":[{}]}},"unheardOf":[]})";
  expect_prompt(scenario, "C-INIT-8", "unknown capabilities");
}

void play_version(ClientScenario& scenario, const std::string& version) {
  scenario.initialize_result = "{\"protocolVersion\":" + version + ",\"agentCapabilities\":{}}";
  if (!scenario.start()) return;
  if (!scenario.reach("initialize")) {
    for (const std::string_view id : scenario.ids)
      scenario.skip(id, "no initialize: " + scenario.state());
    return;
  }
  scenario.until([&] { return went_on(scenario) || scenario.gone(); });
  const bool quiet = !went_on(scenario);
  scenario.expect("C-INIT-4", quiet,
                  quiet ? "" : "after version " + version + ": " + scenario.calls().back().method);
  if (!quiet) {
    // What it does with a connection that it takes for good says nothing more.
    scenario.finish();
    return;
  }
  scenario.expect("C-INIT-5", scenario.gone(),
                  "after version " + version + ": " + scenario.state());
  const ClientScenario::Ending ending = scenario.finish();
  if (scenario.options().stays || !scenario.started_by_us())
    scenario.skip("C-INIT-6", "the client does not end by itself");
  else if (ending.exit)
    scenario.expect("C-INIT-6", !ending.exit->success(),
                    "after version " + version + " the client " + ending.exit->describe());
}

void play_version_65535(ClientScenario& scenario) { play_version(scenario, "65535"); }
void play_version_0(ClientScenario& scenario) { play_version(scenario, "0"); }

}  // namespace

void expect_failure(ClientScenario& scenario, std::string_view id, const std::string& what) {
  if (scenario.options().stays || !scenario.started_by_us()) {
    scenario.expect(id, scenario.alive() || scenario.gone(),
                    "after " + what + ": " + scenario.state());
    scenario.finish();
    return;
  }
  scenario.until([&] { return scenario.gone(); });
  const ClientScenario::Ending ending = scenario.finish();
  if (!ending.in_time)
    scenario.fail(id, "after " + what + " the client does not end");
  else
    scenario.expect(id, !ending.exit || !ending.exit->success(),
                    "after " + what + " the client " + ending.exit->describe());
}

namespace {

void play_initialize_error(ClientScenario& scenario) {
  scenario.intercept = [&](const Incoming& call) {
    if (call.method == "initialize") scenario.answer_error(call, -32603, "Out of order");
    return call.method == "initialize";
  };
  if (!scenario.start()) return;
  scenario.until([&] { return scenario.called("session/new") || scenario.gone(); });
  if (scenario.called("session/new")) {
    scenario.fail("C-INIT-9", "session/new followed");
    scenario.finish();
    return;
  }
  expect_failure(scenario, "C-INIT-9", "the error of initialize");
}

constexpr std::string_view methods_result =
    R"({"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"login","name":"Log in",)"
    R"("description":"With a name"},{"id":"other","name":"Another way"}]})";
constexpr std::string_view methods_result_2 =
    R"({"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"acp-check","version":)"
    R"("1"},"authMethods":[{"type":"agent","methodId":"login","name":"Log in","description":)"
    R"("With a name"},{"type":"agent","methodId":"other","name":"Another way"}]})";

std::string_view login_of(const ClientScenario& scenario) {
  return scenario.protocol == 2 ? "auth/login" : "authenticate";
}

void set_methods(ClientScenario& scenario) {
  scenario.initialize_result = scenario.protocol == 2 ? methods_result_2 : methods_result;
}

}  // namespace

void play_authenticate(ClientScenario& scenario) {
  set_methods(scenario);
  bool authenticated = false;
  scenario.intercept = [&](const Incoming& call) {
    if (call.method == login_of(scenario)) authenticated = true;
    if (call.method != "session/new" || authenticated) return false;
    scenario.answer_error(call, -32000, "Authentication required");
    return true;
  };
  if (!scenario.start()) return;
  if (!scenario.reach("session/new") && !authenticated) {
    scenario.skip(scenario.number("AUTH-1"),
                  "the client asked for no session: " + scenario.state());
    scenario.skip(scenario.number("AUTH-2"),
                  "the client asked for no session: " + scenario.state());
    return;
  }
  scenario.until([&] {
    return authenticated || scenario.count("session/new") > 1 || !scenario.prompts().empty() ||
           scenario.gone();
  });
  if (!authenticated) {
    if (scenario.count("session/new") > 1 || !scenario.prompts().empty()) {
      scenario.fail(scenario.number("AUTH-1"), "the client goes on without a login");
    } else {
      scenario.skip(scenario.number("AUTH-1"), "the client did not log in: " + scenario.state());
    }
    scenario.skip(scenario.number("AUTH-2"), "the client did not log in");
    scenario.finish();
    return;
  }
  scenario.pass(scenario.number("AUTH-1"));
  const bool again = scenario.until([&] { return !scenario.prompts().empty(); });
  scenario.expect(scenario.number("AUTH-2"), again,
                  "no session after the login: " + scenario.state());
  scenario.finish();
}

void play_authenticate_fails(ClientScenario& scenario) {
  set_methods(scenario);
  scenario.intercept = [&](const Incoming& call) {
    if (call.method == login_of(scenario))
      scenario.answer_error(call, -32603, "Wrong password");
    else if (call.method == "session/new")
      scenario.answer_error(call, -32000, "Authentication required");
    else
      return false;
    return true;
  };
  if (!scenario.start()) return;
  scenario.until([&] { return scenario.called(login_of(scenario)) || scenario.gone(); });
  if (!scenario.called(login_of(scenario))) {
    scenario.skip(scenario.number("AUTH-3"), "the client did not log in");
    scenario.finish();
    return;
  }
  expect_failure(scenario, scenario.number("AUTH-3"), "the error of the login");
}

void play_session_error(ClientScenario& scenario) {
  scenario.intercept = [&](const Incoming& call) {
    if (call.method == "session/new") scenario.answer_error(call, -32603, "No more sessions");
    return call.method == "session/new";
  };
  if (!scenario.start()) return;
  if (!scenario.reach("session/new"))
    return scenario.skip(scenario.number("SESS-1"),
                         "the client asked for no session: " + scenario.state());
  expect_failure(scenario, scenario.number("SESS-1"), "the error of session/new");
}

namespace {

void play_rich_session(ClientScenario& scenario) {
  scenario.initialize_result =
      R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":)"
      R"({"image":true,"audio":true,"embeddedContext":true},"mcpCapabilities":{"http":true,)"
      R"("sse":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},)"
      R"("additionalDirectories":{}}},"agentInfo":{"name":"acp-check","version":"1"}})";
  scenario.session_members =
      R"(,"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},)"
      R"({"id":"act","name":"Act","glow":true}]},"_meta":{"a":[]},"weather":"fine",)"
      R"("configOptions":[{"id":"model","name":"Model","type":"select","category":"model",)"
      R"("currentValue":"small","options":[{"value":"small","name":"Small"},{"value":"big",)"
      R"("name":"Big","_meta":{}}]},{"id":"dial","name":"Dial","type":"dial","angle":90},)"
      R"({"id":"taste","name":"Taste","type":"select","category":"_flavour","currentValue":)"
      R"("sweet","options":[{"value":"sweet","name":"Sweet"}]}])";
  expect_prompt(scenario, "C-SESS-2", "modes and options");
}

}  // namespace

void play_early_update(ClientScenario& scenario) {
  scenario.intercept = [&](const Incoming& call) {
    if (call.method == "session/new") {
      scenario.notify("session/update",
                      R"({"sessionId":"early-1","update":{"sessionUpdate":)"
                      R"("available_commands_update","availableCommands":[{"type":"command",)"
                      R"("name":"go","description":"Goes"}]}})");
      scenario.notify("session/update",
                      R"({"sessionId":"early-1","update":{"sessionUpdate":"agent_message_chunk",)"
                      R"("messageId":"m","content":{"type":"text","text":"Before its time"}}})");
      scenario.answer_session(call, "\"early-1\"");
      return true;
    }
    return false;
  };
  expect_prompt(scenario, scenario.number("SESS-3"), "updates before the session");
}

std::vector<ScenarioCase> client_start_scenarios() {
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
