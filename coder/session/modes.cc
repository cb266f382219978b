#include "coder/session/modes.h"

#include <algorithm>

namespace acp::coder {

namespace {

v1::SessionMode mode(const char* id, const char* name, const char* description) {
  v1::SessionMode result;
  result.id = id;
  result.name = name;
  result.description = std::string(description);
  return result;
}

}  // namespace

const std::vector<v1::SessionMode>& session_modes() {
  static const std::vector<v1::SessionMode> modes = {
      mode("ask", "Ask", "Asks before every change, command and request to the network"),
      mode("code", "Code",
           "Changes files without asking, but for git's own; asks before commands and the network"),
      mode("architect", "Architect", "Reads and plans; changes nothing and runs nothing"),
  };
  return modes;
}

bool is_mode(std::string_view mode) {
  const auto& modes = session_modes();
  return std::any_of(modes.begin(), modes.end(),
                     [&](const v1::SessionMode& known) { return known.id == mode; });
}

bool is_stricter(std::string_view mode, std::string_view than) {
  const auto strictness = [](std::string_view id) {
    return id == "architect" ? 2 : id == "code" ? 0 : 1;
  };
  return strictness(mode) > strictness(than);
}

Need need_of(std::string_view mode, v1::ToolKind kind) {
  using v1::ToolKind;
  switch (kind) {
    case ToolKind::read:
    case ToolKind::search:
    case ToolKind::think:
      return Need::nothing;
    case ToolKind::edit:
    case ToolKind::delete_:
    case ToolKind::move:
      return mode == "code"        ? Need::nothing
             : mode == "architect" ? Need::another_mode
                                   : Need::permission;
    case ToolKind::execute:
      return mode == "architect" ? Need::another_mode : Need::permission;
    default:  // fetch, switch_mode, other
      return Need::permission;
  }
}

std::string_view mode_rules(std::string_view mode) {
  if (mode == "architect")
    return "You are in the mode \"architect\": read, search and plan. edit, write, delete, move "
           "and "
           "run fail; propose switch_mode when it is time to work.";
  if (mode == "code")
    return "You are in the mode \"code\": you may change files. Commands, the network and tools of "
           "servers are asked for, which happens by itself when you call them.";
  return "You are in the mode \"ask\": the user is asked about every change and command, which "
         "happens by itself when you call a tool. Do not ask in words as well.";
}

}  // namespace acp::coder
