#include "chat/completion.h"

#include <algorithm>
#include <filesystem>

#include "chat/text.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_candidates = 200;

bool needs_quotes(std::string_view path) { return path.find_first_of(" \t") != path.npos; }

void complete_path(Completion& completion, std::string_view typed, bool quoted,
                   const std::string& cwd) {
  namespace fs = std::filesystem;
  const std::size_t slash = typed.rfind('/');
  const std::string folder(slash == std::string_view::npos ? "" : typed.substr(0, slash + 1));
  const std::string_view begins = typed.substr(folder.size());
  std::error_code error;
  fs::directory_iterator entries(fs::path(cwd) / folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (!name.starts_with(begins) || (name.starts_with('.') && !begins.starts_with('.'))) continue;
    if (!is_safe(name) || name.find('"') != std::string::npos) continue;
    std::error_code unknown;
    const bool directory = entries->is_directory(unknown);
    completion.candidates.push_back({folder + name + (directory ? "/" : ""), ""});
    quoted |= needs_quotes(name);
    if (completion.candidates.size() >= most_candidates) break;
  }
  // All of them alike, that what they share is what was typed. A directory's name goes on.
  for (Completion::Candidate& one : completion.candidates)
    one.text = (quoted ? "@\"" : "@") + one.text + (quoted && !one.text.ends_with('/') ? "\"" : "");
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

std::string Completion::shared() const {
  if (candidates.empty()) return {};
  std::string shared = candidates.front().text;
  for (const Candidate& one : candidates) {
    std::size_t same = 0;
    while (same < shared.size() && same < one.text.size() && shared[same] == one.text[same]) ++same;
    shared.resize(character_start(shared, same));
  }
  return shared;
}

Completion complete(std::string_view text, std::size_t cursor,
                    const std::vector<CommandHelp>& commands, const std::string& cwd) {
  Completion completion;
  const std::string_view before = text.substr(0, cursor);
  const std::size_t space = before.find_last_of(" \t\n");
  const std::size_t quote = open_quote(before);
  completion.from = quote != before.npos ? quote : space == before.npos ? 0 : space + 1;
  const std::string_view word = before.substr(completion.from);
  if (quote != before.npos) {
    complete_path(completion, word.substr(2), true, cwd);
  } else if (word.starts_with('@')) {
    complete_path(completion, word.substr(1), false, cwd);
  } else if (word.starts_with('/') && completion.from == 0) {
    for (const CommandHelp& command : commands)
      if (command.name.starts_with(word))
        completion.candidates.push_back(
            {command.name, command.hint.empty() ? command.description
                                                : command.hint + " — " + command.description});
  }
  std::sort(completion.candidates.begin(), completion.candidates.end(),
            [](const auto& a, const auto& b) { return a.text < b.text; });
  return completion;
}

}  // namespace acp::chat
