#include "chat/choices.h"

#include <algorithm>
#include <optional>

#include "chat/stopping.h"

namespace acp::chat {

namespace {

using Category = v1::SessionConfigOptionCategory;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "it has none" : "only: " + text;
}

std::vector<std::string> values_of(const v1::SessionConfigSelect& select) {
  std::vector<std::string> values;
  if (const auto* plain = std::get_if<std::vector<v1::SessionConfigSelectOption>>(&select.options))
    for (const auto& option : *plain) values.push_back(option.value);
  if (const auto* groups = std::get_if<std::vector<v1::SessionConfigSelectGroup>>(&select.options))
    for (const auto& group : *groups)
      for (const auto& option : group.options) values.push_back(option.value);
  return values;
}

// An open option may have values that it does not list.
void set_option(const Session& session, const v1::SessionConfigOption& option,
                const std::string& value, const std::stop_token& stop, bool open = false) {
  v1::SetSessionConfigOptionRequest request;
  request.configId = option.id;
  bool listed_there = true;
  if (std::holds_alternative<v1::SessionConfigBoolean>(option.type)) {
    if (value != "true" && value != "false")
      throw NoSuchChoice("the option " + option.id + " is true or false, not \"" + value + "\"");
    v1::SetSessionConfigBoolean choice;
    choice.value = value == "true";
    request.value = choice;
  } else {
    if (const auto* select = std::get_if<v1::SessionConfigSelect>(&option.type)) {
      const std::vector<std::string> values = values_of(*select);
      listed_there = std::find(values.begin(), values.end(), value) != values.end();
      if (!listed_there && !open)
        throw NoSuchChoice("the option " + option.id + " has no value \"" + value + "\", " +
                           listed(values));
    }
    v1::SetSessionConfigValueId choice;
    choice.value = value;
    request.value = std::move(choice);
  }
  try {
    session.set_config_option(request).wait(stop);
  } catch (const CallFailed& failed) {
    if (listed_there || failed.code() != rpc::invalid_params) throw;
    throw NoSuchChoice(failed.what());
  }
}

std::optional<v1::SessionConfigOption> find(const SessionState& state, const std::string& id) {
  for (const auto& option : state.config_options())
    if (option.id == id) return option;
  return {};
}
std::optional<v1::SessionConfigOption> find(const SessionState& state, Category::Value category) {
  for (const auto& option : state.config_options())
    if (option.category.has_value() && *option.category == Category(category)) return option;
  return {};
}

std::optional<v1::SessionConfigOption> model_option(const SessionState& state) {
  auto option = find(state, Category::model);
  return option ? option : find(state, "model");
}

void set_mode(const Session& session, const std::string& mode, const std::stop_token& stop) {
  const SessionState state = session.state();
  if (state.modes() && !state.modes()->availableModes.empty()) {
    std::vector<std::string> names;
    for (const v1::SessionMode& one : state.modes()->availableModes) names.push_back(one.id);
    if (std::find(names.begin(), names.end(), mode) == names.end())
      throw NoSuchChoice("the agent has no mode \"" + mode + "\", " + listed(names));
    session.set_mode(mode).wait(stop);
  } else if (const auto option = find(state, Category::mode)) {
    set_option(session, *option, mode, stop);
  } else {
    throw NoSuchChoice("the agent has no modes");
  }
}

}  // namespace

RunChoices current_choices(const SessionState& state) {
  RunChoices choices;
  const auto value = [](const std::optional<v1::SessionConfigOption>& option) {
    const auto* select = option ? std::get_if<v1::SessionConfigSelect>(&option->type) : nullptr;
    return select ? select->currentValue : std::string();
  };
  choices.mode = state.modes() ? state.modes()->currentModeId : value(find(state, Category::mode));
  choices.model = value(model_option(state));
  return choices;
}

namespace {

std::string value_name(const std::optional<v1::SessionConfigOption>& option,
                       const std::string& value) {
  std::string name = value;
  const auto* select = option ? std::get_if<v1::SessionConfigSelect>(&option->type) : nullptr;
  if (!select) return name;
  const auto look = [&](const std::vector<v1::SessionConfigSelectOption>& options) {
    for (const auto& one : options)
      if (one.value == value) name = one.name;
  };
  if (const auto* plain = std::get_if<std::vector<v1::SessionConfigSelectOption>>(&select->options))
    look(*plain);
  if (const auto* groups = std::get_if<std::vector<v1::SessionConfigSelectGroup>>(&select->options))
    for (const auto& group : *groups) look(group.options);
  return name;
}

}  // namespace

std::string mode_name(const SessionState& state) {
  const std::string mode = current_choices(state).mode;
  if (!state.modes()) return value_name(find(state, Category::mode), mode);
  for (const v1::SessionMode& one : state.modes()->availableModes)
    if (one.id == mode) return one.name;
  return mode;
}

std::string model_name(const SessionState& state) {
  return value_name(model_option(state), current_choices(state).model);
}

void make_choices(const Session& session, const RunChoices& choices, std::stop_token stop) {
  if (!choices.mode.empty()) set_mode(session, choices.mode, stop);
  if (!choices.model.empty() && current_choices(session.state()).model != choices.model) {
    const SessionState state = session.state();
    const auto option = model_option(state);
    if (!option) throw NoSuchChoice("the agent offers no choice of models");
    set_option(session, *option, choices.model, stop, choices.any_model);
  }
  for (const auto& [id, value] : choices.set) {
    const SessionState state = session.state();
    const auto option = find(state, id);
    if (!option) {
      std::vector<std::string> names;
      for (const auto& one : state.config_options()) names.push_back(one.id);
      throw NoSuchChoice("the agent has no option \"" + id + "\", " + listed(names));
    }
    set_option(session, *option, value, stop);
  }
}

}  // namespace acp::chat
