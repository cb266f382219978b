// Random trees of directories, links and files, in which files are read, written, moved and deleted
// within one to three directories, with a place that is forbidden. Nothing outside is ever read or
// changed, and nothing forbidden either, whatever other programs move meanwhile.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "acp/workspace/files/file_id.h"
#include "acp/workspace/files/files.h"
#include "acp/workspace/files/guarded.h"

namespace {

namespace fs = std::filesystem;
using namespace acp::workspace;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "path_fuzz: %s\n", what.c_str());
  std::abort();
}

// The input, a number at a time; zeros when it is over.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool over() const { return at_ == end_; }
  unsigned next(unsigned below) { return over() ? 0 : *at_++ % below; }

 private:
  const std::uint8_t *at_, *end_;
};

constexpr const char* names[] = {"a", "b", "c", "own"};

// Paths below the base: `in` is where the session works, `out` is where it must not.
class World {
 public:
  explicit World(Input& input) : input_(input) {
    std::error_code error;
    const char* const shared = "/dev/shm";
    const fs::path parent = fs::is_directory(shared, error) ? shared : fs::temp_directory_path();
    std::string made = (parent / "path_fuzz-XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr) fail("mkdtemp");
    base_ = fs::canonical(made).string();
    fs::create_directories(base_ + "/in/a/b");
    fs::create_directories(base_ + "/in/b");
    fs::create_directories(base_ + "/out/a/b");
    for (const char* name : {"/out", "/out/a", "/out/a/b"}) {
      canary(name + std::string("/secret"), "outside");
      canary(name + std::string("/mark"), "outside");
    }
    // What is forbidden is inside, and may not be there yet.
    own_ = base_ + (input_.next(2) == 0 ? "/in/own" : "/in/a/own");
    if (input_.next(4) != 0) {
      fs::create_directories(own_);
      for (const char* name : {"/secret", "/own_mark"})
        canary(own_.substr(base_.size()) + name, "forbidden");
      if (input_.next(4) == 0)
        fs::create_hard_link(own_ + "/secret", base_ + "/in/b/" + names[input_.next(3)], error);
    }
  }
  ~World() {
    std::error_code ignored;
    fs::remove_all(base_, ignored);
  }

  Files begin() {
    std::vector<std::string> roots = {base_ + "/in"};
    const char* const nested[] = {"/in/a", "/in/b", "/in/a/b", "/in/c"};
    const unsigned more = input_.next(3);
    for (unsigned i = 0; i < more; ++i) {
      const std::string root = base_ + nested[input_.next(4)];
      std::error_code error;
      // A link that leads out when the session begins is the user's own wish.
      if (!is_inside(fs::weakly_canonical(root, error).string()) || error) continue;
      roots.insert(input_.next(2) == 0 ? roots.begin() : roots.end(), root);
    }
    const auto walk =
        input_.next(2) == 0 ? Boundary::Walk::by_system : Boundary::Walk::by_components;
    // Without anything forbidden the system's own walk is used.
    forbids_ = input_.next(3) != 0;
    return Files(Boundary(roots, forbids_ ? Forbidden({own_}) : Forbidden(), walk));
  }

  // Up to five names below the base, `..` among them.
  std::string path() {
    std::string path = base_ + (input_.next(8) == 0 ? "/out" : "/in");
    for (unsigned left = input_.next(5); left > 0; --left) {
      const unsigned which = input_.next(8);
      path += which < 4    ? std::string("/") + names[which]
              : which == 4 ? "/.."
              : which == 5 ? "/secret"
              : which == 6 ? "/."
                           : "/link";
    }
    return input_.next(3) == 0 ? path + "/secret" : path;
  }

  // What the session does. All but FileError is a fault.
  void act(const Files& files) {
    const std::string first = path();
    try {
      switch (input_.next(9)) {
        case 0:
        case 1:
          return seen(first, files.read_text(first));
        case 2:
          return files.write(first, "inside");
        case 3:
          return files.remove(first);
        case 4:
          return files.move(first, path());
        case 5:
          return files.make_directory(first);
        case 6:
          for (const Entry& entry : files.list(first)) {
            if (entry.name == "mark") seen(first, "outside");
            if (entry.name == "own_mark") seen(first, "forbidden");
          }
          return;
        case 7:
          guarded_reason(files.boundary(), first, static_cast<Change>(input_.next(3)));
          return;
        default:
          return resolved(files, first);
      }
    } catch (const FileError&) {
    }
  }

  // What another program does meanwhile. It does not touch what is outside or forbidden.
  void meddle() {
    const std::string to = inside(), from = inside();
    if (holds_own(to) || holds_own(from)) return;
    std::error_code error;
    switch (input_.next(7)) {
      case 0:
        fs::create_symlink(
            input_.next(2) == 0 ? path() : "../" + std::string(names[input_.next(4)]), to, error);
        break;
      case 1:
        fs::create_symlink(base_ + "/out", to, error);
        break;
      case 2:
        fs::rename(from, to, error);
        break;
      case 3:
        fs::create_directory(to, error);
        break;
      case 4:
      case 5:  // a link to the outside in the place of what was there
        fs::rename(to, from, error);
        if (!error)
          fs::create_symlink(base_ + (input_.next(2) == 0 ? "/out" : "/out/a"), to, error);
        break;
      default:
        if (const int made = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            made >= 0)
          ::close(made);
    }
  }

  // The canaries are as they were.
  void check() const {
    std::size_t outside = 0, forbidden = 0;
    for (const auto& [name, status] : canaries_) {
      const bool is_outside = name.starts_with("/out");
      ++(is_outside ? outside : forbidden);
      if (!is_outside && !forbids_) continue;
      struct stat now;
      if (lstat((base_ + name).c_str(), &now) != 0) fail(name + " is gone");
      if (id_of(now) != id_of(status) || now.st_size != status.st_size ||
          now.st_mtim.tv_sec != status.st_mtim.tv_sec ||
          now.st_mtim.tv_nsec != status.st_mtim.tv_nsec)
        fail(name + " has changed");
    }
    if (entries(base_ + "/out") != outside + 2) fail("something outside was made or removed");
    if (!forbids_) return;
    std::error_code error;
    if (forbidden == 0 && fs::exists(fs::symlink_status(own_, error)))
      fail("the forbidden place was made");
    if (entries(own_) != forbidden) fail("something forbidden was made or removed");
  }

 private:
  static std::size_t entries(const std::string& directory) {
    std::size_t count = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error))
      ++count;
    return count;
  }

  void canary(const std::string& name, const char* text) {
    std::ofstream(base_ + name) << text;
    struct stat status;
    if (lstat((base_ + name).c_str(), &status) != 0) fail("lstat");
    canaries_[name] = status;
  }

  // A path as another program uses it: no links on the way, and never what is watched.
  std::string inside() {
    std::string path = base_ + "/in";
    for (unsigned left = input_.next(3); left > 0; --left) {
      const std::string next = path + "/" + names[input_.next(3)];
      std::error_code error;
      if (!fs::is_directory(fs::symlink_status(next, error))) break;
      path = next;
    }
    const unsigned last = input_.next(4);
    return path + "/" + (last == 3 ? "link" : names[last]);
  }
  bool holds_own(const std::string& path) const { return (own_ + "/").starts_with(path + "/"); }
  bool is_inside(const std::string& path) const {
    return path == base_ + "/in" || path.starts_with(base_ + "/in/");
  }

  void seen(const std::string& path, const std::string& text) const {
    if (text == "outside" || (text == "forbidden" && forbids_)) fail(text + ": saw " + path);
  }

  void resolved(const Files& files, const std::string& path) const {
    const std::string leads = files.boundary().resolved(path);
    if (!is_inside(leads)) fail(path + " leads to " + leads);
    if (leads.find("/../") != leads.npos || leads.ends_with("/..")) fail(leads + " is not plain");
  }

  Input& input_;
  std::string base_, own_;
  bool forbids_ = true;
  std::map<std::string, struct stat> canaries_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 400) return 0;
  Input input(data, size);
  World world(input);
  for (unsigned links = input.next(5); links > 0; --links) world.meddle();
  const Files files = world.begin();
  while (!input.over()) {
    if (input.next(3) == 0)
      world.meddle();
    else
      world.act(files);
    world.check();
  }
  return 0;
}
