#include "chat/tui/input/completion.h"

#include <algorithm>
#include <filesystem>

#include "chat/render/text/text.h"
#include "chat/tui/input/fuzzy.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_candidates = 200;

bool needs_quotes(std::string_view path) { return path.find_first_of(" \t") != path.npos; }

void complete_path(Completion& completion, std::string_view typed, bool quoted,
                   const std::string& cwd, const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  const std::size_t slash = typed.rfind('/');
  const std::string folder(slash == std::string_view::npos ? "" : typed.substr(0, slash + 1));
  const std::string_view begins = typed.substr(folder.size());
  std::vector<std::string> paths;
  std::error_code error;
  fs::directory_iterator entries(fs::path(cwd) / folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (!name.starts_with(begins) || (name.starts_with('.') && !begins.starts_with('.'))) continue;
    if (!is_safe(name) || name.find('"') != std::string::npos) continue;
    std::error_code unknown;
    const bool directory = entries->is_directory(unknown);
    paths.push_back(folder + name + (directory ? "/" : ""));
    if (paths.size() >= most_candidates) break;
  }
  std::sort(paths.begin(), paths.end());
  // An empty name is like all of them: the directory itself says more.
  if (!typed.empty())
    for (const std::size_t index : fuzzy_best(typed, files, most_candidates))
      if (std::find(paths.begin(), paths.end(), files[index]) == paths.end())
        paths.push_back(files[index]);
  for (const std::string& path : paths) {
    completion.exact |= path == typed || (path.ends_with('/') && path.size() == typed.size() + 1 &&
                                          path.starts_with(typed));
    // A directory's name goes on.
    const bool quotes = quoted || needs_quotes(path);
    completion.candidates.push_back(
        {(quotes ? "@\"" : "@") + path + (quotes && !path.ends_with('/') ? "\"" : ""), ""});
  }
}

void complete_command(Completion& completion, std::string_view word,
                      const std::vector<CommandHelp>& commands) {
  completion.command = true;
  std::vector<std::string> names;
  for (const CommandHelp& command : commands) names.push_back(command.name.substr(1));
  for (const std::size_t index : fuzzy_best(word.substr(1), names, most_candidates)) {
    const CommandHelp& command = commands[index];
    completion.exact |= command.name == word;
    completion.candidates.push_back(
        {command.name,
         command.hint.empty() ? command.description : command.hint + " — " + command.description});
  }
}

// Of "/name ", the hint.
std::string hint_for(std::string_view text, const std::vector<CommandHelp>& commands) {
  const std::size_t end = text.find(' ');
  if (!text.starts_with('/') || end == text.npos || text.find('\n') != text.npos) return {};
  for (const CommandHelp& command : commands)
    if (command.name == text.substr(0, end) && !command.hint.empty())
      return command.hint + " — " + command.description;
  return {};
}

// Where a path in quotes begins that has no end yet.
std::size_t open_quote(std::string_view before) {
  for (std::size_t at = before.find("@\""); at != before.npos;) {
    const bool word = at == 0 || std::string_view(" \t\n(").find(before[at - 1]) != before.npos;
    const std::size_t end = word ? before.find('"', at + 2) : at + 1;
    if (end == before.npos) return at;
    at = before.find("@\"", end + 1);
  }
  return before.npos;
}

}  // namespace

Completion complete(std::string_view text, std::size_t cursor,
                    const std::vector<CommandHelp>& commands, const std::string& cwd,
                    const std::vector<std::string>& files) {
  Completion completion;
  const std::string_view before = text.substr(0, cursor);
  const std::size_t space = before.find_last_of(" \t\n");
  const std::size_t quote = open_quote(before);
  completion.from = quote != before.npos ? quote : space == before.npos ? 0 : space + 1;
  const std::string_view word = before.substr(completion.from);
  if (quote != before.npos)
    complete_path(completion, word.substr(2), true, cwd, files);
  else if (word.starts_with('@'))
    complete_path(completion, word.substr(1), false, cwd, files);
  else if (word.starts_with('/') && completion.from == 0)
    complete_command(completion, word, commands);
  else
    completion.hint = hint_for(text, commands);
  return completion;
}

}  // namespace acp::chat
