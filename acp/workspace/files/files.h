// The files of a session: read, written and moved inside its directories, and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/workspace/files/boundary.h"

namespace acp::workspace {

// What one call may read.
struct FileLimits {
  // What one read gives back at most. A larger file is read in pieces, by lines.
  std::size_t max_read_bytes = 16 * 1024 * 1024;
};

// What an entry of a directory is.
enum class EntryKind { file, directory, link, other };

// An entry of a directory.
struct Entry {
  std::string name;
  EntryKind kind;
};

// Paths are absolute, or relative to the first of the directories. All functions throw FileError;
// those with a stop token throw Cancelled (acp/error.h) soon after it is set.
class Files {
 public:
  explicit Files(Boundary boundary, FileLimits limits = {});

  // Where it may read and write.
  const Boundary& boundary() const { return boundary_; }

  // UTF-8 text, byte for byte. `line` counts from 1, and 0 is taken as 1; beyond the end there is
  // nothing. `limit` is a number of lines.
  std::string read_text(const std::string& path, std::optional<std::uint64_t> line = {},
                        std::optional<std::uint64_t> limit = {},
                        const std::stop_token& stop = {}) const;
  // Any bytes.
  std::string read_bytes(const std::string& path, const std::stop_token& stop = {}) const;

  // Byte for byte as given, all or nothing: a reader sees the old file or the new
  // one. Makes the directories that are missing, keeps the mode of what was there, writes what an
  // inner link leads to, and takes the place of a hard link instead of writing through it.
  // Cancelled, it has changed nothing.
  void write(const std::string& path, std::string_view content,
             const std::stop_token& stop = {}) const;

  // A file, a link, or an empty directory.
  void remove(const std::string& path) const;
  // Replaces nothing.
  void move(const std::string& from, const std::string& to) const;
  void make_directory(const std::string& path) const;
  // Sorted by name.
  std::vector<Entry> list(const std::string& path, const std::stop_token& stop = {}) const;
  // Nothing if it is not there. A link is followed.
  std::optional<EntryKind> kind(const std::string& path) const;

 private:
  Boundary boundary_;
  FileLimits limits_;
};

}  // namespace acp::workspace
