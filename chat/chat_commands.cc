#include <algorithm>
#include <filesystem>
#include <span>
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
constexpr std::string_view help_name = "help";
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

}  // namespace

bool ChatUi::agent_has(const std::string& command) const {
  bool has = false;
  if (session_)
    session_->with_state([&](const SessionState& state) {
      for (const v1::AvailableCommand& one : state.commands()) has |= one.name == command;
    });
  return has;
}

// Where the agent has a command of the same name, that one wins and ours has two slashes. Only
// /help is always ours: whoever is lost finds everything there. The agent's has the two then.
std::vector<CommandHelp> ChatUi::commands() const {
  std::vector<CommandHelp> all;
  for (const Own& own : own_commands) {
    const bool taken = own.name != help_name && agent_has(own.name);
    all.push_back({std::string(taken ? "//" : "/") + own.name, own.hint, own.description});
  }
  for (CommandHelp& command : agents_commands()) all.push_back(std::move(command));
  return all;
}

std::vector<CommandHelp> ChatUi::agents_commands() const {
  std::vector<CommandHelp> all;
  if (!session_) return all;
  session_->with_state([&](const SessionState& state) {
    for (const v1::AvailableCommand& command : state.commands()) {
      std::string hint;
      if (command.input.has_value())
        if (const auto* input = std::get_if<v1::UnstructuredCommandInput>(&*command.input))
          hint = input->hint;
      all.push_back(
          {(command.name == help_name ? "//" : "/") + command.name, hint, command.description});
    }
  });
  return all;
}

std::optional<std::string> ChatUi::run_command(const std::string& text) {
  if (!text.starts_with('/')) return text;
  const bool twice = text.starts_with("//");
  const std::size_t start = twice ? 2 : 1;
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string name = text.substr(start, end - start);
  const std::string rest = trimmed(text.substr(end));
  if (!is_name(name)) return text;  // a path, say
  if (twice == (name == help_name) && agent_has(name)) return text.substr(twice ? 1 : 0);
  run_own(name, rest, text.substr(0, end));
  return {};
}

void ChatUi::run_own(const std::string& name, const std::string& rest, const std::string& typed) {
  const bool known = std::any_of(std::begin(own_commands), std::end(own_commands),
                                 [&](const Own& own) { return own.name == name; });
  if (!known)
    return say_error("There is no command " + typed +
                     ": /help lists them. To send it as text, begin with a space.");
  if (name == "quit") return leave(0);
  if (name == help_name) return help();
  if (name == "log") return show_log();
  if (name == "policy") return show_policy();
  if (name == "changes") return show_changes();
  if (!session_) return say_error("There is no session yet");
  if (name == "cancel") return working() ? interrupt(false) : say("Nothing is running");
  if (name == "mode") return pick_mode(rest);
  if (name == "model") return pick_model(rest);
  if (name == "config") return pick_config(rest);
  if (name == "export") return export_to(rest);
  if (name == "image" || name == "audio") return attach(rest, name == "image");
  if (name == "show") return show_call(rest);
  if (name == "save") return save(rest);
  if (name == "mcp") return show_servers();
  if (working()) return say_error("/" + name + " waits for the end of the turn: cancel it first");
  if (name == "sessions") return sessions();
  if (name == "new") return new_session();
  if (name == "logout") return logout();
}

void ChatUi::help() {
  const std::vector<CommandHelp> all = commands(), agents = agents_commands();
  const auto list = [this](const std::string& head, std::span<const CommandHelp> some) {
    if (some.empty()) return;
    notes_.push_back(fit(line_of(head, {.bold = true}), screen_.room()));
    std::size_t widest = 0;
    for (const CommandHelp& one : some)
      widest = std::max(widest, width(std::string_view(safe(one.name + " " + one.hint))));
    widest = std::min(widest, screen_.room() / 2);
    const Line margin = line_of(std::string(widest + 4, ' '));
    for (const CommandHelp& one : some) {
      std::string name = fit(safe(one.name + " " + one.hint), widest);
      name += std::string(widest - std::min(widest, width(std::string_view(name))) + 2, ' ');
      Line line = line_of("  " + name, {.colour = Colour::cyan});
      add(line, one.description);
      for (Line& row : wrap(line, screen_.room(), {.first = {}, .rest = margin}))
        notes_.push_back(std::move(row));
    }
  };
  const auto aside = [this](std::string_view text) {
    notes_.push_back(line_of("  " + std::string(text), {.dim = true}));
  };
  list("Commands of acp chat", std::span(all).first(all.size() - agents.size()));
  list("Commands of " + label_, agents);
  if (std::any_of(all.begin(), all.end(),
                  [](const CommandHelp& one) { return one.name.starts_with("//"); }))
    aside("Where both have a command, //name is chat's; only //help is the agent's");
  notes_.push_back(line_of("Keys", {.bold = true}));
  for (const char* keys : {"Enter sends; Alt-Enter, or \\ at the end, begins a new line",
                           "Esc or Ctrl-C cancels the turn; Ctrl-C twice, or Ctrl-D, leaves",
                           "Tab completes /commands and @paths; ↑ and ↓ go through the history",
                           "What is typed while the agent works is sent after it"})
    aside(keys);
  dirty_ = true;
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
