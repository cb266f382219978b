#include "acp/workspace/files/forbidden.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <deque>
#include <filesystem>

#include "acp/io/descriptor.h"
#include "acp/workspace/files/path_parts.h"

namespace acp::workspace {

namespace fs = std::filesystem;

namespace {

constexpr int max_links = 40;  // as the system's own limit
#ifdef O_PATH
constexpr int look_flags = O_PATH | O_CLOEXEC;
#else
constexpr int look_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
#endif

}  // namespace

// Asked for whenever a file is opened: each path is looked at once.
struct Forbidden::Places {
  struct Place {
    std::size_t directory;  // in `looked_at`
    std::string name;
  };

  std::vector<Place> places;
  std::vector<std::string> looked_at;  // the places' own paths first, in their order

  // Where the path stands there; it is added if need be.
  std::size_t index(const std::string& path) {
    const auto found = std::find(looked_at.begin(), looked_at.end(), path);
    if (found == looked_at.end()) return looked_at.push_back(path), looked_at.size() - 1;
    return static_cast<std::size_t>(found - looked_at.begin());
  }
};

Forbidden::Forbidden(const std::vector<std::string>& paths) {
  auto all = std::make_shared<Places>();
  for (const std::string& path : paths)
    if (path.starts_with('/') && !components(path).empty()) all->index(joined(components(path)));
  const std::vector<std::string> own = all->looked_at;
  for (const std::string& path : own) {
    const std::size_t slash = path.rfind('/');
    all->places.push_back(
        {all->index(path.substr(0, std::max<std::size_t>(slash, 1))), path.substr(slash + 1)});
  }
  if (!own.empty()) places_ = std::move(all);
}

Forbidden::Now Forbidden::for_reading() const { return Now(places_); }

Forbidden::Now Forbidden::for_changes() const {
  Now now(places_);
  if (!places_) return now;
  for (std::size_t i = 0; i < places_->places.size(); ++i) now.follow(places_->looked_at[i]);
  return now;
}

Forbidden::Now::Now(std::shared_ptr<const Places> places) : places_(std::move(places)) {
  if (!places_) return;
  struct Seen {
    bool looked = false, there = false, directory = false;
    FileId id;
  };
  std::vector<Seen> seen(places_->looked_at.size());
  const auto look = [&](std::size_t i) -> const Seen& {
    struct stat status;
    if (!seen[i].looked && stat(places_->looked_at[i].c_str(), &status) == 0)
      seen[i] = {true, true, S_ISDIR(status.st_mode), id_of(status)};
    seen[i].looked = true;
    return seen[i];
  };
  for (std::size_t i = 0; i < places_->places.size(); ++i) {
    const Seen& place = look(i);
    if (place.there) ids_.insert(place.id);
    if (place.there && place.directory) continue;
    // A file gets a new identity each time it is written: its name stays.
    if (const Seen& directory = look(places_->places[i].directory); directory.there)
      names_.insert({directory.id, places_->places[i].name});
  }
}

// As the system walks the path when acp opens it.
void Forbidden::Now::follow(const std::string& path) {
  std::deque<std::string> rest = components(path);
  io::Descriptor at(::open("/", look_flags | O_DIRECTORY));
  for (int links = 0; at && !rest.empty();) {
    struct stat status;
    if (fstat(at.get(), &status) != 0) return;
    const FileId directory = id_of(status);
    above_.insert(directory);
    const std::string name = std::move(rest.front());
    rest.pop_front();
    if (name != "..") steps_.insert({directory, name});
    if (name != ".." && rest.empty()) names_.insert({directory, name});
    std::array<char, PATH_MAX> target;
    const ssize_t size = readlinkat(at.get(), name.c_str(), target.data(), target.size());
    if (size < 0) {
      at.reset(openat(at.get(), name.c_str(), look_flags | O_NOFOLLOW));
      continue;
    }
    if (++links > max_links) return;
    const std::deque<std::string> parts =
        components({target.data(), static_cast<std::size_t>(size)});
    rest.insert(rest.begin(), parts.begin(), parts.end());
    if (size > 0 && target[0] == '/') at.reset(::open("/", look_flags | O_DIRECTORY));
  }
}

bool Forbidden::Now::has(const struct stat& file) const {
  if (is(id_of(file))) return true;
  if (!S_ISREG(file.st_mode) || file.st_nlink < 2) return false;
  std::error_code error;
  for (std::size_t i = 0; i < places_->places.size(); ++i)
    for (fs::recursive_directory_iterator
             at(places_->looked_at[i], fs::directory_options::skip_permission_denied, error),
         end;
         !error && at != end; at.increment(error)) {
      struct stat status;
      if (lstat(at->path().c_str(), &status) == 0 && id_of(status) == id_of(file)) return true;
    }
  return false;
}

FileError forbidden_error(const std::string& path) {
  return {FileError::Kind::denied, path, "belongs to acp itself: agents have no access"};
}

}  // namespace acp::workspace
