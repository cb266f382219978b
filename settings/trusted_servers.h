// The user's answers about model servers of other users on this machine.
#pragma once

#include <optional>
#include <string>

namespace acp::settings {

// All functions throw std::runtime_error: "FILE: why".
class TrustedServers {
 public:
  explicit TrustedServers(std::string path = default_path()) : path_(std::move(path)) {}
  // $XDG_CONFIG_HOME/acp/servers.toml, or ~/.config/acp/servers.toml. Empty if there is neither.
  static std::string default_path();

  const std::string& path() const { return path_; }

  // The user's answer; nothing if there is none. `owner` is the id of the user who runs the server:
  // another owner counts as another server.
  std::optional<bool> answer(const std::string& base_url, const std::string& owner) const;
  void remember(const std::string& base_url, const std::string& owner, bool trusted) const;

 private:
  std::string path_;
};

}  // namespace acp::settings
