// Remembers the last session of each agent and directory. One agent's id is never offered to
// another.
#pragma once

#include <optional>
#include <string>

namespace acp::chat {

class LastSession {
 public:
  // $XDG_STATE_HOME/acp/last-session, or ~/.local/state/acp/last-session. Empty if there is
  // neither.
  static std::string default_directory();

  LastSession(std::string agent, std::string cwd, std::string directory = default_directory());

  // Both throw std::runtime_error: "PATH: why".
  std::optional<std::string> load() const;
  void store(const std::string& session_id) const;

 private:
  std::string agent_, cwd_;
  std::string path_;  // empty: nothing is kept
};

}  // namespace acp::chat
