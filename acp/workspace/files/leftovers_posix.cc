#include "acp/workspace/files/leftovers_posix.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <random>
#include <set>
#include <utility>

#include "acp/io/descriptor.h"

namespace acp::workspace {

namespace {

constexpr std::string_view before = ".acp-", after = ".tmp";
constexpr std::size_t digits = 16;
// More than anybody writes to; then it is looked again.
constexpr std::size_t most_remembered = 4096;

// The writer holds its lock, and looks whether it is still there after it got it.
void remove_if_left(int directory, const char* name) {
  const io::Descriptor file(
      openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat about;
  if (!file || fstat(file.get(), &about) != 0) return;
  if (!S_ISREG(about.st_mode) || about.st_uid != geteuid() || about.st_nlink != 1) return;
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
  // While we have the lock its name means nothing else: nobody takes such a name twice.
  unlinkat(directory, name, 0);
}

}  // namespace

std::string temporary_name() {
  std::random_device device;
  std::array<char, 32> name{};
  std::snprintf(name.data(), name.size(), ".acp-%08x%08x.tmp", device(), device());
  return name.data();
}

bool is_temporary_name(std::string_view name) {
  if (name.size() != before.size() + digits + after.size() || !name.starts_with(before) ||
      !name.ends_with(after))
    return false;
  const std::string_view middle = name.substr(before.size(), digits);
  return middle.find_first_not_of("0123456789abcdef") == middle.npos;
}

void remove_leftovers_in(int directory) {
  // A descriptor of its own: reading moves its place.
  io::Descriptor opened(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return;
  DIR* const listing = fdopendir(opened.get());
  if (listing == nullptr) return;
  opened.release();
  while (const dirent* const entry = readdir(listing))
    if (is_temporary_name(entry->d_name)) remove_if_left(dirfd(listing), entry->d_name);
  closedir(listing);
}

void remove_leftovers_once_in(int directory) {
  static std::mutex mutex;
  static std::set<std::pair<dev_t, ino_t>> done;
  struct stat about;
  if (fstat(directory, &about) != 0) return;
  {
    const std::lock_guard lock(mutex);
    if (done.size() >= most_remembered) done.clear();
    if (!done.emplace(about.st_dev, about.st_ino).second) return;
  }
  remove_leftovers_in(directory);
}

void remove_leftovers(const std::string& directory) {
  const io::Descriptor opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) remove_leftovers_in(opened.get());
}

}  // namespace acp::workspace
