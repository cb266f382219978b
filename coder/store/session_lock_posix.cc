#include "coder/store/session_lock_posix.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "coder/store/store.h"

namespace acp::coder {

namespace {

// The one before us may have removed the file between our opening and our locking it.
bool is_still(const std::string& path, int file) {
  struct stat ours, named;
  return fstat(file, &ours) == 0 && stat(path.c_str(), &named) == 0 &&
         ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

int holder_of(int file) {
  char text[24] = {};
  const ssize_t size = pread(file, text, sizeof text - 1, 0);
  return size > 0 ? std::atoi(text) : 0;
}

// One that is gone cannot have the lock: somebody removes its file just now.
bool is_being_removed(int file) {
  const int process = holder_of(file);
  return process > 0 && kill(process, 0) != 0 && errno == ESRCH;
}

std::string who_holds(int file) {
  const int process = holder_of(file);
  if (process == getpid()) return "is open already in this process";
  return "is in use by another process" +
         (process > 0 ? " (pid " + std::to_string(process) + ")" : "");
}

}  // namespace

bool is_session_id(const std::string& id) {
  return !id.empty() && id.size() <= 128 && id[0] != '.' &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '-' || c == '_' || c == '.';
         });
}

SessionLock::SessionLock(const std::string& directory, const std::string& id)
    : path_(directory + "/" + id + ".lock") {
  for (int tries = 0;; ++tries) {
    file_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file_) throw StoreError(path_ + ": " + std::strerror(errno));
    if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      const bool taken = errno == EWOULDBLOCK;
      if (taken && tries < 100 && is_being_removed(file_.get())) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      if (taken) throw SessionBusy("the session " + id + " " + who_holds(file_.get()));
      throw StoreError(path_ + ": " + std::strerror(errno));
    }
    if (is_still(path_, file_.get())) break;
  }
  // Only for the message of a process that finds it taken: that it cannot be written matters to
  // nobody.
  const std::string process = std::to_string(getpid()) + "\n";
  if (ftruncate(file_.get(), 0) != 0 || pwrite(file_.get(), process.data(), process.size(), 0) < 0)
    errno = 0;
}

void SessionLock::remove_left(const std::string& directory) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const std::string path = at->path().string();
    if (!path.ends_with(".lock")) continue;
    const io::Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file && flock(file.get(), LOCK_EX | LOCK_NB) == 0 && is_still(path, file.get()))
      unlink(path.c_str());  // while it is ours, as below
  }
}

SessionLock::~SessionLock() {
  if (file_) unlink(path_.c_str());  // while it is ours: afterwards it could be another's
}

}  // namespace acp::coder
