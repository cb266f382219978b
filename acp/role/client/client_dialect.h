// Another version of the protocol, as the role of a client needs it. Programs that do not ask for
// it do not link it: Client::versions() installs it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "acp/json/writer.h"
#include "acp/role/translation.h"
#include "acp/rpc/engine.h"
#include "acp/schema/v1.h"

namespace acp::detail {

struct ClientSession;
struct PromptState;

// Used with the connection's lock.
class ClientDialect : public Translation {
 public:
  // The params of `initialize`; `of_both`: an agent of version 1 finds its words in it, too.
  virtual std::string introduction(const v1::InitializeRequest& request, bool of_both) = 0;
  virtual std::optional<json::DecodeFault> read_introduction(std::string_view text,
                                                             v1::InitializeResponse& response) = 0;
  // Whether the agent does, as it has said there.
  virtual bool takes_stdio_servers() const = 0;

  // What the agent asks. Returns false for what is the same in version 1.
  virtual bool on_request(const rpc::RequestId& id, std::string_view method, JsonView params) = 0;
  virtual void write_result(json::Writer& out, const json::Type& type, const void* result) = 0;
  // As EngineHandler::on_notification() of session/update, and as EngineHandler::on_streamed().
  virtual bool on_update(rpc::NotificationToken token, JsonView params) = 0;
  virtual bool on_streamed(std::string_view params) = 0;
  // Whether an update that begins so may be the same in version 1; and whether one is that was read
  // as such. It has been noted then.
  virtual bool may_be_same(std::string_view update) const = 0;
  virtual bool take_same(const std::string& session_id, const v1::SessionUpdate& update) = 0;

  virtual void session_added(ClientSession& session) = 0;
  virtual void forget(const std::string& session_id) = 0;
  // No session is being opened any more: of those that the client does not know,
  // nothing is kept.
  virtual void forget_unknown() = 0;

  // The params of a prompt that is about to be sent.
  virtual std::string prompt(const std::string& session_id,
                             const std::shared_ptr<PromptState>& prompt,
                             const v1::PromptRequest& request) = 0;
  // The prompt is part of the conversation, or it was refused.
  virtual void answered(const std::string& session_id, const std::shared_ptr<PromptState>& prompt,
                        const rpc::Engine::Answer& answer) = 0;
};

}  // namespace acp::detail
