#include "gateway/client_sessions.h"

#include <algorithm>
#include <utility>

#include "acp/error.h"

namespace acp::gateway {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// An agent's parser might take the other one of the two; some do not mind the case.
void check_names(JsonView object, const char* where) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.members())
    if (!names.insert(lower(name)).second)
      throw Error(rpc::invalid_params, std::string(where) + ": " + name + " stands there twice");
}

void check_directory(JsonView path, const char* name, const Roots& roots) {
  if (path.absent() || path.is_null()) return;
  const std::string text = path.as_string().value_or("");
  if (!roots.hold(text))
    throw permission_denied(std::string(name) + ": " + text + " is not in " + roots.list() +
                            ", where this server lets agents work (acp serve --root)");
}

// Only what is known to be reached over the network: anything else may start a program.
void check_servers(JsonView servers) {
  for (JsonView server : servers.elements()) {
    check_names(server, "mcpServers");
    const std::string type = server["type"].as_string().value_or("stdio");
    const bool is_remote = type == "http" || type == "sse" || type == "acp";
    if (!is_remote || !server["command"].absent())
      throw permission_denied("mcpServers: " + server["name"].as_string().value_or("a server") +
                              " is a program, and this server starts none that a client names "
                              "(acp serve --client-mcp)");
  }
}

std::string id_in(JsonView params) { return params["sessionId"].as_string().value_or(""); }

}  // namespace

void ClientSessions::check(const Json& params) const {
  check_names(params, "params");
  check_directory(params["cwd"], "cwd", *limits_.roots);
  for (JsonView directory : params["additionalDirectories"].elements())
    check_directory(directory, "additionalDirectories", *limits_.roots);
  if (!limits_.client_mcp) check_servers(params["mcpServers"]);
}

// ---- opening

ClientSessions::Opening::Opening(ClientSessions& sessions, const Json& params, bool named)
    : sessions_(sessions), id_(named ? id_in(params) : "") {
  sessions.check(params);
  std::lock_guard lock(sessions.mutex_);
  if (sessions.open_.contains(id_)) return;
  if (sessions.open_.size() + sessions.opening_ >= sessions.limits_.max_sessions)
    throw permission_denied("this server lets a client have " +
                            std::to_string(sessions.limits_.max_sessions) +
                            " sessions: close one (acp serve --max-sessions)");
  added_ = true;
  if (id_.empty())
    ++sessions.opening_;
  else
    sessions.open_.insert(id_);
}

ClientSessions::Opening::~Opening() {
  if (!added_) return;
  std::lock_guard lock(sessions_.mutex_);
  if (id_.empty())
    --sessions_.opening_;
  else if (!done_)
    sessions_.open_.erase(id_);
}

void ClientSessions::Opening::done(JsonView result) {
  done_ = true;
  const auto made = result["sessionId"].as_string();
  if (!made) return;
  std::lock_guard lock(sessions_.mutex_);
  sessions_.open_.insert(*made);
}

// ---- those that are open

void ClientSessions::require_own(const Json& params) const {
  if (params["sessionId"].absent()) return;
  check_names(params, "params");
  const std::string id = id_in(params);
  std::lock_guard lock(mutex_);
  if (open_.contains(id)) return;
  throw Error(rpc::not_found,
              "this client has not opened the session " + id +
                  ": session/load or session/resume does, if the agent can",
              Json::object({{"sessionId", id}}));
}

void ClientSessions::require_listed(const Json& params) const {
  {
    std::lock_guard lock(mutex_);
    if (listed_.contains(id_in(params))) return check_names(params, "params");
  }
  require_own(params);
}

void ClientSessions::closed(const Json& params) {
  std::lock_guard lock(mutex_);
  open_.erase(id_in(params));
  listed_.erase(id_in(params));
}

Json ClientSessions::listed(const Json& result) {
  Json kept = Json::array();
  for (JsonView session : result["sessions"].elements()) {
    if (!limits_.roots->hold(session["cwd"].as_string().value_or(""))) continue;
    kept.append(Json(session));
    std::lock_guard lock(mutex_);
    listed_.insert(id_in(session));
  }
  Json changed = result;
  if (result["sessions"].is_array()) changed.set("sessions", kept);
  return changed;
}

}  // namespace acp::gateway
