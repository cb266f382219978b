#include "acp/workspace/touched.h"

#include <algorithm>
#include <filesystem>

#include "acp/workspace/files/files.h"
#include "acp/workspace/policy.h"

namespace acp::workspace {

namespace {

constexpr std::size_t most_below = 20'000;

// False if there is more than can be listed.
bool list_below(const Files& files, const std::string& path, const std::string& relative,
                std::vector<std::string>& found, const std::stop_token& stop) {
  for (const Entry& entry : files.list(path, stop)) {
    if (found.size() >= most_below) return false;
    const std::string below = relative.empty() ? entry.name : relative + "/" + entry.name;
    found.push_back(below);
    if (entry.kind == EntryKind::directory &&
        !list_below(files, path + "/" + entry.name, below, found, stop))
      return false;
  }
  return true;
}

std::optional<std::vector<std::string>> below(const Boundary& boundary, const std::string& path,
                                              const std::stop_token& stop) {
  std::error_code error;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(path, error)))
    return std::vector<std::string>();
  std::vector<std::string> found;
  try {
    if (!list_below(Files(boundary), path, "", found, stop)) return std::nullopt;
  } catch (const FileError&) {
    return std::nullopt;
  }
  return found;
}

// As the system resolves it, also where nothing is there yet.
std::string resolved_by_system(const std::string& path, Ends ends) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path whole(path);
  const fs::path real = ends == Ends::followed
                            ? fs::weakly_canonical(whole, error)
                            : fs::weakly_canonical(whole.parent_path(), error) / whole.filename();
  return error ? std::string() : real.string();
}

// Both as the system names it and below the directory as the session names it.
std::vector<std::string> spellings(const Boundary& boundary, const std::string& real) {
  std::vector<std::string> all = {real};
  for (const std::string& directory : boundary.directories()) {
    std::error_code error;
    const std::string root = std::filesystem::weakly_canonical(directory, error).string();
    if (error || root == directory || !is_below(root, real)) continue;
    all.push_back(directory + real.substr(root.size()));
  }
  return all;
}

}  // namespace

Touched touched(const Boundary& boundary, const std::string& path, Ends ends,
                const std::stop_token& stop) {
  Touched result(boundary.absolute(path));
  std::string real;
  try {
    real = boundary.resolved(result.written, ends == Ends::followed);
  } catch (const FileError&) {
    real = resolved_by_system(result.written, ends);
  }
  if (!real.empty()) result.resolved = spellings(boundary, real);
  if (ends == Ends::as_it_is) result.below = below(boundary, result.written, stop);
  return result;
}

}  // namespace acp::workspace
