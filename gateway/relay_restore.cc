// After a break: the agent is another process, and gets what the one before had.
#include <utility>

#include "acp/rpc/engine.h"
#include "gateway/relay.h"

namespace acp::gateway {

namespace {

// Whether the same request may succeed a little later.
bool may_pass(std::int64_t code) {
  return code != rpc::auth_required && code != rpc::not_found && code != rpc::method_not_found &&
         code != rpc::invalid_params;
}

}  // namespace

void Relay::ask(Restoring what, const char* method, const Json& params) {
  const Json id("acp-connect-restore-" + std::to_string(next_restore_++));
  restoring_[rpc::RequestId(id).key()] = std::move(what);
  ends_.to_agent(
      Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}})
          .text());
}

// The agent is there again: now its sessions.
void Relay::restore() {
  last_time_ = false;
  const auto sessions = sessions_;
  for (const auto& [session, how] : sessions) reopen(session, false);
  check_restored();
}

void Relay::reopen(const std::string& session, bool again) {
  // In version 2, an agent with sessions can resume them.
  const JsonView can_resume =
      is_version2() ? capabilities_["session"] : capabilities_["sessionCapabilities"]["resume"];
  const bool resumes = !can_resume.absent() && !can_resume.is_null();
  if (!resumes && !capabilities_["loadSession"].as_bool().value_or(false))
    return lose(session, "the agent can neither resume nor load sessions");
  const Session& how = sessions_.at(session);
  if (!resumes) replaying_.insert(session);
  Json params = Json::object({{"sessionId", session},
                              {"cwd", how.cwd},
                              {"mcpServers", how.servers.absent() ? Json::array() : how.servers}});
  if (!how.directories.absent()) params.set("additionalDirectories", how.directories);
  ask({Step::session, session, again}, resumes ? "session/resume" : "session/load", params);
}

void Relay::restored(const std::string& key, JsonView message) {
  const Restoring what = std::move(restoring_.at(key));
  restoring_.erase(key);
  if (what.step == Step::initialize) {
    if (message["result"].absent())
      return given_up("the agent refuses initialize: " +
                      message["error"]["message"].as_string().value_or(""));
    const std::int64_t before = version_;
    initialized(message["result"]);
    if (version_ != before)
      return given_up("the agent speaks version " + std::to_string(version_) +
                      " of the protocol now, and spoke version " + std::to_string(before));
    return restore();
  }
  if (what.step == Step::authenticate)
    authenticated(message);
  else
    session_restored(what, message);
  check_restored();
}

void Relay::session_restored(const Restoring& what, JsonView message) {
  replaying_.erase(what.session);
  if (!message["result"].absent()) return show_choices(what.session, message["result"]);
  const std::int64_t code = message["error"]["code"].as_int64().value_or(0);
  const std::string why = message["error"]["message"].as_string().value_or("");
  if (may_pass(code) && !last_time_) {
    failed_sessions_[what.session] = why;
    return;
  }
  // Most agents remember a login: one that does not asks for it again.
  if (code != rpc::auth_required || what.again || authenticate_.absent())
    return lose(what.session, why);
  unauthorized_.insert(what.session);
  if (!std::exchange(authenticates_, true))
    ask({Step::authenticate}, is_version2() ? "auth/login" : "authenticate", authenticate_);
}

void Relay::authenticated(JsonView message) {
  // Another session that needs it may still be found.
  authenticates_ = false;
  const std::string error = message["error"]["message"].as_string().value_or("");
  for (const std::string& session : std::exchange(unauthorized_, {})) {
    if (message["result"].absent())
      lose(session, error);
    else
      reopen(session, true);
  }
}

void Relay::lose(const std::string& session, const std::string& why) {
  lost_sessions_[session] = why;
  sessions_.erase(session);
  ends_.say("a session could not be opened again: " + why);
}

void Relay::try_again(bool last_time) {
  last_time_ = last_time;
  for (const auto& [session, why] : std::exchange(failed_sessions_, {})) reopen(session, false);
  check_restored();
}

void Relay::too_slow() {
  for (const auto& [key, what] : std::exchange(restoring_, {})) {
    if (what.step == Step::initialize) return given_up("the agent does not answer initialize");
    if (what.step == Step::session) lose(what.session, "the agent did not answer in time");
  }
  for (const std::string& session : std::exchange(unauthorized_, {}))
    lose(session, "the agent did not answer authenticate in time");
  for (const auto& [session, why] : std::exchange(failed_sessions_, {})) lose(session, why);
  check_restored();
}

void Relay::show_choices(const std::string& session, JsonView result) {
  if (const JsonView mode = result["modes"]["currentModeId"]; mode.is_string())
    update(session,
           Json::object({{"sessionUpdate", "current_mode_update"}, {"currentModeId", Json(mode)}}));
  if (const JsonView options = result["configOptions"]; options.is_array())
    update(session, Json::object({{"sessionUpdate", "config_option_update"},
                                  {"configOptions", Json(options)}}));
  // Only version 2 has them here.
  if (const JsonView commands = result["availableCommands"]; commands.is_array())
    update(session, Json::object({{"sessionUpdate", "available_commands_update"},
                                  {"availableCommands", Json(commands)}}));
}

void Relay::check_restored() {
  if (!restoring_.empty() || !failed_sessions_.empty()) return;
  state_ = State::here;
  ends_.say("connected again, with " + std::to_string(sessions_.size()) + " sessions");
  waiting_bytes_ = 0;
  for (const std::string& text : std::exchange(waiting_, {})) send_waiting(text);
}

// Sends a message that has waited, unless it is for a session that is lost now.
void Relay::send_waiting(const std::string& text) {
  const auto parsed = Json::parse(text, {.depth = 512, .bytes = text.size()});
  const JsonView message = parsed ? parsed->view() : JsonView();
  if (!message["id"].absent() && !message["method"].absent())
    if (const auto why = loss_of(message["params"]["sessionId"].as_string().value_or(""),
                                 message["method"].as_string().value_or(""))) {
      asked_.erase(rpc::RequestId(message["id"]).key());
      return fail_lost(Json(message["id"]), *why);
    }
  ends_.to_agent(text);
}

}  // namespace acp::gateway
