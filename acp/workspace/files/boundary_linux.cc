#include "acp/workspace/files/boundary.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/openat2.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>

#include "acp/workspace/files/file_id.h"
#include "acp/workspace/files/path_parts.h"
#include "acp/workspace/files/system_error_posix.h"

namespace acp::workspace {

using Kind = FileError::Kind;

namespace {

constexpr int max_links = 40;  // as the system's own limit
// To walk through a directory one need not be able to read it.
#ifdef O_PATH
constexpr int directory_flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif

// What follows the prefix; nothing if the path does not begin with it.
std::optional<std::deque<std::string>> after(const std::deque<std::string>& prefix,
                                             const std::deque<std::string>& path) {
  if (prefix.size() > path.size() || !std::equal(prefix.begin(), prefix.end(), path.begin()))
    return std::nullopt;
  return std::deque<std::string>(path.begin() + static_cast<std::ptrdiff_t>(prefix.size()),
                                 path.end());
}

// The path without links, if it still leads to this directory.
std::string real_path(const std::string& path, FileId id) {
  char* const real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result(real);
  std::free(real);
  struct stat status;
  return stat(result.c_str(), &status) == 0 && id_of(status) == id ? result : path;
}

// Calls `seen` for the directory and all above it. False if not all of them can be seen.
template <class F>
bool upwards(int directory, F seen) {
  FileId before;
  for (std::string above = ".";; above += "/..") {
    struct stat status;
    if (above.size() >= PATH_MAX || fstatat(directory, above.c_str(), &status, 0) != 0)
      return false;
    if (id_of(status) == before) return true;
    before = id_of(status);
    seen(before);
  }
}

// The system's own walk that cannot leave a directory. Nothing where it has none, or where the path
// does leave it: that is for the other walk to judge.
io::Descriptor open_beneath([[maybe_unused]] int directory,
                            [[maybe_unused]] const std::string& path, [[maybe_unused]] int flags) {
#ifdef SYS_openat2
  open_how how{};
  how.flags = static_cast<unsigned>(flags) | O_CLOEXEC;
#ifdef O_PATH
  if ((flags & O_PATH) != 0) how.flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return io::Descriptor(
      static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
#else
  return {};
#endif
}

}  // namespace

struct Boundary::Root {
  explicit Root(const std::string& path) : given(path), given_parts(components(path)) {
    opened.reset(::open(path.c_str(), directory_flags));
    struct stat status;
    if (!opened || fstat(opened.get(), &status) != 0) {
      error = errno;
      opened.reset();
      real = path;
    } else {
      id = id_of(status);
      real = real_path(path, id);
    }
    real_parts = components(real);
  }

  std::string given, real;  // as the session knows it, and without links
  std::deque<std::string> given_parts, real_parts;
  io::Descriptor opened;
  int error = 0;  // why it is not open
  FileId id;
  bool forbidden = false;
};

struct Boundary::Start {
  const Root* root;
  std::deque<std::string> rest;
};

Boundary::Boundary(std::vector<std::string> directories, Walk walk)
    : Boundary(std::move(directories), Forbidden(), walk) {}

Boundary::Boundary(std::vector<std::string> directories, Forbidden forbidden, Walk walk)
    : directories_(std::move(directories)), forbidden_(std::move(forbidden)), walk_(walk) {
  if (directories_.empty()) throw std::invalid_argument("a boundary needs a directory");
  std::vector<Root> roots;
  for (const std::string& directory : directories_) roots.emplace_back(directory);
  if (!forbidden_.empty()) {
    const Forbidden::Now now = forbidden_.for_reading();
    for (Root& root : roots)
      if (root.opened)
        upwards(root.opened.get(), [&](FileId above) { root.forbidden |= now.is(above); });
  }
  roots_ = std::make_shared<const std::vector<Root>>(std::move(roots));
}

std::string Boundary::absolute(std::string_view path) const {
  if (path.starts_with('/')) return std::string(path);
  return directories_.front() + "/" + std::string(path);
}

Boundary::Start Boundary::start(const std::string& path, const std::string& asked) const {
  const std::deque<std::string> parts = components(path);
  if (const std::size_t nul = asked.find('\0'); nul != std::string::npos)
    throw FileError(Kind::outside, asked.substr(0, nul), "followed by a NUL: no path");
  if (!path.starts_with('/')) throw FileError(Kind::outside, asked, "not an absolute path");
  for (const Root& root : *roots_) {
    auto rest = after(root.given_parts, parts);
    if (!rest) rest = after(root.real_parts, parts);
    if (!rest) continue;
    if (root.error == ENOENT || root.error == ENOTDIR)
      throw FileError(Kind::not_found, root.given,
                      "no such directory when this session began; begin a new session to use it");
    if (!root.opened) throw system_error(root.given, root.error);
    if (root.forbidden) throw forbidden_error(asked);
    return {&root, std::move(*rest)};
  }
  std::string allowed;
  for (const std::string& directory : directories_)
    allowed += (allowed.empty() ? "" : ", ") + directory;
  throw FileError(Kind::outside, asked,
                  "outside the directories of this session (" + allowed + ")");
}

// One component at a time, with every directory on the way held open.
class Boundary::Walker {
 public:
  enum class Purpose { reading, change };

  Walker(const Boundary& boundary, std::string path, Purpose purpose)
      : boundary_(boundary), asked_(std::move(path)), purpose_(purpose) {
    look_for_forbidden();
    begin(asked_);
  }

  // Follows links up to the last component, and there if `follow`. What it stops at need not be
  // there. An empty name is the directory itself.
  Place walk(bool make_parents, bool follow) {
    while (next(follow)) {
      if (rest_.empty()) {
        check_last();
        return {here(), name_};
      }
      if (!enter(make_parents)) throw failure(errno);
    }
    return {here(), ""};
  }

  std::string resolve(bool follow) {
    while (next(follow)) {
      if (rest_.empty() && missing_.empty()) check_last();
      if (missing_.empty() && enter(false)) continue;
      // What is last may be anything, what is not there yet will be a directory.
      if (missing_.empty() && !rest_.empty() && errno != ENOENT) throw failure(errno);
      missing_.push_back(name_);
    }
    std::string path = root_->real == "/" ? "" : root_->real;
    for (const Level& level : levels_) path += "/" + level.name;
    path += joined(missing_);
    return path.empty() ? "/" : path;
  }

  FileError failure(int code) const { return Boundary::failure(*root_, asked_, code); }

  // Throws FileError if that is what was forbidden when the walk began.
  void check(const io::Descriptor& opened) const {
    struct stat status;
    if (!forbidden_) return;
    if (fstat(opened.get(), &status) != 0 || forbidden_->has(status)) throw forbidden_error(asked_);
  }

 private:
  struct Level {
    io::Descriptor directory;
    std::string name;
    FileId id;  // if something is forbidden
  };

  int at() const { return levels_.empty() ? root_->opened.get() : levels_.back().directory.get(); }
  // The directory that the walk has come to. The boundary keeps its own.
  io::Descriptor here() {
    if (!levels_.empty()) return std::move(levels_.back().directory);
    io::Descriptor copy(fcntl(root_->opened.get(), F_DUPFD_CLOEXEC, 0));
    if (!copy) throw failure(errno);
    return copy;
  }

  void look_for_forbidden() {
    if (boundary_.forbidden_.empty()) return;
    forbidden_ = purpose_ == Purpose::reading ? boundary_.forbidden_.for_reading()
                                              : boundary_.forbidden_.for_changes();
  }

  // Throws FileError if what the walk ends at is forbidden.
  void check_last() const {
    if (!forbidden_) return;
    const FileId directory = levels_.empty() ? root_->id : levels_.back().id;
    struct stat status;
    const bool there = fstatat(at(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (forbidden_->is_named(directory, name_) || (there && forbidden_->has(status)))
      throw forbidden_error(asked_);
    if (forbidden_->leads(directory, name_))
      throw FileError(Kind::denied, asked_,
                      "it leads to what belongs to acp itself: it cannot be changed");
  }

  void begin(const std::string& path) {
    Start start = boundary_.start(path, asked_);
    levels_.clear();
    root_ = start.root;
    rest_ = std::move(start.rest);
  }

  // Takes the next component that is neither `..` nor a link to follow. False at the end.
  bool next(bool follow) {
    while (!rest_.empty()) {
      name_ = std::move(rest_.front());
      rest_.pop_front();
      if (name_ == "..") {
        up();
        continue;
      }
      if (!missing_.empty()) return true;
      const auto target = link();
      if (!target || (rest_.empty() && !follow)) return true;
      if (++links_ > max_links) throw system_error(asked_, ELOOP);
      if (target->starts_with('/')) {
        begin(*target + joined(rest_));
      } else {
        std::deque<std::string> parts = components(*target);
        rest_.insert(rest_.begin(), parts.begin(), parts.end());
      }
    }
    return false;
  }

  void up() {
    if (!missing_.empty()) {
      missing_.pop_back();
    } else if (!levels_.empty()) {
      levels_.pop_back();
    } else if (root_->real != "/") {
      // Out of this directory: perhaps into another one that is allowed.
      begin(root_->real.substr(0, root_->real.rfind('/')) + joined(rest_) + "/");
    }
  }

  std::optional<std::string> link() const {
    std::array<char, PATH_MAX> target;
    const ssize_t size = readlinkat(at(), name_.c_str(), target.data(), target.size());
    if (size < 0) return std::nullopt;
    return std::string(target.data(), static_cast<std::size_t>(size));
  }

  // False, with errno, if it cannot.
  bool enter(bool make) {
    // If it has become a link meanwhile, this fails.
    const int flags = directory_flags | O_NOFOLLOW;
    io::Descriptor next(openat(at(), name_.c_str(), flags));
    if (!next && errno == ENOENT && make) {
      if (forbidden_ &&
          forbidden_->is_named(levels_.empty() ? root_->id : levels_.back().id, name_))
        throw forbidden_error(asked_);
      if (mkdirat(at(), name_.c_str(), 0777) != 0 && errno != EEXIST) return false;
      next.reset(openat(at(), name_.c_str(), flags));
      look_for_forbidden();  // it may be on the way there
    }
    if (!next) return false;
    Level level{std::move(next), name_, {}};
    struct stat status;
    if (forbidden_) {
      if (fstat(level.directory.get(), &status) != 0) return false;
      level.id = id_of(status);
      if (forbidden_->is(level.id)) throw forbidden_error(asked_);
    }
    levels_.push_back(std::move(level));
    return true;
  }

  const Boundary& boundary_;
  const std::string asked_;
  const Purpose purpose_;
  std::optional<Forbidden::Now> forbidden_;
  const Root* root_ = nullptr;
  std::vector<Level> levels_;        // below the root, to where the walk is
  std::deque<std::string> missing_;  // below those: not there yet
  std::deque<std::string> rest_;
  std::string name_;
  int links_ = 0;
};

// A directory that somebody has removed is the reason for all that is not found in it.
FileError Boundary::failure(const Root& root, const std::string& path, int code) {
  struct stat status;
  if (code == ENOENT && fstat(root.opened.get(), &status) == 0 && status.st_nlink == 0)
    return {Kind::not_found, path,
            "the session's directory " + root.given +
                " has been removed since the session began; begin a new session there"};
  return system_error(path, code);
}

std::string Boundary::resolved(const std::string& path, bool follow) const {
  return Walker(*this, absolute(path), Walker::Purpose::reading).resolve(follow);
}

io::Descriptor Boundary::open_directory(const std::string& path) const {
  return open(path, O_RDONLY | O_DIRECTORY);
}

io::Descriptor Boundary::open(const std::string& path, int flags) const {
  flags |= O_CLOEXEC | O_NOCTTY;
  if (walk_ == Walk::by_system && forbidden_.empty()) {
    const Start from = start(path, path);
    const std::string rest = from.rest.empty() ? "." : joined(from.rest).substr(1);
    if (io::Descriptor opened = open_beneath(from.root->opened.get(), rest, flags)) return opened;
  }
  Walker walker(*this, path, Walker::Purpose::reading);
  const Place place = walker.walk(false, true);
  const char* const name = place.name.empty() ? "." : place.name.c_str();
  io::Descriptor opened(openat(place.directory.get(), name, flags | O_NOFOLLOW));
  if (!opened) throw walker.failure(errno);
  walker.check(opened);  // also if another file has been put there meanwhile
  return opened;
}

Place Boundary::place(const std::string& path, bool make_parents) const {
  return Walker(*this, path, Walker::Purpose::change).walk(make_parents, true);
}

Place Boundary::place_of_link(const std::string& path, bool make_parents) const {
  return Walker(*this, path, Walker::Purpose::change).walk(make_parents, false);
}

void Boundary::require_same_by_name(const std::string& path) const {
  const Place place = Walker(*this, path, Walker::Purpose::reading).walk(false, true);
  std::string name = resolved(path);
  if (!place.name.empty()) name.resize(std::max<std::size_t>(name.rfind('/'), 1));
  struct stat held, named;
  if (fstat(place.directory.get(), &held) != 0) throw system_error(path, errno);
  if (stat(name.c_str(), &named) != 0 || id_of(held) != id_of(named))
    throw FileError(Kind::outside, path,
                    "a directory of this session has been moved or replaced since the session "
                    "began; begin a new session there");
}

void Boundary::require_removable(const Place& place, const std::string& path) const {
  struct stat status;
  const char* const name = place.name.empty() ? "." : place.name.c_str();
  if (fstatat(place.directory.get(), name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    throw system_error(path, errno);
  if (!S_ISDIR(status.st_mode)) return;
  if (!forbidden_.empty() && forbidden_.for_changes().is_above(id_of(status)))
    throw FileError(Kind::denied, path,
                    "it contains what belongs to acp itself: it cannot be moved or deleted");
  for (const Root& root : *roots_) {
    if (!root.opened) continue;
    bool contains = false;
    const bool all =
        upwards(root.opened.get(), [&](FileId above) { contains |= above == id_of(status); });
    if (id_of(status) == root.id)
      throw FileError(Kind::denied, path,
                      "a directory of this session: it cannot be moved or deleted");
    if (contains || !all)
      throw FileError(Kind::denied, path,
                      (contains ? "it contains " : "it may contain ") + root.given +
                          ", a directory of this session: it cannot be moved or deleted");
  }
}

}  // namespace acp::workspace
