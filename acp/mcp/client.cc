#include "acp/mcp/client.h"

#include "acp/mcp/client_parts.h"

namespace acp::mcp {

Client::Client(std::string name, std::string version) : parts_(std::make_shared<Parts>()) {
  parts_->info.name = std::move(name);
  parts_->info.version = std::move(version);
  parts_->connection.peer.cancel_method = "notifications/cancelled";
  parts_->connection.peer.never_cancelled = "initialize";
  // One revision has them; none is harmed by it.
  parts_->connection.peer.accept_batches = true;
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Client& Client::title(std::string title) {
  parts_->info.title = std::move(title);
  return *this;
}
Client& Client::roots(std::vector<std::string> directories) {
  parts_->roots = std::move(directories);
  return *this;
}
Client& Client::on_sampling(
    Handler<CreateMessageResult(ServerContext, CreateMessageRequest)> handler) {
  parts_->sampling = std::move(handler);
  return *this;
}
Client& Client::on_elicitation_form(Handler<ElicitResult(ServerContext, ElicitRequest)> handler) {
  parts_->form = std::move(handler);
  return *this;
}
Client& Client::on_elicitation_url(Handler<ElicitResult(ServerContext, ElicitRequest)> handler) {
  parts_->url = std::move(handler);
  return *this;
}
Client& Client::on_elicitation_complete(Handler<void(ServerContext, std::string)> handler) {
  parts_->elicitation_complete = std::move(handler);
  return *this;
}
Client& Client::on_log_message(Handler<void(ServerContext, LogMessage)> handler) {
  parts_->log_message = std::move(handler);
  return *this;
}
Client& Client::on_list_changed(Handler<void(ServerContext, std::string)> handler) {
  parts_->list_changed = std::move(handler);
  return *this;
}
Client& Client::on_resource_updated(Handler<void(ServerContext, std::string)> handler) {
  parts_->resource_updated = std::move(handler);
  return *this;
}

Client& Client::handshake_time(std::chrono::milliseconds time) {
  parts_->handshake_time = time;
  return *this;
}
Client& Client::request_time(std::chrono::milliseconds time) {
  parts_->request_time = time;
  return *this;
}
Client& Client::exit_time(std::chrono::milliseconds time) {
  parts_->exit_time = time;
  return *this;
}
Client& Client::max_message_bytes(std::size_t bytes) {
  parts_->connection.peer.max_message_bytes = bytes;
  return *this;
}
Client& Client::cwd(std::string directory) {
  parts_->cwd = std::move(directory);
  return *this;
}
Client& Client::without_variables(std::vector<std::string> names) {
  parts_->withheld = std::move(names);
  return *this;
}
Client& Client::executor(std::shared_ptr<Executor> executor) {
  parts_->connection.executor = std::move(executor);
  return *this;
}
Client& Client::tap(Tap tap) {
  parts_->connection.tap = std::move(tap);
  return *this;
}
Client& Client::on_log(LogHook hook) {
  parts_->log = std::move(hook);
  return *this;
}
Client& Client::on_stderr(std::function<void(std::string_view, std::string_view)> hook) {
  parts_->stderr_hook = std::move(hook);
  return *this;
}

}  // namespace acp::mcp
