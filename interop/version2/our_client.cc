#include "interop/version2/our_client.h"

#include <acp/error.h>
#include <acp/json/codec.h>

#include <stdexcept>

namespace interop {

namespace {

template <class T>
Json as_json(const T& value) {
  return Json::parse(acp::json::encode(value)).value();
}

}  // namespace

Told finish(acp::Prompt prompt) {
  Told told;
  for (acp::PromptEvent& event : prompt) {
    if (auto* reason = std::get_if<StopReason>(&event)) {
      told.reason = *reason;
      continue;
    }
    told.updates.push_back(std::move(std::get<SessionUpdate>(event)));
    if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(&told.updates.back()))
      if (const auto* text = std::get_if<v1::TextContent>(&chunk->content)) told.text += text->text;
  }
  return told;
}

Told turn(const acp::Session& session, const std::string& text) {
  return finish(session.prompt(text));
}

Told turn(const acp::Session& session, const std::vector<acp::ContentBlock>& content) {
  return finish(session.prompt(content));
}

Version2::Version2() {
  client.versions({1, 2});
  client.on_log([this](const acp::LogEntry& entry) {
    const std::lock_guard lock(mutex);
    logged += entry.message + "\n";
  });
  client.on_update([this](acp::ClientContext, v1::SessionNotification notification) {
    const Json update = as_json(notification.update);
    inbox.put("session/update", Json(update["sessionUpdate"]));
  });
  install_questions();
  install_extensions();
  record(client, wire);
}

acp::AgentHandle Version2::start(const std::vector<std::string>& options) {
  std::vector<std::string> command = {"node", AGENT};
  command.insert(command.end(), options.begin(), options.end());
  return start_agent(client, server, std::move(command));
}

void Version2::install_questions() {
  client.on_permission(
      acp::blocking([this](acp::ClientContext context, v1::RequestPermissionRequest request) {
        inbox.put("session/request_permission", as_json(request));
        if (permission) return permission(context);
        const std::lock_guard lock(mutex);
        asked.push_back(request);
        return decision;
      }));
  const auto elicit = [this](acp::ClientContext context, v1::CreateElicitationRequest request) {
    inbox.put("elicitation/create", as_json(request));
    if (elicitation) return elicitation(context);
    v1::CreateElicitationResponse response;
    response.action = v1::ElicitationDeclineAction();
    return response;
  };
  client.on_elicitation_form(acp::blocking(elicit)).on_elicitation_url(acp::blocking(elicit));
  client.on_elicitation_complete(
      [this](acp::ClientContext, v1::CompleteElicitationNotification notification) {
        inbox.put("elicitation/complete", as_json(notification));
      });
}

void Version2::install_extensions() {
  client.on_request("_client/echo", [](acp::ClientContext, Json params) { return params; })
      .on_request("_client/fail",
                  [](acp::ClientContext, Json) -> Json {
                    const Json data = Json::object({{"deep", Json::array({1, nullptr, "x"})}});
                    throw acp::Error(-31007, "a custom error", data);
                  })
      .on_request("_client/throw",
                  [](acp::ClientContext, Json) -> Json {
                    throw std::runtime_error("a secret of the client's");
                  })
      .on_request("_client/wait", acp::blocking([this](acp::ClientContext context, Json) -> Json {
                    inbox.put("_client/wait");
                    until_cancelled(context.stop_token());
                    return {};
                  }))
      // Answered once that request has arrived.
      .on_request("_client/asked", acp::blocking([this](acp::ClientContext, Json params) {
                    inbox.take(params["method"].as_string().value());
                    return Json::object();
                  }));
  for (const char* name : {"_client/note", "_echo/noted", "_echo/waiting", "_echo/cancelled"})
    client.on_notification(name, [this, name = std::string(name)](acp::ClientContext, Json params) {
      inbox.put(name, params);
    });
}

}  // namespace interop
