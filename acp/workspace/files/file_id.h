// The identity of a file or directory, independent of its names.
#pragma once

#include <sys/stat.h>

#include <compare>

namespace acp::workspace {

// Identifies a file, whatever its name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  friend auto operator<=>(const FileId&, const FileId&) = default;
};

// The id of a file that stat() found.
inline FileId id_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

}  // namespace acp::workspace
