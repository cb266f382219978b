// A proxy between a client and an agent: an agent to the one, a client to the other. Messages pass
// unchanged, also of methods that this library does not know; hooks see them first.
//
//   acp::Proxy proxy;
//   proxy.on_request("terminal/create", [](acp::ProxyRequest request) -> acp::Task<acp::Json> {
//     if (request.params()["command"].as_string() != "make")
//       throw acp::permission_denied("only make may run");
//     co_return co_await request.forward();
//   });
//   return proxy.run(acp::stdio(), {"gemini", "--acp"});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>  // durations
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/async/task.h"
#include "acp/handler.h"
#include "acp/io/process/process.h"
#include "acp/io/transport.h"
#include "acp/json/json.h"
#include "acp/log.h"
#include "acp/peer.h"
#include "acp/rpc/framing.h"
#include "acp/start_failed.h"

namespace acp {

namespace detail {
struct ProxyCall;
class ProxyRole;
}  // namespace detail

// Who sent a message.
enum class Sender : std::uint8_t { client, agent };
// "client", "agent"
std::string_view to_string(Sender sender);

// A request on its way. Copies are the same request.
class ProxyRequest {
 public:
  explicit ProxyRequest(std::shared_ptr<detail::ProxyCall> call) : call_(std::move(call)) {}

  // The side that asks, and the method.
  Sender sender() const;
  const std::string& method() const;
  // The params as they came; absent if there are none.
  const Json& params() const;
  // Set when the sender cancels the request, and when it has gone.
  std::stop_token stop_token() const;

  // Sends the request on, as it came or with these params, and returns the result. Throws
  // CallFailed with the receiver's error, which is the answer if the hook lets it pass;
  // ConnectionClosed. If the sender cancels, that is sent on as well, and the receiver's answer is
  // still waited for. Dropping the task before its answer asks the receiver to give the request up.
  Task<Json> forward() const;
  Task<Json> forward(const Json& params) const;

  // The two sides, for messages of the proxy's own.
  Peer client() const;
  Peer agent() const;

 private:
  std::shared_ptr<detail::ProxyCall> call_;
};

// A notification on its way.
struct ProxyNotification {
  Sender sender = Sender::client;
  std::string method = {};
  Json params = {};
};

// Built up by calls, then run. Messages of one side go to the other in their order, but for
// requests whose hook waits before it forwards them. While one side does not read, nothing is read
// from the other.
class Proxy {
 public:
  struct Config;  // the library's own
  // May change the notification; returns false to drop it.
  using NotificationHook = std::function<bool(ProxyNotification&)>;

  Proxy();
  Proxy(Proxy&&) noexcept;
  Proxy& operator=(Proxy&&) noexcept;
  ~Proxy();

  // Answers requests of this method, from either side, by forwarding or by itself. What it throws
  // is the answer.
  Proxy& on_request(std::string method, Handler<Json(ProxyRequest)> hook);
  // Answers all requests that have no hook of their own.
  Proxy& on_request(Handler<Json(ProxyRequest)> hook);
  // The hook must be quick: later messages wait. If it throws, the notification is dropped, and the
  // log says so.
  Proxy& on_notification(std::string method, NotificationHook hook);
  Proxy& on_notification(NotificationHook hook);

  // How messages are separated, and the size limit of one; 32 MiB.
  Proxy& framing(rpc::Framing framing);
  Proxy& max_message_bytes(std::size_t bytes);
  // How long the agent's process may take to end by itself.
  Proxy& exit_time(std::chrono::milliseconds time);
  Proxy& on_log(LogHook hook);
  // Without a hook, what the agent writes to its stderr goes to ours.
  Proxy& on_stderr(std::function<void(std::string_view line)> hook);

  // Runs until one side has gone, and the other has been ended. Returns 0 if the client left first;
  // otherwise the agent's exit code, 1 if that is not known. Throws StartFailed.
  int run(Transport client, std::vector<std::string> agent) const;
  int run(Transport client, const io::ProcessOptions& agent) const;
  int run(Transport client, Transport agent) const;

 private:
  std::shared_ptr<Config> config_;
};

}  // namespace acp
