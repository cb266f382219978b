// Commands that show or keep what the session holds.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "chat/chat_ui.h"
#include "chat/content.h"
#include "chat/diff.h"
#include "chat/entries.h"
#include "chat/mcp_servers.h"
#include "chat/media.h"
#include "chat/text.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_listed = 20;

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return {};
  return number;
}

std::vector<const ToolCallState*> calls_of(const SessionState& state) {
  std::vector<const ToolCallState*> calls;
  for (const SessionState::Entry& entry : state.timeline())
    if (const auto* call = std::get_if<ToolCallState>(&entry.content)) calls.push_back(call);
  return calls;
}

Line numbered(std::size_t number, Line line, std::size_t room) {
  Line out = line_of("  " + std::to_string(number) + " ", {.colour = Colour::cyan});
  add(out, line);
  return fit(out, room);
}

}  // namespace

// All of a call that is still here: its output to the end, its diffs, its content.
void ChatUi::show_call(const std::string& wanted) {
  session_->with_state([&](const SessionState& state) {
    const auto calls = calls_of(state);
    const std::size_t before = archive_.calls();
    if (calls.empty()) return say("There are no tool calls");
    if (wanted.empty()) {
      const std::size_t first = calls.size() > most_listed ? calls.size() - most_listed : 0;
      for (std::size_t i = first; i < calls.size(); ++i)
        notes_.push_back(
            numbered(before + i + 1, tool_call_head(*calls[i], {}, view()), screen_.room()));
      return say("/show N unfolds one of them");
    }
    const auto number = number_of(wanted);
    if (!number || *number > before + calls.size())
      return say_error("There is no tool call " + wanted + ": /show lists them");
    if (*number <= before)
      return say_error("Tool call " + wanted +
                       " was so long ago that only its line is kept: /export has it");
    View whole = view();
    whole.unfolded = true;
    whole.output_lines = whole.content_lines = 0;
    const ToolCallState& call = *calls[*number - before - 1];
    for (Line& line : tool_call_lines(state, call, whole)) notes_.push_back(std::move(line));
    const auto raw = [&](const char* what, const Json& json) {
      if (json.absent() || json.is_null()) return;
      notes_.push_back(line_of(std::string("  ") + what, {.dim = true}));
      const Lines rows = written_lines(json.text(), screen_.room() > 6 ? screen_.room() - 4 : 2);
      for (Line& line : indented(rows, line_of("  │ ", {.dim = true})))
        notes_.push_back(std::move(line));
    };
    if (call.content.empty()) {
      raw("input", call.raw_input);
      raw("output", call.raw_output);
      if (call.raw_input.absent() && call.raw_output.absent()) say("It has no content");
    }
  });
  dirty_ = true;
}

void ChatUi::save(const std::string& words) {
  const std::size_t space = std::min(words.find(' '), words.size());
  const std::string wanted = words.substr(0, space);
  std::string file = words.substr(std::min(space + 1, words.size()));
  std::string bytes;
  bool found = false;
  session_->with_state([&](const SessionState& state) {
    const std::vector<Media> media = media_of(state);
    if (media.empty()) return say("The agent has sent no images, audio, links or resources");
    if (wanted.empty()) {
      for (std::size_t i = 0; i < media.size(); ++i)
        for (const Line& line : content_lines(*media[i].block, view(), TextAs::written)) {
          notes_.push_back(numbered(i + 1, line, screen_.room()));
          break;
        }
      return say("/save N [FILE] writes one of them");
    }
    const auto number = number_of(wanted);
    if (!number || *number > media.size())
      return say_error("There is nothing with the number " + wanted +
                       ": /save lists what there is");
    const v1::ContentBlock& block = *media[*number - 1].block;
    if (file.empty()) file = suggested_name(block, *number);
    try {
      bytes = bytes_of(block);
      found = true;
    } catch (const std::exception& why) {
      say_error(wanted + " cannot be saved: " + why.what());
    }
  });
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
    const auto why = not_taken(server, agent_->capabilities().mcpCapabilities);
    passed += why ? 0 : 1;
    Line line = line_of("  " + name_of(server), {.bold = true});
    add(line, "  " + describe(server) + "  ");
    add(line, why ? "not passed on: " + *why : "passed on",
        {.colour = why ? Colour::yellow : Colour::green});
    for (Line& row : wrap(line, screen_.room())) notes_.push_back(std::move(row));
  }
  if (passed > 0) say("Whether a server runs is the agent's to know: it does not tell");
  dirty_ = true;
}

void ChatUi::logout() {
  if (!agent_->capabilities().auth.logout.has_value()) return say("The agent offers no logout");
  beside([this, agent = *agent_, mailbox = mailbox_] {
    agent.logout();
    mailbox->post([this] { say("Logged out of " + label_); });
  });
}

void ChatUi::show_changes() {
  const auto changes = host_->changes();
  const auto show = [this](const std::string& path, bool is_new, std::string_view before,
                           std::string_view after) {
    const TextDiff found = diff(before, after);
    Line head = line_of(path, {.bold = true});
    add(head, is_new ? "  new  " : "  ");
    add(head, diff_counts(found));
    notes_.push_back(head);
    for (Line& line : diff_lines(found, screen_.room(), 200)) notes_.push_back(std::move(line));
  };
  if (!changes.empty()) say("Written through acp:");
  for (const auto& [path, change] : changes) {
    if (change.kept)
      show(path, !change.before, change.before.value_or(""), change.after);
    else
      notes_.push_back(line_of(path + "  (its text is no longer kept)", {.bold = true}));
  }
  bool told = false;
  if (session_)
    session_->with_state([&](const SessionState& state) {
      for (const ToolCallState* call : calls_of(state))
        for (const v1::ToolCallContent& content : call->content) {
          const auto* change = std::get_if<v1::Diff>(&content);
          if (!change || call->status != ToolCallState::Status::completed ||
              changes.contains(change->path))
            continue;
          if (!std::exchange(told, true))
            say("Told by the agent's tool calls, and not checked; parts of files perhaps:");
          show(place_text(change->path, {}, view()), !change->oldText,
               change->oldText ? *change->oldText : std::string(), change->newText);
        }
    });
  if (changes.empty() && !told)
    say("No change is known of: none was written through acp, and no tool call tells of one. "
        "(What commands do is not seen.)");
  if (archive_.calls() > 0)
    say("Of the first " + counted(archive_.calls(), "tool call") + " nothing is told here");
  dirty_ = true;
}

}  // namespace acp::chat
