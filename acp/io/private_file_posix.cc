#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "acp/io/private_file.h"

namespace acp::io {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error("cannot write " + path + ": " + why);
}

}  // namespace

Descriptor open_private_file(const std::string& path, Existing existing) {
  // Not truncated before its mode is right and its owner is known.
  const int flags =
      O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (existing == Existing::refuse ? O_EXCL : 0);
  Descriptor file(::open(path.c_str(), flags, 0600));
  struct stat about;
  if (!file || fstat(file.get(), &about) != 0) refuse(path, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return file;
  if (about.st_uid != geteuid())
    refuse(path, "the file belongs to another user, who could read it; choose another name");
  if (fchmod(file.get(), 0600) != 0 || ftruncate(file.get(), 0) != 0)
    refuse(path, std::strerror(errno));
  return file;
}

void write_private_file(const std::string& path, std::string_view bytes, Existing existing) {
  const Descriptor file = open_private_file(path, existing);
  while (!bytes.empty()) {
    const ssize_t size = ::write(file.get(), bytes.data(), bytes.size());
    if (size < 0 && errno != EINTR) {
      const std::string why = std::strerror(errno);
      // What is new and empty, on a full disk, would be in the way of the next time.
      if (existing == Existing::refuse) ::unlink(path.c_str());
      refuse(path, why);
    }
    if (size > 0) bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

}  // namespace acp::io
