#include "chat/last_session.h"

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "acp/json/json.h"
#include "settings/file.h"

namespace acp::chat {

namespace {

// FNV-1a: a name for a file, nothing more; what is in it is compared.
std::string hash(const std::string& text) {
  std::uint64_t value = 14695981039346656037u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211u;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[value >> shift & 0xF];
  return digits;
}

}  // namespace

std::string LastSession::default_directory() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/')
    return std::string(state) + "/acp/last-session";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.local/state/acp/last-session";
  return {};
}

LastSession::LastSession(std::string agent, std::string cwd, std::string directory)
    : agent_(std::move(agent)), cwd_(std::move(cwd)) {
  if (!directory.empty()) path_ = directory + "/" + hash(agent_ + '\n' + cwd_) + ".json";
}

std::optional<std::string> LastSession::load() const {
  if (path_.empty()) return {};
  const auto text = settings::read_settings_file(path_, settings::Trust::owner);
  if (!text) return {};
  const auto kept = Json::parse(*text);
  if (!kept) throw std::runtime_error(path_ + ": " + kept.error().message());
  if ((*kept)["agent"].as_string() != agent_ || (*kept)["cwd"].as_string() != cwd_) return {};
  return (*kept)["sessionId"].as_string();
}

void LastSession::store(const std::string& session_id) const {
  if (path_.empty()) return;
  const Json kept = Json::object({{"agent", agent_}, {"cwd", cwd_}, {"sessionId", session_id}});
  settings::PrivateFileChange(path_).write(std::string(kept.text()) + "\n");
}

}  // namespace acp::chat
