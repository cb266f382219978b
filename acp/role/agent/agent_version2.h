// Version 2 of the protocol for the role of an agent, which thinks in version 1: what a client
// sends becomes version 1, what the role sends becomes version 2. docs/versions.md has the
// differences.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "acp/error.h"
#include "acp/json/writer.h"
#include "acp/role/agent/agent_dialect.h"
#include "acp/role/versions/updates_to_v2.h"
#include "acp/rpc/engine.h"

namespace acp::detail {

// What a session needs besides.
struct AgentSession2 {
  explicit AgentSession2(versions::NewId new_id) : updates(std::move(new_id)) {}
  versions::UpdatesToV2 updates;
  bool works = false;           // the client was sent `running`
  bool ends_cancelled = false;  // the turn that ends: its open calls are cancelled, not failed
  std::set<std::string> cancellable;    // tool calls, until they end
  std::set<std::string> cancelled;      // of these, those that the client wants to end
  std::vector<std::string> background;  // as it was reported last
};

class AgentMachine;

class AgentVersion2 final : public AgentDialect {
 public:
  explicit AgentVersion2(AgentRole& role);
  ~AgentVersion2() override;

  // ---- Translation: what the agent asks its client
  const Method* method_of(const json::Type& params) const override;
  Message request(const json::Type& type, const void* params, Deliver deliver) override;
  Message notification(const json::Type& type, const void* params) override;
  void check_notification(const json::Type& type, const void* params) override;
  bool carry_out(const Link& link, const json::Type& type, const void* params,
                 const std::shared_ptr<async::CompletionBase>& done, Deliver& deliver,
                 Calling how) override;

  std::variant<v1::InitializeRequest, Error> read_initialize(JsonView params, int asked) override;
  std::optional<v1::InitializeRequest> read_as_version_1(JsonView params) override;
  void write_initialized(json::Writer& out, const v1::InitializeResponse& response) override;
  Json auth_method(const v1::AuthMethod& method) override;

  Request read(std::string_view method, JsonView params) override;
  void write_result(AgentCall& call, json::Writer& out, const json::Type& type,
                    const void* result) override;

  void send(AgentSession& session, const v1::SessionUpdate& update,
            const std::vector<v1::ToolCallContent>* shown) override;
  void ends_cancelled(AgentSession& session, bool cancelled) override {
    of(session).ends_cancelled = cancelled;
  }
  const std::string& chunk_prefix(AgentSession& session) override;
  void options_changed(AgentSession& session) override;
  void mode_changed(AgentSession& session) override;

  void begin_turn(AgentCall& call) override;
  void end_turn(AgentCall& call, v1::PromptResponse response) override;
  void end_turn(AgentCall& call, const rpc::ErrorObject& error) override;
  void report_state(AgentSession& session) override;

  void offer_cancel(AgentSession& session, const std::string& tool_call_id) override;
  void cancels(AgentSession& session, const std::string& tool_call_id) override {
    of(session).cancelled.insert(tool_call_id);
  }
  void background_changed(AgentSession& session) override;

  bool holds_machine() const override;
  void session_closed(AgentSession& session, std::function<void()> then) override;
  void shut_down() override;
  // Sends an update as it is.
  void show(AgentSession& session, const v2::SessionUpdate& update);

 private:
  AgentSession2& of(AgentSession& session);
  AgentSession& known(const std::string& session_id);
  Request read_resume(JsonView params);
  void end_work(AgentSession& session, v2::StateUpdate state);
  void write_state(AgentSession& session, v2::StateUpdate state);
  std::vector<v2::BackgroundWork> background(const AgentSession& session) const;
  // What version 1 has no words for.
  void complete(AgentSession& session, v2::ToolCallUpdate& update);
  template <class Response2, class Response>
  void write_opened(AgentCall& call, json::Writer& out, const Response& response);

  AgentRole& role_;
  std::shared_ptr<AgentMachine> machine_;  // null: the agent has none
};

}  // namespace acp::detail
