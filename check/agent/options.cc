// Modes and config options.
#include <set>

#include "check/agent/scenarios.h"

namespace acp::check {

namespace {

void check_modes(AgentClient& client, const std::string& session, JsonView modes) {
  AgentRun& run = client.run();
  if (modes["availableModes"].size() == 0)
    return skip_all(run, {"A-MODE-1", "A-MODE-2"}, "the agent has no modes");
  const auto set = [&](const Json& mode) {
    return client.call("session/set_mode",
                       Json::object({{"sessionId", session}, {"modeId", mode}}));
  };
  for (const JsonView mode : modes["availableModes"].elements()) {
    const Reply reply = set(Json(mode["id"]));
    run.report.expect(
        "A-MODE-1", reply.ok(),
        "setting " + std::string(mode["id"].text()) + " was answered with " + reply.describe());
  }
  const Reply wrong = set("acp-check-no-such-mode");
  run.report.expect("A-MODE-2", wrong.refused(),
                    "an unknown mode was answered with " + wrong.describe());
}

}  // namespace

std::vector<Json> values_of(JsonView option) {
  std::vector<Json> values;
  for (const JsonView each : option["options"].elements()) {
    if (!each["value"].absent()) values.emplace_back(each["value"]);
    for (const JsonView inner : each["options"].elements()) values.emplace_back(inner["value"]);
  }
  return values;
}

bool is_sound(JsonView options, std::string_view key, std::string& fault) {
  std::set<std::string> ids;
  for (const JsonView option : options.elements()) {
    if (!ids.insert(std::string(option[key].text())).second)
      fault = "two options have the id " + std::string(option[key].text());
    if (option["type"].as_string() != "select") continue;
    bool offered = false;
    for (const Json& value : values_of(option))
      offered = offered || value.view() == option["currentValue"];
    if (!offered)
      fault = std::string(option[key].text()) + " has the value " +
              std::string(option["currentValue"].text()) + ", which is not offered";
  }
  return fault.empty();
}

namespace {

Reply set_option(AgentClient& client, const std::string& session, const Json& id,
                 const Json& value) {
  Json params = Json::object({{"sessionId", session}, {"configId", id}, {"value", value}});
  if (value.is_boolean()) params.set("type", "boolean");
  return client.call("session/set_config_option", params);
}

void check_config(AgentClient& client, const std::string& session, JsonView options) {
  AgentRun& run = client.run();
  if (options.size() == 0)
    return skip_all(run, {"A-CONFIG-1", "A-CONFIG-2", "A-CONFIG-3", "A-CONFIG-4"},
                    "the agent has no config options");
  std::string fault;
  const bool sound = is_sound(options, "id", fault);
  run.report.expect("A-CONFIG-4", sound, fault);
  int tried = 0;
  for (const JsonView option : options.elements()) {
    const Json id(option["id"]);
    Json other;
    if (option["currentValue"].is_boolean()) other = !*option["currentValue"].as_bool();
    for (const Json& value : values_of(option))
      if (value.view() != option["currentValue"]) other = value;
    if (other.absent() || ++tried > 4) continue;
    const Reply reply = set_option(client, session, id, other);
    bool done = false;
    std::size_t count = 0;
    for (const JsonView now : reply["configOptions"].elements()) {
      ++count;
      done = done || (now["id"] == id.view() && now["currentValue"] == other.view());
    }
    run.report.expect(
        "A-CONFIG-1", done && count > 0,
        "setting " + id.text() + " to " + other.text() + " was answered with " + reply.describe());
    set_option(client, session, id, Json(option["currentValue"]));
  }
  if (tried == 0) run.report.skip("A-CONFIG-1", "no option has a second value");
  const Reply unknown = set_option(client, session, "acp-check-no-such-option", "x");
  run.report.expect("A-CONFIG-2", unknown.refused(),
                    "an unknown option was answered with " + unknown.describe());
  Json select;
  for (const JsonView option : options.elements())
    if (option["type"].as_string() == "select") select = Json(option["id"]);
  if (select.absent()) return run.report.skip("A-CONFIG-3", "no option has a list of values");
  const Reply wrong = set_option(client, session, select, "acp-check-no-such-value");
  run.report.expect("A-CONFIG-3", wrong.refused(),
                    "an unknown value was answered with " + wrong.describe());
}

}  // namespace

void check_options(AgentRun& run) {
  AgentClient& client = run.client();
  const auto skipped = {"A-MODE-1",   "A-MODE-2",   "A-CONFIG-1",
                        "A-CONFIG-2", "A-CONFIG-3", "A-CONFIG-4"};
  if (client.open()) {
    const Reply reply = client.new_session_in(run.folder);
    if (const auto session = reply["sessionId"].as_string(); reply.ok() && session) {
      check_config(client, *session, reply["configOptions"]);
      check_modes(client, *session, reply["modes"]);
      return;
    }
  }
  for (const char* id : skipped) run.report.skip(id, "no session could be opened");
}

}  // namespace acp::check
