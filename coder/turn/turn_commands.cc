// The slash commands of a turn.
#include <algorithm>

#include "coder/model/offline.h"
#include "coder/session/modes.h"
#include "coder/turn/turn.h"

namespace acp::coder {

namespace {

constexpr const char* plan_rules =
    "The user wants a plan before anything is changed. Read and search as you need, then call the "
    "tool plan, and explain the plan. Change nothing and run nothing in this turn.";

constexpr const char* init_prompt =
    "Look at this project: its files, how it is built and tested, its conventions. Then write "
    "AGENTS.md "
    "in the working directory (improve it, if there is one): what the project is, how to build it "
    "and "
    "run its tests, how the code is laid out, and the rules that those who work on it should "
    "follow. "
    "Only what you have seen; one page at most.";

}  // namespace

std::optional<v1::StopReason> TurnLoop::run_command() {
  const auto typed = typed_command(turn_.prompt());
  if (!typed) return std::nullopt;
  constexpr auto done = v1::StopReason::end_turn;
  if (typed->name == "help") {
    report_.say(help_text());
    return done;
  }
  if (typed->name == "status") {
    report_.say(status_text());
    return done;
  }
  if (typed->name == "model") {
    choose_model(typed->input);
    return done;
  }
  if (typed->name == "mode") {
    choose_mode(typed->input);
    return done;
  }
  if (typed->name == "compact") {
    if (session_.conversation.messages().empty())
      report_.say("There is nothing to compact yet.");
    else {
      offer_tools();
      compact(typed->input);
    }
    return done;
  }
  if (typed->name == "plan") {
    plan_wish_ = plan_rules;
    if (!typed->input.empty()) prompt_instead_ = typed->input;
    return std::nullopt;
  }
  if (typed->name == "init") {
    prompt_instead_ =
        std::string(init_prompt) + (typed->input.empty() ? "" : "\n\n" + typed->input);
    return std::nullopt;
  }
  // An unknown word is the model's to understand.
  const auto file = session_.command_files->find(typed->name);
  if (!file) return std::nullopt;
  // A file from anybody may repeat what the user typed any number of times.
  const auto& most = session_.wanted.settings.command_files_bytes;
  if (const std::size_t size = expanded_size(*file, typed->input);
      size > most.value && size > 2 * typed->input.size()) {
    report_.note(v1::NoticeSeverity::error, "The command /" + typed->name + " is not used",
                 "With what was typed it would have " + std::to_string(size) +
                     " bytes, more than " + std::to_string(most.value) +
                     " (limits.command_files_bytes).");
    return done;
  }
  prompt_instead_ = expand(*file, typed->input);
  return std::nullopt;
}

std::string TurnLoop::help_text() const {
  std::string text = "I am `acp agent`, a coding agent. Commands:\n\n";
  for (const v1::AvailableCommand& command : session_.command_files->all()) {
    text += "- `/" + command.name;
    if (command.input.has_value())
      if (const auto* input = std::get_if<v1::UnstructuredCommandInput>(&*command.input))
        text += " " + input->hint;
    text += "`: " + command.description + "\n";
  }
  text += "\nModes:\n\n";
  for (const v1::SessionMode& mode : session_modes())
    text += "- `" + mode.id + "`: " + *mode.description + "\n";
  if (session_.model()->info().id == "offline") text += "\n" + offline_help();
  return text;
}

std::string TurnLoop::status_text() {
  const ModelInfo model = session_.model()->info();
  std::string text = "- Model: " + model.name + " (`" + model.id + "`)\n";
  text += "- Mode: " + session_.mode() + "\n";
  text += "- Working directory: " + session_.wanted.cwd + "\n";
  for (const std::string& directory : session_.wanted.additional_directories)
    text += "- Also: " + directory + "\n";
  const std::uint64_t used = session_.context_used != 0
                                 ? session_.context_used
                                 : estimated_tokens(session_.conversation.messages());
  text += "- Context: about " + std::to_string(used) + " tokens";
  if (model.context_tokens) text += " of " + std::to_string(*model.context_tokens);
  text += ", " + std::to_string(session_.conversation.messages().size()) + " messages\n";
  const std::size_t tools = session_.servers->tools(model, {}).size();
  text += "- Tools of MCP servers: " + std::to_string(tools) + "\n";
  text += "- Session: " + session_.id() + "\n";
  return text;
}

void TurnLoop::choose_model(const std::string& id) {
  const std::shared_ptr<const Models> models = session_.models();
  if (!id.empty()) {
    try {
      if (const auto provider = models->missing_key(id)) {
        report_.say("The provider " + *provider + " has no key. `acp agent --login " + *provider +
                    "` stores one.");
        return;
      }
      ServerFacts facts;
      session_.set_model(models->make_asking(id, facts, turn_.stop_token()));
      if (const auto trouble = trouble_of(facts))
        report_.note(v1::NoticeSeverity::warning, *trouble, facts.problem);
      session_.context_used = 0;
      turn_.set_config_options(session_.config_options()).wait();
      report_.say("The model is " + session_.model()->info().name + " now.");
      return;
    } catch (const UnknownModel& error) {
      report_.say(std::string(error.what()) + "\n\n");
    }
  }
  std::string text = "Models (the one in use is **" + session_.model()->info().id + "**):\n\n";
  for (const ModelInfo& model : models->offered())
    text += "- `" + model.id + "`: " + model.name + "\n";
  report_.say(text);
}

void TurnLoop::choose_mode(const std::string& mode) {
  if (is_mode(mode)) {
    tool_host_.switch_mode(mode);
    report_.say("The mode is " + mode + " now.");
    return;
  }
  std::string text = mode.empty() ? "" : "There is no mode \"" + mode + "\". ";
  text += "Modes (the one in use is **" + session_.mode() + "**):\n\n";
  for (const v1::SessionMode& known : session_modes())
    text += "- `" + known.id + "`: " + *known.description + "\n";
  report_.say(text);
}

}  // namespace acp::coder
