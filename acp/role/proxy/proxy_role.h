// One side of a proxy: its messages go to the other side.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acp/proxy.h"
#include "acp/role/answering_role.h"

namespace acp {

struct Proxy::Config {
  std::map<std::string, Handler<Json(ProxyRequest)>, std::less<>> requests;
  std::map<std::string, NotificationHook, std::less<>> notifications;
  Handler<Json(ProxyRequest)> other_requests;
  NotificationHook other_notifications;
  io::ConnectionOptions connection;
  std::chrono::milliseconds exit_time{2'000};
  LogHook log;
  std::function<void(std::string_view)> stderr_hook;

  // The hook for this method, or null if there is none.
  const Handler<Json(ProxyRequest)>* request_hook(std::string_view method) const;
  const NotificationHook* notification_hook(std::string_view method) const;
};

}  // namespace acp

namespace acp::detail {

class ProxyRole;

// What both roles share about one side. It outlives its role.
struct ProxySide {
  explicit ProxySide(std::shared_ptr<io::Connection> connection)
      : connection(std::move(connection)) {}

  const std::shared_ptr<io::Connection> connection;
  // Whether reading from it is paused: the other side does not take what it has sent.
  std::atomic<bool> held_up = false;
  std::string end_reason;  // guarded by the connection's lock; empty until it has gone
  // How its process ended, which may be known a little later; empty if it goes on. May be null.
  std::function<std::string()> exit_reason = nullptr;
  // Waits for exit_reason once, however many requests have no answer.
  const std::string& known_exit_reason();

 private:
  std::once_flag exit_asked_;
  std::string exit_reason_;
};

struct ProxyCall : Call {
  explicit ProxyCall(const std::shared_ptr<ProxyRole>& owner);

  ProxyRole* const role;  // the owner
  std::string method;
  Json params;
  std::atomic<bool> taken_back = false;        // by its sender: it is not forwarded any more
  std::vector<rpc::Engine::CallId> forwarded;  // guarded by the lock of the receiver's connection
};

// Each connection has a lock of its own: nothing here holds both.
class ProxyRole final : public AnsweringRole {
 public:
  ProxyRole(std::shared_ptr<const Proxy::Config> config, Sender sender,
            std::shared_ptr<ProxySide> here, std::shared_ptr<ProxySide> there);

  // ---- io::Role; with the lock ----
  void on_request(const rpc::RequestId& id, std::string_view method, JsonView params) override;
  bool on_notification(rpc::NotificationToken token, std::string_view method,
                       JsonView params) override;
  void on_cancel(const rpc::RequestId& id) override;
  void on_input_ended(const std::string& reason) override;
  void on_drain_over() override;
  bool takes_input() const override { return !here_->held_up; }

  // ---- without a lock ----
  struct Outcome {
    Json result = {};
    std::optional<rpc::ErrorObject> error = {};
  };
  // `then` follows without a lock, after the notifications that came before the answer. Returns
  // nothing if the request was not sent: `then` has been called.
  std::optional<rpc::Engine::CallId> forward(const std::shared_ptr<ProxyCall>& call,
                                             const Json& params,
                                             std::function<void(const Outcome&)> then);
  // Asks the receiver to give up a request whose answer nobody waits for any more.
  void give_up(rpc::Engine::CallId forwarded);
  Sender sender() const { return sender_; }
  Peer peer(Sender side) const;

 private:
  std::shared_ptr<ProxyRole> self() {
    return std::static_pointer_cast<ProxyRole>(shared_from_this());
  }
  rpc::ErrorObject to_error(const Call& call, std::exception_ptr error) override;
  Outcome cancelled(const ProxyCall& call) const;
  void cancel(const std::shared_ptr<Call>& call);
  void pass_on(ProxyNotification& notification);
  // Reads nothing more from the source until there is room for it.
  void keep_pace(const std::shared_ptr<ProxySide>& source, const io::Outbox::Room& room);

  const std::shared_ptr<const Proxy::Config> config_;
  const Sender sender_;
  const std::shared_ptr<ProxySide> here_, there_;
  std::atomic<bool> version_2_ = false;  // what the two sides speak
};

}  // namespace acp::detail
