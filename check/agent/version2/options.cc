// Config options of version 2.
#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

Reply set_option(AgentClient& client, const std::string& session, const Json& id,
                 std::string_view type, const Json& value) {
  return client.call(
      "session/set_config_option",
      Json::object({{"sessionId", session}, {"configId", id}, {"type", type}, {"value", value}}));
}

std::string_view type_of(JsonView value) { return value.is_boolean() ? "boolean" : "id"; }

void check_setting(AgentClient& client, const std::string& session, JsonView options) {
  int tried = 0;
  for (const JsonView option : options.elements()) {
    const Json id(option["configId"]);
    Json other;
    if (option["currentValue"].is_boolean()) other = !*option["currentValue"].as_bool();
    for (const Json& value : values_of(option))
      if (value.view() != option["currentValue"]) other = value;
    if (other.absent() || ++tried > 4) continue;
    const Reply reply = set_option(client, session, id, type_of(other), other);
    bool done = false;
    for (const JsonView now : reply["configOptions"].elements())
      done = done || (now["configId"] == id.view() && now["currentValue"] == other.view());
    client.run().report.expect(
        "A2-CONFIG-1", done,
        "setting " + id.text() + " to " + other.text() + " was answered with " + reply.describe());
    set_option(client, session, id, type_of(other), Json(option["currentValue"]));
  }
  if (tried == 0) client.run().report.skip("A2-CONFIG-1", "no option has a second value");
}

void check_config(AgentClient& client, const std::string& session, JsonView options) {
  AgentRun& run = client.run();
  if (options.size() == 0)
    return skip_all(run,
                    {"A2-CONFIG-1", "A2-CONFIG-2", "A2-CONFIG-3", "A2-CONFIG-4", "A2-CONFIG-5"},
                    "the agent has no config options");
  std::string fault;
  const bool sound = is_sound(options, "configId", fault);
  run.report.expect("A2-CONFIG-4", sound, fault);
  check_setting(client, session, options);
  const auto refused = [&](std::string_view number, const Json& id, std::string_view type,
                           const Json& value) {
    const Reply reply = set_option(client, session, id, type, value);
    run.report.expect(number, reply.code() == -32602,
                      "setting " + id.text() + " to " + value.text() + " of type " +
                          std::string(type) + " was answered with " + reply.describe());
  };
  refused("A2-CONFIG-2", "acp-check-no-such-option", "id", "x");
  const JsonView first = *options.elements().begin();
  refused("A2-CONFIG-5", Json(first["configId"]), "_acp.check/odd", Json(first["currentValue"]));
  for (const JsonView option : options.elements())
    if (option["type"].as_string() == "select")
      return refused("A2-CONFIG-3", Json(option["configId"]), "id", "acp-check-no-such-value");
  run.report.skip("A2-CONFIG-3", "no option has a list of values");
}

}  // namespace

void check_options(AgentRun& run) {
  AgentClient& client = run.client();
  if (client.open()) {
    const Reply reply = client.new_session_in(run.folder);
    if (const auto session = reply["sessionId"].as_string(); reply.ok() && session)
      return check_config(client, *session, reply["configOptions"]);
  }
  skip_all(run, {"A2-CONFIG-1", "A2-CONFIG-2", "A2-CONFIG-3", "A2-CONFIG-4", "A2-CONFIG-5"},
           "no session could be opened");
}

}  // namespace acp::check::version2
