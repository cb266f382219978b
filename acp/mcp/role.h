// The client's side of a connection to a server: handles its requests and notifications.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "acp/mcp/client_config.h"
#include "acp/role/answering_role.h"

namespace acp::mcp::detail {

using acp::detail::Call;

using ProgressHandler = Handler<void(ServerContext, Progress)>;

struct ServerCall : Call {
  ServerCall(std::string server, std::shared_ptr<acp::detail::AnsweringRole> role)
      : Call(std::move(role)), server(std::move(server)) {}
  const std::string server;
  std::shared_ptr<const ProgressHandler> progress = {};  // lives until it has been called
};

class Role final : public acp::detail::AnsweringRole {
 public:
  Role(std::shared_ptr<const Client::Config> config, std::string server,
       std::shared_ptr<io::Connection> connection);

  void on_request(const rpc::RequestId& id, std::string_view method, JsonView params) override;
  bool on_notification(rpc::NotificationToken token, std::string_view method,
                       JsonView params) override;
  bool on_urgent(std::string_view, JsonView) override { return false; }
  void on_cancel(const rpc::RequestId& id) override;
  void on_input_ended(const std::string& reason) override;
  void on_drain_over() override;

  // The client's capabilities, as they follow from what is installed.
  Json capabilities() const;

  // With the lock. The token goes into the request's _meta.
  std::int64_t expect_progress(ProgressHandler handler);
  void forget_progress(std::int64_t token) { progress_.erase(token); }

  std::string end_reason;  // why nothing more comes; guarded by the connection's lock

 private:
  std::shared_ptr<ServerCall> new_call() {
    return std::make_shared<ServerCall>(server_, shared_from_this());
  }
  template <class Request, class Response>
  void pass_on(const rpc::RequestId& id, JsonView params,
               const Handler<Response(ServerContext, Request)>& handler);
  void elicit(const rpc::RequestId& id, JsonView params);
  ListRootsResult roots() const;
  bool progress(rpc::NotificationToken token, JsonView params);
  // Calls a handler that takes one string of the params.
  bool tell(rpc::NotificationToken token, const Handler<void(ServerContext, std::string)>& handler,
            std::string text);

  const std::shared_ptr<const Client::Config> config_;
  const std::string server_;
  std::map<std::int64_t, std::shared_ptr<const ProgressHandler>> progress_;
  std::int64_t next_progress_ = 1;
};

}  // namespace acp::mcp::detail
