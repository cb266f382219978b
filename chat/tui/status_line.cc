#include "chat/tui/status_line.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "chat/choices.h"
#include "chat/render/text/text.h"

namespace acp::chat {

namespace {

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

Line joined(const Status& status) {
  Line line = line_of(status.activity.empty() ? "  " : "● ", {.colour = Colour::yellow});
  bool first = true;
  const auto part = [&](const std::string& text, const Style& style) {
    if (text.empty()) return;
    if (!std::exchange(first, false)) add(line, " · ", aside);
    add(line, text, style);
  };
  part(status.activity, {.colour = Colour::yellow});
  part(status.model, aside);
  part(status.mode, {});
  part(status.context, status.context_short ? Style{.colour = Colour::yellow} : aside);
  part(status.cost, aside);
  part(status.directory, aside);
  return line;
}

}  // namespace

Status status_of(const SessionState& state) {
  Status status;
  status.model = model_name(state);
  status.mode = mode_name(state);
  const auto& usage = state.usage();
  if (!usage) return status;
  const double used = static_cast<double>(usage->used);
  if (usage->size > 0) {
    const double share = 100 * used / static_cast<double>(usage->size);
    status.context = number("%.0f%%", share);
    status.context_short = share >= 80;
  } else {
    status.context = number("%.1fk tokens", used / 1000);
  }
  if (usage->cost && std::isfinite(usage->cost->amount)) {
    const std::string& currency = usage->cost->currency;
    status.cost = currency == "USD" ? number("$%.2f", usage->cost->amount)
                                    : number("%.2f ", usage->cost->amount) + currency;
  }
  return status;
}

Line status_line(Status status, std::size_t columns) {
  const std::size_t hint = width(std::string_view(safe(status.hint)));
  Line line = joined(status);
  for (std::string* part : {&status.directory, &status.cost, &status.context, &status.mode}) {
    if (width(line) + hint + 2 <= columns) break;
    part->clear();
    line = joined(status);
  }
  // What is going on, and what to do about it, are worth more than a name.
  if (width(line) + hint + 2 > columns) {
    const std::size_t others = width(line) + hint + 2 - width(std::string_view(safe(status.model)));
    status.model = columns > others ? fit(safe(status.model), columns - others) : "";
    line = joined(status);
  }
  if (status.hint.empty()) return fit(line, columns);
  const std::size_t used = width(line) + hint;
  add(line, std::string(columns > used ? columns - used : 1, ' '));
  add(line, status.hint, aside);
  return fit(line, columns);
}

std::string short_path(const std::string& path) {
  const char* const home = std::getenv("HOME");
  const std::string start = home == nullptr ? "" : home;
  if (start.size() < 2 || !path.starts_with(start)) return path;
  if (path.size() > start.size() && path[start.size()] != '/') return path;
  return "~" + path.substr(start.size());
}

}  // namespace acp::chat
