#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "chat/program.h"

namespace acp::chat {

namespace {

bool is_program(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw std::runtime_error("/proc/self/exe: " + error.message());
  return path.string();
}

std::optional<std::string> find_program(const std::string& command) {
  if (command.empty()) return {};
  if (command.find('/') != std::string::npos)
    return is_program(command) ? std::optional(command) : std::nullopt;
  const char* const path = std::getenv("PATH");
  std::string_view left = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t colon = left.find(':');
    // An empty part is the directory here.
    std::string directory(left.substr(0, colon));
    if (directory.empty()) directory = ".";
    std::string candidate = directory + (directory.ends_with('/') ? "" : "/") + command;
    if (is_program(candidate)) return candidate;
    if (colon == std::string_view::npos) return {};
    left.remove_prefix(colon + 1);
  }
}

}  // namespace acp::chat
