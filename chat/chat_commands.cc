#include <algorithm>
#include <filesystem>
#include <utility>

#include "chat/chat_ui.h"
#include "chat/media.h"
#include "chat/prompt_content.h"
#include "chat/text.h"

namespace acp::chat {

namespace {

struct Own {
  const char *name, *hint, *description;
};
constexpr Own own_commands[] = {
    {"help", "", "Commands and keys"},
    {"mode", "[MODE]", "Choose the agent's mode"},
    {"model", "[MODEL]", "Choose the agent's model"},
    {"config", "[OPTION]", "Choose any of the agent's options"},
    {"sessions", "", "List sessions; load, resume, fork or delete one"},
    {"new", "", "Begin a new session"},
    {"show", "[N]", "A tool call with all its output and diffs; without N a list"},
    {"save", "[N [FILE]]", "Keep an image, audio or resource that came; without N a list"},
    {"changes", "", "Files that were changed, with diffs: what is known, and by whom"},
    {"export", "FILE", "Write the conversation: Markdown, or JSON lines if it ends in .jsonl"},
    {"policy", "", "The rules that answer permission questions"},
    {"log", "", "What the agent wrote to stderr, and what was odd on the wire"},
    {"mcp", "", "MCP servers, and whether the agent takes them"},
    {"image", "FILE", "Attach an image to the next prompt"},
    {"audio", "FILE", "Attach audio to the next prompt"},
    {"logout", "", "Log out, if the agent offers that"},
    {"cancel", "", "Cancel the turn"},
    {"quit", "", "Leave"},
};

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':';
  });
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::vector<v1::SessionConfigSelectOption> values_of(const v1::SessionConfigSelect& select) {
  std::vector<v1::SessionConfigSelectOption> values;
  if (const auto* plain = std::get_if<std::vector<v1::SessionConfigSelectOption>>(&select.options))
    values = *plain;
  if (const auto* groups = std::get_if<std::vector<v1::SessionConfigSelectGroup>>(&select.options))
    for (const auto& group : *groups)
      values.insert(values.end(), group.options.begin(), group.options.end());
  return values;
}

bool in_category(const v1::SessionConfigOption& option,
                 v1::SessionConfigOptionCategory::Value category) {
  return option.category.has_value() &&
         *option.category == v1::SessionConfigOptionCategory(category);
}

}  // namespace

// The agent's command wins under its name; ours are always there under two slashes.
std::vector<CommandHelp> ChatUi::commands() const {
  std::vector<CommandHelp> all;
  std::vector<std::string> taken;
  if (session_)
    session_->with_state([&](const SessionState& state) {
      for (const v1::AvailableCommand& command : state.commands()) {
        std::string hint;
        if (command.input.has_value())
          if (const auto* input = std::get_if<v1::UnstructuredCommandInput>(&*command.input))
            hint = input->hint;
        taken.push_back(command.name);
        all.push_back({"/" + command.name, hint, command.description});
      }
    });
  for (const Own& own : own_commands) {
    const bool hidden = std::find(taken.begin(), taken.end(), own.name) != taken.end();
    all.push_back({std::string(hidden ? "//" : "/") + own.name, own.hint, own.description});
  }
  return all;
}

bool ChatUi::run_command(const std::string& text) {
  if (!text.starts_with('/')) return false;
  const bool ours = text.starts_with("//");
  const std::size_t start = ours ? 2 : 1;
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string name = text.substr(start, end - start);
  const std::string rest = trimmed(text.substr(end));
  if (!is_name(name)) return false;  // a path, say
  if (!ours && session_) {
    bool agents = false;
    session_->with_state([&](const SessionState& state) {
      for (const v1::AvailableCommand& command : state.commands()) agents |= command.name == name;
    });
    if (agents) return false;
  }
  const bool known = std::any_of(std::begin(own_commands), std::end(own_commands),
                                 [&](const Own& own) { return own.name == name; });
  if (!known) {
    say_error("There is no command " + text.substr(0, end) +
              ": /help lists them. To send it as text, begin with a space.");
    return true;
  }
  if (name == "quit") return leave(0), true;
  if (name == "help") return help(), true;
  if (name == "log") return show_log(), true;
  if (name == "policy") return show_policy(), true;
  if (name == "changes") return show_changes(), true;
  if (!session_) return say_error("There is no session yet"), true;
  if (name == "cancel") return working() ? interrupt(false) : say("Nothing is running"), true;
  if (name == "mode") return pick_mode(rest), true;
  if (name == "model") return pick_model(rest), true;
  if (name == "config") return pick_config(rest), true;
  if (name == "export") return export_to(rest), true;
  if (name == "image" || name == "audio") return attach(rest, name == "image"), true;
  if (name == "show") return show_call(rest), true;
  if (name == "save") return save(rest), true;
  if (name == "mcp") return show_servers(), true;
  if (working())
    return say_error("/" + name + " waits for the end of the turn: cancel it first"), true;
  if (name == "sessions") return sessions(), true;
  if (name == "new") return new_session(), true;
  if (name == "logout") return logout(), true;
  return true;
}

void ChatUi::help() {
  const auto all = commands();
  std::size_t widest = 0;
  for (const CommandHelp& one : all)
    widest = std::max(widest, width(std::string_view(safe(one.name + " " + one.hint))));
  widest = std::min(widest, screen_.room() / 2);
  for (const CommandHelp& one : all) {
    std::string name = fit(safe(one.name + " " + one.hint), widest);
    name += std::string(widest - std::min(widest, width(std::string_view(name))) + 2, ' ');
    Line line = line_of("  " + name, {.colour = Colour::cyan});
    add(line, one.description);
    notes_.push_back(fit(line, screen_.room()));
  }
  for (const char* keys : {"Enter sends; Alt-Enter, or \\ at the end, begins a new line",
                           "Esc or Ctrl-C cancels the turn; Ctrl-C twice, or Ctrl-D, leaves",
                           "Tab completes /commands and @paths; ↑ and ↓ go through the history",
                           "What is typed while the agent works is sent after it"})
    notes_.push_back(line_of(std::string("  ") + keys, {.dim = true}));
  dirty_ = true;
}

void ChatUi::choose(RunChoices choices, const std::string& told) {
  beside([this, session = *session_, mailbox = mailbox_, choices, told] {
    make_choices(session, choices, {});
    mailbox->post([this, told] { say(told); });
  });
}

void ChatUi::pick_value(const v1::SessionConfigOption& option) {
  const auto dialog = std::make_shared<ChoiceDialog>();
  Line head = line_of("? " + option.name, {.bold = true});
  if (option.description.has_value()) add(head, "  " + *option.description, {.dim = true});
  dialog->head = {head};
  std::vector<std::string> values;
  if (const auto* select = std::get_if<v1::SessionConfigSelect>(&option.type)) {
    for (const auto& value : values_of(*select)) {
      if (value.value == select->currentValue) dialog->selected = values.size();
      values.push_back(value.value);
      dialog->choices.push_back(
          {.label = value.name, .description = value.description.value_or("")});
    }
  } else if (const auto* flag = std::get_if<v1::SessionConfigBoolean>(&option.type)) {
    values = {"true", "false"};
    dialog->choices = {{.label = "yes", .key = 'y'}, {.label = "no", .key = 'n'}};
    dialog->selected = flag->currentValue ? 0 : 1;
  }
  if (values.empty()) return say_error("The option " + option.id + " is of an unknown kind");
  dialog->chosen = [this, values, id = option.id, name = option.name](std::size_t index) {
    RunChoices choices;
    choices.set = {{id, values[index]}};
    choose(choices, name + " is now " + values[index]);
  };
  ask(dialog);
}

void ChatUi::pick_mode(const std::string& wanted) {
  RunChoices choices;
  choices.mode = wanted;
  if (!wanted.empty()) return choose(choices, "The mode is now " + wanted);
  const SessionState state = session_->state();
  if (state.modes() && !state.modes()->availableModes.empty()) {
    const auto dialog = std::make_shared<ChoiceDialog>();
    dialog->head = {line_of("? Mode", {.bold = true})};
    std::vector<std::string> ids;
    for (const v1::SessionMode& mode : state.modes()->availableModes) {
      if (mode.id == state.modes()->currentModeId) dialog->selected = ids.size();
      ids.push_back(mode.id);
      dialog->choices.push_back({.label = mode.name, .description = mode.description.value_or("")});
    }
    dialog->chosen = [this, ids](std::size_t index) {
      RunChoices picked;
      picked.mode = ids[index];
      choose(picked, "The mode is now " + ids[index]);
    };
    return ask(dialog);
  }
  for (const v1::SessionConfigOption& option : state.config_options())
    if (in_category(option, v1::SessionConfigOptionCategory::mode)) return pick_value(option);
  say("The agent has no modes");
}

void ChatUi::pick_model(const std::string& wanted) {
  RunChoices choices;
  choices.model = wanted;
  if (!wanted.empty()) return choose(choices, "The model is now " + wanted);
  const SessionState state = session_->state();
  for (const v1::SessionConfigOption& option : state.config_options())
    if (in_category(option, v1::SessionConfigOptionCategory::model) || option.id == "model")
      return pick_value(option);
  say("The agent offers no choice of models");
}

void ChatUi::pick_config(const std::string& wanted) {
  const SessionState state = session_->state();
  const auto& options = state.config_options();
  if (options.empty()) return say("The agent has no options");
  for (const v1::SessionConfigOption& option : options)
    if (option.id == wanted) return pick_value(option);
  if (!wanted.empty()) return say_error("The agent has no option " + wanted);
  const auto dialog = std::make_shared<ChoiceDialog>();
  dialog->head = {line_of("? Options", {.bold = true})};
  dialog->selected = 0;
  for (const v1::SessionConfigOption& option : options) {
    std::string value;
    if (const auto* select = std::get_if<v1::SessionConfigSelect>(&option.type))
      value = select->currentValue;
    if (const auto* flag = std::get_if<v1::SessionConfigBoolean>(&option.type))
      value = flag->currentValue ? "yes" : "no";
    dialog->choices.push_back(
        {.label = option.name + ": " + value, .description = option.description.value_or("")});
  }
  dialog->chosen = [this, options](std::size_t index) { pick_value(options[index]); };
  ask(dialog);
}

void ChatUi::sessions() {
  if (!agent_->capabilities().sessionCapabilities.list.has_value())
    return say("The agent lists no sessions; acp chat --session ID goes on with one");
  beside([this, agent = *agent_, mailbox = mailbox_, cwd = options_.cwd] {
    v1::ListSessionsRequest filter;
    filter.cwd = cwd;
    const std::vector<v1::SessionInfo> found = agent.list_sessions(filter);
    mailbox->post([this, found] {
      if (found.empty()) return say("The agent has no sessions in this directory");
      const auto dialog = std::make_shared<ChoiceDialog>();
      dialog->head = {line_of("? Sessions in " + options_.cwd, {.bold = true})};
      dialog->selected = 0;
      for (const v1::SessionInfo& info : found)
        dialog->choices.push_back(
            {.label = info.title.value_or("").empty() ? info.sessionId : *info.title,
             .description = info.updatedAt.value_or("") +
                            (session_ && info.sessionId == session_->id() ? " (this one)" : "")});
      dialog->chosen = [this, found](std::size_t index) { session_actions(found[index]); };
      ask(dialog);
    });
  });
}

void ChatUi::session_actions(const v1::SessionInfo& info) {
  const v1::AgentCapabilities& can = agent_->capabilities();
  const auto dialog = std::make_shared<ChoiceDialog>();
  dialog->head = {line_of("? Session " + info.title.value_or(info.sessionId), {.bold = true})};
  std::vector<std::string> ways;
  const auto offer = [&](bool can_do, const char* way, const char* what, char key) {
    if (!can_do) return;
    ways.emplace_back(way);
    dialog->choices.push_back({.label = what, .key = key});
  };
  const auto& sessions = can.sessionCapabilities;
  offer(can.loadSession, "load", "Load: show it and go on", 'l');
  offer(sessions.resume.has_value(), "resume", "Resume: go on without showing it", 'r');
  offer(sessions.fork.has_value(), "fork", "Fork: go on with a copy", 'f');
  offer(sessions.delete_.has_value(), "delete", "Delete", 'd');
  if (ways.empty()) return say("The agent can do nothing with it");
  dialog->selected = 0;
  dialog->chosen = [this, ways, id = info.sessionId](std::size_t index) {
    if (ways[index] != "delete") return open_session(id, ways[index]);
    if (session_ && session_->id() == id)
      return say_error("This session cannot be deleted from within");
    beside([this, agent = *agent_, mailbox = mailbox_, id] {
      agent.delete_session(id);
      mailbox->post([this, id] { say("Deleted: session " + id); });
    });
  };
  ask(dialog);
}

void ChatUi::show_log() {
  const std::vector<std::string> log = host_->log();
  if (log.empty()) say("The log is empty");
  for (std::size_t i = log.size() > 50 ? log.size() - 50 : 0; i < log.size(); ++i)
    notes_.push_back(fit(line_of("  " + log[i], {.dim = true}), screen_.room()));
  dirty_ = true;
}

void ChatUi::show_policy() {
  try {
    const auto rules = host_->rules();
    for (const std::string& rule : rules) say(rule);
    if (rules.empty()) say("There are no rules: everything is asked");
  } catch (const std::exception& failed) {
    return say_error(failed.what());
  }
  if (!options_.policy_file.empty()) say("acp policy revokes rules of " + options_.policy_file);
}

void ChatUi::export_to(const std::string& file) {
  if (file.empty()) return say_error("/export FILE: the file is missing");
  const std::filesystem::path path = std::filesystem::path(options_.cwd) / file;
  const bool markdown = path.extension() != ".jsonl";
  try {
    std::string text = archive_.text(markdown);
    session_->with_state([&](const SessionState& state) {
      for (std::size_t i = archived_; i < state.timeline().size(); ++i)
        text += exported(state.timeline()[i], markdown);
    });
    write_new_file(path.string(), text);
    say("Written: " + path.string());
    if (!archive_.whole()) say_error("Some of its beginning is missing: it could not be kept");
  } catch (const std::exception& failed) {
    say_error(failed.what());
  }
}

void ChatUi::attach(const std::string& file, bool image) {
  if (file.empty())
    return say_error(std::string(image ? "/image" : "/audio") + " FILE: the file is missing");
  try {
    attached_.push_back(
        media_block(file, options_.cwd, image, agent_->capabilities().promptCapabilities));
    attached_names_.push_back(file);
  } catch (const std::exception& why) {
    say_error(why.what());
  }
}

}  // namespace acp::chat
