#include "gateway/roots.h"

#include <algorithm>

namespace acp::gateway {

namespace fs = std::filesystem;

namespace {

// What lies there depends on who looks: the agent would find another place than we do.
bool depends_on_process(const fs::path& place) {
  const auto is_below = [&](const fs::path& directory) {
    return std::mismatch(directory.begin(), directory.end(), place.begin(), place.end()).first ==
           directory.end();
  };
  return is_below("/proc") || is_below("/dev/fd");
}

// Follows the path's links one by one.
bool leads_through_process(const fs::path& path) {
  constexpr int most_links = 40;
  std::vector<fs::path> rest(path.begin(), path.end());
  std::reverse(rest.begin(), rest.end());
  fs::path place = "/";
  for (int links = 0; !rest.empty();) {
    const fs::path name = std::move(rest.back());
    rest.pop_back();
    if (name.empty() || name == "." || name == "/") continue;
    if (name == "..") {
      place = place.parent_path();
      continue;
    }
    place /= name;
    if (depends_on_process(place)) return true;
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(place, error))) continue;
    const fs::path target = fs::read_symlink(place, error);
    if (error || ++links > most_links) return true;
    place = target.is_absolute() ? fs::path("/") : place.parent_path();
    std::vector<fs::path> names(target.begin(), target.end());
    rest.insert(rest.end(), names.rbegin(), names.rend());
  }
  return false;
}

}  // namespace

Roots::Roots(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) roots_.push_back(fs::canonical(directory));
}

bool Roots::hold(const std::string& path) const {
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) return false;
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  if (error || leads_through_process(path)) return false;
  return std::any_of(roots_.begin(), roots_.end(), [&](const fs::path& root) {
    const auto [in_root, in_path] =
        std::mismatch(root.begin(), root.end(), resolved.begin(), resolved.end());
    return in_root == root.end();
  });
}

std::string Roots::list() const {
  std::string text;
  for (const fs::path& root : roots_) text += (text.empty() ? "" : ", ") + root.string();
  return text;
}

}  // namespace acp::gateway
