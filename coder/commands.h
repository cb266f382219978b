// Slash commands: ours, and the user's own in .acp/commands/*.md.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"
#include "workspace/files.h"

namespace acp::coder {

struct TypedCommand {
  std::string name;   // without the slash
  std::string input;  // what follows it
};
// A prompt whose first text begins with a slash and a word.
std::optional<TypedCommand> typed_command(const std::vector<v1::ContentBlock>& prompt);

// /help, /plan, /compact, /init, /model, /mode, /status.
std::vector<v1::AvailableCommand> own_commands();

// A file NAME.md: its first lines may be `---`, `description: …`, `hint: …`, `---`; the rest is the
// prompt, in which $ARGUMENTS stands for what was typed behind the name.
struct FileCommand {
  std::string name;
  std::string description;
  std::string hint;
  std::string prompt;
};
// Nothing if there is no prompt in it.
std::optional<FileCommand> parse_command(const std::string& name, const std::string& text);
std::string expand(const FileCommand& command, const std::string& input);

// The commands in a project's directory, as they are now. May be used by several threads.
class CommandFiles {
 public:
  explicit CommandFiles(const std::string& cwd) : CommandFiles(workspace::Boundary({cwd})) {}
  explicit CommandFiles(workspace::Boundary boundary) : files_(std::move(boundary)) {}

  // True if they are not what they were when this was last called.
  bool reload();
  std::optional<FileCommand> find(const std::string& name) const;
  // Ours first. A file cannot take the name of one of ours.
  std::vector<v1::AvailableCommand> all() const;

 private:
  const workspace::Files files_;
  std::mutex reloading_;
  mutable std::mutex mutex_;
  std::map<std::string, FileCommand> commands_;
  std::string seen_;  // names and texts, to see a change
};

}  // namespace acp::coder
