// Version 2 of the protocol for the role of an agent, which thinks in version 1: what a client
// sends becomes version 1, what the role sends becomes version 2. docs/versions.md has the
// differences.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "acp/error.h"
#include "acp/json/writer.h"
#include "acp/role/translation.h"
#include "acp/role/versions/updates_to_v2.h"
#include "acp/rpc/engine.h"

namespace acp::detail {

struct AgentCall;
class AgentRole;
struct AgentSession;

// What a session needs besides.
struct AgentSession2 {
  explicit AgentSession2(versions::NewId new_id) : updates(std::move(new_id)) {}
  versions::UpdatesToV2 updates;
  bool works = false;            // the client was sent `running`
  bool ends_cancelled = false;   // the turn that ends: its open calls are cancelled, not failed
};

// Used with the connection's lock.
class AgentVersion2 final : public Translation {
 public:
  explicit AgentVersion2(AgentRole& role) : role_(role) {}

  // The client's first request, or why it is refused. One for a version that is not known yet is
  // taken as far as it can be read.
  static std::variant<v1::InitializeRequest, Error> read_initialize(JsonView params, int asked);
  static void write_initialized(json::Writer& out, const v1::InitializeResponse& response);

  // ---- Translation: what the agent asks its client
  Message request(const json::Type& type, const void* params, Deliver deliver) override;
  Message notification(const json::Type& type, const void* params) override;

  // Whether this can be a request's id: a string, or an integer.
  static bool takes(const rpc::RequestId& id);

  // A request of the client's as version 1 has it. Throws Error with the answer if there is none.
  struct Request {
    std::string_view method;
    Json params;
    bool silent = false;  // a session is opened, and its conversation is not to be replayed
  };
  Request read(std::string_view method, JsonView params);

  // Writes the result of a request.
  void write_result(AgentCall& call, json::Writer& out, const json::Type& type, const void* result);

  // ---- updates
  void send(AgentSession& session, const v1::SessionUpdate& update);
  // Of the turn that is about to end.
  void ends_cancelled(AgentSession& session, bool cancelled) {
    of(session).ends_cancelled = cancelled;
  }
  // Up to the text of an agent's message: with this, the text and `}}}}` it is complete.
  const std::string& chunk_prefix(AgentSession& session);
  // The session's modes and options are these now.
  void options_changed(AgentSession& session);

  // ---- turns
  // The prompt becomes part of the conversation: it is answered, and sent back.
  void begin_turn(AgentCall& call);
  void end_turn(AgentCall& call, v1::PromptResponse response);
  void end_turn(AgentCall& call, const rpc::ErrorObject& error);
  // Reports whether the session is at work.
  void report_state(AgentSession& session);

 private:
  AgentSession2& of(AgentSession& session);
  Request read_resume(JsonView params);
  void end_work(AgentSession& session, v2::StateUpdate state);
  template <class Update>
  void write(AgentSession& session, const Update& update);
  template <class Response2, class Response>
  void write_opened(AgentCall& call, json::Writer& out, const Response& response);

  AgentRole& role_;
};

}  // namespace acp::detail
