#include "gateway/client_sessions.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "acp/error.h"
#include "gateway/file_address.h"

namespace acp::gateway {

namespace {

using Names = std::initializer_list<std::string_view>;

// What ends up the same in a parser that ignores the case: Unicode has two more letters whose
// lower case is an ASCII letter.
std::string lower(std::string_view text) {
  constexpr std::string_view long_s = "\u017f", kelvin = "\u212a";
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    std::size_t size = 1;
    const char c = text.front();
    if (text.starts_with(long_s)) {
      made += 's';
      size = long_s.size();
    } else if (text.starts_with(kelvin)) {
      made += 'k';
      size = kelvin.size();
    } else {
      made += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    text.remove_prefix(size);
  }
  return made;
}

// "mcp_servers" is "mcpservers", too: some parsers take both.
std::string bare(const std::string& name) {
  std::string text = lower(name);
  const auto end = std::remove_if(text.begin() + (text.empty() ? 0 : 1), text.end(),
                                  [](char c) { return c == '_' || c == '-'; });
  text.erase(end, text.end());
  return text;
}

// Refuses an object that an agent might read in another way than we do: one name twice, and a name
// that is almost a known one.
void check_names(JsonView object, const char* where, Names known) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.members()) {
    if (!names.insert(lower(name)).second)
      throw Error(rpc::invalid_params, std::string(where) + ": " + name + " stands there twice");
    for (const std::string_view right : known)
      if (name != right && bare(name) == lower(right))
        throw Error(rpc::invalid_params,
                    std::string(where) + ": " + name + " must be spelled " + std::string(right));
  }
}

// An agent might read an array as an object's values, in their order, and we would find no name.
void require_object(JsonView object, const char* where) {
  if (!object.is_object())
    throw Error(rpc::invalid_params, std::string(where) + ": expected an object");
}

void require_object_or_none(const Json& params) {
  if (!params.absent() && !params.is_null()) require_object(params, "params");
}

// Its elements; an agent might make something of another value, which we would not check.
JsonView::Elements list_in(JsonView params, const char* name) {
  const JsonView list = params[name];
  if (!list.absent() && !list.is_null() && !list.is_array())
    throw Error(rpc::invalid_params, std::string(name) + ": expected an array");
  return list.elements();
}

void check_directory(JsonView path, const char* name, const Roots& roots) {
  if (path.absent() || path.is_null()) return;
  const std::string text = path.as_string().value_or("");
  if (!roots.hold(text))
    throw permission_denied(std::string(name) + ": " + text + " is not in " + roots.list() +
                            ", where this server lets agents work (acp serve --root)");
}

void check_address(JsonView address, const char* name, const Roots& roots) {
  if (address.absent() || address.is_null()) return;
  const auto file = read_file_address(address.as_string().value_or(""));
  check_directory(file ? Json(file->path) : Json(address), name, roots);
}

// Only what is known to be reached over the network: anything else may start a program.
void check_servers(JsonView::Elements servers) {
  for (JsonView server : servers) {
    check_names(server, "mcpServers", {"type", "command"});
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
  require_object(params, "params");
  check_names(params, "params", {"cwd", "additionalDirectories", "mcpServers", "sessionId"});
  if (params["cwd"].absent() || params["cwd"].is_null())
    throw Error(rpc::invalid_params, "cwd: expected an absolute path");
  check_directory(params["cwd"], "cwd", *limits_.roots);
  for (JsonView directory : list_in(params, "additionalDirectories"))
    check_directory(directory, "additionalDirectories", *limits_.roots);
  const auto servers = list_in(params, "mcpServers");
  if (!limits_.client_mcp) check_servers(servers);
}

void ClientSessions::check_suggestions(const Json& params) const {
  require_object_or_none(params);
  check_names(params, "params", {"workspaceUri", "workspaceFolders"});
  check_address(params["workspaceUri"], "workspaceUri", *limits_.roots);
  for (JsonView folder : list_in(params, "workspaceFolders")) {
    require_object(folder, "workspaceFolders");
    check_names(folder, "workspaceFolders", {"uri"});
    check_address(folder["uri"], "workspaceFolders", *limits_.roots);
  }
}

// ---- opening

ClientSessions::Opening::Opening(ClientSessions& sessions, const std::string& method,
                                 const Json& params)
    : sessions_(sessions),
      id_(method == "session/load" || method == "session/resume" ? id_in(params) : "") {
  if (method == "nes/start")
    sessions.check_suggestions(params);
  else
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
  sessions_.answered(result);
}

void ClientSessions::initialized(JsonView result) {
  // In version 2, an agent with sessions lists them.
  const bool is_version2 = result["protocolVersion"].as_int64().value_or(1) >= 2;
  const JsonView lists = is_version2 ? result["capabilities"]["session"]
                                     : result["agentCapabilities"]["sessionCapabilities"]["list"];
  std::lock_guard lock(mutex_);
  agent_lists_ = !lists.absent() && !lists.is_null();
}

bool ClientSessions::must_look_for(const Json& params) const {
  const std::string id = id_in(params);
  std::lock_guard lock(mutex_);
  return agent_lists_ && !id.empty() && !open_.contains(id) && !listed_.contains(id);
}

bool ClientSessions::found(const Json& params, JsonView page) const {
  const std::string id = id_in(params);
  for (JsonView session : page["sessions"].elements()) {
    if (id_in(session) != id) continue;
    if (limits_.roots->hold(session["cwd"].as_string().value_or(""))) return true;
    throw permission_denied("the session " + id + " belongs to a directory that is not in " +
                            limits_.roots->list() +
                            ", where this server lets agents work (acp serve --root)");
  }
  return false;
}

// ---- those that are open

void ClientSessions::require_own(const Json& params, bool is_extension) const {
  require_object_or_none(params);
  check_names(params, "params", is_extension ? Names{} : Names{"sessionId"});
  if (params["sessionId"].absent()) return;
  const std::string id = id_in(params);
  std::lock_guard lock(mutex_);
  if (open_.contains(id)) return;
  throw Error(rpc::not_found,
              "this client has not opened the session " + id +
                  ": session/load or session/resume does, if the agent can",
              Json::object({{"sessionId", id}}));
}

void ClientSessions::require_listed(const Json& params) const {
  require_object_or_none(params);
  {
    std::lock_guard lock(mutex_);
    const std::string id = id_in(params);
    if (listed_.contains(id) || std::ranges::find(closed_, id) != closed_.end())
      return check_names(params, "params", {"sessionId"});
  }
  require_own(params);
}

void ClientSessions::closed(const Json& params) {
  constexpr std::size_t most_closed = 1000;
  const std::string id = id_in(params);
  std::lock_guard lock(mutex_);
  if (open_.erase(id) == 0) return;
  std::erase(closed_, id);
  closed_.push_back(id);
  if (closed_.size() > most_closed) closed_.pop_front();
}

void ClientSessions::deleted(const Json& params) {
  const std::string id = id_in(params);
  std::lock_guard lock(mutex_);
  open_.erase(id);
  listed_.erase(id);
  std::erase(closed_, id);
}

void ClientSessions::answered(JsonView result) {
  const auto made = result["sessionId"].as_string();
  if (!made) return;
  std::lock_guard lock(mutex_);
  open_.insert(*made);
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
