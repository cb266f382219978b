#include "settings/own_places.h"

#include <cstdlib>
#include <filesystem>

namespace acp::settings {

std::vector<std::string> own_places(const std::vector<std::string>& files) {
  std::vector<std::string> places;
  const auto add = [&](const char* base, const std::string& below) {
    if (base != nullptr && *base == '/') places.push_back(base + below);
  };
  for (const char* const variable : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"})
    add(std::getenv(variable), "/acp");
  // Another program of this user may have none of the variables.
  for (const char* const below : {"/.config/acp", "/.local/share/acp", "/.local/state/acp"})
    add(std::getenv("HOME"), below);
  for (const std::string& file : files) {
    if (file.empty()) continue;
    const std::string path = std::filesystem::absolute(file).string();
    // Of a file that is being changed, and of a database.
    for (const char* const suffix : {"", ".lock", "-wal", "-shm", "-journal"})
      places.push_back(path + suffix);
  }
  return places;
}

}  // namespace acp::settings
