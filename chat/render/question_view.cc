#include "chat/render/question_view.h"

#include <algorithm>
#include <filesystem>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "acp/json/utf8.h"
#include "acp/workspace/web_origin.h"
#include "chat/render/call_text.h"
#include "chat/render/content.h"
#include "chat/render/diff.h"
#include "chat/render/entries.h"
#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

using v1::ToolKind;

const Style warning{.bold = true, .colour = Colour::yellow};

constexpr std::size_t most_blanks = 8;   // in a row, that stay blanks
constexpr std::size_t most_indent = 40;  // at a line's beginning
constexpr std::size_t most_empty = 2;    // lines in a row

// Blanks that a shell takes for letters.
bool is_odd_blank(std::string_view character) {
  static constexpr std::string_view blanks[] = {
      "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
      "\u2007", "\u2008", "\u2009", "\u200A", "\u202F", "\u205F", "\u2800", "\u3000"};
  return std::find(std::begin(blanks), std::end(blanks), character) != std::end(blanks);
}

std::string code_name(std::string_view character) {
  std::string name;
  io::put_visible(name, json::utf8_first(character).code);
  return name;
}

// Not yet safe: add() makes it so.
void add_command(Line& line, std::string_view text) {
  std::string kept;
  const auto flush = [&] {
    add(line, kept);
    kept.clear();
  };
  const auto mark = [&](const std::string& shown) {
    flush();
    add(line, shown, warning);
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\t') {
      const std::size_t end = std::min(text.find_first_not_of(" \t", at), text.size());
      const std::size_t count = end - at;
      const bool last = end == text.size();
      if (count > (at == 0 ? most_indent : most_blanks) || (last && count > 1)) {
        mark(std::string(at == 0 ? "" : " ") + "␠×" + std::to_string(count) + (last ? "" : " "));
      } else {
        for (const char c : text.substr(at, count)) kept += c == '\t' ? "    " : " ";
      }
      at = end;
      continue;
    }
    const std::size_t size = json::utf8_first(text.substr(at)).size;
    const std::string_view character = text.substr(at, size);
    if (is_odd_blank(character))
      mark(code_name(character));
    else
      kept += character;
    at += size;
  }
  flush();
}

std::string verb_of(ToolKind kind) {
  switch (kind) {
    case ToolKind::execute:
      return "run";
    case ToolKind::delete_:
      return "delete";
    case ToolKind::switch_mode:
      return "change the mode";
    case ToolKind::other:
      return "call a tool";
    default:
      return std::string(to_string(kind));
  }
}

// Where it runs, if the agent says so.
std::string directory_of(const ToolCallState& call, const std::string& cwd) {
  const std::string said = directory_said(call);
  return said.empty() ? cwd : (std::filesystem::path(cwd) / said).lexically_normal().string();
}

struct Address {
  std::string text;  // empty: there is none
  UrlOrigin origin;
};
Address address_of(const ToolCallState& call) {
  const JsonView input = call.raw_input.view();
  for (const char* name : {"url", "uri", "URL"})
    if (const auto given = input[name].as_string()) return {*given, origin_of(*given)};
  UrlOrigin origin = origin_in(call.title);
  if (origin.host.empty()) return {};
  return {call.title, std::move(origin)};
}

// The length of `http` or `https` before the colon at the beginning; 0 if there is none.
std::size_t web_scheme(std::string_view address) {
  for (const std::string_view scheme : {"http:", "https:"}) {
    const auto same = [](char ours, char theirs) {
      return ours == (theirs >= 'A' && theirs <= 'Z' ? theirs + 'a' - 'A' : theirs);
    };
    if (address.size() >= scheme.size() &&
        std::equal(scheme.begin(), scheme.end(), address.begin(), same))
      return scheme.size() - 1;
  }
  return 0;
}

// A number that a browser reads as an address, though not as it is written: 0x7f.1, 017.0.0.1.
bool is_odd_number(std::string_view host) {
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view last = host.substr(host.rfind('.') + 1);
  if (last.empty() || last.front() < '0' || last.front() > '9') return false;
  std::size_t parts = 0;
  for (bool more = true; more; ++parts) {
    const std::size_t dot = host.find('.');
    const std::string_view part = host.substr(0, dot);
    if (part.empty() || part.size() > 3 || (part.size() > 1 && part.front() == '0') ||
        part.find_first_not_of("0123456789") != part.npos)
      return true;
    more = dot != host.npos;
    if (more) host.remove_prefix(dot + 1);
  }
  return parts != 4;
}

const v1::Diff* first_diff(const ToolCallState& call) {
  for (const v1::ToolCallContent& content : call.content)
    if (const auto* diff = std::get_if<v1::Diff>(&content)) return diff;
  return nullptr;
}

void add_rows(Lines& out, Lines rows) {
  for (Line& row : rows) out.push_back(std::move(row));
}

// Its path, or a part of its texts; a list or an object of nothing else.
bool is_said_by(const v1::Diff& diff, JsonView value, const std::string& cwd) {
  if (const auto text = value.as_string())
    return (std::filesystem::path(cwd) / *text).lexically_normal() == diff.path ||
           diff.newText.find(*text) != std::string::npos ||
           (diff.oldText.has_value() && diff.oldText->find(*text) != std::string::npos);
  if (!value.is_array() && !value.is_object()) return false;
  for (const JsonView item : value.elements())
    if (!is_said_by(diff, item, cwd)) return false;
  for (const auto& [name, item] : value.members())
    if (!is_said_by(diff, item, cwd)) return false;
  return true;
}

// What the lines above have said of it: everything else is shown as well.
std::vector<std::string> said_of_input(const ToolCallState& call, const std::string& command,
                                       const v1::Diff* diff, const std::string& cwd) {
  const JsonView input = call.raw_input.view();
  std::vector<std::string> said;
  if (!command.empty()) {
    said.push_back(input["command"].absent() ? "cmd" : "command");
    if (input["command"].is_string() || input["cmd"].is_string()) said.push_back("args");
    if (input["cwd"].is_string()) said.push_back("cwd");
  }
  if (command.empty() && diff == nullptr)
    for (const char* const name : {"url", "uri", "URL"})
      if (input[name].is_string()) {
        said.push_back(name);
        break;
      }
  if (diff != nullptr)
    for (const auto& [name, value] : input.members())
      if (is_said_by(*diff, value, cwd)) said.emplace_back(name);
  return said;
}

// What the call is given, a member a line; not what `shown` names.
void add_input(Lines& out, const ToolCallState& call, std::size_t columns,
               const std::vector<std::string>& shown) {
  const auto put = [&](std::string_view name, std::string_view value) {
    Line line = line_of(name.empty() ? "" : std::string(name) + ": ", aside);
    const bool text = value.starts_with('"');
    const auto parsed = text ? Json::parse(std::string(value)) : json::Result<Json>(Json());
    const std::string written = text && parsed ? *parsed->as_string() : std::string(value);
    if (written.find('\n') == std::string::npos) {
      add_command(line, written);
      return add_rows(out, chop(line, columns, {.first = {}, .rest = line_of("↪ ", aside)}));
    }
    out.push_back(line);
    add_rows(out, indented(command_lines(written, columns > 4 ? columns - 2 : 2), line_of("  ")));
  };
  const JsonView input = call.raw_input.view();
  if (!input.is_object()) {
    if (!input.absent() && !input.is_null()) put("", input.text());
    return;
  }
  for (const auto& [name, value] : input.members())
    if (std::find(shown.begin(), shown.end(), name) == shown.end()) put(name, value.text());
}

}  // namespace

Lines command_lines(std::string_view command, std::size_t columns) {
  Lines out;
  while (command.ends_with('\n')) command.remove_suffix(1);
  std::size_t empty = 0;
  const auto end_empty = [&] {
    if (empty > most_empty)
      out.push_back(line_of("␊×" + std::to_string(empty), warning));
    else
      out.insert(out.end(), empty, Line());
    empty = 0;
  };
  while (!command.empty()) {
    const std::size_t end = std::min(command.find('\n'), command.size());
    const std::string_view text = command.substr(0, end);
    command.remove_prefix(std::min(end + 1, command.size()));
    if (text.empty()) {
      ++empty;
      continue;
    }
    end_empty();
    Line line;
    add_command(line, text);
    add_rows(out, chop(line, columns, {.first = {}, .rest = line_of("↪ ", aside)}));
  }
  return out;
}

std::string command_line_of(std::string_view command, std::size_t most) {
  std::string all;
  for (const Line& line : command_lines(command, io::whole))
    all += (all.empty() ? "" : "␊") + to_plain(line);
  const std::size_t count = json::utf8_count(all);
  if (count <= most) return all;
  const std::size_t tail = most / 3, head = most - tail;
  return all.substr(0, json::utf8_place(all, head)) + " … " +
         counted(count - most, "more character") + " … " +
         all.substr(json::utf8_place(all, count - tail));
}

UrlOrigin origin_of(std::string_view address) {
  const std::size_t scheme = web_scheme(address);
  if (scheme == 0) return {};
  // A browser takes \ for /, and any number of them, also none.
  std::string_view rest = address.substr(scheme + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of("/\\"), rest.size()));
  rest = rest.substr(0, rest.find_first_of("/\\?#"));
  UrlOrigin origin{std::string(address.substr(0, scheme)), {}, {}};
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    origin.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  origin.host = rest;
  const bool plain = !workspace::web_origin(origin.scheme + "://" + origin.host).empty();
  return plain && !is_odd_number(rest) ? origin : UrlOrigin();
}

UrlOrigin origin_in(std::string_view text) {
  // A browser passes over a tab or a line end inside an address: nobody can say where one ends.
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    return {};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    word.remove_prefix(std::min(word.find_first_not_of("\"'`(<["), word.size()));
    if (web_scheme(word) == 0) continue;
    return origin_of(word.substr(0, word.find_last_not_of("\"'`)>.,;:!?") + 1));
  }
  return {};
}

std::string tool_name(std::string_view name) {
  if (!name.starts_with("mcp__")) return std::string(name);
  const std::string_view rest = name.substr(5);
  const std::size_t between = rest.find("__");
  if (between == rest.npos || between == 0) return std::string(name);
  return std::string(rest.substr(0, between)) + "/" + std::string(rest.substr(between + 2));
}

std::string_view meaning_of(v1::PermissionOptionKind kind) {
  switch (kind) {
    case v1::PermissionOptionKind::allow_once:
      return "allows once";
    case v1::PermissionOptionKind::allow_always:
      return "allows from now on";
    case v1::PermissionOptionKind::reject_once:
      return "rejects once";
    case v1::PermissionOptionKind::reject_always:
      return "rejects from now on";
  }
  return "of an unknown kind";
}

bool names_command(std::string_view title, std::string_view command) {
  if (title.size() > 2 && title.front() == '`' && title.back() == '`')
    title = title.substr(1, title.size() - 2);
  return title.empty() || title == command;
}

Line question_title(const ToolCallState& call, const std::string& cwd) {
  Line title = line_of(verb_of(call.kind), {.bold = true});
  if (call.kind == ToolKind::execute) {
    add(title, " in " + directory_of(call, cwd));
  } else if (const v1::Diff* diff = first_diff(call)) {
    View view;
    view.cwd = cwd;
    add(title, " " + place_text(diff->path, {}, view) + (diff->oldText ? "  " : "  new  "));
    add(title, change_counts(call));
  } else if (const UrlOrigin origin = address_of(call).origin; !origin.host.empty()) {
    add(title, " from " + origin.host);
  } else if (call.name) {
    title = line_of("call ", {.bold = true});
    add(title, tool_name(*call.name));
  }
  return title;
}

Lines question_body(const ToolCallState& call, const std::string& cwd, std::size_t columns) {
  Lines out;
  View view;
  view.cwd = cwd;
  view.unfolded = true;
  view.output_lines = view.content_lines = 0;
  view.whole_lines = true;
  view.columns = columns;
  const auto fact = [&](std::string_view name, std::string_view text, const Style& style = {}) {
    Line line = line_of(std::string(name) + " ", aside);
    add(line, text, style);
    add_rows(out, chop(line, columns, {.first = {}, .rest = line_of("↪ ", aside)}));
  };
  const std::string command = call.kind == ToolKind::execute ? command_of(call) : "";
  const v1::Diff* const diff = first_diff(call);
  if (!command.empty())
    add_rows(out, command_lines(command, columns));
  else if (call.kind == ToolKind::execute)
    fact("The agent does not say which command. It says:", call.title, warning);
  if (call.kind == ToolKind::execute && directory_of(call, cwd) != cwd)
    fact("not in the session's directory,", cwd, warning);
  if (call.name && (call.kind == ToolKind::other || call.name->starts_with("mcp__")))
    fact("tool", tool_name(*call.name), {.bold = true});
  if (const auto [url, origin] = address_of(call); !url.empty() && call.kind != ToolKind::execute) {
    fact("address", url);
    fact("host", origin.host.empty() ? "unknown" : origin.host, {.bold = true});
    if (!origin.user.empty()) fact("user name in the address, not the host:", origin.user, warning);
  }
  Lines content = content_of_call(SessionState(), call, view);
  // The title has said this.
  if (diff != nullptr && call.content.size() == 1) content.erase(content.begin());
  add_rows(out, std::move(content));
  // A NUL must not be a way to hide the rest.
  for (const v1::ToolCallContent& item : call.content)
    if (const auto* change = std::get_if<v1::Diff>(&item);
        change != nullptr &&
        chat::diff(change->oldText ? std::string_view(*change->oldText) : "", change->newText, 0)
            .binary) {
      fact("the new text of", place_text(change->path, {}, view) + ":");
      add_rows(out, command_lines(change->newText, columns));
    }
  if (diff == nullptr || call.locations.size() > 1 ||
      (call.locations.size() == 1 && call.locations.front().path != diff->path))
    for (const v1::ToolCallLocation& location : call.locations)
      if (call.kind != ToolKind::execute || location.path != directory_of(call, cwd))
        fact("path", place_text(location.path, location.line, view));
  add_input(out, call, columns, said_of_input(call, command, diff, cwd));
  if (!command.empty() && !names_command(call.title, command))
    fact("the agent calls it:", call.title);
  if (out.empty() && !call.title.empty()) add_rows(out, command_lines(call.title, columns));
  return out;
}

Lines framed(const Line& title, const Lines& body, std::size_t columns, std::size_t rows,
             std::string_view how) {
  const auto ruled = [&](Line line) {
    const std::size_t used = width(line);
    std::string rule;
    for (std::size_t i = used; i < columns; ++i) rule += "─";
    add(line, rule, aside);
    return line;
  };
  Lines inner;
  Line top = line_of("┌ ", aside);
  if (width(title) + 4 <= columns) {
    add(top, title);
    add(top, " ");
  } else {
    // Nothing of it is left out.
    inner = wrap(title, columns > 4 ? columns - 2 : 2);
  }
  inner.insert(inner.end(), body.begin(), body.end());
  const std::size_t room = rows > 3 ? rows - 2 : 1;
  Lines out = {ruled(std::move(top))};
  const auto put = [&](const Line& line) {
    Line row = line_of("│ ", aside);
    add(row, line);
    out.push_back(std::move(row));
  };
  if (inner.size() <= room) {
    for (const Line& line : inner) put(line);
  } else if (room == 1) {
    Line row = fit(inner.front(), columns > 20 ? columns - 18 : 2);
    add(row, " … v", warning);
    put(row);
  } else {
    const std::size_t tail = (room - 1) / 2, head = room - 1 - tail;
    for (std::size_t i = 0; i < head; ++i) put(inner[i]);
    std::string note = "… " + counted(inner.size() - head - tail, "more line");
    if (!how.empty()) note += " — " + std::string(how);
    put(fit(line_of(note, warning), columns > 2 ? columns - 2 : 1));
    for (std::size_t i = inner.size() - tail; i < inner.size(); ++i) put(inner[i]);
  }
  out.push_back(ruled(line_of("└", aside)));
  return out;
}

}  // namespace acp::chat
