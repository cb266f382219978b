#include <algorithm>
#include <charconv>
#include <filesystem>
#include <span>
#include <utility>

#include "chat/mcp_servers.h"
#include "chat/prompt_content.h"
#include "chat/render/content.h"
#include "chat/render/media.h"
#include "chat/render/text/text.h"
#include "chat/tui/ui.h"
#include "settings/closest.h"

namespace acp::chat {

namespace {

struct Own {
  const char *name, *hint, *description;
};
constexpr std::string_view help_name = "help";
// Where both have a command, the agent's is called so.
constexpr std::string_view of_agent = "/agent:";
constexpr Own own_commands[] = {
    {"help", "", "Commands and keys"},
    {"mode", "[MODE]", "Choose the agent's mode"},
    {"model", "[MODEL]", "Choose the agent's model"},
    {"config", "[OPTION]", "Choose any of the agent's options"},
    {"sessions", "", "List sessions; load, resume, fork or delete one. Also /resume"},
    {"new", "", "Begin a new session. Also /clear"},
    {"show", "[N]", "A tool call with all its output and diffs; without N a list"},
    {"save", "[N [FILE]]", "Keep an image, audio or resource that came; without N a list"},
    {"changes", "", "Files that were changed, with diffs: what is known, and by whom"},
    {"export", "FILE", "Write the conversation: Markdown, or JSON lines if it ends in .jsonl"},
    {"policy", "", "The rules that answer permission questions"},
    {"log", "", "What the agent wrote to stderr, and what was odd on the wire"},
    {"mcp", "", "MCP servers, and whether the agent takes them"},
    {"image", "FILE", "Attach an image to the next prompt"},
    {"audio", "FILE", "Attach audio to the next prompt"},
    {"login", "", "Log in, or store a key"},
    {"logout", "", "Log out, if the agent offers that"},
    {"cancel", "", "Cancel the turn"},
    {"quit", "", "Leave. Also /exit, exit, quit"},
};

// Names that other programs have for them, where the agent has no such command.
constexpr std::pair<std::string_view, const char*> other_names[] = {{"/exit", "quit"},
                                                                    {"/clear", "new"},
                                                                    {"/resume", "sessions"},
                                                                    {"exit", "quit"},
                                                                    {"quit", "quit"}};

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
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
  if (const auto& session = conversation_.session())
    session->with_state([&](const SessionState& state) {
      for (const v1::AvailableCommand& one : state.commands()) has |= one.name == command;
    });
  return has;
}

bool ChatUi::is_ours(const std::string& command) const {
  if (std::none_of(std::begin(own_commands), std::end(own_commands),
                   [&](const Own& own) { return own.name == command; }))
    return false;
  if (!agent_has(command)) return true;
  // A picker that has nothing to offer leaves the name to the agent.
  const SessionState state = conversation_.session()->state();
  const RunChoices now = current_choices(state);
  const v1::AgentCapabilities& can = conversation_.agent().capabilities();
  if (command == "mode") return !now.mode.empty();
  if (command == "model") return !now.model.empty();
  if (command == "config") return !state.config_options().empty();
  if (command == "sessions") return can.sessionCapabilities.list.has_value();
  if (command == "login") return !conversation_.agent().auth_methods().empty();
  if (command == "logout") return can.auth.logout.has_value();
  return true;
}

std::vector<CommandHelp> ChatUi::commands() const {
  std::vector<CommandHelp> all;
  for (const Own& own : own_commands)
    if (is_ours(own.name)) all.push_back({std::string("/") + own.name, own.hint, own.description});
  for (CommandHelp& command : agents_commands()) all.push_back(std::move(command));
  return all;
}

std::vector<CommandHelp> ChatUi::agents_commands() const {
  std::vector<CommandHelp> all;
  if (!conversation_.session()) return all;
  conversation_.session()->with_state([&](const SessionState& state) {
    for (const v1::AvailableCommand& command : state.commands()) {
      std::string hint;
      if (command.input.has_value())
        if (const auto* input = std::get_if<v1::UnstructuredCommandInput>(&*command.input))
          hint = input->hint;
      all.push_back({command.name, hint, command.description});
    }
  });
  for (CommandHelp& command : all) command.name.insert(0, is_ours(command.name) ? of_agent : "/");
  return all;
}

std::optional<std::string> ChatUi::run_command(const std::string& text) {
  for (const auto& [other, own] : other_names)
    if (text == other && !(text.starts_with('/') && agent_has(text.substr(1)))) {
      run_own(own, "");
      return {};
    }
  if (!text.starts_with('/')) return text;
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string name = text.substr(1, end - 1);
  if (!is_name(name)) return text;  // a path, say
  if (is_ours(name)) {
    run_own(name, trimmed(text.substr(end)));
    return {};
  }
  if (agent_has(name)) return text;
  if (text.starts_with(of_agent) && agent_has(text.substr(of_agent.size(), end - of_agent.size())))
    return "/" + text.substr(of_agent.size());
  std::vector<std::string> known;
  for (const CommandHelp& command : commands()) known.push_back(command.name);
  const std::string meant = settings::closest("/" + name, known);
  say_error("There is no command /" + name +
            (meant.empty() ? ": " : "; did you mean " + meant + "? ") +
            "/help lists them. To send it as text, begin with a space.");
  return {};
}

void ChatUi::run_own(const std::string& name, const std::string& rest) {
  if (name == "quit") return leave(0);
  if (name == help_name) return help();
  if (name == "log") return present("log", [this] { view_.show_log(host_->log()); });
  if (name == "policy") return show_policy();
  if (name == "changes") return show_changes();
  if (!conversation_.session()) {
    if (!conversation_.phase().empty()) return say_error("There is no session yet");
    constexpr std::string_view without[] = {"sessions", "new", "login", "logout"};
    if (std::find(std::begin(without), std::end(without), name) == std::end(without))
      return say_error("No session is open: /sessions lists them, /new begins one");
    // It is an answer to what was asked about that.
    std::erase_if(dialogs_, [](const auto& dialog) { return !dialog->urgent; });
  }
  if (name == "cancel")
    return conversation_.working() ? interrupt(false) : say("Nothing is running");
  if (name == "mode") return pick_mode(rest);
  if (name == "model") return pick_model(rest);
  if (name == "config") return pick_config(rest);
  if (name == "export") return export_to(rest);
  if (name == "image" || name == "audio") return attach(rest, name == "image");
  if (name == "show") return show_call(rest);
  if (name == "save") return save(rest);
  if (name == "mcp") return show_servers();
  if (conversation_.working())
    return say_error("/" + name + " waits for the end of the turn: cancel it first");
  if (name == "sessions") return sessions();
  if (name == "new") return conversation_.new_session();
  if (name == "login") return choose_login(false);
  if (name == "logout") return logout();
}

void ChatUi::help() {
  present("help", [this] {
    const std::vector<CommandHelp> all = commands(), agents = agents_commands();
    view_.list_commands("Commands of acp chat", std::span(all).first(all.size() - agents.size()));
    view_.list_commands("Commands of " + label_, agents);
    static const CommandHelp keys[] = {
        {"Enter", "", "Sends. Alt-Enter, or \\ at the end, begins a new line"},
        {"/  @", "", "List commands and files while you type: ↑ ↓ choose, Tab takes"},
        {"!command", "", "Runs it in your shell; its output goes with the next prompt"},
        {"Esc  Ctrl-C", "", "Stop the turn; what is queued comes back into the line"},
        {"Ctrl-C twice, Ctrl-D", "", "Leave"},
        {"Shift-Tab", "", "The next mode"},
        {"↑ ↓  Ctrl-R", "", "The history; search in it. ↑ also edits what is queued"},
        {"Ctrl-G", "", "The text in $EDITOR"},
        {"Ctrl-L  Ctrl-Z", "", "Clear the screen; suspend"}};
    view_.list_commands("Keys", keys);
  });
}

// Those below show or keep what the session holds.
void ChatUi::show_call(const std::string& wanted) {
  present("tool call " + wanted, [&] {
    conversation_.session()->with_state(
        [&](const SessionState& state) { view_.show_call(state, wanted); });
  });
}

void ChatUi::show_changes() {
  present("changes", [this] {
    const auto written = host_->changes();
    if (const auto& session = conversation_.session())
      session->with_state([&](const SessionState& state) { view_.show_changes(&state, written); });
    else
      view_.show_changes(nullptr, written);
  });
}

void ChatUi::save(const std::string& words) {
  const std::size_t space = std::min(words.find(' '), words.size());
  const std::string wanted = words.substr(0, space);
  std::string file = words.substr(std::min(space + 1, words.size()));
  std::string bytes;
  bool found = false;
  conversation_.session()->with_state([&](const SessionState& state) {
    const std::vector<Media> media = media_of(state);
    if (media.empty()) return say("The agent has sent no images, audio, links or resources");
    if (wanted.empty()) return view_.list_media(state);
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error != std::errc() || end != wanted.data() + wanted.size() || number == 0 ||
        number > media.size())
      return say_error("There is nothing with the number " + wanted +
                       ": /save lists what there is");
    const v1::ContentBlock& block = *media[number - 1].block;
    if (file.empty()) file = suggested_name(block, number);
    try {
      bytes = bytes_of(block);
      found = true;
    } catch (const std::exception& why) {
      say_error(wanted + " cannot be saved: " + why.what());
    }
  });
  dirty_ = true;
  if (!found) return;
  const std::string path = (std::filesystem::path(options_.cwd) / file).lexically_normal().string();
  try {
    write_new_file(path, bytes);
    say("Written: " + path + ", " + size_text(bytes.size()));
  } catch (const std::exception& why) {
    say_error(why.what());
  }
}

void ChatUi::show_servers() {
  if (options_.servers.empty())
    return say("There are no MCP servers: [mcp.NAME] in the configuration, or --mcp, names them");
  std::size_t passed = 0;
  for (const v1::McpServer& server : options_.servers) {
    const auto why = not_taken(server, conversation_.agent());
    passed += why ? 0 : 1;
    Line line = line_of("  " + name_of(server), {.bold = true});
    add(line, "  " + describe(server) + "  ");
    add(line, why ? "not passed on: " + *why : "passed on",
        {.colour = why ? Colour::yellow : Colour::green});
    view_.note(wrap(line, screen_.room()));
  }
  if (passed > 0) say("Whether a server runs is the agent's to know: it does not tell");
  dirty_ = true;
}

void ChatUi::logout() {
  const AgentHandle& agent = conversation_.agent();
  if (!agent.capabilities().auth.logout.has_value()) return say("The agent offers no logout");
  conversation_.beside([this, agent, mailbox = mailbox_] {
    agent.logout().wait();
    mailbox->post([this] { say("Logged out of " + label_); });
  });
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
    std::string text;
    conversation_.session()->with_state(
        [&](const SessionState& state) { text = view_.exported(state, markdown); });
    write_new_file(path.string(), text);
    say("Written: " + path.string());
    if (!view_.exports_all()) say_error("Some of its beginning is missing: it could not be kept");
  } catch (const std::exception& failed) {
    say_error(failed.what());
  }
}

void ChatUi::attach(const std::string& file, bool image) {
  if (file.empty())
    return say_error(std::string(image ? "/image" : "/audio") + " FILE: the file is missing");
  try {
    conversation_.attach(media_block(file, options_.cwd, image,
                                     conversation_.agent().capabilities().promptCapabilities),
                         file);
  } catch (const std::exception& why) {
    say_error(why.what());
  }
}

}  // namespace acp::chat
