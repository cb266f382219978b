// Initialization, versions, authentication and ids of version 2.
#include <set>

#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

Json info() { return Json::object({{"name", "acp-check"}, {"version", "1"}}); }

Json version(const Json& value) {
  return Json::object({{"protocolVersion", value}, {"info", info()}});
}

void check_versions(AgentRun& run) {
  AgentClient zero(run, AgentClient::no_capabilities(2));
  AgentClient high(run, AgentClient::no_capabilities(2));
  AgentClient later(run, AgentClient::no_capabilities(2), Watch::shape);
  AgentClient text_version(run, AgentClient::no_capabilities(2), Watch::shape);
  AgentClient no_version(run, AgentClient::no_capabilities(2), Watch::shape);
  AgentClient nameless(run, AgentClient::no_capabilities(2), Watch::shape);

  const Reply low = zero.initialize_with(version(0));
  run.report.expect("A2-INIT-3", low.code() == -32022,
                    "initialize for version 0 was answered with " + low.describe());
  if (low.code() == -32022)
    run.report.expect(
        "A2-INIT-4",
        low["data"]["requested"].as_int64() == 0 && low["data"]["supported"].size() > 0,
        "initialize for version 0 was answered with " + low.describe());
  else
    run.report.skip("A2-INIT-4", "version 0 was not refused with -32022");
  const Reply highest = high.initialize_with(version(65535));
  run.report.expect("A2-INIT-2", highest["protocolVersion"].as_int64() == 2,
                    "initialize for version 65535 was answered with " + highest.describe());
  const Reply passed_over = later.initialize_with(
      Json::object({{"protocolVersion", 65535}, {"info", 7}, {"capabilities", Json::array({1})}}));
  run.report.expect("A2-INIT-14", passed_over["protocolVersion"].as_int64() == 2,
                    "initialize of a later version was answered with " + passed_over.describe());
  const Reply text = text_version.call("initialize", version("2"));
  run.report.expect("A2-INIT-15", text.refused(),
                    "the version \"2\" was answered with " + text.describe());
  const Reply missing = no_version.call("initialize", Json::object({{"info", info()}}));
  run.report.expect("A2-INIT-16", missing.refused(),
                    "initialize without a version was answered with " + missing.describe());
  const Reply anonymous = nameless.call("initialize", Json::object({{"protocolVersion", 2}}));
  run.report.expect("A2-INIT-13", anonymous.code() == -32602,
                    "initialize without info was answered with " + anonymous.describe());
}

// initialize, again and again.
void check_repeated(AgentRun& run) {
  AgentClient client(run, AgentClient::no_capabilities(2));
  const std::string after = " was answered with ";
  const Reply first = client.initialize();
  const Reply second = client.initialize();
  run.report.expect("A2-INIT-5", first.ok() && second["protocolVersion"].as_int64() == 2,
                    "the second initialize" + after + second.describe());
  if (!second.ok()) return run.report.skip("A2-INIT-7", "initialize cannot be repeated");
  const Reply wrong = client.call("initialize", Json::object({{"protocolVersion", 2}}));
  const Reply list = client.call("session/list", Json::object());
  if (wrong.refused())
    run.report.expect("A2-INIT-7", list.code() != -32600,
                      "after an initialize that failed, session/list" + after + list.describe());
  else
    run.report.skip("A2-INIT-7", "an initialize that is wrong did not fail");
  const Reply last = client.call("initialize", client.introduction());
  run.report.expect("A2-INIT-6", last.code() == -32600,
                    "initialize after session/list" + after + last.describe());
}

// What comes before it.
void check_early(AgentRun& run) {
  if (run.options.over_network)
    return skip_all(run, {"A2-INIT-8", "A2-INIT-9"},
                    "the transport lets nothing in before initialize");
  AgentClient eager(run, AgentClient::no_capabilities(2), Watch::shape);
  const Reply early = eager.new_session_in(run.folder);
  run.report.expect("A2-INIT-8", early.code() == -32600,
                    "session/new before initialize was answered with " + early.describe());
  AgentClient noisy(run, AgentClient::no_capabilities(2), Watch::shape);
  noisy.notify("session/cancel", Json::object({{"sessionId", "acp-check-no-such-session"}}));
  noisy.notify("_acp.check/event", Json::object());
  const Reply after = noisy.initialize();
  run.report.expect("A2-INIT-9", after.ok() && noisy.answers_without_id.empty(),
                    "initialize after two notifications was answered with " + after.describe());
}

void check_auth(AgentClient& client) {
  AgentRun& run = client.run();
  const JsonView methods = client.initialized()["authMethods"];
  if (methods.size() == 0)
    return skip_all(run,
                    {"A2-AUTH-1", "A2-AUTH-2", "A2-AUTH-3", "A2-AUTH-4", "A2-AUTH-5", "A2-AUTH-6"},
                    "the agent has no methods of authentication");
  std::set<std::string> ids;
  for (const JsonView method : methods.elements())
    ids.insert(std::string(method["methodId"].text()));
  run.report.expect("A2-AUTH-1", ids.size() == methods.size(),
                    "authMethods: " + std::string(methods.text()));
  const Reply early = client.new_session_in(run.folder);
  if (early.ok() || !early.answered())
    run.report.skip("A2-AUTH-4", "the agent needs no authentication");
  else if (run.options.auth || early.code() == -32000)
    run.report.expect("A2-AUTH-4", early.code() == -32000,
                      "session/new before a login was answered with " + early.describe());
  const Reply wrong =
      client.call("auth/login", Json::object({{"methodId", "acp-check-no-such-method"}}));
  run.report.expect("A2-AUTH-2", wrong.refused(),
                    "auth/login with an unknown method was answered with " + wrong.describe());
  bool logged_in = false;
  if (!run.options.auth) {
    run.report.skip("A2-AUTH-3", "no method was named with --auth");
  } else {
    const Reply login = client.call("auth/login", Json::object({{"methodId", *run.options.auth}}));
    const Reply session = login.ok() ? client.new_session_in(run.folder) : login;
    logged_in = login.ok() && session.code() != -32000;
    run.report.expect("A2-AUTH-3", logged_in,
                      std::string(login.ok() ? "session/new" : "auth/login") +
                          " was answered with " + session.describe());
  }
  const Reply logout = client.call("auth/logout", Json::object());
  run.report.expect("A2-AUTH-5", logout.ok(), "auth/logout was answered with " + logout.describe());
  if (!logout.ok() || early.code() != -32000 || !logged_in)
    return run.report.skip("A2-AUTH-6", "nothing needed the login, or it could not be taken back");
  const Reply after = client.new_session_in(run.folder);
  run.report.expect("A2-AUTH-6", after.code() == -32000,
                    "session/new after auth/logout was answered with " + after.describe());
}

// By names of version 1, and with ids of version 1.
void check_gone(AgentRun& run) {
  AgentClient client(run, AgentClient::no_capabilities(2), Watch::shape);
  if (!client.open())
    return skip_all(run, {"A2-GONE-1", "A2-ID-1"}, "the connection could not be opened");
  const Json load =
      Json::object({{"sessionId", "none"}, {"cwd", run.folder}, {"mcpServers", Json::array()}});
  const Json mode = Json::object({{"sessionId", "none"}, {"modeId", "none"}});
  for (const auto& [method, params] :
       {std::pair<std::string_view, Json>{"authenticate", Json::object({{"methodId", "none"}})},
        {"logout", Json::object()},
        {"session/load", load},
        {"session/set_mode", mode}}) {
    const Reply reply = client.call(method, params);
    run.report.expect("A2-GONE-1", reply.code() == -32601,
                      std::string(method) + " was answered with " + reply.describe());
  }
  for (const char* const id : {"null", "1.5"}) {
    const std::size_t before = client.answers_without_id.size();
    const std::string odd =
        R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"session/list","params":{}})";
    client.wire().send(std::string_view(odd));
    client.still_there();
    std::string seen = "nothing with the id null";
    bool refused = false;
    for (std::size_t i = before; i < client.answers_without_id.size(); ++i) {
      seen = client.answers_without_id[i].text;
      const auto parsed = Json::parse(seen);
      refused = refused || (parsed && (*parsed)["error"]["code"].as_int64() == -32600);
    }
    run.report.expect("A2-ID-1", refused,
                      "session/list with the id " + std::string(id) + " got " + seen);
  }
}

}  // namespace

void check_start(AgentRun& run) {
  // Started together: programs that take long to start take it once.
  AgentClient plain(run, AgentClient::all_capabilities(2));
  AgentClient least(run, AgentClient::no_capabilities(2));
  AgentClient future(run, AgentClient::no_capabilities(2));

  const Reply reply = plain.initialize();
  const std::string words = reply.answered() ? "" : plain.program().stderr_tail();
  const bool spoken = reply.ok() && reply["protocolVersion"].as_int64() == 2;
  run.report.expect("A2-INIT-1", spoken,
                    "initialize was answered with " + reply.describe() +
                        (words.empty() ? "" : "; the agent's last words: " + words));
  if (!spoken) throw OtherVersion(reply.describe());
  const JsonView told = plain.initialized()["info"];
  run.report.expect("A2-INIT-10",
                    !told["name"].as_string().value_or("").empty() &&
                        !told["version"].as_string().value_or("").empty(),
                    "info: " + std::string(told.absent() ? "absent" : told.text()));
  check_auth(plain);

  const Reply little = least.initialize_with(version(2));
  run.report.expect("A2-INIT-12", little.ok(),
                    "initialize without capabilities was answered with " + little.describe());
  Json unknown = version(2);
  Json capabilities = Json::object({{"telepathy", Json::object({{"range", Json::array({1})}})}});
  capabilities.set("_meta", Json::object({{"acp.check", true}}));
  unknown.set("capabilities", capabilities).set("mood", "curious");
  const Reply tolerated = future.initialize_with(unknown);
  run.report.expect("A2-INIT-11", tolerated.ok(),
                    "initialize with unknown fields was answered with " + tolerated.describe());
  check_versions(run);
  check_repeated(run);
  check_early(run);
  check_gone(run);
}

}  // namespace acp::check::version2
