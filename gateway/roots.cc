#include "gateway/roots.h"

#include <algorithm>

namespace acp::gateway {

namespace fs = std::filesystem;

Roots::Roots(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) roots_.push_back(fs::canonical(directory));
}

bool Roots::hold(const std::string& path) const {
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) return false;
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  if (error) return false;
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
