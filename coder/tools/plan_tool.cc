// plan and switch_mode: how the model reports on its work.
#include <algorithm>

#include "coder/tools/tool.h"

namespace acp::coder {

namespace {

using v1::PlanEntryPriority;
using v1::PlanEntryStatus;

PlanEntryStatus status_of(const std::string& text) {
  if (text == "pending") return PlanEntryStatus::pending;
  if (text == "in_progress") return PlanEntryStatus::in_progress;
  if (text == "completed") return PlanEntryStatus::completed;
  throw ToolFailed("the status \"" + text + "\" is none of pending, in_progress, completed");
}

PlanEntryPriority priority_of(const std::string& text) {
  if (text == "high") return PlanEntryPriority::high;
  if (text == "medium") return PlanEntryPriority::medium;
  if (text == "low") return PlanEntryPriority::low;
  throw ToolFailed("the priority \"" + text + "\" is none of high, medium, low");
}

PreparedCall prepare_plan(JsonView arguments, ToolHost& host) {
  const JsonView list = arguments["entries"];
  if (!list.is_array()) throw ToolFailed("the argument \"entries\" must be a list");
  std::vector<v1::PlanEntry> entries;
  for (const JsonView item : list.elements()) {
    v1::PlanEntry entry;
    entry.content = string_argument(item, "content");
    entry.status = status_of(optional_string(item, "status").value_or("pending"));
    entry.priority = priority_of(optional_string(item, "priority").value_or("medium"));
    entries.push_back(std::move(entry));
  }
  const auto done = std::count_if(entries.begin(), entries.end(), [](const v1::PlanEntry& entry) {
    return entry.status == PlanEntryStatus::completed;
  });
  PreparedCall call;
  call.title = "Plan: " + std::to_string(done) + " of " + std::to_string(entries.size()) + " done";
  call.run = [&host, entries, done](const ToolProgress&) {
    host.show_plan(entries);
    ToolResult result;
    result.text = "the plan is shown to the user";
    result.raw_output = Json::object({{"entries", entries.size()}, {"completed", done}});
    return result;
  };
  return call;
}

PreparedCall prepare_switch_mode(JsonView arguments, ToolHost& host) {
  const std::string mode = string_argument(arguments, "mode");
  const std::vector<std::string> modes = host.modes();
  if (std::find(modes.begin(), modes.end(), mode) == modes.end()) {
    std::string all;
    for (const std::string& known : modes) all += (all.empty() ? "" : ", ") + known;
    throw ToolFailed("there is no mode \"" + mode + "\"; there are " + all);
  }
  PreparedCall call;
  call.title = "Switch from " + host.mode() + " to " + mode;
  if (const auto reason = optional_string(arguments, "reason"); reason && !reason->empty())
    call.content = {text_content(*reason)};
  call.run = [&host, mode](const ToolProgress&) {
    host.switch_mode(mode);
    ToolResult result;
    result.text = "the mode is " + mode + " now";
    result.raw_output = Json::object({{"mode", mode}});
    return result;
  };
  return call;
}

}  // namespace

std::unique_ptr<Tool> plan_tool() {
  return make_tool(
      tool_spec(
          "plan",
          "Shows the user your plan: all of it each time, in place of the one before. Use it for "
          "work of three steps or more, and again whenever a step begins or ends.",
          R"({"entries":{"type":"array","items":{"type":"object","properties":{"content":{"type":"string"},"status":{"type":"string","enum":["pending","in_progress","completed"]},"priority":{"type":"string","enum":["high","medium","low"]}},"required":["content","status"],"additionalProperties":false}}})",
          R"("entries")"),
      v1::ToolKind::think, false, prepare_plan);
}

std::unique_ptr<Tool> switch_mode_tool() {
  return make_tool(
      tool_spec(
          "switch_mode",
          "Proposes another mode to the user: ask (every change is asked for), code (files are "
          "changed without asking), architect (nothing is changed).",
          R"({"mode":{"type":"string"},"reason":{"type":"string"}})", R"("mode")"),
      v1::ToolKind::switch_mode, false, prepare_switch_mode);
}

}  // namespace acp::coder
