#include "chat/tui/input/known_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "acp/workspace/command.h"
#include "chat/render/text/text.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_found = 20'000;
constexpr std::size_t most_listed_bytes = 64 * 1024 * 1024;

// What would need quotes inside of quotes, or hides something, is not offered.
bool is_offered(const std::string& path) {
  return !path.empty() && is_safe(path) && path.find('"') == std::string::npos;
}

std::optional<std::vector<std::string>> of_git(const std::string& cwd,
                                               std::vector<io::EnvironmentEdit> environment,
                                               std::stop_token stop) {
  // The project's configuration could name a program to run: a monitor, or, where an object is
  // missing, what fetches it. A directory of a clone could itself pose as a repository.
  environment.push_back({"GIT_NO_LAZY_FETCH", "1"});
  environment.push_back({"GIT_ALLOW_PROTOCOL", "none"});
  environment.push_back({"GIT_TERMINAL_PROMPT", "0"});
  const workspace::CommandLine line{
      .command = "git",
      .args = {"-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit", "ls-files", "-z",
               "--cached", "--others", "--exclude-standard"},
      .cwd = cwd,
      .environment = std::move(environment)};
  try {
    const workspace::CommandOutcome listed = workspace::run_command(
        line, {.time = std::chrono::seconds(10), .output_bytes = most_listed_bytes}, {}, stop);
    if (!listed.exit.success() || listed.truncated) return {};
    std::vector<std::string> paths;
    for (std::size_t at = 0; at < listed.output.size();) {
      const std::size_t end = std::min(listed.output.find('\0', at), listed.output.size());
      paths.push_back(listed.output.substr(at, end - at));
      at = end + 1;
    }
    return paths;
  } catch (const workspace::CommandFailed&) {
    return {};
  }
}

std::vector<std::string> of_directory(const std::string& cwd, const std::stop_token& stop) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator at(cwd, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (stop.stop_requested() || paths.size() >= most_found) break;
    const fs::path& path = at->path();
    std::error_code unknown;
    const bool directory = at->is_directory(unknown);
    if (path.filename().string().starts_with('.') || path.filename() == "node_modules") {
      if (directory) at.disable_recursion_pending();
      continue;
    }
    if (!directory) paths.push_back(path.lexically_relative(cwd).string());
  }
  return paths;
}

}  // namespace

std::vector<std::string> known_files(const std::string& cwd,
                                     std::vector<io::EnvironmentEdit> environment,
                                     std::stop_token stop) {
  std::optional<std::vector<std::string>> listed = of_git(cwd, std::move(environment), stop);
  std::vector<std::string> paths = listed ? std::move(*listed) : of_directory(cwd, stop);
  std::erase_if(paths, [](const std::string& path) { return !is_offered(path); });
  const std::size_t files = paths.size();
  for (std::size_t i = 0; i < files; ++i)
    for (std::size_t slash = paths[i].find('/'); slash != std::string::npos;
         slash = paths[i].find('/', slash + 1)) {
      std::string directory = paths[i].substr(0, slash + 1);
      // The one before was in it as well, mostly.
      if (i == 0 || !paths[i - 1].starts_with(directory)) paths.push_back(std::move(directory));
    }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

}  // namespace acp::chat
