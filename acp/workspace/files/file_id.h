// What a file or directory is, whatever its names are.
#pragma once

#include <sys/stat.h>

#include <compare>

namespace acp::workspace {

// Which file it is, whatever its name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  friend auto operator<=>(const FileId&, const FileId&) = default;
};

// Of what stat() found.
inline FileId id_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

}  // namespace acp::workspace
