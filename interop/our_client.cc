#include "interop/our_client.h"

#include <sstream>

namespace interop {

std::string text_of(const std::vector<acp::SessionUpdate>& updates) {
  std::string text;
  for (const acp::SessionUpdate& update : updates)
    if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update))
      if (const auto* block = std::get_if<v1::TextContent>(&chunk->content)) text += block->text;
  return text;
}

std::string kind_of(const acp::SessionUpdate& update) {
  const Json json = as_json(update);
  return json["sessionUpdate"].as_string().value_or("");
}

OurClient::OurClient() {
  permission = [](const acp::ClientContext&, const v1::RequestPermissionRequest&) {
    return acp::Decision::cancelled();
  };
  elicitation = [](const acp::ClientContext&) { return v1::CreateElicitationResponse(); };
  install_files();
  install_questions();
  install_extensions();
  record(client, wire);
  client.takes_boolean_options().takes_notices().takes_compactions();
  if (unstable()) client.takes_plans().takes_subagents();
  client.on_update([this](acp::ClientContext, v1::SessionNotification notification) {
    inbox.put("session/update", kind_of(notification.update));
  });
  client.on_auth_status([this](acp::ClientContext, v1::AuthStatusUpdateNotification status) {
    inbox.put("auth/status_update", as_json(status));
  });
}

void OurClient::install_files() {
  client.on_read_text_file(
      acp::blocking([this](acp::ClientContext context, v1::ReadTextFileRequest request) {
        inbox.put("fs/read_text_file", as_json(request));
        if (read) return read(context, request);
        const std::lock_guard lock(mutex);
        const auto found = files.find(request.path);
        if (found == files.end())
          throw acp::not_found(request.path, Json::object({{"uri", request.path}}));
        std::istringstream text(found->second);
        const std::uint32_t first = request.line.has_value() ? *request.line : 1;
        const std::uint32_t limit = request.limit.has_value() ? *request.limit : UINT32_MAX;
        v1::ReadTextFileResponse response;
        std::string line;
        for (std::uint32_t number = 1; std::getline(text, line); ++number)
          if (number >= first && number - first < limit) response.content += line + "\n";
        return response;
      }));
  client.on_write_text_file([this](acp::ClientContext, v1::WriteTextFileRequest request) {
    const std::lock_guard lock(mutex);
    files[request.path] = request.content;
  });
  acp::TerminalHandlers handlers;
  handlers.create = [this](acp::ClientContext, v1::CreateTerminalRequest request) {
    return terminals.create(request);
  };
  handlers.output = [this](acp::ClientContext, v1::TerminalOutputRequest request) {
    return terminals.output(request.terminalId);
  };
  handlers.wait_for_exit =
      acp::blocking([this](acp::ClientContext context, v1::WaitForTerminalExitRequest request) {
        inbox.put("terminal/wait_for_exit");
        return terminals.wait(request.terminalId, context.stop_token());
      });
  handlers.kill = [this](acp::ClientContext, v1::KillTerminalRequest request) {
    terminals.kill(request.terminalId);
  };
  handlers.release = [this](acp::ClientContext, v1::ReleaseTerminalRequest request) {
    terminals.release(request.terminalId);
  };
  client.on_terminals(std::move(handlers));
}

void OurClient::install_questions() {
  client.on_permission(
      acp::blocking([this](acp::ClientContext context, v1::RequestPermissionRequest request) {
        inbox.put("session/request_permission", as_json(request));
        return permission(context, request);
      }));
  const auto elicit = [this](acp::ClientContext context, v1::CreateElicitationRequest request) {
    inbox.put("elicitation/create", as_json(request));
    return elicitation(context);
  };
  client.on_elicitation_form(acp::blocking(elicit)).on_elicitation_url(acp::blocking(elicit));
  client.on_elicitation_complete(
      [this](acp::ClientContext, v1::CompleteElicitationNotification notification) {
        inbox.put("elicitation/complete", as_json(notification));
      });
  client.on_mcp_message(acp::blocking([this](acp::ClientContext, v1::MessageMcpRequest request) {
    inbox.put("mcp/message", as_json(request));
    return mcp();
  }));
}

void OurClient::install_extensions() {
  const auto echo = [](acp::ClientContext, Json params) { return params; };
  client.on_request("_client/echo", echo)
      .on_request("proxy/successor", echo)
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
      // Answered once `_client/wait` has arrived.
      .on_request("_client/asked", acp::blocking([this](acp::ClientContext, Json) {
                    inbox.take("_client/wait");
                    return Json::object();
                  }));
  for (const char* name :
       {"_client/note", "_agent/noted", "_agent/waiting", "_agent/cancelled", "proxy/successor"})
    client.on_notification(name, [this, name = std::string(name)](acp::ClientContext, Json params) {
      inbox.put(name, params);
    });
}

acp::AgentHandle OurClient::start(std::vector<std::string> options) {
  std::vector<std::string> command = {"node", "interop/sdk_agent.mjs"};
  if (unstable()) command.push_back("unstable");
  command.insert(command.end(), options.begin(), options.end());
  return start_agent(client, server, std::move(command));
}

Told OurClient::finish(acp::Prompt prompt) {
  Told told{};
  for (acp::PromptEvent& event : prompt) {
    if (auto* update = std::get_if<acp::SessionUpdate>(&event))
      told.updates.push_back(std::move(*update));
    else
      told.reason = std::get<acp::StopReason>(event);
  }
  told.text = text_of(told.updates);
  return told;
}

Told OurClient::turn(const acp::Session& session, std::string text) {
  return finish(session.prompt(std::move(text)));
}

}  // namespace interop
