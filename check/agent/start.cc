// Initialization, versions and authentication.
#include <set>

#include "check/agent/scenarios.h"

namespace acp::check {

namespace {

Json version(const Json& value) {
  return Json::object(
      {{"protocolVersion", value}, {"clientCapabilities", AgentClient::no_capabilities()}});
}

// A version that an agent speaks; -32022 is what version 2 of the protocol says instead.
void expect_own_version(AgentRun& run, std::string_view id, const Reply& reply) {
  const auto own = reply["protocolVersion"].as_int64();
  const bool good = (reply.ok() && own && (*own == 1 || *own == 2)) ||
                    (reply.refused() && reply.code() == -32022);
  run.report.expect(id, good, "initialize was answered with " + reply.describe());
}

void check_auth(AgentClient& client) {
  AgentRun& run = client.run();
  const JsonView methods = client.initialized()["authMethods"];
  if (methods.size() == 0) {
    skip_all(run, {"A-AUTH-1"}, "the agent has no methods of authentication");
  } else {
    std::set<std::string> ids;
    for (const JsonView method : methods.elements()) ids.insert(std::string(method["id"].text()));
    run.report.expect("A-AUTH-1", ids.size() == methods.size(),
                      "authMethods: " + std::string(methods.text()));
  }
  const Reply early = client.new_session_in(run.folder);
  if (early.ok() || !early.answered())
    run.report.skip("A-AUTH-4", "the agent needs no authentication");
  else if (run.options.auth || early.code() == -32000)
    run.report.expect("A-AUTH-4", early.code() == -32000,
                      "session/new before authenticating was answered with " + early.describe());
  const Reply wrong =
      client.call("authenticate", Json::object({{"methodId", "acp-check-no-such-method"}}));
  run.report.expect("A-AUTH-2", wrong.refused(),
                    "authenticate with an unknown method was answered with " + wrong.describe());
  if (!run.options.auth) {
    run.report.skip("A-AUTH-3", "no method was named with --auth");
  } else {
    const Reply login =
        client.call("authenticate", Json::object({{"methodId", *run.options.auth}}));
    const Reply session = login.ok() ? client.new_session_in(run.folder) : login;
    // What else may be wrong with sessions is another matter.
    run.report.expect("A-AUTH-3", login.ok() && session.code() != -32000,
                      std::string(login.ok() ? "session/new" : "authenticate") +
                          " was answered with " + session.describe());
  }
  if (!client.agent_capabilities().view()["auth"]["logout"].is_object())
    return run.report.skip("A-AUTH-5", "logout is not advertised");
  const Reply logout = client.call("logout", Json::object());
  run.report.expect("A-AUTH-5", logout.ok(), "logout was answered with " + logout.describe());
}

}  // namespace

void check_start(AgentRun& run) {
  // Started together: programs that take long to start take it once.
  AgentClient plain(run, AgentClient::all_capabilities());
  AgentClient least(run, AgentClient::no_capabilities());
  AgentClient future(run, AgentClient::no_capabilities());
  AgentClient zero(run, AgentClient::no_capabilities());
  AgentClient high(run, AgentClient::no_capabilities());
  // One mistake each: over a network, the first ends the connection.
  AgentClient text_version(run, AgentClient::no_capabilities(), Watch::shape);
  AgentClient no_version(run, AgentClient::no_capabilities(), Watch::shape);

  const Reply reply = plain.initialize();
  const std::string words = reply.answered() ? "" : plain.program().stderr_tail();
  run.report.expect("A-INIT-1", reply.ok() && reply["protocolVersion"].as_int64() == 1,
                    "initialize was answered with " + reply.describe() +
                        (words.empty() ? "" : "; the agent's last words: " + words));
  if (reply.ok()) {
    const JsonView info = plain.initialized()["agentInfo"];
    run.report.expect("A-INIT-6",
                      !info["name"].as_string().value_or("").empty() &&
                          !info["version"].as_string().value_or("").empty(),
                      "agentInfo: " + std::string(info.absent() ? "absent" : info.text()));
    check_auth(plain);
  } else {
    skip_all(run, {"A-INIT-6", "A-AUTH-1", "A-AUTH-2", "A-AUTH-3", "A-AUTH-4", "A-AUTH-5"},
             "the connection could not be initialized");
  }

  const Reply little = least.initialize_with(Json::object({{"protocolVersion", 1}}));
  run.report.expect("A-INIT-7", little.ok(),
                    "initialize with only a version was answered with " + little.describe());

  Json unknown = version(1);
  Json capabilities = AgentClient::no_capabilities();
  capabilities.set("telepathy", Json::object({{"range", Json::array({1, "far"})}}));
  capabilities.set("_meta", Json::object({{"acp.check", true}}));
  unknown.set("clientCapabilities", capabilities).set("mood", "curious");
  const Reply tolerated = future.initialize_with(unknown);
  run.report.expect("A-INIT-8", tolerated.ok(),
                    "initialize with unknown fields was answered with " + tolerated.describe());

  expect_own_version(run, "A-INIT-2", zero.initialize_with(version(0)));
  expect_own_version(run, "A-INIT-3", high.initialize_with(version(65535)));

  if (run.options.over_network) {
    run.report.skip("A-INIT-9", "the transport lets nothing in before initialize");
  } else {
    const Reply early = text_version.new_session_in(run.folder);
    run.report.expect("A-INIT-9", early.refused(),
                      "session/new before initialize was answered with " + early.describe());
  }
  const Reply text = text_version.call("initialize", version("1"));
  run.report.expect("A-INIT-4", text.refused(),
                    "the version \"1\" was answered with " + text.describe());
  const Reply missing = no_version.call(
      "initialize", Json::object({{"clientCapabilities", AgentClient::no_capabilities()}}));
  run.report.expect("A-INIT-5", missing.refused(),
                    "initialize without a version was answered with " + missing.describe());
}

}  // namespace acp::check
