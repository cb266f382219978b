// An agent without a model that does everything the protocol knows, when told to: for people who
// write clients. The first word of a prompt says what; `help` lists them. Any other text is echoed.
#include <acp/agent.h>
#include <acp/framing_option.h>
#include <acp/schema/v1.h>

#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

namespace {

using acp::Json;
using acp::StopReason;
using acp::Task;
using acp::ToolKind;
using acp::Turn;
namespace v1 = acp::v1;

constexpr const char* help_text =
    "say TEXT | think TEXT | content | updates | unstable | plan | tool | diff PATH | open-tool |\n"
    "permission [KEY] | read PATH [LINE LIMIT] | write PATH TEXT | run COMMAND | run-for MS "
    "COMMAND |\n"
    "terminal COMMAND | elicit | elicit-url | mode ID | option ID | title TEXT | commands |\n"
    "notice TEXT | usage | auth-update | ext METHOD JSON | ext-notify METHOD JSON | mcp ID METHOD "
    "|\n"
    "wait | block MS | refusal | max_tokens | max_turn_requests | error CODE | throw | silence |\n"
    "stream N\n";

// What was said in each session, so that it can be loaded again.
struct Store {
  struct Entry {
    std::string cwd;
    std::string title;
    std::vector<std::pair<bool, std::string>> said;  // by the user or not
    bool archived = false;
  };
  std::mutex mutex;
  std::map<std::string, Entry> sessions;
};

std::string rest_of(std::istringstream& words) {
  std::string rest;
  std::getline(words >> std::ws, rest);
  return rest;
}

v1::ElicitationSchema name_form() {
  v1::StringPropertySchema name;
  name.title = std::string("Your name");
  v1::ElicitationSchema form;
  form.properties["name"] = std::move(name);
  form.required = std::vector<std::string>{"name"};
  return form;
}

Task<void> send_content(Turn turn) {
  v1::ImageContent image;
  image.data = "iVBORw0KGgo=";
  image.mimeType = "image/png";
  v1::AudioContent audio;
  audio.data = "UklGRg==";
  audio.mimeType = "audio/wav";
  v1::ResourceLink link;
  link.name = "notes.txt";
  link.uri = "file:///tmp/notes.txt";
  v1::TextResourceContents text;
  text.uri = "file:///tmp/a.txt";
  text.text = "embedded";
  v1::EmbeddedResource resource;
  resource.resource = std::move(text);
  const acp::ContentBlock blocks[] = {acp::ContentBlock("text"), acp::ContentBlock(image),
                                      acp::ContentBlock(audio), acp::ContentBlock(link),
                                      acp::ContentBlock(resource)};
  for (const acp::ContentBlock& block : blocks) co_await turn.say(block);
}

Task<void> send_updates(Turn turn) {
  co_await turn.user_said("what the user said");
  co_await turn.say("a message");
  co_await turn.think("a thought");
  acp::Plan plan = turn.make_plan();
  co_await plan.add("first", acp::PlanEntryPriority::high);
  co_await plan.set(0, acp::PlanEntryStatus::completed);
  const acp::ToolCall call = turn.tool_call("Reading", ToolKind::read);
  co_await call.start();
  co_await call.add_location("/tmp/a.txt", 3);
  co_await call.complete("done");
  co_await turn.usage(1200, 8000, 0.25, "EUR");
  co_await turn.title("A title");
  std::vector<acp::AvailableCommand> commands(1);
  commands[0].name = "help";
  commands[0].description = "Lists the words";
  co_await turn.commands(commands);
}

Task<void> send_unstable(Turn turn) {
  const auto& can = turn.client_capabilities();
  if (can.plan.has_value()) {
    v1::PlanMarkdown markdown;
    markdown.planId = "p1";
    markdown.content = "# Plan";
    v1::PlanUpdate update;
    update.plan = std::move(markdown);
    co_await turn.update(update);
    v1::PlanRemoved removed;
    removed.planId = "p1";
    co_await turn.update(removed);
  }
  if (can.subagents.has_value()) {
    v1::SubagentUpdate subagent;
    subagent.sessionId = "sub_1";
    subagent.title = std::string("A subagent");
    co_await turn.update(subagent);
    v1::SessionMessage message;
    message.messageId = "m1";
    message.senderSessionId = std::string("sub_1");
    co_await turn.update(message);
    v1::SessionMessageChunk chunk;
    chunk.messageId = "m1";
    chunk.content = acp::ContentBlock("hello");
    co_await turn.update(chunk);
  }
  if (can.session.has_value() && can.session->compaction.has_value()) {
    v1::CompactionUpdate compaction;
    compaction.compactionId = "c1";
    co_await turn.update(compaction);
    v1::CompactionSummaryChunk chunk;
    chunk.compactionId = "c1";
    chunk.content = acp::ContentBlock("a summary");
    co_await turn.update(chunk);
    compaction.status = v1::CompactionStatus::completed;
    co_await turn.update(compaction);
  }
}

Task<StopReason> answer(Turn turn) {
  std::istringstream words(turn.text());
  std::string word;
  words >> word;
  if (word == "help") {
    co_await turn.say(help_text);
  } else if (word == "think") {
    co_await turn.think(rest_of(words));
  } else if (word == "content") {
    co_await send_content(turn);
  } else if (word == "updates") {
    co_await send_updates(turn);
  } else if (word == "unstable") {
    co_await send_unstable(turn);
  } else if (word == "plan") {
    acp::Plan plan = turn.make_plan();
    co_await plan.add("look", acp::PlanEntryPriority::high);
    co_await plan.add("change");
    co_await plan.set(0, acp::PlanEntryStatus::in_progress);
  } else if (word == "tool") {
    v1::ToolCall announcement;
    announcement.title = "Searching";
    announcement.kind = ToolKind::search;
    announcement.name = std::string("grep");
    announcement.rawInput = Json::object({{"pattern", "main"}});
    const acp::ToolCall call = turn.tool_call(announcement);
    co_await call.start();
    co_await call.add_text("one match");
    const Json output = Json::object({{"matches", 1}});
    co_await call.set_raw_output(output);
    co_await call.complete();
  } else if (word == "diff") {
    const std::string path = rest_of(words);
    const acp::ToolCall call = turn.tool_call("Editing " + path, ToolKind::edit);
    co_await call.start();
    co_await call.add_diff(path, std::string("old\n"), "new\n");
    co_await call.complete();
  } else if (word == "open-tool") {
    const acp::ToolCall call = turn.tool_call("Left open", ToolKind::other);
    co_await call.start();
  } else if (word == "permission") {
    const std::string key = rest_of(words);
    const acp::ToolCall call = turn.tool_call("Deleting", ToolKind::delete_);
    Task<acp::Permission> asking =
        key.empty() ? call.ask_permission() : call.ask_permission_for(key);
    const acp::Permission permission = co_await std::move(asking);
    co_await turn.say(permission.allowed ? "allowed " : "rejected ");
    co_await turn.say(permission.remembered ? "remembered" : permission.option_id);
    if (permission.allowed) co_await call.complete();
  } else if (word == "read") {
    std::string path;
    words >> path;
    std::uint32_t line = 0, limit = 0;
    if (words >> line >> limit)
      co_await turn.say(co_await turn.read_file(path, line, limit));
    else
      co_await turn.say(co_await turn.read_file(path));
  } else if (word == "write") {
    std::string path;
    words >> path;
    co_await turn.write_file(path, rest_of(words));
    co_await turn.say("written");
  } else if (word == "run" || word == "run-for") {
    acp::CommandOptions options;
    int milliseconds = 0;
    if (word == "run-for" && words >> milliseconds)
      options.time_out = std::chrono::milliseconds(milliseconds);
    const acp::CommandResult result = co_await turn.run_command(rest_of(words), options);
    co_await turn.say(result.output);
    if (result.timed_out) co_await turn.say("[timed out]");
    if (result.exit_code) co_await turn.say("[" + std::to_string(*result.exit_code) + "]");
    if (result.signal) co_await turn.say("[" + *result.signal + "]");
  } else if (word == "terminal") {
    const acp::CommandOptions options;
    const acp::Terminal terminal = co_await turn.create_terminal(rest_of(words), options);
    const acp::ToolCall call = turn.tool_call("Running", ToolKind::execute);
    co_await call.start();
    co_await call.add_terminal(terminal);
    co_await terminal.finish();
    co_await call.complete();
  } else if (word == "elicit") {
    const v1::ElicitationSchema form = name_form();
    const v1::CreateElicitationResponse response = co_await turn.ask_user("Who are you?", form);
    const auto* accepted = std::get_if<v1::ElicitationAcceptAction>(&response.action);
    co_await turn.say(accepted ? "accepted" : "not accepted");
  } else if (word == "elicit-url") {
    const v1::CreateElicitationResponse response =
        co_await turn.ask_user_at("Log in", "https://example.com/login", "elicit_1");
    if (std::holds_alternative<v1::ElicitationAcceptAction>(response.action))
      co_await turn.elicitation_complete("elicit_1");
  } else if (word == "mode") {
    co_await turn.mode(rest_of(words));
  } else if (word == "title") {
    co_await turn.title(rest_of(words));
  } else if (word == "commands") {
    const std::vector<acp::AvailableCommand> none;
    co_await turn.commands(none);
  } else if (word == "notice") {
    co_await turn.notice(acp::NoticeSeverity::warning, rest_of(words));
  } else if (word == "usage") {
    co_await turn.usage(10, 100);
  } else if (word == "auth-update") {
    v1::AuthStatusUpdateNotification status;
    co_await turn.peer().notify(status);
  } else if (word == "ext" || word == "ext-notify") {
    std::string method;
    words >> method;
    const Json params = Json::parse(rest_of(words)).value();
    if (word == "ext")
      co_await turn.say((co_await turn.peer().request(method, params)).text());
    else
      co_await turn.peer().notify(method, params);
  } else if (word == "mcp") {
    v1::MessageMcpRequest message;
    words >> message.serverId >> message.method;
    message.requestId = "r1";
    const v1::MessageMcpResponse response = co_await turn.peer().request(message);
    const auto* result = std::get_if<v1::McpResult>(&response);
    co_await turn.say(result ? result->result.text() : "failed");
  } else if (word == "wait") {
    co_await turn.say("waiting");
    // An answer that never comes: what is cancelled is the waiting.
    co_await turn.peer().request("_echo/never", Json::object());
  } else if (word == "block") {
    int milliseconds = 0;
    words >> milliseconds;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < until && !turn.cancelled())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } else if (word == "stream") {
    std::size_t count = 0;
    words >> count;
    for (std::size_t i = 0; i < count && !turn.cancelled(); ++i)
      co_await turn.say("The quick brown fox jumps over the lazy dog again.");
  } else if (word == "refusal") {
    co_return StopReason::refusal;
  } else if (word == "max_tokens") {
    co_return StopReason::max_tokens;
  } else if (word == "max_turn_requests") {
    co_return StopReason::max_turn_requests;
  } else if (word == "error") {
    int code = 0;
    words >> code;
    throw acp::Error(code, "as you wish", Json::object({{"asked", true}}));
  } else if (word == "throw") {
    throw std::runtime_error("a secret of the agent's");
  } else if (word != "silence") {
    const std::string text = word == "say" ? rest_of(words) : turn.text();
    // In pieces, as a model would; not inside a character.
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = std::min(at + 8, text.size());
      while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
      co_await turn.say(text.substr(at, end - at));
      at = end;
    }
  }
  co_return StopReason::end_turn;
}

std::vector<v1::SessionMode> modes() {
  std::vector<v1::SessionMode> modes(2);
  modes[0].id = "ask";
  modes[0].name = "Ask";
  modes[1].id = "code";
  modes[1].name = "Code";
  return modes;
}

std::vector<v1::SessionConfigOption> options() {
  std::vector<v1::SessionConfigSelectOption> values(2);
  values[0].value = "small";
  values[0].name = "Small";
  values[1].value = "large";
  values[1].name = "Large";
  v1::SessionConfigSelect select;
  select.currentValue = "small";
  select.options = std::move(values);
  std::vector<v1::SessionConfigOption> options(2);
  options[0].id = "model";
  options[0].name = "Model";
  options[0].category = v1::SessionConfigOptionCategory(v1::SessionConfigOptionCategory::model);
  options[0].type = std::move(select);
  v1::SessionConfigBoolean boolean;
  options[1].id = "verbose";
  options[1].name = "Verbose";
  options[1].type = std::move(boolean);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  acp::Agent agent("echo", "1.0");
  if (const auto error = acp::read_framing_option(argc, argv, agent)) {
    std::cerr << *error << "\n";
    return 2;
  }
  const auto store = std::make_shared<Store>();
  const auto known = [store](const std::string& id) {
    const std::lock_guard lock(store->mutex);
    if (!store->sessions.contains(id))
      throw acp::not_found("session " + id, Json::object({{"sessionId", id}}));
  };

  v1::PromptCapabilities takes;
  takes.image = takes.audio = takes.embeddedContext = true;
  v1::McpCapabilities servers;
  servers.http = servers.sse = true;
  std::vector<acp::AvailableCommand> commands(1);
  commands[0].name = "help";
  commands[0].description = "Lists the words this agent understands";
  v1::AuthMethodAgent login;
  login.id = "password";
  login.name = "Log in";

  agent.title("Echo")
      .prompt_capabilities(takes)
      .mcp_capabilities(servers)
      .additional_directories()
      .system_prompt(true)
      .modes(modes(), "ask")
      .config_options(options())
      .commands(commands)
      .auth_method(login)
      .on_prompt([store](Turn turn) -> Task<StopReason> {
        const StopReason reason = co_await answer(turn);
        const std::lock_guard lock(store->mutex);
        store->sessions[turn.session_id()].said.emplace_back(true, turn.text());
        co_return reason;
      })
      .on_new_session(
          [store](acp::SessionContext session, v1::NewSessionRequest request) -> Task<void> {
            const std::lock_guard lock(store->mutex);
            store->sessions[session.session_id()].cwd = request.cwd;
            co_return;
          })
      .on_load_session([store, known](acp::SessionContext session,
                                      v1::LoadSessionRequest request) -> Task<void> {
        known(request.sessionId);
        std::vector<std::pair<bool, std::string>> said;
        {
          const std::lock_guard lock(store->mutex);
          said = store->sessions[request.sessionId].said;
        }
        for (const auto& [by_user, text] : said) {
          if (by_user)
            co_await session.user_said(acp::ContentBlock(text));
          else
            co_await session.say(text);
        }
      })
      .on_resume_session(
          [known](acp::SessionContext, v1::ResumeSessionRequest request) -> Task<void> {
            known(request.sessionId);
            co_return;
          })
      .on_fork_session([store, known](acp::SessionContext session,
                                      v1::ForkSessionRequest request) -> Task<void> {
        known(request.sessionId);
        const std::lock_guard lock(store->mutex);
        store->sessions[session.session_id()] = store->sessions[request.sessionId];
        co_return;
      })
      .on_list_sessions(
          [store](acp::Context, v1::ListSessionsRequest request) -> Task<v1::ListSessionsResponse> {
            // Two on a page.
            v1::ListSessionsResponse page;
            const std::lock_guard lock(store->mutex);
            auto at = request.cursor.has_value() ? store->sessions.find(*request.cursor)
                                                 : store->sessions.begin();
            for (; at != store->sessions.end() && page.sessions.size() < 2; ++at) {
              v1::SessionInfo info;
              info.sessionId = at->first;
              info.cwd = at->second.cwd;
              if (!at->second.title.empty()) info.title = at->second.title;
              page.sessions.push_back(std::move(info));
            }
            if (at != store->sessions.end()) page.nextCursor = at->first;
            co_return page;
          })
      .on_delete_session([store](acp::Context, v1::DeleteSessionRequest request) -> Task<void> {
        const std::lock_guard lock(store->mutex);
        store->sessions.erase(request.sessionId);
        co_return;
      })
      .on_archive_session(
          [store, known](acp::Context, v1::ArchiveSessionRequest request) -> Task<void> {
            known(request.sessionId);
            const std::lock_guard lock(store->mutex);
            store->sessions[request.sessionId].archived = true;
            co_return;
          },
          [store, known](acp::Context, v1::UnarchiveSessionRequest request) -> Task<void> {
            known(request.sessionId);
            const std::lock_guard lock(store->mutex);
            store->sessions[request.sessionId].archived = false;
            co_return;
          })
      .on_session_status(
          [known](acp::Context,
                  v1::SessionStatusRequest request) -> Task<v1::SessionStatusResponse> {
            known(request.sessionId);
            co_return v1::SessionStatusResponse();
          })
      .on_set_title(
          [store, known](acp::Context,
                         v1::SetSessionTitleRequest request) -> Task<v1::SetSessionTitleResponse> {
            known(request.sessionId);
            const std::lock_guard lock(store->mutex);
            store->sessions[request.sessionId].title = request.title;
            v1::SetSessionTitleResponse response;
            response.title = request.title;
            co_return response;
          })
      .on_authenticate([](acp::Context, v1::AuthenticateRequest) {})
      .on_logout([](acp::Context, v1::LogoutRequest) {})
      .on_auth_status([](acp::Context, v1::AuthStatusRequest) { return v1::AuthStatusResponse(); })
      .on_providers(
          [](acp::Context, v1::ListProvidersRequest) { return v1::ListProvidersResponse(); },
          [](acp::Context, v1::SetProviderRequest) {},
          [](acp::Context, v1::DisableProviderRequest) {})
      .on_mcp_message([](acp::Context, v1::MessageMcpNotification) {})
      .on_request("_echo/echo", [](acp::Context, Json params) -> Task<Json> { co_return params; })
      .on_request("proxy/successor",
                  [](acp::Context, Json params) -> Task<Json> { co_return params; })
      .on_request("proxy/initialize",
                  [](acp::Context, Json params) -> Task<Json> { co_return params; })
      .on_notification("_echo/note", [](acp::Context context, Json params) -> Task<void> {
        co_await context.peer().notify("_echo/noted", params);
      });
  return agent.run(acp::stdio());
}
