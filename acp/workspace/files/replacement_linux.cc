#include "acp/workspace/files/replacement_linux.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "acp/error.h"
#include "acp/workspace/files/leftovers_posix.h"
#include "acp/workspace/files/system_error_posix.h"

namespace acp::workspace {

Replacement::Replacement(const Place& place, const std::string& path) : place_(place), path_(path) {
  remove_leftovers_once_in(place.directory.get());
#ifdef O_TMPFILE
  // Nothing is left of it if we are killed. It gets its name by way of /proc.
  if (access("/proc/self/fd", X_OK) == 0)
    file_.reset(openat(place.directory.get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
#endif
  if (!file_) open_named();
}

Replacement::~Replacement() {
  if (!name_.empty()) unlinkat(place_.directory.get(), name_.c_str(), 0);
}

void Replacement::open_named() {
  while (true) {
    name_ = temporary_name();
    file_.reset(openat(place_.directory.get(), name_.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_ && errno == EEXIST) continue;
    if (!file_) {
      name_.clear();
      throw system_error(path_, errno);
    }
    // Where there are no locks, nobody takes one to remove it, either.
    struct stat about;
    flock(file_.get(), LOCK_EX);
    // Somebody may have taken it for a leftover before we had the lock.
    if (fstat(file_.get(), &about) == 0 && about.st_nlink > 0) return;
  }
}

void Replacement::fill(std::string_view content, std::stop_token stop) {
  content_ = content;
  stop_ = std::move(stop);
  write_all();
}

void Replacement::write_all() {
  constexpr std::size_t most = 1024 * 1024;  // at once
  std::string_view bytes = content_;
  while (!bytes.empty()) {
    if (stop_.stop_requested()) throw Cancelled();
    const ssize_t size = ::write(file_.get(), bytes.data(), std::min(bytes.size(), most));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw system_error(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

void Replacement::take_over(const struct stat& old) {
  // An owner that cannot be kept is no reason not to write.
  if (old.st_uid != geteuid() || old.st_gid != getegid()) {
    [[maybe_unused]] const int kept = fchown(file_.get(), old.st_uid, old.st_gid);
  }
  if (fchmod(file_.get(), old.st_mode & 07777) != 0) throw system_error(path_, errno);
}

// A link cannot replace a file: it gets a name of its own for a moment.
bool Replacement::give_name() {
  const std::string self = "/proc/self/fd/" + std::to_string(file_.get());
  flock(file_.get(), LOCK_EX);
  while (true) {
    std::string name = temporary_name();
    if (linkat(AT_FDCWD, self.c_str(), place_.directory.get(), name.c_str(), AT_SYMLINK_FOLLOW) ==
        0) {
      name_ = std::move(name);
      return true;
    }
    if (errno != EEXIST) return false;
  }
}

void Replacement::put_in_place() {
  // On the disk before its name is: after a power cut there is the old file or the new one.
  if (fdatasync(file_.get()) != 0 && errno != EINVAL) throw system_error(path_, errno);
  if (name_.empty() && !give_name()) {
    // Once more, with a name from its beginning.
    const io::Descriptor unnamed = std::move(file_);
    struct stat made;
    if (fstat(unnamed.get(), &made) != 0) throw system_error(path_, errno);
    open_named();
    write_all();
    take_over(made);
    if (fdatasync(file_.get()) != 0 && errno != EINVAL) throw system_error(path_, errno);
  }
  if (renameat(place_.directory.get(), name_.c_str(), place_.directory.get(),
               place_.name.c_str()) != 0)
    throw system_error(path_, errno);
  name_.clear();
}

}  // namespace acp::workspace
