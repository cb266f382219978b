#include "workspace/boundary.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/openat2.h>
#endif

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>

#include "workspace/system_error_posix.h"

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

std::deque<std::string> components(std::string_view path) {
  std::deque<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return parts;
}

std::string joined(const std::deque<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path += "/" + part;
  return path;
}

// What is behind the directory; nothing if the path does not begin with it.
std::optional<std::deque<std::string>> behind(const std::string& directory,
                                              const std::deque<std::string>& path) {
  const std::deque<std::string> prefix = components(directory);
  if (prefix.size() > path.size() || !std::equal(prefix.begin(), prefix.end(), path.begin()))
    return std::nullopt;
  return std::deque<std::string>(path.begin() + static_cast<std::ptrdiff_t>(prefix.size()),
                                 path.end());
}

std::string real_path(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result(real);
  std::free(real);
  return result;
}

// The system's own walk that cannot leave a directory. Nothing where it has none, or where the path
// does leave it: that is for the other walk to judge.
io::Descriptor open_beneath([[maybe_unused]] int directory,
                            [[maybe_unused]] const std::string& path, [[maybe_unused]] int flags) {
#ifdef SYS_openat2
  open_how how{};
  how.flags = static_cast<unsigned>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return io::Descriptor(
      static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
#else
  return {};
#endif
}

}  // namespace

struct Boundary::Start {
  io::Descriptor directory;
  std::string real;  // its path, without links
  std::deque<std::string> rest;
};

Boundary::Boundary(std::vector<std::string> directories, Walk walk)
    : directories_(std::move(directories)), walk_(walk) {
  if (directories_.empty()) throw std::invalid_argument("a boundary needs a directory");
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
  for (const std::string& directory : directories_) {
    // Also by the name that it has without links.
    std::string real = real_path(directory);
    auto rest = behind(directory, parts);
    if (!rest) rest = behind(real, parts);
    if (!rest) continue;
    io::Descriptor opened(::open(real.c_str(), directory_flags));
    if (!opened) throw system_error(directory, errno);
    return {std::move(opened), std::move(real), std::move(*rest)};
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
  Walker(const Boundary& boundary, std::string path)
      : boundary_(boundary), asked_(std::move(path)) {
    begin(asked_);
  }

  // Follows links up to the last component, and there if `follow`. What it stops at need not be
  // there. An empty name is the directory itself.
  Place walk(bool make_parents, bool follow) {
    while (!rest_.empty()) {
      const std::string name = rest_.front();
      rest_.pop_front();
      if (name == "..") {
        up();
        continue;
      }
      const int here = opened_.back().get();
      const bool last = rest_.empty();
      if (const auto target = link(here, name); target && (follow || !last)) {
        if (++links_ > max_links) throw system_error(asked_, ELOOP);
        if (target->starts_with('/')) {
          begin(*target + joined(rest_));
        } else {
          std::deque<std::string> parts = components(*target);
          rest_.insert(rest_.begin(), parts.begin(), parts.end());
        }
        continue;
      }
      if (last) return {std::move(opened_.back()), name};
      enter(here, name, make_parents);
    }
    return {std::move(opened_.back()), ""};
  }

 private:
  void begin(const std::string& path) {
    Start start = boundary_.start(path, asked_);
    opened_.clear();
    opened_.push_back(std::move(start.directory));
    real_ = std::move(start.real);
    rest_ = std::move(start.rest);
  }

  void up() {
    if (opened_.size() > 1) {
      opened_.pop_back();
      return;
    }
    if (real_ == "/") return;
    // Out of this directory: perhaps into another one that is allowed.
    begin(real_.substr(0, real_.rfind('/')) + joined(rest_) + "/");
  }

  std::optional<std::string> link(int directory, const std::string& name) const {
    std::array<char, PATH_MAX> target;
    const ssize_t size = readlinkat(directory, name.c_str(), target.data(), target.size());
    if (size < 0) return std::nullopt;
    return std::string(target.data(), static_cast<std::size_t>(size));
  }

  void enter(int directory, const std::string& name, bool make) {
    // If it has become a link meanwhile, this fails.
    const int flags = directory_flags | O_NOFOLLOW;
    io::Descriptor next(openat(directory, name.c_str(), flags));
    if (!next && errno == ENOENT && make) {
      if (mkdirat(directory, name.c_str(), 0777) != 0 && errno != EEXIST)
        throw system_error(asked_, errno);
      next.reset(openat(directory, name.c_str(), flags));
    }
    if (!next) throw system_error(asked_, errno);
    opened_.push_back(std::move(next));
  }

  const Boundary& boundary_;
  const std::string asked_;
  std::string real_;
  std::vector<io::Descriptor> opened_;  // from the allowed directory to where the walk is
  std::deque<std::string> rest_;
  int links_ = 0;
};

io::Descriptor Boundary::open_directory(const std::string& path) const {
  return open(path, O_RDONLY | O_DIRECTORY);
}

io::Descriptor Boundary::open(const std::string& path, int flags) const {
  flags |= O_CLOEXEC | O_NOCTTY;
  if (walk_ == Walk::by_system) {
    const Start from = start(path, path);
    const std::string rest = from.rest.empty() ? "." : joined(from.rest).substr(1);
    if (io::Descriptor opened = open_beneath(from.directory.get(), rest, flags)) return opened;
  }
  const Place place = Walker(*this, path).walk(false, true);
  const char* const name = place.name.empty() ? "." : place.name.c_str();
  io::Descriptor opened(openat(place.directory.get(), name, flags | O_NOFOLLOW));
  if (!opened) throw system_error(path, errno);
  return opened;
}

Place Boundary::place(const std::string& path, bool make_parents) const {
  return Walker(*this, path).walk(make_parents, true);
}

Place Boundary::place_of_link(const std::string& path, bool make_parents) const {
  return Walker(*this, path).walk(make_parents, false);
}

}  // namespace acp::workspace
