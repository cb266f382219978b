// Draws an agent's permission question completely: for acp chat and acp run --policy ask. Text in,
// lines out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "acp/session_state.h"
#include "chat/render/text/styled.h"

namespace acp::chat {

// A command as it will run: its real lines; one wider than a row goes on after ↪. Control
// characters and odd blanks are visible, long runs of blanks stand as ␠×300, of empty lines as
// ␊×40.
Lines command_lines(std::string_view command, std::size_t columns);
// The command on one line, its middle left out (with how much that was) if it has more characters.
std::string command_line_of(std::string_view command, std::size_t most = 200);

// The real origin of a URL.
struct UrlOrigin {
  std::string scheme, user, host;  // the host with its port, as written
};
// The origin of an http or https address, where a browser would go: `https:evil\x` has a host as
// well. Its members are empty for other schemes, and if there is anything odd about the host.
UrlOrigin origin_of(std::string_view address);
// The same of the first such address in a text, where a word begins with it.
UrlOrigin origin_in(std::string_view text);

// Normalizes the names that agents give to MCP tools to server/tool; else the name itself.
std::string tool_name(std::string_view name);

// The effect of an option, whatever the agent calls it: "allows once", "rejects from now on".
std::string_view meaning_of(v1::PermissionOptionKind kind);

// Whether the title is only the command itself, perhaps as code, or empty.
bool names_command(std::string_view title, std::string_view command);

// "run in /home/me/src", "edit src/a.cc  +3 -1", "fetch from evil.example", "call server/tool".
Line question_title(const ToolCallState& call, const std::string& cwd);
// The whole command, diff, address or input, and the paths it names.
Lines question_body(const ToolCallState& call, const std::string& cwd, std::size_t columns);

// Draws a frame of at most so many rows: if the body does not fit, its beginning and its end, and
// how many lines are between; `how` says how to see those.
Lines framed(const Line& title, const Lines& body, std::size_t columns, std::size_t rows,
             std::string_view how);

}  // namespace acp::chat
