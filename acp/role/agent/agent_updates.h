// Sends an agent's updates in the order that the protocol demands, or not at all.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "acp/json/codec.h"
#include "acp/role/agent/agent_role.h"

namespace acp::detail {

// The hook of SessionContext::before_update().
struct UpdateFilter {
  UpdateHook hook;
  std::mutex one_at_a_time = {};  // until it is sent: hooks see the order of sending
};

// A tool call that the program has an object for. Guarded by the connection's lock.
struct SentToolCall {
  v1::ToolCall shown;  // as the client has it
  ToolCallStatus unannounced = ToolCallStatus::pending;
  ToolCallStatus* status = &unannounced;  // the session's, once it is announced
  std::shared_ptr<UpdateFilter> filter = {};
  std::shared_ptr<AgentCall> call = {};  // its own work: what is cancelled with it
  bool asked = false;                    // with a reason, which the client may show as its content
  std::atomic<bool> background = false;  // it goes on after its turn; changed with the lock
  bool listens = false;                  // somebody asked for its stop token
};

inline bool is_final(ToolCallStatus status) {
  return status == ToolCallStatus::completed || status == ToolCallStatus::failed;
}

// Call these with the lock: before an update is sent, to check the order of a tool call's updates;
// afterwards, to record it in the session. Throws Refused.
void require_status(ToolCallStatus now, ToolCallStatus next, const std::string& id);
// Throws Refused. Returns the status that the update changes, or null.
ToolCallStatus* require_order(AgentSession& session, const SessionUpdate& update);
void note_order(AgentCall& call, const SessionUpdate& update, ToolCallStatus* changed);
// Records an announced call, and returns the session's status of it.
ToolCallStatus& note_announced(AgentSession& session, const v1::ToolCall& call);

// Why nothing may be sent any more; null if it may.
std::exception_ptr why_over(const AgentCall& call, const io::Connection::Lock& lock);

// Version 2: why an update that belongs to a turn may not be sent while the session is idle; null
// if it may. Without an update it is a message's text. `held`: the program has an object for the
// tool call.
std::exception_ptr why_idle(const AgentCall& call, const SessionUpdate* update, bool held = false);

// Calls `send`, which writes the message, unless nothing may be sent any more. It may return why it
// has not, or null.
template <class Send>
Sent send_update(const std::shared_ptr<AgentCall>& call, Send send) {
  io::Connection::Lock lock(*call->connection);
  if (std::exception_ptr reason = why_over(*call, lock)) return Sent(std::move(reason));
  if constexpr (std::is_void_v<std::invoke_result_t<Send>>)
    send();
  else if (std::exception_ptr reason = send())
    return Sent(std::move(reason));
  lock.sent_something();
  return lock.congested() ? Sent(lock.room()) : Sent();
}

// What the client has of a call's content, if it is sure to have nothing else. With the lock.
const std::vector<v1::ToolCallContent>* content_of(SentToolCall& tool_call,
                                                   const SessionUpdate& update);

// Sends an update that `prepare` checks and completes and `sent` records, both with the lock. In
// between it passes the filter, if there is one, without the lock. `held` is the tool call that the
// program has an object for, if it is about one.
template <class Prepare, class Done>
Sent send_update(const std::shared_ptr<AgentCall>& call, UpdateFilter* filter,
                 SessionUpdate& update, Prepare prepare, Done sent, SentToolCall* held = nullptr) {
  std::unique_lock<std::mutex> order;
  if (filter != nullptr) {
    order = std::unique_lock(filter->one_at_a_time);
    {
      io::Connection::Lock lock(*call->connection);
      if (std::exception_ptr reason = why_over(*call, lock)) return Sent(std::move(reason));
      prepare();
      if (std::exception_ptr reason = why_idle(*call, &update, held != nullptr))
        return Sent(std::move(reason));
    }
    filter->hook(update);
  }
  return send_update(call, [&]() -> std::exception_ptr {
    if (filter == nullptr) prepare();
    if (std::exception_ptr reason = why_idle(*call, &update, held != nullptr)) return reason;
    call->role->write_update(*call->session, update,
                             held == nullptr ? nullptr : content_of(*held, update));
    sent();
    return nullptr;
  });
}

}  // namespace acp::detail
