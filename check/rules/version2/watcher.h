// The rules of order and capability of version 2. Private to check/rules.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "check/rules/version2/state.h"

namespace acp::check::version2 {

class Watcher final : public LaterRules {
 public:
  explicit Watcher(Rules::Parts& parts) : all_(parts) {}

  void initialized(JsonView result) override;
  void client_calls(const std::string& method, JsonView params, OpenRequest* request) override;
  void agent_calls(const std::string& method, JsonView params, OpenRequest* request) override;
  void agent_answers(const OpenRequest& request, JsonView result, JsonView error) override;
  void client_answers(const OpenRequest& request, JsonView result, JsonView error) override;

 private:
  void found(std::string_view id, std::string message) { all_.found(id, std::move(message)); }
  // Whether a path in the answer to initialize, or in the client's capabilities, is there.
  bool agent_has(std::string_view path) const;
  bool client_has(std::string_view path) const;

  // ---- calls.cc: the client
  KnownSession* session_of_client(const std::string& id, const std::string& what);
  bool check_gate(const std::string& method, JsonView params, const KnownSession* session);
  void check_session_setup(const std::string& method, JsonView params);
  void check_prompt(JsonView params);
  void begin_resume(const std::string& id, JsonView params, OpenRequest* request);
  void cancel(KnownSession& session);

  // ---- calls.cc: the agent
  KnownSession* session_of_agent(const std::string& id, const std::string& what);
  void check_permission(JsonView params, OpenRequest* request, KnownSession& session);
  void check_elicitation(JsonView params);

  // ---- answers.cc
  void session_answered(const OpenRequest& request, JsonView result, JsonView error);
  void session_opened(const std::string& id, JsonView result);
  void drop_unconfirmed();
  void take_options(KnownSession& session, JsonView options);
  void prompt_answered(const OpenRequest& request, JsonView result, JsonView error);
  void session_closed(const std::string& id);
  void permission_answered(const OpenRequest& request, JsonView result, JsonView error);

  // ---- updates.cc
  void check_update(JsonView params);
  // Something that only foreground work, or a replay, can say; `ends`: that a call has failed.
  void check_work(const std::string& what, const KnownCall* call, const std::string& id,
                  KnownSession& session, bool ends = false);
  void check_user_message(JsonView update, KnownSession& session);
  void check_message(const std::string& kind, JsonView update, KnownSession& session);
  void check_tool_call(const std::string& kind, JsonView update, KnownSession& session);
  void check_call_begins(const std::string& id, CallStatus before, CallStatus after,
                         const KnownSession& session);
  void check_tool_content(JsonView content, const std::string& call, KnownSession& session);
  void check_terminal(const std::string& kind, JsonView update, KnownSession& session);

  // ---- states.cc: state_update
  void check_state(JsonView update, KnownSession& session);
  void check_background(JsonView update, KnownSession& session);
  void work_ended(JsonView update, KnownSession& session);
  void check_cancelled(const std::string& stop, KnownSession& session);
  const std::string& id_of(const KnownSession& session) const;
  bool is_closing(const KnownSession& session) const;
  bool in_background(const KnownSession& session, std::string_view kind,
                     const std::string& id) const;

  // ---- diffs.cc
  void check_diff(JsonView diff);

  Rules::Parts& all_;
  std::set<std::string, std::less<>> auth_methods_;  // that can be used for auth/login
  std::map<std::string, KnownSession, std::less<>> sessions_;
};

}  // namespace acp::check::version2
