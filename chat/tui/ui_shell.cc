// Commands that the person runs: !ls. They need no permission; the next prompt includes them.
#include <algorithm>
#include <cstdlib>

#include "chat/render/entries.h"
#include "chat/render/text/text.h"
#include "chat/tui/ui.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_live_bytes = 4096, most_live_lines = 5;
constexpr std::size_t most_told_bytes = 32 * 1024;
constexpr std::size_t most_printed_lines = 200;

std::string shell() {
  const char* const set = std::getenv("SHELL");
  return set != nullptr && *set == '/' ? set : "/bin/sh";
}

// The last of its lines, each on one row.
Lines last_lines(std::string_view text, std::size_t most, std::size_t columns) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  Lines lines;
  const std::size_t count = text.empty() ? 0 : count_lines(text);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view line = take_line(text);
    if (count - i > most) continue;
    Line row = line_of("  │ ", aside);
    add(row, safe_output(line.substr(0, character_start(line, columns * 16))), aside);
    lines.push_back(fit(row, columns));
  }
  if (count > most)
    lines.insert(lines.begin(),
                 fit(line_of("  │ … " + counted(count - most, "more line"), aside), columns));
  return lines;
}

}  // namespace

void ChatUi::run_shell(const std::string& command) {
  if (shell_) return say_error("!" + shell_->command + " still runs: Esc stops it");
  shell_.emplace();
  shell_->command = command;
  shell_->began = Clock::now();
  conversation_.beside_until([this, command, cwd = options_.cwd, mailbox = mailbox_,
                              asked_to = shell_->stop.get_token()](const std::stop_token& ends) {
    std::stop_source stop;
    const std::stop_callback first(asked_to, [&stop] { stop.request_stop(); });
    const std::stop_callback second(ends, [&stop] { stop.request_stop(); });
    workspace::CommandOutcome result;
    try {
      result = workspace::run_command(
          {.command = shell(), .args = {"-c", command}, .cwd = cwd}, {},
          [&](std::string_view text) {
            mailbox->post([this, piece = std::string(text)] {
              if (!shell_) return;
              std::string& all = shell_->output;
              all += piece;
              if (all.size() > 2 * most_live_bytes) all.erase(0, all.size() - most_live_bytes);
              dirty_ = true;
            });
          },
          stop.get_token());
    } catch (const std::exception&) {
      mailbox->post([this] { shell_.reset(); });
      throw;
    }
    mailbox->post([this, result] { shell_ended(result); });
  });
}

void ChatUi::shell_ended(const workspace::CommandOutcome& result) {
  const std::string command = shell_->command;
  shell_.reset();
  const std::string end = result.stopped          ? "stopped"
                          : result.exit.success() ? ""
                                                  : result.exit.describe();
  Line head = line_of("! ", {.colour = Colour::cyan});
  add(head, command);
  view_.note(fit(head, screen_.room()));
  view_.note(last_lines(result.output, most_printed_lines, screen_.room()));
  if (!end.empty())
    view_.note(line_of("  │ " + end, {.colour = result.stopped ? Colour::normal : Colour::red}));
  view_.note(Line());

  const std::string& all = result.output;
  const std::size_t cut = all.size() > most_told_bytes ? all.size() - most_told_bytes : 0;
  v1::TextContent told;
  told.text = std::string(own_command) + command + "\n" + (cut > 0 ? "…" : "") +
              all.substr(character_start(all, cut)) + (end.empty() ? "" : "\n(" + end + ")");
  conversation_.attach(told, "! " + command);
  dirty_ = true;
}

Lines ChatUi::shell_lines(std::size_t columns) const {
  if (!shell_) return {};
  Line head = line_of("◐ ", {.colour = Colour::yellow});
  add(head, "! " + shell_->command);
  add(head,
      "  " +
          time_text(
              std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - shell_->began)) +
          "  Esc stops it",
      aside);
  Lines lines = {fit(head, columns)};
  for (Line& line : last_lines(shell_->output, most_live_lines, columns))
    lines.push_back(std::move(line));
  return lines;
}

}  // namespace acp::chat
