// Version 2 of the protocol for the role of a client, which thinks in version 1: what the role asks
// becomes version 2, what the agent sends becomes version 1. docs/versions.md has the differences.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "acp/json/writer.h"
#include "acp/role/client/client_dialect.h"
#include "acp/role/versions/updates_to_v1.h"
#include "acp/rpc/engine.h"

namespace acp::detail {

class ClientRole;

// Used with the connection's lock.
class ClientVersion2 final : public ClientDialect {
 public:
  explicit ClientVersion2(ClientRole& role) : role_(role) {}

  std::string introduction(const v1::InitializeRequest& request, bool of_both) override;
  std::optional<json::DecodeFault> read_introduction(std::string_view text,
                                                     v1::InitializeResponse& response) override;
  bool takes_stdio_servers() const override { return takes_stdio_; }

  // ---- Translation: what the client asks its agent
  const Method* method_of(const json::Type& params) const override;
  Message request(const json::Type& type, const void* params, Deliver deliver) override;
  Message notification(const json::Type& type, const void* params) override;

  // ---- what the agent asks
  bool on_request(const rpc::RequestId& id, std::string_view method, JsonView params) override;
  void write_result(json::Writer& out, const json::Type& type, const void* result) override;
  bool on_update(rpc::NotificationToken token, JsonView params) override;
  bool on_streamed(std::string_view params) override;
  bool may_be_same(std::string_view update) const override;
  bool take_same(const std::string& session_id, const v1::SessionUpdate& update) override;
  void session_added(ClientSession& session) override;
  void forget(const std::string& session_id) override { sessions_.erase(session_id); }
  void forget_unknown() override;

  // ---- turns
  std::string prompt(const std::string& session_id, const std::shared_ptr<PromptState>& prompt,
                     const v1::PromptRequest& request) override;
  void answered(const std::string& session_id, const std::shared_ptr<PromptState>& prompt,
                const rpc::Engine::Answer& answer) override;

 private:
  // These throw Error with the answer if the request is refused.
  v1::RequestPermissionRequest read_permission(JsonView params);
  v1::CreateElicitationRequest read_elicitation(JsonView params);
  // ---- updates
  struct Update {
    std::string session_id;
    std::vector<versions::UpdatesToV1::Update> updates;
  };
  // Nothing if there is no room for it. What the client has sent itself is left out.
  std::optional<Update> convert(v2::UpdateSessionNotification&& notification, std::size_t bytes);
  // Gives the role what changes; returns copies of the updates for the program's own function.
  std::vector<v1::SessionNotification> take(Update&& update, std::string_view params);
  void take_state(const std::string& session_id, versions::SessionActivity activity);
  // What version 1 has no update for.
  void show(const std::string& session_id, versions::UpdatesToV1::Update& change,
            std::size_t bytes);
  void show(ClientSession& session, versions::UpdatesToV1::Update& change, std::size_t bytes);
  // What a session does that is not known yet.
  void keep_activity(const std::string& session_id, versions::SessionActivity activity);
  std::optional<versions::SessionActivity> take_activity(const std::string& session_id);

  struct SentPrompt {
    std::weak_ptr<PromptState> state;
    std::vector<v2::ContentBlock> content;
    v2::MessageId id;  // once it is known
  };
  // The last one to `session/set_config_option` for a mode.
  struct ModeAnswer {
    std::string text, as_version_1;
    std::size_t option_changes = 0;  // before the next one
    bool is(std::string_view answer, const versions::UpdatesToV1& updates) const {
      return answer == text && option_changes == updates.option_changes();
    }
  };
  struct Session {
    versions::UpdatesToV1 updates{true};
    ModeAnswer mode_answer;
    std::deque<SentPrompt> prompts;
    std::optional<versions::SessionActivity> activity;
    bool begun = false;  // by an answer
  };
  // False if too much is said of a session that is not known yet.
  bool has_room_for(const std::string& session_id, std::size_t bytes);
  // Null for one that cannot be ours.
  Session* find(const std::string& session_id);
  // Gives the role what the list changes; the list itself if it is wanted.
  void take_options(const std::string& session_id, std::vector<v2::SessionConfigOption> options,
                    bool with_list);
  // What the agent repeats of a prompt of ours.
  bool is_echo(Session& session, const v2::SessionUpdate& update,
               std::shared_ptr<PromptState>& inserted);
  template <class Begun>
  void session_begins(const std::string& id, Begun& begun);
  Message set_mode(const v1::SetSessionModeRequest& request, Deliver deliver);
  Message open_session(const json::Type& type, const void* params, Deliver deliver);

  // Throws Refused where the agent has no sessions, or takes no MCP servers of a kind.
  template <class Request>
  void check_session(const Request& request) const;

  ClientRole& role_;
  bool has_sessions_ = false, takes_stdio_ = false;  // the agent
  std::unordered_map<std::string, Session> sessions_;
  std::size_t unknown_bytes_ = 0;  // of what was said of sessions that are not known yet
};

}  // namespace acp::detail
