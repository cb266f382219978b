// Another version of the protocol, as the role of an agent needs it. Programs that do not ask for
// it do not link it: Agent::versions() installs it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "acp/error.h"
#include "acp/json/writer.h"
#include "acp/role/translation.h"
#include "acp/rpc/error.h"
#include "acp/schema/v1.h"

namespace acp::detail {

struct AgentCall;
class AgentRole;
struct AgentSession;

// Used with the connection's lock.
class AgentDialect : public Translation {
 public:
  // The client's first request, or why it is refused. One for a version that is not known yet is
  // taken as far as it can be read.
  virtual std::variant<v1::InitializeRequest, Error> read_initialize(JsonView params,
                                                                     int asked) = 0;
  // One that is answered with version 1, though it may be in the words of this version alone.
  virtual std::optional<v1::InitializeRequest> read_as_version_1(JsonView params) = 0;
  virtual void write_initialized(json::Writer& out, const v1::InitializeResponse& response) = 0;
  // Absent if it cannot be said.
  virtual Json auth_method(const v1::AuthMethod& method) = 0;

  // A request of the client's as version 1 has it. Throws Error with the answer if there is none.
  struct Request {
    std::string_view method;
    Json params;
    bool silent = false;  // a session is opened, and its conversation is not to be replayed
    bool done = false;    // it has been carried out: the answer is empty
  };
  virtual Request read(std::string_view method, JsonView params) = 0;
  // Writes the result of a request.
  virtual void write_result(AgentCall& call, json::Writer& out, const json::Type& type,
                            const void* result) = 0;

  // ---- updates
  // `shown`: of a tool call, what the client has of its content; null if that is not known.
  virtual void send(AgentSession& session, const v1::SessionUpdate& update,
                    const std::vector<v1::ToolCallContent>* shown) = 0;
  // Of the turn that is about to end.
  virtual void ends_cancelled(AgentSession& session, bool cancelled) = 0;
  // Up to the text of an agent's message: with this, the text and `}}}}` it is complete.
  virtual const std::string& chunk_prefix(AgentSession& session) = 0;
  // The session's modes and options are these now.
  virtual void options_changed(AgentSession& session) = 0;
  // Of these the current mode alone.
  virtual void mode_changed(AgentSession& session) = 0;

  // ---- turns
  // The prompt becomes a part of the conversation: it is answered, and sent back.
  virtual void begin_turn(AgentCall& call) = 0;
  virtual void end_turn(AgentCall& call, v1::PromptResponse response) = 0;
  virtual void end_turn(AgentCall& call, const rpc::ErrorObject& error) = 0;
  // Reports whether the session is at work.
  virtual void report_state(AgentSession& session) = 0;

  // ---- tool calls of their own
  // The client may cancel it from now on, until it ends.
  virtual void offer_cancel(AgentSession& session, const std::string& tool_call_id) = 0;
  // It is being cancelled: should it fail, it is reported as cancelled.
  virtual void cancels(AgentSession& session, const std::string& tool_call_id) = 0;
  // Work in the background has begun, or ended.
  virtual void background_changed(AgentSession& session) = 0;

  // ---- the agent's own machine, in place of the client's
  // Whether something has to be ended before the connection.
  virtual bool holds_machine() const = 0;
  // Ends what runs there for a session, then calls `then`, with the lock.
  virtual void session_closed(AgentSession& session, std::function<void()> then) = 0;
  virtual void shut_down() = 0;
};

}  // namespace acp::detail
