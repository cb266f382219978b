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

// Limits of one call.
struct FileLimits {
  // The most that one read returns. A larger file is read in pieces, by lines.
  std::size_t max_read_bytes = 16 * 1024 * 1024;
};

// What an entry of a directory is.
enum class EntryKind { file, directory, link, other };
// "file", "directory", "link", "other"
constexpr const char* to_string(EntryKind value) {
  switch (value) {
    case EntryKind::file:
      return "file";
    case EntryKind::directory:
      return "directory";
    case EntryKind::link:
      return "link";
    case EntryKind::other:
      return "other";
  }
  return "";
}

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

  // The directories that it may read and write.
  const Boundary& boundary() const { return boundary_; }

  // Reads UTF-8 text, byte for byte. `line` counts from 1, and 0 is taken as 1; beyond the end the
  // text is empty. `limit` is a number of lines.
  std::string read_text(const std::string& path, std::optional<std::uint64_t> line = {},
                        std::optional<std::uint64_t> limit = {},
                        const std::stop_token& stop = {}) const;
  // Reads any bytes.
  std::string read_bytes(const std::string& path, const std::stop_token& stop = {}) const;

  // Writes a file, all or nothing: a reader sees the old file or the new one. Makes missing
  // directories, keeps the mode of an existing file, follows links inside the boundary, and
  // replaces a hard link instead of writing through it. If cancelled, nothing has changed.
  void write(const std::string& path, std::string_view content,
             const std::stop_token& stop = {}) const;

  // Removes a file, a link, or an empty directory.
  void remove(const std::string& path) const;
  // Moves a file or directory; never replaces one.
  void move(const std::string& from, const std::string& to) const;
  void make_directory(const std::string& path) const;
  // Lists a directory, sorted by name.
  std::vector<Entry> list(const std::string& path, const std::stop_token& stop = {}) const;
  // What is at the path; nothing if it does not exist. A link is followed.
  std::optional<EntryKind> kind(const std::string& path) const;

 private:
  Boundary boundary_;
  FileLimits limits_;
};

}  // namespace acp::workspace
