#include "check/rules/subject.h"

#include <algorithm>
#include <filesystem>

namespace acp::check {
namespace {

constexpr std::size_t most_paths = 64;
constexpr std::size_t longest_command = 8192;

std::string normal(std::string_view path) {
  return std::filesystem::path(path).lexically_normal().string();
}

// Without quotes and escapes, which a shell around the command adds; blanks count once.
std::string bare(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '"' || c == '\\' || c == '`') continue;
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/';
}

std::string joined(JsonView words) {
  std::string line;
  for (const JsonView word : words.elements())
    line += (line.empty() ? "" : " ") + word.as_string().value_or("");
  return line;
}

bool is_reading(std::string_view kind) {
  return kind == "read" || kind == "search" || kind == "fetch";
}

}  // namespace

bool runs(std::string_view line, std::string_view command) {
  const std::string in = bare(line), what = bare(command);
  if (what.empty()) return false;
  for (std::size_t at = 0; (at = in.find(what, at)) != std::string::npos; ++at) {
    const std::size_t end = at + what.size();
    if ((at == 0 || !is_word(in[at - 1])) && (end == in.size() || !is_word(in[end]))) return true;
  }
  return false;
}

std::string command_line(JsonView params) {
  std::string line = params["command"].as_string().value_or("");
  const std::string rest = joined(params["args"]);
  if (!rest.empty()) line += " " + rest;
  return line.substr(0, longest_command);
}

void Subject::add(JsonView tool_call) {
  const auto add_path = [&](JsonView path) {
    const auto text = path.as_string();
    if (text && paths.size() < most_paths && !names_path(*text)) paths.push_back(normal(*text));
  };
  if (const auto kind = tool_call["kind"].as_string()) reads = is_reading(*kind);
  if (auto text = tool_call["title"].as_string()) title = text->substr(0, longest_command);
  for (const JsonView item : tool_call["content"].elements())
    if (item["type"].as_string() == "diff") add_path(item["path"]);
  // The raw input is the tool's own: these are the names that agents use.
  const JsonView input = tool_call["rawInput"];
  for (const char* const name : {"path", "file_path", "filePath", "abs_path"})
    add_path(input[name]);
  for (const char* const name : {"command", "cmd"}) {
    const JsonView value = input[name];
    const std::string text = value.is_array() ? joined(value) : value.as_string().value_or("");
    if (!text.empty()) command = text.substr(0, longest_command);
  }
}

bool Subject::names_path(std::string_view path) const {
  return std::ranges::find(paths, normal(path)) != paths.end();
}

bool Subject::names_command(std::string_view line) const {
  if (!command.empty()) return runs(line, command);
  const std::string name = bare(title);
  return !name.empty() && name == bare(line);
}

}  // namespace acp::check
