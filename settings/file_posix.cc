#include "settings/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace acp::settings {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_bytes = 1024 * 1024;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}
[[noreturn]] void refuse(const std::string& path) { refuse(path, std::strerror(errno)); }

void check(const std::string& path, const struct stat& about, Trust trust) {
  if (!S_ISREG(about.st_mode)) refuse(path, "not a file");
  if (trust == Trust::nobody) return;
  if (about.st_uid != geteuid() && about.st_uid != 0) refuse(path, "it belongs to somebody else");
  if (trust == Trust::private_ && (about.st_mode & 077) != 0)
    refuse(path, "others may read it or write to it (chmod 600 makes it yours alone)");
  if ((about.st_mode & 022) != 0)
    refuse(path, "others may write to it, and so decide for you (chmod go-w makes it yours)");
}

// Files that a process was writing when it was killed: "keys.toml.aB3xYz", perhaps with keys in
// them. A program that writes one holds the lock, as we do.
void remove_leftovers(const fs::path& path) {
  constexpr std::size_t random = 6;
  const std::string begin = path.filename().string() + ".";
  std::error_code error;
  for (fs::directory_iterator at(path.parent_path(), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.size() != begin.size() + random || !name.starts_with(begin) ||
        !std::all_of(name.end() - random, name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; }))
      continue;
    struct stat about;
    if (lstat(at->path().c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    // As they are made, and nothing else.
    if (about.st_uid == geteuid() && (about.st_mode & 07777) == 0600 && about.st_nlink == 1)
      ::unlink(at->path().c_str());
  }
}

}  // namespace

std::optional<std::string> read_settings_file(const std::string& path, Trust trust) {
  // Not to wait for the other end of a pipe.
  const io::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return {};
  struct stat about;
  if (!file || fstat(file.get(), &about) != 0) refuse(path);
  check(path, about, trust);
  std::string text;
  char buffer[16 * 1024];
  ssize_t size;
  while ((size = ::read(file.get(), buffer, sizeof buffer)) > 0 || (size < 0 && errno == EINTR)) {
    if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
    if (text.size() > max_bytes) refuse(path, "larger than 1 MiB");
  }
  if (size < 0) refuse(path);
  return text;
}

std::string file_stamp(const std::string& path) {
  struct stat about;
  if (path.empty() || stat(path.c_str(), &about) != 0) return {};
  return std::to_string(about.st_ino) + " " + std::to_string(about.st_size) + " " +
         std::to_string(about.st_mtim.tv_sec) + "." + std::to_string(about.st_mtim.tv_nsec) + " " +
         std::to_string(about.st_ctim.tv_sec) + "." + std::to_string(about.st_ctim.tv_nsec);
}

PrivateFileChange::PrivateFileChange(const std::string& path) {
  std::error_code error;
  const fs::path directory = fs::path(path).parent_path();
  if (fs::create_directories(directory, error))
    fs::permissions(directory, fs::perms::owner_all, error);
  if (error) refuse(directory.string(), error.message());
  // The file that a link points to is written, not the link.
  path_ = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error).string() : path;
  if (error && error != std::errc::no_such_file_or_directory) refuse(path, error.message());
  const std::string lock = path + ".lock";
  lock_.reset(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_) refuse(lock);
  while (flock(lock_.get(), LOCK_EX) != 0)
    if (errno != EINTR) refuse(lock);
  remove_leftovers(path_);
}

void PrivateFileChange::write(const std::string& text) const {
  std::string made = path_ + ".XXXXXX";
  const io::Descriptor file(::mkostemp(made.data(), O_CLOEXEC));  // with mode 0600
  if (!file) refuse(path_);
  const auto fail = [&] {
    const int why = errno;
    ::unlink(made.c_str());
    errno = why;
    refuse(path_);
  };
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t size = ::write(file.get(), text.data() + at, text.size() - at);
    if (size < 0 && errno != EINTR) fail();
    if (size > 0) at += static_cast<std::size_t>(size);
  }
  if (fsync(file.get()) != 0 || std::rename(made.c_str(), path_.c_str()) != 0) fail();
  const io::Descriptor directory(
      ::open(fs::path(path_).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) fsync(directory.get());
}

std::string with_home(const std::string& path) {
  if (!path.starts_with("~/")) return path;
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? path : home + path.substr(1);
}

std::string configuration_path(const std::string& name) {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/')
    return std::string(config) + "/acp/" + name;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.config/acp/" + name;
  return {};
}

}  // namespace acp::settings
