#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "coder/tools/gitignore.h"
#include "coder/tools/tree.h"

namespace acp::coder {

namespace {

constexpr std::size_t max_ignore_file = 1024 * 1024;
// Directories that are open and wait their turn; of the others only the path is kept.
constexpr std::size_t max_open_directories = 128;

using RulesPtr = std::shared_ptr<const IgnoreRules>;

std::string read_small(int directory, const char* name) {
  std::string text;
  const io::Descriptor file(
      openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat about;
  if (!file || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return text;
  char buffer[16 * 1024];
  for (ssize_t size;
       text.size() < max_ignore_file && (size = ::read(file.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(size));
  return text;
}

class Walk {
 public:
  Walk(io::Descriptor root, const TreeOptions& options, const TreeVisitor& visitor)
      : root_(std::move(root)), options_(options), visitor_(visitor) {
    RulesPtr rules = std::make_shared<IgnoreRules>();
    if (!options_.with_ignored) {
      // A link on the way could lead out of the tree.
      const io::Descriptor info = open_again(".git/info");
      IgnoreFile own(info ? read_small(info.get(), "exclude") : "");
      if (!own.empty()) rules = std::make_shared<IgnoreRules>(rules, "", std::move(own));
    }
    todo_.push_back({"", {}, std::move(rules)});
  }

  bool run() {
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < threads_of(options_); ++i)
      threads.emplace_back([this, i] { work(i); });
    work(0);
    for (std::thread& thread : threads) thread.join();
    return left_out_;
  }

 private:
  struct Directory {
    std::string path;
    io::Descriptor opened;  // perhaps
    RulesPtr rules;         // of those above it
  };

  void work(unsigned thread) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return over_ || !todo_.empty() || busy_ == 0; });
      if (over_ || todo_.empty()) break;
      Directory next = std::move(todo_.back());
      todo_.pop_back();
      ++busy_;
      lock.unlock();
      const bool goes_on = visit(next, thread) && !options_.stop.stop_requested();
      lock.lock();
      --busy_;
      if (!goes_on) over_ = true;
      if (over_ || (busy_ == 0 && todo_.empty())) changed_.notify_all();
    }
  }

  // From the root, one name at a time, and through no link.
  io::Descriptor open_again(const std::string& path) const {
    io::Descriptor at(openat(root_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t begin = 0; at && begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      at.reset(openat(at.get(), path.substr(begin, end - begin).c_str(),
                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      begin = end + 1;
    }
    return at;
  }

  bool is_forbidden(int directory) const {
    struct stat about;
    return options_.forbidden != nullptr &&
           (fstat(directory, &about) != 0 || options_.forbidden->is(workspace::id_of(about)));
  }

  bool visit(Directory& directory, unsigned thread) {
    io::Descriptor opened =
        directory.opened ? std::move(directory.opened) : open_again(directory.path);
    if (!opened) {
      unopened(directory, errno);
      return true;
    }
    if (is_forbidden(opened.get())) {
      left_out_ = true;
      return true;
    }
    RulesPtr rules = directory.rules;
    if (!options_.with_ignored) {
      IgnoreFile own(read_small(opened.get(), ".gitignore"));
      if (!own.empty())
        rules = std::make_shared<IgnoreRules>(rules, directory.path, std::move(own));
    }
    const int descriptor = opened.release();
    DIR* const stream = fdopendir(descriptor);
    if (stream == nullptr) {
      unopened(directory, errno);
      ::close(descriptor);
      return true;
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> closing(stream, closedir);
    std::vector<Directory> found;
    std::string path = directory.path.empty() ? "" : directory.path + "/";
    const std::size_t base = path.size();
    bool goes_on = true;
    while (const dirent* const entry = goes_on ? readdir(stream) : nullptr) {
      if (options_.stop.stop_requested()) return false;
      const char* const name = entry->d_name;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      bool is_directory = entry->d_type == DT_DIR, is_file = entry->d_type == DT_REG;
      if (entry->d_type == DT_UNKNOWN) {
        struct stat about;
        if (fstatat(descriptor, name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
        is_directory = S_ISDIR(about.st_mode);
        is_file = S_ISREG(about.st_mode);
      }
      if ((!is_directory && !is_file) || (is_directory && std::strcmp(name, ".git") == 0)) continue;
      path.resize(base);
      path += name;
      if (!options_.with_ignored && rules->ignores(path, is_directory, options_.stop)) continue;
      if (is_file)
        goes_on = visitor_({path, descriptor, name}, thread);
      else
        found.push_back({path, {}, rules});
    }
    add(descriptor, base, found);
    return goes_on;
  }

  // What is gone meanwhile, or has become a link, is not there.
  void unopened(const Directory& directory, int code) const {
    if (options_.on_unopened && code != ENOENT && code != ENOTDIR && code != ELOOP)
      options_.on_unopened(directory.path, code);
  }

  void add(int parent, std::size_t base, std::vector<Directory>& found) {
    if (found.empty()) return;
    for (Directory& directory : found) {
      if (open_count_ + found.size() > max_open_directories) break;
      directory.opened.reset(openat(parent, directory.path.c_str() + base,
                                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    const std::lock_guard lock(mutex_);
    for (Directory& directory : found) todo_.push_back(std::move(directory));
    open_count_ = static_cast<std::size_t>(std::count_if(
        todo_.begin(), todo_.end(), [](const Directory& d) { return bool(d.opened); }));
    changed_.notify_all();
  }

  io::Descriptor root_;
  const TreeOptions& options_;
  const TreeVisitor& visitor_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Directory> todo_;
  std::atomic<std::size_t> open_count_ = 0;
  std::atomic<bool> left_out_ = false;  // something forbidden
  unsigned busy_ = 0;
  bool over_ = false;
};

}  // namespace

unsigned threads_of(const TreeOptions& options) {
  return options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
}

bool walk_tree(io::Descriptor root, const TreeOptions& options, const TreeVisitor& visitor) {
  return Walk(std::move(root), options, visitor).run();
}

}  // namespace acp::coder
