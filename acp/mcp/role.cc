#include "acp/mcp/role.h"

#include "acp/json/codec.h"

namespace acp::mcp {

const std::string& ServerContext::server() const { return call_->server; }
std::stop_token ServerContext::stop_token() const { return call_->stop_token(); }

namespace detail {

namespace {

// "file:///home/me/a%20b"
std::string file_uri(const std::string& path) {
  constexpr std::string_view plain = "-._~/";
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || plain.find(c) != std::string_view::npos)) {
      uri += c;
    } else {
      constexpr const char* digits = "0123456789ABCDEF";
      uri += '%';
      uri += digits[byte >> 4];
      uri += digits[byte & 15];
    }
  }
  return uri;
}

}  // namespace

Role::Role(std::shared_ptr<const Client::Config> config, std::string server,
           std::shared_ptr<io::Connection> connection)
    : AnsweringRole(std::move(connection), std::shared_ptr<const LogHook>(config, &config->log),
                    "server"),
      config_(std::move(config)),
      server_(std::move(server)) {}

Json Role::capabilities() const {
  Json result = Json::object();
  if (!config_->roots.empty()) result.set("roots", Json::object());
  if (config_->sampling) result.set("sampling", Json::object());
  if (config_->form || config_->url) {
    Json modes = Json::object();
    if (config_->form) modes.set("form", Json::object());
    if (config_->url) modes.set("url", Json::object());
    result.set("elicitation", modes);
  }
  return result;
}

ListRootsResult Role::roots() const {
  ListRootsResult result;
  for (const std::string& directory : config_->roots) {
    Root& root = result.roots.emplace_back();
    root.uri = file_uri(directory);
    const std::size_t slash = directory.find_last_of('/');
    if (slash + 1 < directory.size()) root.name = directory.substr(slash + 1);
  }
  return result;
}

// ---- what the server asks

void Role::on_request(const rpc::RequestId& id, std::string_view method, JsonView params) {
  if (method == "ping") {
    const auto call = new_call();
    begin(call, id);
    return answer(*call, Json::object());
  }
  if (method == "roots/list") {
    if (config_->roots.empty())
      return refuse(id, rpc::method_not_found, "this client offers no roots");
    const auto call = new_call();
    begin(call, id);
    return answer(*call, roots());
  }
  if (method == "sampling/createMessage") {
    if (!config_->sampling)
      return refuse(id, rpc::method_not_found, "this client offers no sampling");
    return pass_on(id, params, config_->sampling);
  }
  if (method == "elicitation/create") return elicit(id, params);
  refuse_unknown(id, method);
}

template <class Request, class Response>
void Role::pass_on(const rpc::RequestId& id, JsonView params,
                   const Handler<Response(ServerContext, Request)>& handler) {
  Request request;
  if (!decode(id, params, request)) return;
  const auto call = new_call();
  begin(call, id);
  run(handler, call, ServerContext(call), std::move(request));
}

void Role::elicit(const rpc::RequestId& id, JsonView params) {
  const std::string mode = params["mode"].as_string().value_or("form");
  const auto& handler = mode == "url" ? config_->url : config_->form;
  if (!config_->form && !config_->url)
    return refuse(id, rpc::method_not_found, "this client offers no elicitation");
  if (!handler || (mode != "form" && mode != "url"))
    return refuse(id,
                  invalid_params("params.mode", "a mode that was advertised", "\"" + mode + "\""));
  pass_on(id, params, handler);
}

void Role::on_cancel(const rpc::RequestId& id) {
  if (const auto call = active(id)) call->cancel();
}

// ---- what it tells

bool Role::on_notification(rpc::NotificationToken token, std::string_view method, JsonView params) {
  if (method == "notifications/progress") return progress(token, params);
  if (method == "notifications/message") {
    LogMessage message;
    if (!config_->log_message) return true;
    if (const auto error = json::decode(params.text(), LogMessage::json_type, &message)) {
      log(LogEntry::Level::warning, "a log message that does not fit: " + error->message());
      return true;
    }
    const auto call = new_call();
    return run_notification(token, call, config_->log_message, ServerContext(call),
                            std::move(message));
  }
  if (method == "notifications/resources/updated")
    return tell(token, config_->resource_updated, params["uri"].as_string().value_or(""));
  if (method == "notifications/elicitation/complete")
    return tell(token, config_->elicitation_complete,
                params["elicitationId"].as_string().value_or(""));
  for (const char* what : {"tools", "resources", "prompts"}) {
    if (method != "notifications/" + std::string(what) + "/list_changed") continue;
    if (method.starts_with("notifications/tools/") && config_->on_tools_changed)
      connection_->held().unlocked([config = config_] { config->on_tools_changed(); });
    return tell(token, config_->list_changed, what);
  }
  log(LogEntry::Level::debug, "an unknown notification was ignored: " + std::string(method));
  return true;
}

bool Role::tell(rpc::NotificationToken token,
                const Handler<void(ServerContext, std::string)>& handler, std::string text) {
  if (!handler) return true;
  const auto call = new_call();
  return run_notification(token, call, handler, ServerContext(call), std::move(text));
}

std::int64_t Role::expect_progress(ProgressHandler handler) {
  progress_.emplace(next_progress_, std::make_shared<const ProgressHandler>(std::move(handler)));
  return next_progress_++;
}

bool Role::progress(rpc::NotificationToken token, JsonView params) {
  const auto found = progress_.find(params["progressToken"].as_int64().value_or(0));
  if (found == progress_.end()) return true;  // of a call that is over
  Progress progress;
  if (const auto error = json::decode(params.text(), Progress::json_type, &progress)) {
    log(LogEntry::Level::warning, "progress that does not fit: " + error->message());
    return true;
  }
  const auto call = new_call();
  call->progress = found->second;
  return run_notification(token, call, *call->progress, ServerContext(call), std::move(progress));
}

// ---- the end

void Role::on_input_ended(const std::string& reason) {
  end_reason = reason;
  log(LogEntry::Level::debug, reason);
  // Nobody waits for these answers.
  on_drain_over();
  if (config_->on_ended)
    connection_->held().unlocked([config = config_, reason] { config->on_ended(reason); });
}

void Role::on_drain_over() {
  for (const auto& call : active()) call->cancel();
}

}  // namespace detail
}  // namespace acp::mcp
