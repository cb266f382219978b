// read, write, edit, delete, move and list.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "acp/workspace/files/guarded.h"
#include "coder/tools/edit.h"
#include "coder/tools/tool.h"

namespace acp::coder {

namespace {

using workspace::Change;
using workspace::FileError;

constexpr std::uint64_t usual_lines = 2000;
constexpr std::size_t most_entries = 1000;
constexpr std::size_t most_places = 50;  // of an edit, that are named

std::uint32_t as_line(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
}

// Nothing if there is no such file.
std::optional<std::string> text_if_there(ToolHost& host, const std::string& path) {
  try {
    return host.read_text(path);
  } catch (const FileError& error) {
    if (error.kind() == FileError::Kind::not_found) return std::nullopt;
    throw;
  }
}

v1::ToolCallContent diff(std::string path, const std::optional<std::string>& before,
                         std::string after) {
  v1::Diff result;
  result.path = std::move(path);
  if (before) result.oldText = *before;
  result.newText = std::move(after);
  return result;
}

// Writes what the user has agreed to, if the file is still what the user was shown.
void write_over(ToolHost& host, const std::string& path, const std::optional<std::string>& before,
                const std::string& after) {
  if (text_if_there(host, path) != before)
    throw ToolFailed(path + " has changed meanwhile: read it again before you write");
  host.write_text(path, after);
}

// The first reason, if any of these changes has one.
std::string ask_reason(
    const ToolHost& host,
    std::initializer_list<std::pair<const std::string&, workspace::Change>> all) {
  for (const auto& [path, change] : all)
    if (auto reason =
            workspace::guarded_reason(host.files().boundary(), path, change, host.stop_token()))
      return *reason;
  return {};
}

// ---- read

// The lines, and whether there are more than these.
std::string first_lines(std::string text, std::uint64_t lines, bool& more) {
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < lines; ++i) {
    at = text.find('\n', at);
    if (at == std::string::npos) return text;
    ++at;
  }
  more = at < text.size();
  text.resize(at);
  return text;
}

PreparedCall prepare_read(JsonView arguments, ToolHost& host, const ToolLimits& limits) {
  const std::string path = absolute_path(host, string_argument(arguments, "path"));
  const std::uint64_t line =
      std::max<std::uint64_t>(1, optional_number(arguments, "line").value_or(1));
  // As many lines as there can be are enough: one more is asked for to see whether there is more.
  const std::uint64_t wanted = std::clamp<std::uint64_t>(
      optional_number(arguments, "limit").value_or(usual_lines), 1, UINT32_MAX - 1);
  PreparedCall call;
  call.title = "Read " + shown_path(host, path);
  if (line > 1) call.title += ":" + std::to_string(line);
  call.locations = {location(path, as_line(line))};
  call.paths = {path};
  call.run = [&host, path, line, wanted, most = limits.output_bytes](const ToolProgress&) {
    bool more = false;
    std::string text =
        first_lines(host.read_text(path, as_line(line), as_line(wanted + 1)), wanted, more);
    host.mask(text);
    std::uint64_t lines = 0;
    if (text.size() > most) {
      // Whole lines, as far as they fit; a line that is longer than that is cut.
      const std::size_t end = text.rfind('\n', most);
      if (end == std::string::npos) {
        const std::size_t line_end = text.find('\n');
        more = more || (line_end != std::string::npos && line_end + 1 < text.size());
        text = bounded(text.substr(0, line_end), most);
        lines = 1;
      } else {
        text.resize(end + 1);
        more = true;
      }
    }
    if (lines == 0)
      lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) +
              (text.empty() || text.ends_with('\n') ? 0 : 1);
    ToolResult result;
    result.text = text;
    if (text.empty())
      result.text = line > 1 ? "(the file has no such line)" : "(the file is empty)";
    if (more)
      result.text += "\n[there is more: read on with line=" + std::to_string(line + lines) + "]";
    result.content = {text_content(text)};
    result.raw_output = Json::object({{"lines", lines}, {"bytes", text.size()}, {"more", more}});
    return result;
  };
  return call;
}

// ---- write and edit

PreparedCall prepare_write(JsonView arguments, ToolHost& host) {
  const std::string path = absolute_path(host, string_argument(arguments, "path"));
  const std::string content = string_argument(arguments, "content");
  const std::optional<std::string> before = text_if_there(host, path);
  PreparedCall call;
  call.title = (before ? "Write " : "Create ") + shown_path(host, path);
  call.locations = {location(path)};
  call.paths = {path};
  call.ask_reason = ask_reason(host, {{path, Change::write}});
  call.content = {diff(path, before, content)};
  call.run = [&host, path, content, before](const ToolProgress&) {
    write_over(host, path, before, content);
    ToolResult result;
    result.text =
        (before ? "wrote " : "created ") + path + ", " + std::to_string(content.size()) + " bytes";
    result.raw_output =
        Json::object({{"path", path}, {"bytes", content.size()}, {"created", !before}});
    return result;
  };
  return call;
}

std::vector<Replacement> replacements(JsonView arguments) {
  std::vector<Replacement> result;
  const JsonView edits = arguments["edits"];
  if (!edits.is_array() || edits.size() == 0)
    throw ToolFailed("the argument \"edits\" is " +
                     std::string(edits.absent() ? "missing" : "wrong") +
                     ": a list of {old_text, new_text} is expected");
  for (const JsonView edit : edits.elements())
    result.push_back({string_argument(edit, "old_text"), string_argument(edit, "new_text"),
                      flag_argument(edit, "all")});
  return result;
}

PreparedCall prepare_edit(JsonView arguments, ToolHost& host, const ToolLimits& limits) {
  const std::string path = absolute_path(host, string_argument(arguments, "path"));
  const std::string before = host.read_text(path);
  Edited edited;
  try {
    EditLimits allowed;
    allowed.bytes = limits.edit_bytes;
    allowed.stop = host.stop_token();
    edited = replace_in(before, replacements(arguments), allowed);
  } catch (const EditFailed& error) {
    throw ToolFailed(path + ": " + error.what());
  }
  PreparedCall call;
  call.title = "Edit " + shown_path(host, path);
  for (std::size_t i = 0; i < std::min(edited.lines.size(), most_places); ++i)
    call.locations.push_back(location(path, as_line(edited.lines[i])));
  call.paths = {path};
  call.ask_reason = ask_reason(host, {{path, Change::write}});
  call.content = {diff(path, before, edited.text)};
  call.run = [&host, path, before, edited](const ToolProgress&) {
    write_over(host, path, before, edited.text);
    ToolResult result;
    result.text = "edited " + path + ", " + std::to_string(edited.lines.size()) +
                  (edited.lines.size() == 1 ? " place: line" : " places: lines");
    Json lines = Json::array();
    for (std::size_t i = 0; i < std::min(edited.lines.size(), most_places); ++i) {
      result.text += " " + std::to_string(edited.lines[i]);
      lines.append(edited.lines[i]);
    }
    if (edited.lines.size() > most_places) result.text += " …";
    result.raw_output = Json::object({{"path", path}, {"lines", lines}});
    return result;
  };
  return call;
}

// ---- delete, move and list

PreparedCall prepare_delete(JsonView arguments, ToolHost& host) {
  const std::string path = absolute_path(host, string_argument(arguments, "path"));
  PreparedCall call;
  call.title = "Delete " + shown_path(host, path);
  call.locations = {location(path)};
  call.paths = {path};
  call.ask_reason = ask_reason(host, {{path, Change::remove}});
  call.run = [&host, path](const ToolProgress&) {
    host.files().remove(path);
    ToolResult result;
    result.text = "deleted " + path;
    result.content = {text_content(result.text)};
    result.raw_output = Json::object({{"path", path}});
    return result;
  };
  return call;
}

PreparedCall prepare_move(JsonView arguments, ToolHost& host) {
  const std::string from = absolute_path(host, string_argument(arguments, "from"));
  const std::string to = absolute_path(host, string_argument(arguments, "to"));
  PreparedCall call;
  call.title = "Move " + shown_path(host, from) + " to " + shown_path(host, to);
  call.locations = {location(from), location(to)};
  call.paths = {from, to};
  call.ask_reason = ask_reason(host, {{from, Change::remove}, {to, Change::arrive}});
  call.run = [&host, from, to](const ToolProgress&) {
    host.files().move(from, to);
    ToolResult result;
    result.text = "moved " + from + " to " + to;
    result.content = {text_content(result.text)};
    result.locations = {location(to)};
    result.raw_output = Json::object({{"from", from}, {"to", to}});
    return result;
  };
  return call;
}

PreparedCall prepare_list(JsonView arguments, ToolHost& host, const ToolLimits& limits) {
  const std::string path = absolute_path(host, optional_string(arguments, "path").value_or("."));
  PreparedCall call;
  call.title = "List " + shown_path(host, path);
  call.locations = {location(path)};
  call.paths = {path};
  call.run = [&host, path, most = limits.output_bytes](const ToolProgress&) {
    std::vector<workspace::Entry> entries = host.files().list(path, host.stop_token());
    std::size_t left_out = 0;
    if (const auto leave_out = kept_back(host, v1::ToolKind::read, path))
      left_out = std::erase_if(
          entries, [&](const workspace::Entry& entry) { return leave_out(entry.name); });
    ToolResult result;
    for (std::size_t i = 0; i < std::min(entries.size(), most_entries); ++i) {
      result.text += entries[i].name;
      if (entries[i].kind == workspace::EntryKind::directory) result.text += '/';
      if (entries[i].kind == workspace::EntryKind::link) result.text += '@';
      result.text += '\n';
    }
    if (entries.empty() && left_out == 0) result.text = "(the directory is empty)\n";
    result.text += said_of_kept_back(left_out);
    if (entries.size() > most_entries)
      result.text += "[" + std::to_string(entries.size() - most_entries) + " more are left out]\n";
    result.text = bounded(std::move(result.text), most);
    result.content = {text_content(result.text)};
    result.raw_output = Json::object({{"entries", entries.size()}});
    return result;
  };
  return call;
}

}  // namespace

std::vector<std::unique_ptr<Tool>> file_tools(const ToolLimits& limits) {
  using v1::ToolKind;
  constexpr const char* path =
      R"({"path":{"type":"string","description":"absolute, or relative to the working directory"}})";
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(make_tool(
      tool_spec(
          "read",
          "Reads a text file. Gives at most 2000 lines; ask for more by line (the first, "
          "counted from 1) and limit (how many).",
          R"({"path":{"type":"string"},"line":{"type":"integer","minimum":1},"limit":{"type":"integer","minimum":1}})",
          R"("path")"),
      ToolKind::read, true, [limits](JsonView arguments, ToolHost& host) {
        return prepare_read(arguments, host, limits);
      }));
  tools.push_back(make_tool(
      tool_spec(
          "write",
          "Writes a whole file: a new one, or in place of what is there. To change a part of a "
          "file, use edit.",
          R"({"path":{"type":"string"},"content":{"type":"string"}})", R"("path","content")"),
      ToolKind::edit, false, prepare_write));
  tools.push_back(make_tool(
      tool_spec(
          "edit",
          "Replaces texts in a file. Each old_text must stand there exactly, character by "
          "character, and only once, unless all is true. Edits are made in order, all or none.",
          R"({"path":{"type":"string"},"edits":{"type":"array","minItems":1,"items":{"type":"object","properties":{"old_text":{"type":"string"},"new_text":{"type":"string"},"all":{"type":"boolean","description":"replace each occurrence"}},"required":["old_text","new_text"],"additionalProperties":false}}})",
          R"("path","edits")"),
      ToolKind::edit, false, [limits](JsonView arguments, ToolHost& host) {
        return prepare_edit(arguments, host, limits);
      }));
  tools.push_back(make_tool(
      tool_spec("delete", "Deletes a file, a link or an empty directory.", path, R"("path")"),
      ToolKind::delete_, false, prepare_delete));
  tools.push_back(
      make_tool(tool_spec("move", "Moves or renames a file or directory. Replaces nothing.",
                          R"({"from":{"type":"string"},"to":{"type":"string"}})", R"("from","to")"),
                ToolKind::move, false, prepare_move));
  tools.push_back(make_tool(
      tool_spec("list", "Lists a directory, the working directory if none is given.", path),
      ToolKind::read, true, [limits](JsonView arguments, ToolHost& host) {
        return prepare_list(arguments, host, limits);
      }));
  return tools;
}

}  // namespace acp::coder
