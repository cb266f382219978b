#include "acp/mcp/client.h"

#include "acp/mcp/client_config.h"

namespace acp::mcp {

Client::Client(std::string name, std::string version) : config_(std::make_shared<Config>()) {
  config_->info.name = std::move(name);
  config_->info.version = std::move(version);
  config_->connection.engine.cancel_method = "notifications/cancelled";
  config_->connection.engine.never_cancelled = "initialize";
  // One revision has them; none is harmed by it.
  config_->connection.engine.accept_batches = true;
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Client& Client::title(std::string title) {
  config_->info.title = std::move(title);
  return *this;
}
Client& Client::roots(std::vector<std::string> directories) {
  config_->roots = std::move(directories);
  return *this;
}
Client& Client::on_sampling(
    Handler<CreateMessageResult(ServerContext, CreateMessageRequest)> handler) {
  config_->sampling = std::move(handler);
  return *this;
}
Client& Client::on_elicitation_form(Handler<ElicitResult(ServerContext, ElicitRequest)> handler) {
  config_->form = std::move(handler);
  return *this;
}
Client& Client::on_elicitation_url(Handler<ElicitResult(ServerContext, ElicitRequest)> handler) {
  config_->url = std::move(handler);
  return *this;
}
Client& Client::on_elicitation_complete(Handler<void(ServerContext, std::string)> handler) {
  config_->elicitation_complete = std::move(handler);
  return *this;
}
Client& Client::on_log_message(Handler<void(ServerContext, LogMessage)> handler) {
  config_->log_message = std::move(handler);
  return *this;
}
Client& Client::on_list_changed(Handler<void(ServerContext, std::string)> handler) {
  config_->list_changed = std::move(handler);
  return *this;
}
Client& Client::on_resource_updated(Handler<void(ServerContext, std::string)> handler) {
  config_->resource_updated = std::move(handler);
  return *this;
}

Client& Client::handshake_time(std::chrono::milliseconds time) {
  config_->handshake_time = time;
  return *this;
}
Client& Client::request_time(std::chrono::milliseconds time) {
  config_->request_time = time;
  return *this;
}
Client& Client::exit_time(std::chrono::milliseconds time) {
  config_->exit_time = time;
  return *this;
}
Client& Client::max_message_bytes(std::size_t bytes) {
  config_->connection.engine.max_message_bytes = bytes;
  return *this;
}
Client& Client::cwd(std::string directory) {
  config_->cwd = std::move(directory);
  return *this;
}
Client& Client::without_variables(std::vector<std::string> names) {
  config_->withheld = std::move(names);
  return *this;
}
Client& Client::executor(std::shared_ptr<Executor> executor) {
  config_->connection.executor = std::move(executor);
  return *this;
}
Client& Client::tap(Tap tap) {
  config_->connection.tap = std::move(tap);
  return *this;
}
Client& Client::on_log(LogHook hook) {
  config_->log = std::move(hook);
  return *this;
}
Client& Client::on_stderr(std::function<void(std::string_view, std::string_view)> hook) {
  config_->stderr_hook = std::move(hook);
  return *this;
}

}  // namespace acp::mcp
