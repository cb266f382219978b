#include "chat/run/calls.h"

#include <algorithm>

#include "acp/io/printable.h"
#include "chat/render/content.h"

namespace acp::chat {

using io::one_line;

namespace {

constexpr std::size_t most_lines = 8;
constexpr std::size_t most_kept = 16 * 1024;  // bytes of a terminal
constexpr std::size_t most_terminals = 100;

void add_lines(std::vector<std::string_view>& lines, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

void TerminalTails::add(const std::string& id, std::string_view text) {
  if (!tails_.contains(id) && tails_.size() >= most_terminals) return;
  Tail& tail = tails_[id];
  tail.text += text;
  if (tail.text.size() <= 2 * most_kept) return;
  // At a line's beginning, unless there is none.
  const std::size_t from = tail.text.size() - most_kept;
  const std::size_t end = tail.text.find('\n', from);
  const std::size_t cut = end == std::string::npos ? from : end + 1;
  tail.lines_before += static_cast<std::size_t>(
      std::count(tail.text.begin(), tail.text.begin() + static_cast<std::ptrdiff_t>(cut), '\n'));
  tail.text.erase(0, cut);
}

void TerminalTails::end(const std::string& id, const io::ExitStatus& exit) {
  if (tails_.contains(id) || tails_.size() < most_terminals) tails_[id].exit = exit;
}

const TerminalTails::Tail* TerminalTails::find(const std::string& id) const {
  const auto found = tails_.find(id);
  return found == tails_.end() ? nullptr : &found->second;
}

std::string first_line(const ShownCall& call) {
  std::string text = "[tool] " + call.kind + ": " + call.title;
  for (std::size_t i = 0; i < call.locations.size() && i < 3; ++i) {
    text += (i == 0 ? " (" : ", ") + one_line(call.locations[i].path);
    if (call.locations[i].line.has_value()) text += ":" + std::to_string(*call.locations[i].line);
  }
  if (call.locations.size() > 3) text += ", …";
  return text + (call.locations.empty() ? "" : ")");
}

std::string how_it_failed(const ShownCall& call, const TerminalTails& tails) {
  for (const v1::ToolCallContent& item : call.content) {
    const auto* const terminal = std::get_if<v1::Terminal>(&item);
    const auto* const tail = terminal ? tails.find(terminal->terminalId) : nullptr;
    if (tail == nullptr || !tail->exit || tail->exit->success()) continue;
    return tail->exit->kind == io::ExitStatus::Kind::exited
               ? "exit code " + std::to_string(tail->exit->value)
               : tail->exit->describe();
  }
  if (call.is_command && call.exit_code.value_or(0) != 0)
    return "exit code " + std::to_string(*call.exit_code);
  return {};
}

std::string excerpt(const ShownCall& call, const TerminalTails& tails, bool all) {
  std::vector<std::string_view> lines;
  std::size_t before = 0;
  for (const v1::ToolCallContent& item : call.content) {
    if (const auto* content = std::get_if<v1::Content>(&item)) {
      const auto* text = std::get_if<v1::TextContent>(&content->content);
      if (text != nullptr && (all || !for_assistant_only(content->content)))
        add_lines(lines, text->text);
    } else if (const auto* terminal = std::get_if<v1::Terminal>(&item); terminal && !all) {
      const TerminalTails::Tail* const tail = tails.find(terminal->terminalId);
      if (tail == nullptr) continue;
      before += tail->lines_before;
      add_lines(lines, tail->text);
    }
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  const std::size_t shown = all ? lines.size() : std::min(lines.size(), most_lines);
  const std::size_t more = lines.size() - shown + before;
  const std::string rest = more == 0 ? ""
                                     : "  … " + std::to_string(more) + " more line" +
                                           (more == 1 ? "" : "s") + " (-v shows all)\n";
  std::string text = call.is_command ? rest : "";
  const std::size_t first = call.is_command ? lines.size() - shown : 0;
  for (std::size_t i = first; i < first + shown; ++i)
    text += "  " + (all ? one_line(lines[i], 10'000) : one_line(lines[i])) + "\n";
  return call.is_command ? text : text + rest;
}

}  // namespace acp::chat
