// What the conversation tells: the start, sessions, turns, and the agent's end.
#include <utility>

#include "chat/mcp_servers.h"
#include "chat/tui/status_line.h"
#include "chat/tui/ui.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_plan_lines = 12;  // of what stays when its turn has ended

}  // namespace

void ChatUi::say(const std::string& text) {
  view_.say(text);
  dirty_ = true;
}

void ChatUi::say_error(const std::string& text) {
  view_.say_error(text);
  dirty_ = true;
}

void ChatUi::not_resumed(const std::string& id, const std::string& why) {
  say_error("The session " + id + " cannot be resumed: " + why);
  const auto& can = conversation_.agent().capabilities().sessionCapabilities;
  const auto dialog = std::make_shared<ChoiceDialog>();
  dialog->head = {line_of("? What now", {.bold = true})};
  std::vector<std::function<void()>> ways;
  const auto offer = [&](const char* label, char key, std::function<void()> way) {
    dialog->choices.push_back({.label = label, .key = key});
    ways.push_back(std::move(way));
  };
  offer("Begin a new session", 'n', [this] { conversation_.new_session(); });
  if (can.fork.has_value() && id != "last")
    offer("Fork: go on with a copy", 'f', [this, id] { conversation_.open_session(id, "fork"); });
  if (can.list.has_value()) offer("Choose another session", 's', [this] { sessions(true); });
  offer("Leave", 'q', [this] { leave(1); });
  dialog->chosen = [ways](std::size_t index) { ways[index](); };
  dialog->dismissed = [this] { leave(1); };
  ask(dialog);
}

void ChatUi::choose_session() { sessions(true); }

void ChatUi::not_started(const std::string& why, bool login_wanted, int code) {
  say_error("acp chat: " + why);
  if (login_wanted && !plain_ && conversation_.has_agent()) return choose_login(true);
  leave(code);
}

void ChatUi::choose_login(bool from_start) {
  const auto dialog = std::make_shared<ChoiceDialog>();
  dialog->head = {line_of("? " + label_ + (from_start ? " wants a login" : ": log in"),
                          {.bold = true, .colour = Colour::yellow})};
  std::vector<v1::AuthMethod> methods;
  // In this terminal first: that always leads somewhere.
  for (const bool in_terminal : {true, false})
    for (const v1::AuthMethod& method : conversation_.agent().auth_methods()) {
      if (std::holds_alternative<v1::AuthMethodTerminal>(method) != in_terminal) continue;
      if (in_terminal && options_.agent.elsewhere) continue;  // its login is on its machine
      const auto offer = [&](const auto& one) {
        methods.push_back(method);
        dialog->choices.push_back({.label = one.name, .description = one.description.value_or("")});
      };
      if (const auto* one = std::get_if<v1::AuthMethodTerminal>(&method)) offer(*one);
      if (const auto* one = std::get_if<v1::AuthMethodAgent>(&method)) offer(*one);
    }
  // Our own agent stores keys for any provider.
  if (methods.empty() && options_.agent.kind == KnownAgent::Kind::built_in)
    for (const std::string& provider : options_.key_providers) {
      v1::AuthMethodTerminal method;
      method.args = {"--login", provider};
      methods.emplace_back(method);
      dialog->choices.push_back({.label = "Store a key for " + provider});
    }
  if (methods.empty()) {
    say("The agent offers no login");
    if (from_start) leave(3);
    return;
  }
  dialog->choices.push_back({.label = from_start ? "Leave" : "None of them", .key = 'q'});
  if (from_start) dialog->dismissed = [this] { leave(3); };
  dialog->of_person = !from_start;
  dialog->chosen = [this, methods, from_start](std::size_t index) {
    if (index >= methods.size()) {
      if (from_start) leave(3);
      return;
    }
    if (const auto* in_terminal = std::get_if<v1::AuthMethodTerminal>(&methods[index]))
      return log_in(*in_terminal);
    const std::string id = std::get<v1::AuthMethodAgent>(methods[index]).id;
    conversation_.beside([this, id, agent = conversation_.agent(), mailbox = mailbox_] {
      std::string error;
      try {
        agent.authenticate(id).wait();
      } catch (const std::exception& failed) {
        error = failed.what();
      }
      mailbox->post([this, error] {
        if (!error.empty()) say_error("acp chat: " + error);
        if (!error.empty() && !conversation_.session()) return choose_login(true);
        if (error.empty()) say("Logged in");
        if (error.empty() && !conversation_.session()) conversation_.new_session();
      });
    });
  };
  ask(dialog);
}

void ChatUi::log_in(const v1::AuthMethodTerminal& method) {
  // The agent's own command, with the method's words and variables.
  std::vector<std::string> argv = options_.agent.words();
  argv.insert(argv.end(), method.args.begin(), method.args.end());
  std::vector<io::EnvironmentEdit> environment = options_.agent.environment();
  for (const auto& [name, value] : method.env) environment.push_back({name, value});
  int code = 0;
  lend_terminal([&] { code = run_in_terminal(argv, environment, options_.cwd); });
  if (code < 0)
    say_error("The login was stopped");
  else if (code > 0)
    say_error("The login ended with exit code " + std::to_string(code));
  if (code == 0 || !conversation_.session()) conversation_.restart();
}

void ChatUi::closing() {
  Lines last;
  conversation_.session()->with_state(
      [&](const SessionState& state) { last = view_.finish(state); });
  view_.note(std::move(last));
}

void ChatUi::opening(const Session& next, const std::string& how, bool first) {
  if (how == "again") {
    const Lines ours = view_.take_notes();
    view_.restart();
    static_cast<void>(view_.finish(next.state()));
    view_.note(ours);
    say("The agent runs again, and the session goes on");
    return;
  }
  view_.restart();
  const AgentHandle& agent = conversation_.agent();
  const auto& info = agent.info().agentInfo;
  std::string who = label_;
  if (info.has_value()) {
    who = info->title.has_value() && !info->title->empty() ? *info->title : info->name;
    if (!info->version.empty()) who += " " + info->version;
  }
  const std::string model = model_name(next.state());
  if (first)
    say(who + " in " + directory_shown() + (model.empty() ? "" : ", model: " + model) +
        (how == "new" ? "" : ", session " + next.id()));
  else
    say((how == "new" ? "A new session: " : "Session (" + how + "): ") + next.id());
  if (first)
    for (const v1::McpServer& server : options_.servers)
      if (const auto problem = not_taken(server, agent))
        say_error("The MCP server " + name_of(server) + " is not passed on: " + *problem);
  view_.note(Line());
  draw();
}

void ChatUi::opened() {
  dirty_ = true;
  last_frame_ = {};  // that it can be typed to is seen at once
}

void ChatUi::turn_begins() {
  view_.turn_begins();
  if (view_.has_notes()) draw();  // they were said before it
  plan_before_ = plan(most_plan_lines);
}

void ChatUi::turn_ends(const std::string& error, bool login_wanted) {
  draw();
  if (Lines last = plan(most_plan_lines); last != plan_before_) view_.note(std::move(last));
  if (!error.empty()) say_error("✗ " + error);
  if (login_wanted && !plain_) choose_login(false);
}

void ChatUi::agent_gone() {
  const AgentHandle& agent = conversation_.agent();
  std::string why = "The agent is gone";
  if (const auto exit = agent.exit_status()) why += ": " + exit->describe();
  say_error(why);
  if (const std::string tail = agent.stderr_tail(); !tail.empty())
    say_error("Its last words:\n" + tail);
  if (conversation_.session())
    conversation_.session()->change_state([](SessionState& state) { state.cancel_requested(); });
  const auto give_up = [this] {
    for (const std::string& text : conversation_.queue()) say_error("Not sent: " + text);
    if (!input_.empty()) say_error("Not sent: " + input_.text());
    leave(3);
  };
  if (plain_) return give_up();
  const auto dialog = std::make_shared<ChoiceDialog>();
  dialog->head = {line_of("? Start it again", {.bold = true, .colour = Colour::yellow})};
  dialog->choices = {{.label = "Start it, and go on", .key = 'y'}, {.label = "Leave", .key = 'q'}};
  dialog->dismissed = give_up;
  dialog->chosen = [this, give_up](std::size_t index) {
    index == 0 ? conversation_.restart() : give_up();
  };
  ask(dialog);
}

void ChatUi::submit(const std::string& text) {
  if (text.starts_with('!') && text.find_first_not_of("! \t\n") != std::string::npos)
    return run_shell(text.substr(text.find_first_not_of(" \t\n", 1)));
  if (text.find_first_not_of("! \t\n") == std::string::npos && text.starts_with('!'))
    return say_error("A command is missing after the !, as in !ls");
  const std::optional<std::string> words = run_command(text);
  if (!words) return;
  if (!conversation_.session() && conversation_.phase().empty())
    return say_error(
        "Not sent: no session is open. /sessions lists them, /new begins one; ↑ brings the text "
        "back");
  if (plain_ && conversation_.working()) say("Queued: it is sent when the turn has ended");
  conversation_.submit(*words);
}

}  // namespace acp::chat
