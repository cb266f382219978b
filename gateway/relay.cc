#include "gateway/relay.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "acp/rpc/engine.h"

namespace acp::gateway {

namespace {

constexpr const char* cancel_method = "$/cancel_request";
constexpr const char* lost_text = "the connection to the remote agent was lost: ";

std::string key_of(JsonView id) { return rpc::RequestId(id).key(); }

// Why the editor does not get a request for a file: its path must be one that was translated.
std::optional<std::string> why_refused(JsonView params,
                                       const std::optional<std::string>& unmapped) {
  if (unmapped) return *unmapped + " has no name on the editor's machine";
  if (!params.is_object()) return "params: expected an object";
  for (const auto& [name, value] : params.members())
    if ((name == "path" || name == "cwd") && !value.is_null() &&
        !value.as_string().value_or("").starts_with('/'))
      return std::string(name) + ": expected an absolute path, got " + std::string(value.text());
  return std::nullopt;
}

bool opens_a_session(const std::string& method) {
  return method == "session/new" || method == "session/load" || method == "session/resume" ||
         method == "session/fork";
}

}  // namespace

Relay::Relay(RelayOptions options, Ends ends)
    : options_(std::move(options)), ends_(std::move(ends)) {}

// ---- from the editor

void Relay::from_editor(std::string_view text) {
  const auto parsed = Json::parse(text, {.depth = 512, .bytes = text.size()});
  // What is no message, the agent refuses.
  if (!parsed || !parsed->is_object()) return send_or_keep(std::string(text));
  const Json& message = *parsed;
  if (message["method"].absent()) return pass_answer(message);
  if (!message["id"].absent()) return pass_request(message);
  if (state_ != State::here && message["method"].as_string() == "session/cancel" &&
      cancel_waiting(message["params"]["sessionId"].as_string().value_or("")))
    return;
  if (options_.paths.empty()) return send_or_keep(message.text());
  const auto translated = options_.paths.translate(message["params"], PathMap::Towards::agent);
  if (translated.unmapped) return drop(*translated.unmapped);
  send_or_keep(with(message, "params", translated.json));
}

// A notification has no answer that could refuse it: the log says once for each path that the agent
// does not get them.
void Relay::drop(const std::string& path) {
  constexpr std::size_t remembered = 1000;
  if (dropped_.size() >= remembered) dropped_.clear();
  if (dropped_.insert(path).second)
    ends_.say(path + " has no name on the agent's machine: notifications about it are not sent");
}

void Relay::pass_request(const Json& message) {
  const std::string method = message["method"].as_string().value_or("");
  const Json id(message["id"]);
  const auto translated =
      options_.paths.empty() ? PathMap::Translated{Json(message["params"])}
                             : options_.paths.translate(message["params"], PathMap::Towards::agent);
  if (translated.unmapped)
    return fail(id, rpc::invalid_params,
                *translated.unmapped +
                    " has no name on the agent's machine: acp connect --map (there is " +
                    options_.paths.list() + ")");
  Json params = translated.json;
  if (method == "initialize") {
    Json capabilities(params["clientCapabilities"]);
    if (options_.no_files) capabilities.set("fs", Json::object());
    if (options_.no_terminals) capabilities.set("terminal", false);
    // One that speaks version 2 alone has neither, and no such member.
    const bool has_them = params["capabilities"].absent() || !params["clientCapabilities"].absent();
    if (capabilities["auth"]["terminal"].as_bool() == true) {
      Json auth(capabilities["auth"]);
      auth.set("terminal", false);
      capabilities.set("auth", auth);
    }
    if (has_them && capabilities.text() != params["clientCapabilities"].text())
      params.set("clientCapabilities", capabilities);
    initialize_ = params;
  }
  const std::string session = params["sessionId"].as_string().value_or("");
  if (const auto why = loss_of(session, method)) return fail_lost(id, *why);
  asked_[key_of(id)] = {id, method, params, session};
  send_or_keep(with(message, "params", params));
}

std::optional<std::string> Relay::loss_of(const std::string& session, const std::string& method) {
  const auto lost = lost_sessions_.find(session);
  if (lost == lost_sessions_.end()) return std::nullopt;
  if (!opens_a_session(method)) return lost->second;
  // A copy of it is another session.
  if (method == "session/fork") return std::nullopt;
  lost_sessions_.erase(lost);
  replaying_.erase(session);
  return std::nullopt;
}

void Relay::pass_answer(const Json& message) {
  const auto question = questions_.find(key_of(message["id"]));
  if (question == questions_.end()) return;  // taken back, or asked by one who has gone
  const Json id = std::move(question->second.agents_id);
  questions_.erase(question);
  const auto translated =
      options_.paths.empty() ? PathMap::Translated{Json(message["result"])}
                             : options_.paths.translate(message["result"], PathMap::Towards::agent);
  // It does not wait until all is restored: the agent may need it for that.
  ends_.to_agent(message["result"].absent() ? with(message, "error", Json(message["error"]), id)
                                            : with(message, "result", translated.json, id));
}

// ---- from the agent

namespace {

bool is_terminal_login(JsonView method) {
  for (const auto& [key, value] : method.members())
    if (key == "type" && value.as_string() == "terminal") return true;
  return false;
}

// A login in the terminal is the agent's command with more words, here: that of this program, on
// the editor's machine, with the words of another machine. However often the member is written.
Json without_terminal_logins(JsonView result) {
  if (!result.is_object()) return Json(result);
  Json kept = Json::object();
  for (const auto& [key, value] : result.members()) {
    if (key != "authMethods" || !value.is_array()) {
      kept.set(key, Json(value));
      continue;
    }
    Json methods = Json::array();
    for (const JsonView method : value.elements())
      if (!is_terminal_login(method)) methods.append(Json(method));
    kept.set(key, methods);
  }
  return kept;
}

}  // namespace

void Relay::from_agent(std::string_view text) {
  const auto parsed = Json::parse(text, {.depth = 512, .bytes = text.size()});
  if (!parsed || !parsed->is_object()) return;
  const Json& message = *parsed;
  if (message["method"].absent()) {
    const std::string key = key_of(message["id"]);
    if (restoring_.contains(key)) return restored(key, message);
    const auto asked = asked_.find(key);
    if (asked == asked_.end()) return;
    const Asked was = std::move(asked->second);
    asked_.erase(asked);
    if (message["result"].absent()) return ends_.to_editor(message.text());
    answered(was, message["result"]);
    if (was.method == "initialize") {
      Json result = without_terminal_logins(message["result"]);
      if (!directory_.empty()) {
        Json meta(result["_meta"]);
        if (!meta.is_object()) meta = Json::object();
        meta.set("libacp/cwd", directory_);
        result.set("_meta", meta);
      }
      return ends_.to_editor(with(message, "result", result));
    }
    if (options_.paths.empty()) return ends_.to_editor(message.text());
    return ends_.to_editor(
        with(message, "result",
             options_.paths.translate(message["result"], PathMap::Towards::editor).json));
  }
  const std::string session = message["params"]["sessionId"].as_string().value_or("");
  const std::string method = message["method"].as_string().value_or("");
  Json params(message["params"]);
  std::optional<std::string> unmapped;
  if (!options_.paths.empty()) {
    auto translated = options_.paths.translate(params, PathMap::Towards::editor);
    params = std::move(translated.json);
    unmapped = std::move(translated.unmapped);
  }
  if (message["id"].absent()) {
    // The editor has seen what is replayed.
    if (method == "session/update" && replaying_.contains(session)) return;
    if (method == "session/update" && is_version2()) follow_turn(session, params["update"]);
    if (method == cancel_method) {
      const std::string cancelled = key_of(message["params"]["requestId"]);
      for (const auto& [key, question] : questions_)
        if (key_of(question.agents_id) == cancelled) params.set("requestId", question.editors_id);
    }
    return ends_.to_editor(with(message, "params", params));
  }
  const bool is_a_file = method.starts_with("fs/") || method == "terminal/create";
  if (is_a_file && !options_.paths.empty())
    if (const auto why = why_refused(params, unmapped))
      return ends_.to_agent(Json::object({{"jsonrpc", "2.0"},
                                          {"id", Json(message["id"])},
                                          {"error", Json::object({{"code", rpc::invalid_params},
                                                                  {"message", *why}})}})
                                .text());
  // The next connection may use the same ids again, while the editor still thinks about these.
  const Json id("acp-connect-" + std::to_string(generation_) + "-" + key_of(message["id"]));
  questions_[key_of(id)] = {Json(message["id"]), id};
  ends_.to_editor(with(message, "params", params, id));
}

void Relay::answered(const Asked& asked, JsonView result) {
  if (asked.method == "initialize") initialized(result);
  const std::string& session = asked.session;
  if (asked.method == "authenticate" || asked.method == "auth/login") authenticate_ = asked.params;
  if (asked.method == "logout" || asked.method == "auth/logout") authenticate_ = {};
  if (asked.method == "session/prompt" && is_version2()) turns_.insert(session);
  if (asked.method == "session/new" || asked.method == "session/fork")
    if (const auto made = result["sessionId"].as_string()) remember(*made, asked.params);
  if (asked.method == "session/load" || asked.method == "session/resume")
    remember(session, asked.params);
  if (asked.method == "session/close" || asked.method == "session/delete") {
    sessions_.erase(session);
    turns_.erase(session);
  }
}

void Relay::initialized(JsonView result) {
  version_ = result["protocolVersion"].as_int64().value_or(1);
  capabilities_ = Json(result[is_version2() ? "capabilities" : "agentCapabilities"]);
  if (capabilities_.absent()) capabilities_ = Json::object();
}

void Relay::remember(const std::string& id, const Json& params) {
  // An agent that was started again may give the same ids.
  lost_sessions_.erase(id);
  replaying_.erase(id);
  sessions_[id] = {Json(params["cwd"]), Json(params["mcpServers"]),
                   Json(params["additionalDirectories"])};
}

// ---- a break, and after it

void Relay::lost(const std::string& reason) {
  if (state_ == State::over) return;
  const State was = std::exchange(state_, State::away);
  ++generation_;
  restoring_.clear();
  unauthorized_.clear();
  failed_sessions_.clear();
  authenticates_ = false;
  replaying_.clear();
  const std::size_t questions = questions_.size();
  for (const auto& [key, question] : std::exchange(questions_, {}))
    ends_.to_editor(Json::object({{"jsonrpc", "2.0"},
                                  {"method", cancel_method},
                                  {"params", Json::object({{"requestId", question.editors_id}})}})
                        .text());
  // Nothing of what was asked since the break has been sent.
  if (was != State::here) return;
  const std::size_t requests = fail_all(lost_text + reason);
  end_turns(lost_text + reason);
  if (!has_begun()) return;
  ends_.say("lost: the answers to " + std::to_string(requests) +
            " requests; taken back: " + std::to_string(questions) + " questions");
}

std::size_t Relay::fail_all(const std::string& text) {
  waiting_.clear();
  waiting_bytes_ = 0;
  const auto failed = std::exchange(asked_, {});
  for (const auto& [key, asked] : failed) fail(asked.id, rpc::internal_error, text);
  return failed.size();
}

void Relay::follow_turn(const std::string& session, JsonView update) {
  if (update["sessionUpdate"].as_string() != "state_update") return;
  if (update["state"].as_string() == "idle")
    turns_.erase(session);
  else if (knows(session))
    turns_.insert(session);
}

bool Relay::knows(const std::string& session) const {
  return sessions_.contains(session) ||
         std::any_of(asked_.begin(), asked_.end(),
                     [&](const auto& asked) { return asked.second.session == session; });
}

void Relay::end_turns(const std::string& text) {
  for (const std::string& session : std::exchange(turns_, {}))
    update(session,
           Json::object(
               {{"sessionUpdate", "state_update"},
                {"state", "idle"},
                {"stopReason", "error"},
                {"error", Json::object({{"code", rpc::internal_error}, {"message", text}})}}));
}

void Relay::update(const std::string& session, const Json& update) {
  ends_.to_editor(
      Json::object({{"jsonrpc", "2.0"},
                    {"method", "session/update"},
                    {"params", Json::object({{"sessionId", session}, {"update", update}})}})
          .text());
}

void Relay::connected() {
  if (initialize_.absent()) {
    state_ = State::here;
    return;
  }
  if (!has_begun()) {  // it is on its way, or waits
    state_ = State::here;
    for (const std::string& text : std::exchange(waiting_, {})) ends_.to_agent(text);
    waiting_bytes_ = 0;
    return;
  }
  state_ = State::restoring;
  ask({Step::initialize}, "initialize", initialize_);
}

void Relay::given_up(const std::string& reason) {
  lost(reason);
  fail_all(lost_text + reason);
  state_ = State::over;
  ends_.say(lost_text + reason);
}

void Relay::not_reached(const std::string& text) {
  state_ = State::away;
  ends_.say(text);
  fail_all(text);
}

// ---- the rest

void Relay::send_or_keep(std::string text) {
  if (state_ == State::here) return ends_.to_agent(text);
  waiting_bytes_ += text.size();
  if (waiting_bytes_ > options_.max_waiting_bytes) {
    fail_all(lost_text + std::string("too much waits for it"));
    return;
  }
  waiting_.push_back(std::move(text));
}

bool Relay::cancel_waiting(const std::string& session) {
  std::vector<Json> cancelled;
  std::erase_if(waiting_, [&](const std::string& text) {
    const auto message = Json::parse(text, {.depth = 512, .bytes = text.size()});
    if (!message || (*message)["id"].absent() ||
        (*message)["method"].as_string() != "session/prompt" ||
        (*message)["params"]["sessionId"].as_string() != session)
      return false;
    cancelled.emplace_back((*message)["id"]);
    waiting_bytes_ -= text.size();
    return true;
  });
  for (const Json& id : cancelled) {
    asked_.erase(key_of(id));
    const Json result = is_version2() ? Json::object({{"messageId", "acp-connect-" + key_of(id)}})
                                      : Json::object({{"stopReason", "cancelled"}});
    ends_.to_editor(Json::object({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}).text());
  }
  if (!cancelled.empty() && is_version2())
    update(session, Json::object({{"sessionUpdate", "state_update"},
                                  {"state", "idle"},
                                  {"stopReason", "cancelled"}}));
  return !cancelled.empty();
}

void Relay::fail_lost(const Json& id, const std::string& why) {
  fail(id, rpc::internal_error, "this session did not survive the break of the connection: " + why);
}

void Relay::fail(const Json& id, std::int32_t code, const std::string& message) {
  ends_.to_editor(Json::object({{"jsonrpc", "2.0"},
                                {"id", id},
                                {"error", Json::object({{"code", code}, {"message", message}})}})
                      .text());
}

std::string Relay::with(const Json& message, const char* member, const Json& value,
                        const Json& id) const {
  Json changed = Json::object({{"jsonrpc", "2.0"}});
  if (!message["id"].absent()) changed.set("id", id.absent() ? Json(message["id"]) : id);
  if (!message["method"].absent()) changed.set("method", Json(message["method"]));
  if (!value.absent()) changed.set(member, value);
  return changed.text();
}

}  // namespace acp::gateway
