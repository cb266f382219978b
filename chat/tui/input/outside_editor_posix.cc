#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "chat/tui/input/outside_editor.h"
#include "chat/tui/input/raw_terminal.h"

namespace acp::chat {

namespace {

// Its name is given away by mkstemps(), so that nobody else reads or has made it.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    path_ = (std::filesystem::temp_directory_path() / "acp-prompt-XXXXXX.md").string();
    const int made = mkstemps(path_.data(), 3);
    if (made < 0)
      throw std::runtime_error("no file for the editor: " + std::string(std::strerror(errno)));
    ::close(made);
    std::ofstream file(path_, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error(path_ + " cannot be written");
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { ::unlink(path_.c_str()); }

  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace

std::optional<std::string> edited_outside(const std::string& text, const std::string& cwd) {
  std::string editor = "vi";
  for (const char* name : {"EDITOR", "VISUAL"})
    if (const char* set = std::getenv(name); set != nullptr && *set != '\0') editor = set;
  const TextFile file(text);
  // As git does: the variable may hold arguments.
  if (run_in_terminal({"/bin/sh", "-c", editor + " \"$1\"", "sh", file.path()}, {}, cwd) != 0)
    return {};
  std::string edited = file.text();
  while (edited.ends_with('\n')) edited.pop_back();
  return edited;
}

}  // namespace acp::chat
