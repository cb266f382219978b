// Scenarios of the beginning, of version 2: initialize, auth/login, session/new.
#include "check/client/version2/parts.h"

namespace acp::check::version2 {
namespace {

void play_minimal(ClientScenario& scenario) {
  scenario.initialize_result =
      R"({"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}})";
  expect_prompt(scenario, "C2-INIT-5", "an answer with nothing but sessions");
}

void play_future(ClientScenario& scenario) {
  scenario.initialize_result =
      R"({"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{"_meta":{"x":1}},)"
      R"("hologram":{}},"mcp":{"stdio":{},"http":{},"pigeon":{"speed":9}},"teleport":{}},"dreams":)"
      R"({"lucid":[1,2,null]}},"info":{"name":"acp-check","version":"1","title":null,"colour":)"
      R"("red"},"authMethods":[{"type":"agent","methodId":"a","name":"A","kind":"riddle"},{"type":)"
      R"("_handshake","methodId":"b","name":"B","grip":"firm"}],"_meta":{"check":{"deep":[{}]}},)"
      R"("unheardOf":[]})";
  expect_prompt(scenario, "C2-INIT-6", "unknown capabilities");
}

void play_unknown_version(ClientScenario& scenario) {
  scenario.initialize_result =
      R"({"protocolVersion":65535,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}})";
  scenario.ruled = false;  // it may ask for another version
  if (!scenario.start()) return;
  scenario.until([&] { return went_on(scenario) || scenario.gone(); });
  const bool quiet = !went_on(scenario);
  scenario.expect("C2-INIT-2", quiet,
                  quiet ? "" : "after version 65535: " + scenario.calls().back().method);
  if (!quiet) {
    scenario.finish();
    return;
  }
  scenario.expect("C2-INIT-3", scenario.gone(), "after version 65535: " + scenario.state());
  const ClientScenario::Ending ending = scenario.finish();
  if (scenario.options().stays || !scenario.started_by_us())
    scenario.skip("C2-INIT-4", "the client does not end by itself");
  else if (ending.exit)
    scenario.expect("C2-INIT-4", !ending.exit->success(),
                    "after version 65535 the client " + ending.exit->describe());
}

// A client that speaks version 1, too, may try that, also with an agent that it starts again.
void play_initialize_fails(ClientScenario& scenario) {
  scenario.ruled = false;
  scenario.intercept = [&](const Incoming& call) {
    if (call.method == "initialize") scenario.answer_error(call, -32603, "Out of order");
    return call.method == "initialize";
  };
  if (!scenario.start()) return;
  do {
    scenario.until([&] { return scenario.called("session/new") || scenario.gone(); });
  } while (!scenario.called("session/new") && scenario.met(std::chrono::milliseconds(500)));
  if (scenario.called("session/new")) {
    scenario.fail("C2-INIT-7", "session/new followed");
    scenario.finish();
    return;
  }
  expect_failure(scenario, "C2-INIT-7", "the error of initialize");
}

// The same agent, but of version 1: it is spoken to in the words of that, or not at all.
void play_version_1(ClientScenario& scenario) {
  scenario.protocol = 1;
  scenario.ruled = false;  // the rules of version 1 have numbers of their own
  scenario.initialize_result =
      R"({"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"a","version":"1"}})";
  scenario.session_members =
      R"(,"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},)"
      R"({"id":"act","name":"Act"}]})";
  if (!scenario.start()) return;
  scenario.until([&] { return !scenario.prompts().empty() || scenario.gone(); });
  if (scenario.prompts().empty()) {
    scenario.expect("C2-INIT-8", scenario.gone(), "after version 1: " + scenario.state());
    scenario.finish();
    return;
  }
  for (const Incoming& call : scenario.calls())
    if (call.method == "session/new" && !call["params"]["mcpServers"].is_array())
      scenario.fail("C2-INIT-8", "session/new has no mcpServers, as in version 2");
  scenario.say("Hello");
  const ClientScenario::Ending ending = scenario.finish();
  if (scenario.facts().stays) return scenario.skip("C2-INIT-8", "the client never ends");
  scenario.expect("C2-INIT-8", ending.in_time,
                  "after a turn of version 1 " + ending.text() + ": it waits for version 2");
}

void play_no_sessions(ClientScenario& scenario) {
  scenario.ruled = false;  // that session/new was not advertised is judged here
  scenario.initialize_result =
      R"({"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}})";
  if (!scenario.start()) return;
  scenario.until([&] { return went_on(scenario) || scenario.gone(); });
  scenario.expect("C2-INIT-9", !went_on(scenario),
                  "without sessions: " + scenario.calls().back().method);
  scenario.finish();
}

void play_rich_session(ClientScenario& scenario) {
  scenario.initialize_result =
      R"({"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{},"audio":{},)"
      R"("embeddedContext":{}},"mcp":{"stdio":{},"http":{}},"delete":{},"additionalDirectories":{}}},)"
      R"("info":{"name":"acp-check","version":"1"}})";
  scenario.session_members =
      R"(,"_meta":{"a":[]},"weather":"fine","availableCommands":[{"type":"command","name":"go",)"
      R"("description":"Goes","input":{"type":"_voice","pitch":3}},{"type":"_spell","name":"hex",)"
      R"("description":"?","power":9}],"configOptions":[{"configId":"how","name":"Mode","type":)"
      R"("select","category":"mode","currentValue":"ask","options":[{"value":"ask","name":"Ask"},)"
      R"({"value":"act","name":"Act","glow":true}]},{"configId":"model","name":"Model","type":)"
      R"("select","category":"model","currentValue":"small","options":[{"groupId":"g","name":"G",)"
      R"("options":[{"value":"small","name":"Small"},{"value":"big","name":"Big","_meta":{}}]}]},)"
      R"({"configId":"dial","name":"Dial","type":"_dial","angle":90},{"configId":"loud","name":)"
      R"("Loud","type":"boolean","currentValue":true,"category":"_flavour"}])";
  expect_prompt(scenario, "C2-SESS-2", "options and commands");
}

}  // namespace

std::vector<ScenarioCase> start_scenarios() {
  return {
      {"an agent with nothing but sessions", {"C2-INIT-5"}, play_minimal},
      {"an agent of the future", {"C2-INIT-6"}, play_future},
      {"version 65535", {"C2-INIT-2", "C2-INIT-3", "C2-INIT-4"}, play_unknown_version},
      {"initialize fails", {"C2-INIT-7"}, play_initialize_fails},
      {"an agent of version 1", {"C2-INIT-8"}, play_version_1},
      {"an agent without sessions", {"C2-INIT-9"}, play_no_sessions},
      {"a login is needed", {"C2-AUTH-1", "C2-AUTH-2"}, play_authenticate},
      {"a login fails", {"C2-AUTH-3"}, play_authenticate_fails},
      {"session/new fails", {"C2-SESS-1"}, play_session_error},
      {"options and commands", {"C2-SESS-2"}, play_rich_session},
      {"updates before the session", {"C2-SESS-3"}, play_early_update},
  };
}

}  // namespace acp::check::version2

namespace acp::check {

std::vector<ScenarioCase> client_scenarios_2() {
  std::vector<ScenarioCase> all;
  for (const auto list : {version2::start_scenarios, version2::turn_scenarios,
                          version2::update_scenarios, version2::question_scenarios})
    for (ScenarioCase& each : list()) all.push_back(std::move(each));
  return all;
}

}  // namespace acp::check
