#include "coder/store/store_file_posix.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

namespace acp::coder {

namespace fs = std::filesystem;

namespace {

// To open takes milliseconds, to migrate perhaps seconds: one that takes longer has been stopped.
constexpr auto patience = std::chrono::seconds(30);
constexpr auto pause_between_tries = std::chrono::milliseconds(5);

[[noreturn]] void refuse(const std::string& path, int code) {
  throw NoPlace(path + ": " + std::strerror(code));
}

void make_directories(const fs::path& directory) {
  struct stat about;
  if (stat(directory.c_str(), &about) == 0 && S_ISDIR(about.st_mode)) return;
  if (directory.has_relative_path() && directory.parent_path() != directory)
    make_directories(directory.parent_path());
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) refuse(directory, errno);
}

std::string real_path(const fs::path& path) {
  std::error_code error;
  const fs::path directory = fs::canonical(path.parent_path(), error);
  if (error) refuse(path.parent_path(), error.value());
  fs::path real = directory / path.filename();
  if (fs::is_symlink(real, error)) {
    real = fs::canonical(real, error);
    if (error) refuse(path, error.value());
  }
  return real;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts;
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return text;
}

}  // namespace

StoreFile::StoreFile(const std::string& path) {
  std::error_code error;
  const fs::path full = fs::absolute(path, error);
  if (error) refuse(path, error.value());
  make_directories(full.parent_path());
  linked_ = fs::is_symlink(full, error);
  path_ = real_path(full);
  lock_directory_ = path_ + ".d";
  if (fs::is_symlink(lock_directory_, error))
    throw NoPlace(lock_directory_ + " is a link: it is left alone");
  make_directories(lock_directory_);
  const std::string name = lock_directory_ + "/.opening";  // no session is called that
  lock_.reset(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_) refuse(name, errno);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) refuse(name, errno);
    if (std::chrono::steady_clock::now() > until)
      throw StoreError("the session store (" + path_ + "): another process is opening it");
    std::this_thread::sleep_for(pause_between_tries);
  }
}

bool StoreFile::make() const {
  // SQLite's own locks go when any descriptor of the file is closed: one that exists is not opened.
  const io::Descriptor made(
      ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made && errno != EEXIST) refuse(path_, errno);
  struct stat about;
  if (stat(path_.c_str(), &about) != 0) refuse(path_, errno);
  if (!S_ISREG(about.st_mode)) return false;
  if ((about.st_mode & 077) != 0) chmod(path_.c_str(), about.st_mode & 0700);
  // SQLite takes a file of no byte, or of one, for a new database, and would delete the log: all
  // that is left.
  struct stat log;
  return about.st_size > 1 || stat((path_ + "-wal").c_str(), &log) != 0 || log.st_size == 0;
}

std::string StoreFile::set_aside() const {
  struct stat there;
  const bool plain =
      lstat(path_.c_str(), &there) == 0 && (S_ISREG(there.st_mode) || S_ISDIR(there.st_mode));
  // What a link leads to, or a device, is somebody else's: it stays where it is.
  if (linked_ || !plain)
    throw NoPlace(path_ + " is no session store, and " +
                  (linked_ ? "a link leads to it" : "no file") + ": it is left alone");
  const std::string base = path_ + ".corrupt-" + now();
  std::string name = base;
  struct stat about;
  for (int i = 2; lstat(name.c_str(), &about) == 0; ++i) name = base + "-" + std::to_string(i);
  if (rename(path_.c_str(), name.c_str()) != 0) refuse(path_, errno);
  for (const char* const part : {"-wal", "-shm", "-journal"})
    if (rename((path_ + part).c_str(), (name + part).c_str()) != 0 && errno != ENOENT)
      refuse(path_ + part, errno);  // or the new one would take it for its own
  return name;
}

std::string Store::default_path() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/')
    return std::string(data) + "/acp/sessions.db";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.local/share/acp/sessions.db";
  return {};
}

}  // namespace acp::coder
