#include "workspace/forbidden.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <deque>
#include <filesystem>

#include "acp/io/descriptor.h"
#include "workspace/path_parts.h"

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

Forbidden::Forbidden(std::vector<std::string> paths) {
  for (const std::string& path : paths)
    if (path.starts_with('/') && !components(path).empty())
      paths_.push_back(joined(components(path)));
}

Forbidden::Now Forbidden::for_reading() const {
  Now now(paths_);
  for (const std::string& path : paths_) now.look(path);
  return now;
}

Forbidden::Now Forbidden::for_changes() const {
  Now now = for_reading();
  for (const std::string& path : paths_) now.follow(path);
  return now;
}

void Forbidden::Now::look(const std::string& path) {
  struct stat status;
  const bool there = stat(path.c_str(), &status) == 0;
  if (there) ids_.insert(id_of(status));
  if (there && S_ISDIR(status.st_mode)) return;
  // A file gets a new identity each time it is written: its name stays.
  const std::size_t slash = path.rfind('/');
  if (stat(path.substr(0, std::max<std::size_t>(slash, 1)).c_str(), &status) == 0)
    names_.insert({id_of(status), path.substr(slash + 1)});
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
  for (const std::string& path : paths_)
    for (fs::recursive_directory_iterator
             at(path, fs::directory_options::skip_permission_denied, error),
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
