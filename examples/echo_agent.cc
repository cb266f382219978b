// An agent without a model that does everything the protocol knows, when told to: for people who
// write clients. The first word of a prompt says what; `help` lists them. Any other text is echoed.
// With --require-login, sessions are for those who have authenticated.
#include <acp/agent.h>
#include <acp/framing_option.h>
#include <acp/mcp/session_servers.h>
#include <acp/schema/v1.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <mutex>

#include "echo_words.h"

namespace {

using acp::Json;
using acp::StopReason;
using acp::Task;
using acp::Turn;
namespace v1 = acp::v1;

// What was said in each session, so that it can be loaded again; and who is logged in.
struct Store {
  struct Said {
    bool by_user;
    std::string text;
    std::string message = {};  // its id, in version 2
  };
  struct Entry {
    std::string cwd;
    std::string title;
    std::vector<Said> said;
    bool archived = false;
    bool open = true;
  };
  std::mutex mutex;
  std::map<std::string, Entry> sessions;
  std::map<std::string, v1::ProviderInfo> providers;
  v1::AuthState auth = v1::AuthState::not_required;
  acp::mcp::SessionServers servers{"echo", "1.0"};
};
using StorePtr = std::shared_ptr<Store>;

// With the lock. Throws -32002 for a session that is not there.
Store::Entry& entry(Store& store, const std::string& id) {
  const auto found = store.sessions.find(id);
  if (found == store.sessions.end())
    throw acp::not_found("session " + id, Json::object({{"sessionId", id}}));
  return found->second;
}

// Two on a page.
v1::ListSessionsResponse list(Store& store, const v1::ListSessionsRequest& request) {
  v1::ListSessionsResponse page;
  const std::lock_guard lock(store.mutex);
  v1::SessionArchiveFilter filter = v1::SessionArchiveFilter::exclude;
  if (request.archived.has_value()) filter = *request.archived;
  auto at =
      request.cursor.has_value() ? store.sessions.find(*request.cursor) : store.sessions.begin();
  if (request.cursor.has_value() && at == store.sessions.end())
    throw acp::invalid_params("params.cursor", "one that came from here", *request.cursor);
  for (; at != store.sessions.end(); ++at) {
    const auto& [id, session] = *at;
    if (request.cwd.has_value() && *request.cwd != session.cwd) continue;
    if (session.archived && filter == v1::SessionArchiveFilter::exclude) continue;
    if (!session.archived && filter == v1::SessionArchiveFilter::only) continue;
    if (page.sessions.size() == 2) {
      page.nextCursor = id;
      break;
    }
    v1::SessionInfo info;
    info.sessionId = id;
    info.cwd = session.cwd;
    if (!session.title.empty()) info.title = session.title;
    if (session.archived) info.archived = true;
    page.sessions.push_back(std::move(info));
  }
  return page;
}

void add_sessions(acp::Agent& agent, const StorePtr& store) {
  agent
      .on_prompt([store](Turn turn) -> Task<StopReason> {
        const auto spoken = std::make_shared<std::string>();
        StopReason reason = StopReason::end_turn;
        if (turn.text() == "servers") {
          *spoken = store->servers.describe(turn.session_id());
          co_await turn.say(*spoken);
        } else {
          reason = co_await echo::answer(turn, turn.text(), spoken);
        }
        const std::lock_guard lock(store->mutex);
        auto& said = store->sessions[turn.session_id()].said;
        said.push_back({true, turn.text(), turn.message_id()});
        if (!spoken->empty()) said.push_back({false, *spoken});
        co_return reason;
      })
      // It takes a while to connect: on a thread of its own.
      .on_new_session(
          acp::blocking([store](acp::SessionContext session, v1::NewSessionRequest request) {
            store->servers.open(session, request.mcpServers);
            const std::lock_guard lock(store->mutex);
            store->sessions[session.session_id()].cwd = request.cwd;
          }))
      .on_load_session(
          acp::blocking([store](acp::SessionContext session, v1::LoadSessionRequest request) {
            std::vector<Store::Said> said;
            {
              const std::lock_guard lock(store->mutex);
              Store::Entry& loaded = entry(*store, request.sessionId);
              loaded.open = true;
              said = loaded.said;
            }
            store->servers.open(session, request.mcpServers);
            for (const Store::Said& one : said) {
              if (one.by_user)
                session.user_said(acp::ContentBlock(one.text), one.message).wait();
              else
                session.say(one.text).wait();
            }
          }))
      .on_resume_session(
          acp::blocking([store](acp::SessionContext session, v1::ResumeSessionRequest request) {
            {
              const std::lock_guard lock(store->mutex);
              entry(*store, request.sessionId).open = true;
            }
            store->servers.open(session, request.mcpServers);
          }))
      .on_fork_session(
          acp::blocking([store](acp::SessionContext session, v1::ForkSessionRequest request) {
            {
              const std::lock_guard lock(store->mutex);
              Store::Entry copy = entry(*store, request.sessionId);
              store->sessions[session.session_id()] = std::move(copy);
            }
            store->servers.open(session, request.mcpServers);
          }))
      .on_list_sessions(
          [store](acp::Context, v1::ListSessionsRequest request) -> Task<v1::ListSessionsResponse> {
            co_return list(*store, request);
          })
      .on_close_session([store](acp::Context, v1::CloseSessionRequest request) {
        store->servers.close(request.sessionId);
        const std::lock_guard lock(store->mutex);
        entry(*store, request.sessionId).open = false;
      })
      .on_delete_session([store](acp::Context, v1::DeleteSessionRequest request) {
        store->servers.close(request.sessionId);
        const std::lock_guard lock(store->mutex);
        store->sessions.erase(request.sessionId);
      })
      .on_archive_session(
          [store](acp::Context, v1::ArchiveSessionRequest request) -> Task<void> {
            const std::lock_guard lock(store->mutex);
            entry(*store, request.sessionId).archived = true;
            co_return;
          },
          [store](acp::Context, v1::UnarchiveSessionRequest request) -> Task<void> {
            const std::lock_guard lock(store->mutex);
            entry(*store, request.sessionId).archived = false;
            co_return;
          })
      .on_session_status(
          [store](acp::Context,
                  v1::SessionStatusRequest request) -> Task<v1::SessionStatusResponse> {
            const std::lock_guard lock(store->mutex);
            v1::SessionStatusResponse response;
            if (!entry(*store, request.sessionId).open) response.status = v1::SessionStatus::saved;
            co_return response;
          })
      .on_set_title(
          [store](acp::Context,
                  v1::SetSessionTitleRequest request) -> Task<v1::SetSessionTitleResponse> {
            const std::lock_guard lock(store->mutex);
            entry(*store, request.sessionId).title = request.title;
            v1::SetSessionTitleResponse response;
            response.title = request.title;
            co_return response;
          });
}

// After the answer to a login or logout the client gets the new status.
void change_auth(const acp::Context& context, const StorePtr& store, v1::AuthState state) {
  {
    const std::lock_guard lock(store->mutex);
    store->auth = state;
  }
  context.after_response([peer = context.peer(), state] {
    v1::AuthStatusUpdateNotification status;
    status.state = state;
    [[maybe_unused]] const acp::Sent sent = peer.notify(status);
  });
}

void add_login(acp::Agent& agent, const StorePtr& store) {
  v1::AuthMethodAgent login;
  login.id = "password";
  login.name = "Log in";
  agent.auth_method(login)
      .on_authenticate([store](acp::Context context, v1::AuthenticateRequest) {
        change_auth(context, store, v1::AuthState::authenticated);
      })
      .on_logout([store](acp::Context context, v1::LogoutRequest) {
        change_auth(context, store, v1::AuthState::unauthenticated);
      })
      .on_auth_status([store](acp::Context, v1::AuthStatusRequest) {
        const std::lock_guard lock(store->mutex);
        v1::AuthStatusResponse response;
        response.state = store->auth;
        return response;
      });
}

void add_providers(acp::Agent& agent, const StorePtr& store) {
  for (const char* id : {"main", "spare"}) {
    v1::ProviderInfo& info = store->providers[id];
    info.providerId = id;
    info.supported = {v1::LlmProtocol::anthropic, v1::LlmProtocol::openai};
    info.required = info.providerId == "main";
  }
  const auto known = [](Store& store, const std::string& id) -> v1::ProviderInfo& {
    const auto found = store.providers.find(id);
    if (found == store.providers.end())
      throw acp::invalid_params("params.providerId", "one of the providers", id);
    return found->second;
  };
  agent.on_providers(
      [store](acp::Context, v1::ListProvidersRequest) {
        const std::lock_guard lock(store->mutex);
        v1::ListProvidersResponse response;
        for (const auto& [id, info] : store->providers) response.providers.push_back(info);
        return response;
      },
      [store, known](acp::Context, v1::SetProviderRequest request) {
        const std::lock_guard lock(store->mutex);
        v1::ProviderCurrentConfig config;
        config.apiType = request.apiType;
        config.baseUrl = request.baseUrl;
        known(*store, request.providerId).current = std::move(config);
      },
      [store, known](acp::Context, v1::DisableProviderRequest request) {
        const std::lock_guard lock(store->mutex);
        v1::ProviderInfo& info = known(*store, request.providerId);
        if (info.required)
          throw acp::invalid_params("params.providerId", "one that is not required",
                                    info.providerId);
        info.current = nullptr;
      });
}

// What a client may call beyond the protocol, to see what arrived.
void add_extensions(acp::Agent& agent) {
  const auto echo = [](acp::Context, Json params) -> Task<Json> { co_return params; };
  const auto note = [](acp::Context context, Json params) -> Task<void> {
    co_await context.peer().notify("_echo/noted", params);
  };
  agent.on_request("_echo/echo", echo)
      .on_request("_echo/wait",
                  [](acp::Context context, Json) -> Task<Json> {
                    co_await context.peer().notify("_echo/waiting", Json::object());
                    co_await echo::until_cancelled(context.stop_token());
                    co_return Json();
                  })
      .on_request("_echo/fail",
                  [](acp::Context, Json) -> Json {
                    const Json data = Json::object({{"deep", Json::array({1, nullptr, "x"})}});
                    throw acp::Error(-31007, "a custom error", data);
                  })
      .on_request(
          "_echo/throw",
          [](acp::Context, Json) -> Json { throw std::runtime_error("a secret of the agent's"); })
      .on_notification("_echo/note", note)
      .on_request("proxy/initialize", echo)
      .on_request("proxy/successor", echo)
      .on_notification("proxy/successor", note)
      .on_mcp_message([](acp::Context context, v1::MessageMcpNotification message) -> Task<void> {
        const Json told =
            Json::object({{"serverId", message.serverId}, {"method", message.method}});
        co_await context.peer().notify("_echo/noted", told);
      });
}

}  // namespace

int main(int argc, char** argv) {
  acp::Agent agent("echo", "1.0");
  agent.versions_from_environment();
  if (const auto error = acp::read_framing_option(argc, argv, agent)) {
    std::cerr << *error << "\n";
    return 2;
  }
  const auto store = std::make_shared<Store>();
  if (std::find(argv, argv + argc, std::string_view("--require-login")) != argv + argc) {
    agent.require_authentication();
    store->auth = v1::AuthState::unauthenticated;
  }
  v1::PromptCapabilities takes;
  takes.image = takes.audio = takes.embeddedContext = true;
  v1::McpCapabilities servers;
  servers.http = servers.sse = true;
  std::vector<acp::AvailableCommand> commands(1);
  commands[0].name = "help";
  commands[0].description = "Lists the words this agent understands";
  agent.title("Echo")
      .prompt_capabilities(takes)
      .mcp_capabilities(servers)
      .additional_directories()
      .system_prompt(true)
      .modes(echo::modes(), "ask")
      .config_options(echo::options("small"))
      .commands(commands);
  add_sessions(agent, store);
  add_login(agent, store);
  add_providers(agent, store);
  add_extensions(agent);
  return agent.run(acp::stdio());
}
