#include "acp/workspace/files/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "acp/error.h"
#include "acp/json/utf8.h"
#include "acp/workspace/files/replacement_linux.h"
#include "acp/workspace/files/system_error_posix.h"

namespace acp::workspace {

using Kind = FileError::Kind;

namespace {

std::string megabytes(std::size_t bytes) {
  return std::to_string((bytes + 512 * 1024) / (1024 * 1024)) + " MiB";
}

struct stat about(int descriptor, const std::string& path) {
  struct stat result;
  if (fstat(descriptor, &result) != 0) throw system_error(path, errno);
  return result;
}

void require_file(const struct stat& status, const std::string& path) {
  if (S_ISREG(status.st_mode)) return;
  throw FileError(Kind::not_a_file, path, S_ISDIR(status.st_mode) ? "a directory" : "not a file");
}

EntryKind kind_of(mode_t mode) {
  return S_ISREG(mode)   ? EntryKind::file
         : S_ISDIR(mode) ? EntryKind::directory
         : S_ISLNK(mode) ? EntryKind::link
                         : EntryKind::other;
}

void end_if_stopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
}

// The bytes of an open file, a piece at a time.
class Pieces {
 public:
  Pieces(int descriptor, const std::string& path, const std::stop_token& stop)
      : descriptor_(descriptor), path_(path), stop_(stop) {}

  // Empty at the end.
  std::string_view next() {
    end_if_stopped(stop_);
    ssize_t size;
    do {
      size = ::read(descriptor_, buffer_.data(), buffer_.size());
    } while (size < 0 && errno == EINTR);
    if (size < 0) throw system_error(path_, errno);
    return {buffer_.data(), static_cast<std::size_t>(size)};
  }

 private:
  int descriptor_;
  const std::string& path_;
  const std::stop_token& stop_;
  std::array<char, 128 * 1024> buffer_;
};

void require_text(std::string_view text, const std::string& path) {
  const std::size_t valid = json::utf8_valid(text);
  if (text.substr(0, valid).find('\0') != std::string_view::npos)
    throw FileError(Kind::not_text, path, "a binary file");
  if (valid != text.size())
    throw FileError(Kind::not_text, path, "not UTF-8 at byte " + std::to_string(valid));
}

void require_name(const Place& place, const std::string& path) {
  if (place.name.empty())
    throw FileError(Kind::not_a_file, path, "a directory of this session, not something in it");
}

}  // namespace

Files::Files(Boundary boundary, FileLimits limits)
    : boundary_(std::move(boundary)), limits_(limits) {}

std::string Files::read_text(const std::string& given, std::optional<std::uint64_t> line,
                             std::optional<std::uint64_t> limit,
                             const std::stop_token& stop) const {
  const std::string path = boundary_.absolute(given);
  const io::Descriptor file = boundary_.open(path, O_RDONLY | O_NONBLOCK);
  require_file(about(file.get(), path), path);
  std::uint64_t to_skip = line && *line > 1 ? *line - 1 : 0;
  std::uint64_t to_take = limit.value_or(UINT64_MAX);
  std::string text;
  Pieces pieces(file.get(), path, stop);
  while (to_take > 0) {
    std::string_view piece = pieces.next();
    if (piece.empty()) break;
    for (; to_skip > 0 && !piece.empty(); --to_skip) {
      const std::size_t end = piece.find('\n');
      if (end == std::string_view::npos) break;
      piece.remove_prefix(end + 1);
    }
    if (to_skip > 0) continue;
    std::size_t size = limit ? 0 : piece.size();
    for (; limit && to_take > 0 && size < piece.size();) {
      const std::size_t end = piece.find('\n', size);
      size = end == std::string_view::npos ? piece.size() : end + 1;
      if (end != std::string_view::npos) --to_take;
    }
    text.append(piece.substr(0, size));
    if (text.size() > limits_.max_read_bytes)
      throw FileError(Kind::too_large, path,
                      "more than " + megabytes(limits_.max_read_bytes) +
                          " of text; ask for some of its lines (line, limit)");
  }
  require_text(text, path);
  return text;
}

std::string Files::read_bytes(const std::string& given, const std::stop_token& stop) const {
  const std::string path = boundary_.absolute(given);
  const io::Descriptor file = boundary_.open(path, O_RDONLY | O_NONBLOCK);
  require_file(about(file.get(), path), path);
  std::string bytes;
  Pieces pieces(file.get(), path, stop);
  for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
    bytes.append(piece);
    if (bytes.size() > limits_.max_read_bytes)
      throw FileError(Kind::too_large, path, "more than " + megabytes(limits_.max_read_bytes));
  }
  return bytes;
}

void Files::write(const std::string& given, std::string_view content,
                  const std::stop_token& stop) const {
  const std::string path = boundary_.absolute(given);
  const Place place = boundary_.place(path, true);
  require_name(place, path);
  struct stat old;
  const bool replaces =
      fstatat(place.directory.get(), place.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (replaces) {
    require_file(old, path);
    // Taking its place needs the directory's permission only: a file that says no is heard.
    if (faccessat(place.directory.get(), place.name.c_str(), W_OK, AT_EACCESS) != 0)
      throw system_error(path, errno);
  }
  Replacement replacement(place, path);
  replacement.fill(content, stop);
  if (replaces) replacement.take_over(old);
  end_if_stopped(stop);
  replacement.put_in_place();
}

void Files::remove(const std::string& given) const {
  const std::string path = boundary_.absolute(given);
  const Place place = boundary_.place_of_link(path);
  require_name(place, path);
  boundary_.require_removable(place, path);
  if (unlinkat(place.directory.get(), place.name.c_str(), 0) == 0) return;
  // Linux says EISDIR, POSIX EPERM.
  if (errno != EISDIR && errno != EPERM) throw system_error(path, errno);
  if (unlinkat(place.directory.get(), place.name.c_str(), AT_REMOVEDIR) != 0)
    throw system_error(path, errno);
}

void Files::move(const std::string& given_from, const std::string& given_to) const {
  const std::string from = boundary_.absolute(given_from), to = boundary_.absolute(given_to);
  const Place source = boundary_.place_of_link(from);
  require_name(source, from);
  boundary_.require_removable(source, from);
  const Place target = boundary_.place_of_link(to, true);
  require_name(target, to);
#ifdef RENAME_NOREPLACE
  if (renameat2(source.directory.get(), source.name.c_str(), target.directory.get(),
                target.name.c_str(), RENAME_NOREPLACE) == 0)
    return;
  if (errno != EINVAL && errno != ENOSYS) throw system_error(errno == EEXIST ? to : from, errno);
#endif
  struct stat status;
  if (fstatat(target.directory.get(), target.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    throw system_error(to, EEXIST);
  if (renameat(source.directory.get(), source.name.c_str(), target.directory.get(),
               target.name.c_str()) != 0)
    throw system_error(from, errno);
}

void Files::make_directory(const std::string& given) const {
  const std::string path = boundary_.absolute(given);
  const Place place = boundary_.place(path, true);
  if (place.name.empty()) return;
  if (mkdirat(place.directory.get(), place.name.c_str(), 0777) == 0) return;
  const int code = errno;
  if (code != EEXIST || kind(path) != EntryKind::directory) throw system_error(path, code);
}

std::vector<Entry> Files::list(const std::string& given, const std::stop_token& stop) const {
  const std::string path = boundary_.absolute(given);
  io::Descriptor opened = boundary_.open(path, O_RDONLY | O_DIRECTORY);
  DIR* const directory = fdopendir(opened.get());
  if (directory == nullptr) throw system_error(path, errno);
  opened.release();
  const std::unique_ptr<DIR, int (*)(DIR*)> closing(directory, closedir);
  std::vector<Entry> entries;
  while (const dirent* entry = readdir(directory)) {
    end_if_stopped(stop);
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat status;
    if (fstatat(dirfd(directory), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;  // gone meanwhile
    entries.push_back({name, kind_of(status.st_mode)});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

std::optional<EntryKind> Files::kind(const std::string& given) const {
  const std::string path = boundary_.absolute(given);
  try {
#ifdef O_PATH
    const io::Descriptor opened = boundary_.open(path, O_PATH);
#else
    const io::Descriptor opened = boundary_.open(path, O_RDONLY | O_NONBLOCK);
#endif
    return kind_of(about(opened.get(), path).st_mode);
  } catch (const FileError& error) {
    if (error.kind() == Kind::not_found) return std::nullopt;
    throw;
  }
}

}  // namespace acp::workspace
