#include "settings/own_places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace acp::settings {

std::vector<std::string> own_places(const std::vector<std::string>& files) {
  // Each is looked at whenever a file is opened: no more than needed.
  std::vector<std::string> places, beside;
  const auto add = [&](const char* base, const std::string& below) {
    if (base == nullptr || *base != '/') return;
    const std::string place = base + below;
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  };
  for (const char* const variable : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"})
    add(std::getenv(variable), "/acp");
  // Another program of this user may have none of the variables.
  for (const char* const below : {"/.config/acp", "/.local/share/acp", "/.local/state/acp"})
    add(std::getenv("HOME"), below);
  std::vector<std::string> all = files;
  if (const char* const more = std::getenv("ACP_FORBIDDEN"))
    for (std::istringstream lines(more); std::getline(lines, all.emplace_back());) {
    }
  for (const std::string& file : all) {
    if (file.empty()) continue;
    const std::string path = std::filesystem::absolute(file).string();
    const bool covered = std::any_of(places.begin(), places.end(), [&](const std::string& place) {
      return path.starts_with(place + "/");
    });
    // Also in one of the directories: it may be a link to a file elsewhere.
    places.push_back(path);
    // Of a file that is being changed, and of a database.
    if (!covered)
      for (const char* const suffix : {".lock", "-wal", "-shm", "-journal"})
        beside.push_back(path + suffix);
  }
  places.insert(places.end(), beside.begin(), beside.end());
  return places;
}

}  // namespace acp::settings
