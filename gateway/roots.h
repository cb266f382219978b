// The directories that a remote client may work in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace acp::gateway {

class Roots {
 public:
  // Existing directories. Throws std::filesystem::filesystem_error.
  explicit Roots(const std::vector<std::string>& directories);

  // Whether it is one of them or inside of one, after all links have been followed.
  bool hold(const std::string& path) const;
  // "/srv/a, /srv/b"; for messages.
  std::string list() const;

 private:
  std::vector<std::filesystem::path> roots_;
};

}  // namespace acp::gateway
