#include "coder/session/commands.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "acp/json/utf8.h"
#include "acp/workspace/files/files.h"
#include "coder/tools/tool.h"

namespace acp::coder {

namespace {

constexpr std::size_t most_description = 100;
constexpr const char* directory = ".acp/commands";
constexpr std::string_view placeholder = "$ARGUMENTS";

v1::AvailableCommand command(const std::string& name, const std::string& description,
                             const std::string& hint = {}) {
  v1::AvailableCommand result;
  result.name = name;
  result.description = description;
  if (!hint.empty()) {
    v1::UnstructuredCommandInput input;
    input.hint = hint;
    result.input = v1::AvailableCommandInput(std::move(input));
  }
  return result;
}

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':' || c >= 0x80;
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(line);
}

}  // namespace

std::optional<TypedCommand> typed_command(const std::vector<v1::ContentBlock>& prompt) {
  for (const v1::ContentBlock& block : prompt) {
    const auto* text = std::get_if<v1::TextContent>(&block);
    if (text == nullptr) continue;
    const std::string_view typed = trimmed(text->text);
    if (!typed.starts_with('/')) return std::nullopt;
    const std::size_t end = std::min(typed.find_first_of(" \t\r\n"), typed.size());
    const std::string_view name = typed.substr(1, end - 1);
    if (!is_name(name)) return std::nullopt;
    return TypedCommand{std::string(name), std::string(trimmed(typed.substr(end)))};
  }
  return std::nullopt;
}

std::vector<v1::AvailableCommand> own_commands() {
  return {
      command("help", "Shows what this agent can do"),
      command("plan", "Makes a plan first, and changes nothing", "what is to be done"),
      command("compact", "Replaces the conversation by a summary of it", "what matters (optional)"),
      command("init", "Looks at the project and writes AGENTS.md for those who work on it"),
      command("model", "Shows the models, or chooses one", "a model (optional)"),
      command("mode", "Shows the modes, or chooses one", "ask, code or architect (optional)"),
      command("status", "Shows model, mode, directories, context and servers"),
  };
}

std::optional<FileCommand> parse_command(const std::string& name, const std::string& text) {
  FileCommand result;
  result.name = name;
  std::string_view rest = text;
  std::string_view ahead = rest;
  if (take_line(ahead) == "---") {
    rest = ahead;
    while (!rest.empty()) {
      const std::string_view line = take_line(rest);
      if (line == "---") break;
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      std::string_view value = trimmed(line.substr(colon + 1));
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
        value = value.substr(1, value.size() - 2);
      const std::string_view key = trimmed(line.substr(0, colon));
      if (key == "description") result.description = value;
      if (key == "hint" || key == "argument-hint") result.hint = value;
    }
  }
  result.prompt = trimmed(rest);
  if (result.prompt.empty()) return std::nullopt;
  if (result.description.empty()) {
    std::string_view first = result.prompt;
    first = take_line(first);
    while (first.starts_with('#')) first.remove_prefix(1);
    first = trimmed(first);
    result.description = first.substr(0, json::utf8_cut(first, most_description));
  }
  if (result.hint.empty() && result.prompt.find(placeholder) != std::string::npos)
    result.hint = "arguments";
  return result;
}

std::string expand(const FileCommand& command, const std::string& input) {
  const std::string& prompt = command.prompt;
  std::string text;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = prompt.find(placeholder, from)) != std::string::npos;) {
    text.append(prompt, from, at - from).append(input);
    from = at + placeholder.size();
  }
  text.append(prompt, from, std::string::npos);
  if (from == 0 && !input.empty()) text += "\n\n" + input;
  return text;
}

std::size_t expanded_size(const FileCommand& command, const std::string& input) {
  std::size_t places = 0;
  for (std::size_t at = 0; (at = command.prompt.find(placeholder, at)) != std::string::npos;
       at += placeholder.size())
    ++places;
  return command.prompt.size() + std::max<std::size_t>(places, 1) * input.size();
}

namespace {

// The files that are no commands because of a limit, or because they cannot be read.
class LeftOut {
 public:
  void add(const std::string& name, const std::string& why) {
    if (++count_ <= most_named) text_ += (text_.empty() ? "" : "\n") + name + ": " + why;
  }
  std::string text() const {
    if (count_ <= most_named) return text_;
    return text_ + "\nand " + std::to_string(count_ - most_named) + " more";
  }

 private:
  static constexpr std::size_t most_named = 10;
  std::size_t count_ = 0;
  std::string text_;
};

std::string over(std::size_t limit, const char* what, const char* setting) {
  return "more than " + std::to_string(limit) + what + " (limits." + setting + ")";
}

// Most projects have no commands; to be told so by an exception takes long.
bool is_missing(const std::string& path) {
  std::error_code unseen;
  return std::filesystem::symlink_status(path, unseen).type() ==
         std::filesystem::file_type::not_found;
}

}  // namespace

bool CommandFiles::reload(const std::stop_token& stop) {
  // The one that began first must not end last: what it has read may be old by then.
  const std::lock_guard one_at_a_time(reloading_);
  using Kind = workspace::FileError::Kind;
  std::map<std::string, FileCommand> found;
  std::string seen;
  LeftOut left_out;
  std::size_t bytes = 0;  // of commands
  std::size_t tried = 0;  // files that were read, commands or not
  const std::size_t most_tried = 4 * limits_.files;
  try {
    std::vector<workspace::Entry> entries;
    if (!is_missing(files_.boundary().absolute(directory))) entries = files_.list(directory, stop);
    for (const workspace::Entry& entry : entries) {
      if (!entry.name.ends_with(".md")) continue;
      const std::string name = entry.name.substr(0, entry.name.size() - 3);
      if (!is_name(name)) continue;
      if (found.size() == limits_.files) {
        left_out.add(entry.name, over(limits_.files, " commands", "command_files"));
        continue;
      }
      if (bytes >= limits_.all_bytes) {
        left_out.add(entry.name, over(limits_.all_bytes, " bytes in all", "command_files_bytes"));
        continue;
      }
      // What is no command costs as much to read.
      if (++tried > most_tried) {
        left_out.add(entry.name, "more than " + std::to_string(most_tried) +
                                     " files, most of them no commands (4 times "
                                     "limits.command_files)");
        continue;
      }
      try {
        const std::string text =
            files_.read_text(std::string(directory) + "/" + entry.name, {}, {}, stop);
        if (text.size() > limits_.all_bytes - bytes) {
          left_out.add(entry.name, over(limits_.all_bytes, " bytes in all", "command_files_bytes"));
          continue;
        }
        bytes += text.size();
        if (auto parsed = parse_command(name, text)) {
          seen += name + '\0' + text + '\0';
          found.emplace(name, std::move(*parsed));
        }
      } catch (const workspace::FileError& error) {
        if (error.kind() == Kind::too_large)
          left_out.add(entry.name, over(limits_.file_bytes, " bytes", "command_file_bytes"));
        else if (error.kind() == Kind::failed || error.kind() == Kind::denied)
          left_out.add(entry.name, error.what());
        // Not text, outside, gone meanwhile: no command.
      }
    }
  } catch (const workspace::FileError& error) {
    if (error.kind() == Kind::failed || error.kind() == Kind::denied)
      left_out.add(directory, error.what());
    // Not there, or outside: there are none.
  }
  for (const v1::AvailableCommand& own : own_commands()) found.erase(own.name);
  const std::lock_guard lock(mutex_);
  commands_ = std::move(found);
  const bool changed = seen != seen_;
  seen_ = std::move(seen);
  if (std::string text = left_out.text(); text != left_out_) {
    left_out_ = std::move(text);
    left_out_is_new_ = !left_out_.empty();
  }
  return changed;
}

std::string CommandFiles::take_left_out() {
  const std::lock_guard lock(mutex_);
  return std::exchange(left_out_is_new_, false) ? left_out_ : std::string();
}

std::optional<FileCommand> CommandFiles::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = commands_.find(name);
  if (found == commands_.end()) return std::nullopt;
  return found->second;
}

std::vector<v1::AvailableCommand> CommandFiles::all() const {
  std::vector<v1::AvailableCommand> all = own_commands();
  const std::lock_guard lock(mutex_);
  for (const auto& [name, file] : commands_)
    all.push_back(command(file.name, file.description, file.hint));
  return all;
}

}  // namespace acp::coder
