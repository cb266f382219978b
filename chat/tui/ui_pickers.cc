// Commands that let the person choose: modes, models, options, sessions.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <utility>

#include "chat/remote_agent.h"
#include "chat/tui/ui.h"

namespace acp::chat {

namespace {

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

bool of_model(const v1::SessionConfigOption& option) {
  return in_category(option, v1::SessionConfigOptionCategory::model) || option.id == "model";
}

// "2026-11-16 03:29" here, of a time as ISO 8601 has it; what is none is left as it is.
std::string local_time(const std::string& iso) {
  int year = 0, hour = 0, minute = 0, length = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(iso.c_str(), "%4d-%2u-%2uT%2d:%2d%n", &year, &month, &day, &hour, &minute,
                  &length) != 5)
    return iso;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return iso;
  const std::size_t zone = iso.find_first_of("Z+-", static_cast<std::size_t>(length));
  if (zone == std::string::npos) return iso;
  int zone_hour = 0, zone_minute = 0;
  if (iso[zone] != 'Z' &&
      std::sscanf(iso.c_str() + zone + 1, "%2d:%2d", &zone_hour, &zone_minute) != 2)
    return iso;
  const int east = (iso[zone] == '-' ? -1 : 1) * (60 * zone_hour + zone_minute);
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::sys_days(date)) +
                           60 * (60 * hour + minute - east);
  char text[32];
  const std::tm* const here = std::localtime(&time);
  if (here == nullptr || std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", here) == 0) return iso;
  return text;
}

std::shared_ptr<ChoiceDialog> own_list() {
  auto dialog = std::make_shared<ChoiceDialog>();
  dialog->of_person = true;
  return dialog;
}

}  // namespace

void ChatUi::choose(RunChoices choices, const std::string& told) {
  choices.any_model = options_.choices.any_model;
  conversation_.beside(
      [this, session = *conversation_.session(), mailbox = mailbox_, choices, told] {
        make_choices(session, choices, {});
        mailbox->post([this, told] {
          dirty_ = true;
          if (!told.empty()) say(told);
        });
      });
}

void ChatUi::pick_value(const v1::SessionConfigOption& option) {
  const auto dialog = own_list();
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
  const SessionState state = conversation_.session()->state();
  if (state.modes() && !state.modes()->availableModes.empty()) {
    const auto dialog = own_list();
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
  const SessionState state = conversation_.session()->state();
  for (const v1::SessionConfigOption& option : state.config_options())
    if (of_model(option)) return pick_value(option);
  say("The agent offers no choice of models");
}

void ChatUi::pick_config(const std::string& wanted) {
  const SessionState state = conversation_.session()->state();
  const auto& options = state.config_options();
  if (options.empty()) return say("The agent has no options");
  for (const v1::SessionConfigOption& option : options)
    if (option.id == wanted) return pick_value(option);
  if (!wanted.empty()) return say_error("The agent has no option " + wanted);
  const auto dialog = own_list();
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

bool ChatUi::is_open(const std::string& session) const {
  return conversation_.session() && conversation_.session()->id() == session;
}

// Shift-Tab.
void ChatUi::next_mode() {
  if (!conversation_.session()) return;
  const SessionState state = conversation_.session()->state();
  std::vector<std::string> ids;
  if (state.modes())
    for (const v1::SessionMode& mode : state.modes()->availableModes) ids.push_back(mode.id);
  if (ids.empty())
    for (const v1::SessionConfigOption& option : state.config_options())
      if (const auto* select = std::get_if<v1::SessionConfigSelect>(&option.type);
          select && in_category(option, v1::SessionConfigOptionCategory::mode))
        for (const auto& value : values_of(*select)) ids.push_back(value.value);
  if (ids.empty()) return say("The agent has no modes");
  const auto now = std::find(ids.begin(), ids.end(), current_choices(state).mode);
  const std::size_t next =
      now == ids.end() ? 0 : static_cast<std::size_t>(now - ids.begin() + 1) % ids.size();
  RunChoices choices;
  choices.mode = ids[next];
  choose(choices, "");  // the status line says it
}

void ChatUi::sessions(bool from_start) {
  if (!conversation_.agent().capabilities().sessionCapabilities.list.has_value()) {
    say("The agent lists no sessions; acp chat --session ID goes on with one");
    return from_start ? conversation_.new_session() : void();
  }
  conversation_.beside(
      [this, agent = conversation_.agent(), mailbox = mailbox_,
       cwd = session_directory(options_.agent, conversation_.agent(), options_.cwd), from_start] {
        v1::ListSessionsRequest filter;
        filter.cwd = cwd;
        const std::vector<v1::SessionInfo> found = agent.list_sessions(filter).wait();
        mailbox->post([this, found, from_start, cwd] {
          if (found.empty()) {
            say("The agent has no sessions in this directory");
            return from_start ? conversation_.new_session() : void();
          }
          const auto dialog = own_list();
          dialog->of_person = !from_start;
          dialog->head = {line_of("? Sessions in " + cwd, {.bold = true})};
          dialog->selected = 0;
          for (const v1::SessionInfo& info : found)
            dialog->choices.push_back(
                {.label = info.title.value_or("").empty() ? info.sessionId : *info.title,
                 .description = local_time(info.updatedAt.value_or("")) +
                                (is_open(info.sessionId) ? " (this one)" : "")});
          if (from_start) dialog->choices.push_back({.label = "A new session", .key = 'n'});
          dialog->chosen = [this, found, from_start](std::size_t index) {
            if (index >= found.size()) return conversation_.new_session();
            if (from_start) return conversation_.open_session(found[index].sessionId, "");
            session_actions(found[index]);
          };
          if (from_start) dialog->dismissed = [this] { leave(0); };
          ask(dialog);
        });
      });
}

void ChatUi::session_actions(const v1::SessionInfo& info) {
  const v1::AgentCapabilities& can = conversation_.agent().capabilities();
  const auto dialog = own_list();
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
  offer(sessions.delete_.has_value() && !is_open(info.sessionId), "delete", "Delete", 'd');
  if (ways.empty()) return say("The agent can do nothing with it");
  dialog->selected = 0;
  dialog->chosen = [this, ways, info](std::size_t index) {
    if (ways[index] != "delete") return conversation_.open_session(info.sessionId, ways[index]);
    delete_session(info);
  };
  ask(dialog);
}

void ChatUi::delete_session(const v1::SessionInfo& info) {
  const auto dialog = own_list();
  dialog->head = {
      line_of("? Delete the session " + info.title.value_or(info.sessionId) + " for good",
              {.bold = true, .colour = Colour::yellow})};
  dialog->choices = {{.label = "Keep it", .key = 'n'}, {.label = "Delete it", .key = 'y'}};
  dialog->selected = 0;
  dialog->chosen = [this, id = info.sessionId](std::size_t index) {
    if (index == 0) return;
    conversation_.beside([this, agent = conversation_.agent(), mailbox = mailbox_, id] {
      agent.delete_session(id).wait();
      mailbox->post([this, id] { say("Deleted: session " + id); });
    });
  };
  ask(dialog);
}

}  // namespace acp::chat
