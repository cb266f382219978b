// A model server that another user of this machine runs: used only if the user says so.
#include "coder/session/random_id.h"
#include "coder/turn/turn.h"
#include "settings/trusted_servers.h"

namespace acp::coder {

using namespace settings;

namespace {

using v1::PermissionOptionKind;

struct Choice {
  const char* id;
  const char* name;
  PermissionOptionKind kind;
  bool use, always;
};
// No "always" in a name: some clients take the first such option for "in this session".
constexpr Choice choices[] = {
    {"allow_once", "Use it in this session", PermissionOptionKind::allow_once, true, false},
    {"allow_always", "Use it from now on", PermissionOptionKind::allow_always, true, true},
    {"reject_once", "Do not use it in this session", PermissionOptionKind::reject_once, false,
     false},
    {"reject_always", "Never use it", PermissionOptionKind::reject_always, false, true},
};

}  // namespace

void TurnLoop::decide_about_server() {
  if (!session_.unasked_server) return;
  const LocalServer server = *session_.unasked_server;
  const bool use = ask_about_server(server);
  session_.unasked_server.reset();
  if (!use) {
    report_.note(v1::NoticeSeverity::warning,
                 "The model server at " + server.base_url + " is not used",
                 "Nothing is configured, and " + server.owner.who +
                     " runs it, who could read the conversation and decide which tools are "
                     "called. The offline model answers. To use it without being asked, write "
                     "into " +
                     user_settings_path() + ":\n[providers." + server.name + "]\nbase_url = \"" +
                     server.base_url + "\"");
    return;
  }
  const auto models = std::make_shared<Models>(*session_.models());
  models->add(server);
  session_.set_models(models);
  ServerFacts facts;
  session_.set_model(
      models->make_asking(server.name + "/" + server.models.front().id, facts, turn_.stop_token()));
  session_.context_used = 0;
  turn_.set_config_options(session_.config_options()).wait();
  report_.note(v1::NoticeSeverity::info, "Using " + server.models.front().id);
  if (const auto trouble = trouble_of(facts))
    report_.note(v1::NoticeSeverity::warning, *trouble, facts.problem);
}

bool TurnLoop::ask_about_server(const LocalServer& server) {
  v1::ToolCall announcement;
  announcement.toolCallId = random_id("call_");
  announcement.title = "Use the model server at " + server.base_url + " (" + server.name +
                       "), which " + server.owner.who + " runs";
  announcement.kind = v1::ToolKind::other;
  announcement.content = std::vector<v1::ToolCallContent>{
      text_content("It is not configured, and it is not yours. Who runs it can read this "
                   "conversation and decides which tools are called. Its first model is " +
                   server.models.front().id + ".")};
  const acp::ToolCall call = report_.announce(std::move(announcement));
  PermissionQuestion question;
  question.rejected_fails = false;
  for (const Choice& choice : choices) {
    v1::PermissionOption option;
    option.optionId = choice.id;
    option.name = choice.name;
    option.kind = choice.kind;
    question.options.push_back(std::move(option));
  }
  bool use = false;
  std::string problem;
  try {
    const Permission permission = call.ask_permission(std::move(question)).wait();
    for (const Choice& choice : choices) {
      if (permission.option_id != choice.id) continue;
      use = choice.use;
      if (choice.always)
        TrustedServers(session_.wanted.servers_file)
            .remember(server.base_url, server.owner.id, choice.use);
    }
  } catch (const CallFailed& error) {
    problem = std::string("The client cannot ask: ") + error.what();
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    problem = std::string("The answer is not remembered: ") + error.what();
  }
  v1::ToolCallUpdate end;
  end.status = use ? v1::ToolCallStatus::completed : v1::ToolCallStatus::failed;
  report_.update(call, std::move(end));
  if (!problem.empty()) report_.note(v1::NoticeSeverity::warning, problem);
  return use;
}

}  // namespace acp::coder
