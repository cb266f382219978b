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
#include "acp/role/translation.h"
#include "acp/role/versions/updates_to_v1.h"
#include "acp/rpc/engine.h"

namespace acp::detail {

class ClientRole;
struct ClientSession;
struct PromptState;

// Used with the connection's lock.
class ClientVersion2 final : public Translation {
 public:
  explicit ClientVersion2(ClientRole& role) : role_(role) {}

  // ---- Translation: what the client asks its agent
  Message request(const json::Type& type, const void* params, Deliver deliver) override;
  Message notification(const json::Type& type, const void* params) override;

  // ---- what the agent asks. Throws Error with the answer if it is refused.
  v1::RequestPermissionRequest read_permission(JsonView params);
  v1::CreateElicitationRequest read_elicitation(JsonView params);
  void write_result(json::Writer& out, const json::Type& type, const void* result);

  // ---- updates
  struct Update {
    std::string session_id;
    std::vector<versions::UpdatesToV1::Update> updates;
  };
  // Nothing if it is no update. What the client has sent itself is left out.
  std::optional<Update> read_update(JsonView params);
  void forget(const std::string& session_id) { sessions_.erase(session_id); }
  // Whether this can be a request's id: a string, or an integer.
  static bool takes(const rpc::RequestId& id);
  // What a session does that is not known yet.
  void keep_activity(const std::string& session_id, versions::SessionActivity activity);
  std::optional<versions::SessionActivity> take_activity(const std::string& session_id);

  // ---- turns
  // The params of a prompt that is about to be sent.
  std::string prompt(const std::string& session_id, const std::shared_ptr<PromptState>& prompt,
                     const v1::PromptRequest& request);
  // The prompt is part of the conversation, or it was refused.
  void answered(const std::string& session_id, const std::shared_ptr<PromptState>& prompt,
                const rpc::Engine::Answer& answer);

 private:
  struct SentPrompt {
    std::weak_ptr<PromptState> state;
    std::vector<v2::ContentBlock> content;
    v2::MessageId id;  // once it is known
  };
  struct Session {
    versions::UpdatesToV1 updates{true};
    std::deque<SentPrompt> prompts;
    std::optional<versions::SessionActivity> activity;
  };
  // Null for one that cannot be ours.
  Session* find(const std::string& session_id);
  // Gives the role all that the list changes but the list itself.
  void take_options(const std::string& session_id,
                    const std::vector<v2::SessionConfigOption>& options);
  // What the agent repeats of a prompt of ours.
  bool is_echo(Session& session, const v2::SessionUpdate& update,
               std::shared_ptr<PromptState>& inserted);
  template <class Begun>
  void session_begins(const std::string& id, Begun& begun);
  Message open_session(const json::Type& type, const void* params, Deliver deliver);

  ClientRole& role_;
  std::unordered_map<std::string, Session> sessions_;
};

}  // namespace acp::detail
