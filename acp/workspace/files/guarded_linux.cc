#include "acp/workspace/files/guarded.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <string_view>

#include "acp/error.h"
#include "acp/workspace/files/file_id.h"
#include "acp/workspace/files/path_parts.h"

namespace acp::workspace {

namespace {

constexpr std::size_t most_entries = 50'000;  // of a directory that is moved

#ifdef O_PATH
constexpr int look_flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
constexpr int look_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif

std::string because_git(const std::string& what) {
  return what + " belongs to git, which can run commands from it later";
}
std::string because_acp(const std::string& what) {
  return what + " belongs to .acp, which configures agents";
}

// Some file systems take capital letters for small ones.
bool same_name(std::string_view name, std::string_view small) {
  return std::equal(name.begin(), name.end(), small.begin(), small.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

std::optional<std::string> reason_of_name(std::string_view name, const std::string& what) {
  if (same_name(name, ".git")) return because_git(what);
  if (same_name(name, ".acp")) return because_acp(what);
  return std::nullopt;
}

std::optional<std::string> reason_of_names(const std::string& path) {
  for (const std::string& name : components(path))
    if (auto reason = reason_of_name(name, path)) return reason;
  return std::nullopt;
}

// As git itself knows it, or would if it had this one more name.
bool is_git_directory(int directory, std::string_view added = {}) {
  const auto has = [&](const char* name) {
    struct stat status;
    return added == name || fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  };
  // What worktrees share needs no HEAD of its own.
  return (has("objects") && has("refs")) || (has("HEAD") && has("commondir"));
}

std::optional<FileId> directory_id(int at, const std::string& path) {
  struct stat status;
  if (fstatat(at, path.c_str(), &status, 0) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return id_of(status);
}

// What a small file says. As git reads it, only line ends at its end do not count.
std::string path_in_file(int directory, const std::string& path) {
  const io::Descriptor file(openat(directory, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::array<char, 8192> text;
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size <= 0) return {};
  std::string_view all(text.data(), static_cast<std::size_t>(size));
  while (all.ends_with('\n') || all.ends_with('\r')) all.remove_suffix(1);
  return std::string(all);
}

// The directories that `.git`, a file or a link here, names as git's own.
void add_named(int directory, std::set<FileId>& ids) {
  struct stat status;
  if (fstatat(directory, ".git", &status, 0) != 0) return;
  std::string named = ".git";
  if (S_ISREG(status.st_mode)) {
    constexpr std::string_view prefix = "gitdir:";
    const std::string text = path_in_file(directory, ".git");
    if (!text.starts_with(prefix)) return;
    named = text.substr(std::min(text.find_first_not_of(" \t", prefix.size()), text.size()));
  }
  const auto id = directory_id(directory, named);
  if (!id) return;
  ids.insert(*id);
  // Of a worktree: what it shares with the others.
  std::string shared = path_in_file(directory, named + "/commondir");
  if (shared.empty()) return;
  if (!shared.starts_with('/')) shared = named + "/" + shared;
  if (const auto common = directory_id(directory, shared)) ids.insert(*common);
}

std::string parent_of(const std::string& path) {
  return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

// Inside by the session's own descriptors; above them only to look at.
io::Descriptor look_at(const Boundary& boundary, const std::string& path) {
  try {
    return boundary.open(path, look_flags);
  } catch (const FileError& error) {
    if (error.kind() != FileError::Kind::outside) return {};
    return io::Descriptor(::open(path.c_str(), look_flags));
  }
}

// Of a directory of the session, also of one that was not there.
std::string real_name(const Boundary& boundary, const std::string& directory) {
  try {
    return boundary.resolved(directory);
  } catch (const FileError&) {
    return directory.starts_with('/') ? directory : "/";
  }
}

// Something in the tree that belongs to git or to .acp.
class Contents {
 public:
  explicit Contents(const std::stop_token& stop) : stop_(stop) {}
  std::optional<std::string> look(io::Descriptor directory, const std::string& path) {
    if (is_git_directory(directory.get())) return because_git(path);
    const int opened = openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const stream = opened < 0 ? nullptr : fdopendir(opened);
    if (stream == nullptr) {
      if (opened >= 0) ::close(opened);
      return path + " cannot be read, and may contain what belongs to git";
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> closing(stream, closedir);
    while (const dirent* const entry = readdir(stream)) {
      if (stop_.stop_requested()) throw Cancelled();
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (auto reason = reason_of_name(name, path + "/" + name)) return reason;
      if (++seen_ > most_entries || path.size() > most_path)
        return path + " is too large to be searched for what belongs to git";
      if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) continue;
      io::Descriptor next(openat(opened, name.c_str(), look_flags | O_NOFOLLOW));
      if (!next && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) continue;
      if (!next) return path + "/" + name + " cannot be read, and may contain what belongs to git";
      if (auto reason = look(std::move(next), path + "/" + name)) return reason;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most_path = 4096;
  const std::stop_token& stop_;
  std::size_t seen_ = 0;
};

}  // namespace

std::optional<std::string> guarded_reason(const Boundary& boundary, const std::string& given,
                                          Change change, const std::stop_token& stop) {
  const std::string path = boundary.absolute(given);
  if (auto reason = reason_of_names(path)) return reason;
  const std::string resolved = boundary.resolved(path, change == Change::write);
  if (auto reason = reason_of_names(resolved)) return reason;

  std::set<FileId> named, above;
  for (const std::string& directory : boundary.directories())
    for (std::string at = real_name(boundary, directory);; at = parent_of(at)) {
      if (const io::Descriptor opened = look_at(boundary, at)) add_named(opened.get(), named);
      if (at == "/") break;
    }
  std::string below;
  for (std::string at = resolved;; at = parent_of(at)) {
    // A link at the end counts only if it is followed.
    const bool itself = below.empty() && change != Change::write;
    if (const io::Descriptor opened = itself ? io::Descriptor() : look_at(boundary, at)) {
      struct stat status;
      if (fstat(opened.get(), &status) == 0) above.insert(id_of(status));
      add_named(opened.get(), named);
      if (is_git_directory(opened.get(), below)) return because_git(resolved);
      // A working tree. It may be kept in git's own directory, and is nevertheless not git's.
      if (fstatat(opened.get(), ".git", &status, AT_SYMLINK_NOFOLLOW) == 0) break;
    }
    if (at == "/") break;
    below = at.substr(at.rfind('/') + 1);
  }
  io::Descriptor removed;
  if (change == Change::remove) {
    const Place place = boundary.place_of_link(path);
    const char* const name = place.name.empty() ? "." : place.name.c_str();
    removed.reset(openat(place.directory.get(), name, look_flags | O_NOFOLLOW));
    struct stat status;
    if (removed && fstat(removed.get(), &status) == 0) above.insert(id_of(status));
  }
  for (const FileId& id : above)
    if (named.contains(id)) return because_git(resolved);
  if (!removed) return std::nullopt;  // a file, a link, or nothing
  return Contents(stop).look(std::move(removed), resolved);
}

}  // namespace acp::workspace
