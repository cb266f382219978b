// How an agent's updates go out: in the order that the protocol wants, or not at all.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "acp/json/codec.h"
#include "acp/role/agent_role.h"

namespace acp::detail {

// A tool call that the program has an object for. Guarded by the connection's lock.
struct ToolCallState {
  v1::ToolCall shown;  // as the client has it
  ToolCallStatus unannounced = ToolCallStatus::pending;
  ToolCallStatus* status = &unannounced;  // the session's, once it is announced
};

inline bool is_final(ToolCallStatus status) {
  return status == ToolCallStatus::completed || status == ToolCallStatus::failed;
}

// With the lock. All throw Refused for what would break the order, and change nothing then.
void change_status(ToolCallStatus& now, ToolCallStatus next, const std::string& id);
// The status that the session keeps of it.
ToolCallStatus& announce(AgentSession& session, const v1::ToolCall& call);
// Of a tool call that was announced, with its status changed; nothing for any other update.
void keep_order(AgentSession& session, const SessionUpdate& update);

// With the lock.
inline void write_update(rpc::Peer& peer, const std::string& session_id,
                         const SessionUpdate& update) {
  peer.notify("session/update", [&](json::Writer& out) {
    out.put("{\"sessionId\":");
    out.string(session_id);
    out.put(",\"update\":");
    json::write(out, update);
    out.put('}');
  });
}

std::exception_ptr answered_already();

// `send` gives the message to the peer. It is not called where nothing may be sent any more.
template <class Send>
Sent send_update(const std::shared_ptr<AgentCall>& call, Send send) {
  io::Connection::Lock lock(*call->connection);
  if (call->over && call->id) return Sent(answered_already());
  if (!lock.can_send())
    return Sent(std::make_exception_ptr(ConnectionClosed("the connection is closed")));
  send(lock.peer());
  lock.sent_something();
  return lock.congested() ? Sent(lock.room()) : Sent();
}

}  // namespace acp::detail
