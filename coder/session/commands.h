// Slash commands: ours, and the user's own in .acp/commands/*.md.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/workspace/files/files.h"

namespace acp::coder {

struct TypedCommand {
  std::string name;   // without the slash
  std::string input;  // what follows it
};
// The command of a prompt whose first text begins with a slash and a word.
std::optional<TypedCommand> typed_command(const std::vector<v1::ContentBlock>& prompt);

// /help, /plan, /compact, /init, /model, /mode, /status.
std::vector<v1::AvailableCommand> own_commands();

// A file NAME.md: its first lines may be `---`, `description: …`, `hint: …`, `---`; the rest is the
// prompt, in which $ARGUMENTS is replaced by the text after the name.
struct FileCommand {
  std::string name;
  std::string description;
  std::string hint;
  std::string prompt;
};
// Parses a command file; nothing if it contains no prompt.
std::optional<FileCommand> parse_command(const std::string& name, const std::string& text);
std::string expand(const FileCommand& command, const std::string& input);
// The size of the expanded prompt.
std::size_t expanded_size(const FileCommand& command, const std::string& input);

struct CommandFileLimits {
  std::size_t file_bytes = 64 * 1024;   // of one file
  std::size_t all_bytes = 1024 * 1024;  // of all
  std::size_t files = 200;
};

// The current commands in a project's directory. May be used by several threads.
class CommandFiles {
 public:
  explicit CommandFiles(const std::string& cwd, CommandFileLimits limits = {})
      : CommandFiles(workspace::Boundary({cwd}), limits) {}
  explicit CommandFiles(workspace::Boundary boundary, CommandFileLimits limits = {})
      : files_(std::move(boundary), {.max_read_bytes = limits.file_bytes}), limits_(limits) {}

  // Reads the commands again; returns true if they have changed since the last call. What is read
  // has a limit, commands or not. Throws Cancelled once it is stopped.
  bool reload(const std::stop_token& stop = {});
  std::optional<FileCommand> find(const std::string& name) const;
  // All commands, ours first. A file cannot take the name of one of ours.
  std::vector<v1::AvailableCommand> all() const;
  // Which files are left out and why, for people; empty if there are none, or if it was reported
  // already.
  std::string take_left_out();

 private:
  const workspace::Files files_;
  const CommandFileLimits limits_;
  std::mutex reloading_;
  mutable std::mutex mutex_;
  std::map<std::string, FileCommand> commands_;
  std::string seen_;  // names and texts, to see a change
  std::string left_out_;
  bool left_out_is_new_ = false;
};

}  // namespace acp::coder
