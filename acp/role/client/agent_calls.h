// Calls to an agent on the way to a session.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "acp/async/when_any.h"
#include "acp/io/sleep.h"
#include "acp/role/client/agent_process.h"
#include "acp/schema/registry.h"

namespace acp::detail {

template <class Request>
Task<decltype(response_of(std::declval<Request>()))> call(std::shared_ptr<AgentProcess> agent,
                                                          Request request) {
  if constexpr (!std::is_same_v<Request, v1::InitializeRequest>) {
    const io::Connection::Lock lock(*agent->connection);
    if (!agent->ready)
      throw Refused("the agent has not answered initialize yet: wait until it is ready()");
  }
  const Peer peer({agent->connection, nullptr, 0});
  co_return co_await peer.request(request);
}

// Waits for the answer to a request of a phase, until its deadline.
template <class Response>
Task<Response> answer_within(std::shared_ptr<AgentProcess> agent, Task<Response> answer,
                             std::string method, std::chrono::milliseconds time,
                             StartFailed::Phase phase) {
  std::string closed;
  try {
    Task<async::Nothing> over = io::deadline(agent->connection, time);
    std::variant<Response, async::Nothing> first =
        co_await when_any(std::move(answer), std::move(over));
    if (auto* response = std::get_if<0>(&first)) co_return std::move(*response);
  } catch (const ConnectionClosed& error) {
    closed = error.what();
  }
  if (!closed.empty()) throw StartFailed(agent->diagnose(phase, "the connection ended: " + closed));
  throw StartFailed(agent->diagnose(
      phase, "no answer to " + method + " within " + std::to_string(time.count()) + " ms"));
}

template <class Request>
Task<decltype(response_of(std::declval<Request>()))> call_within(
    std::shared_ptr<AgentProcess> agent, Request request, std::chrono::milliseconds time,
    StartFailed::Phase phase) {
  Task<decltype(response_of(request))> answer = call(agent, std::move(request));
  return answer_within(agent, std::move(answer),
                       std::string(detail::method_of(Request::json_type).name), time, phase);
}

}  // namespace acp::detail
