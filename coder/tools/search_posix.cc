#include <fcntl.h>
#include <re2/re2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <tuple>

#include "acp/json/utf8.h"
#include "acp/workspace/output_buffer.h"
#include "coder/tools/gitignore.h"
#include "coder/tools/search.h"
#include "coder/tools/tool.h"
#include "coder/tools/tree.h"

namespace acp::coder {

namespace {

// So much is looked at to see whether a file is binary.
constexpr std::size_t binary_bytes = 64 * 1024;
constexpr std::size_t read_bytes = 4 * 1024 * 1024;  // at once

// An expression is looked for in pieces of this size, so that a search can be stopped between them:
// a bad one takes milliseconds for a kilobyte. A line that is longer is looked at with this
// overlap.
constexpr std::size_t piece_bytes = 64 * 1024, overlap_bytes = 4 * 1024;
// Of a compiled expression: what is larger takes too long for each byte.
constexpr int most_instructions = 20'000;

// Finds where the next match begins, at or after `from`.
class Finder {
 public:
  explicit Finder(const SearchOptions& options) {
    if (options.pattern.empty()) throw BadPattern("an empty pattern matches everything");
    const bool plain =
        options.literal || options.pattern.find_first_of("\\^$.|?*+()[]{}") == std::string::npos;
    if (plain && !options.ignore_case) {
      literal_ = options.pattern;
      return;
    }
    RE2::Options how;
    how.set_log_errors(false);
    how.set_case_sensitive(!options.ignore_case);
    how.set_literal(plain);
    how.set_never_nl(true);
    how.set_max_mem(64 << 20);
    expression_ = std::make_unique<RE2>(plain ? options.pattern : "(?m)" + options.pattern, how);
    if (!expression_->ok()) throw BadPattern(expression_->error());
    if (expression_->ProgramSize() > most_instructions)
      throw BadPattern("the pattern is too large: repeat less");
  }

  // Nothing is found any more once the token is set.
  std::size_t find(std::string_view text, std::size_t from, const std::stop_token& stop) const {
    if (!literal_.empty()) {
      const void* const found =
          memmem(text.data() + from, text.size() - from, literal_.data(), literal_.size());
      return found == nullptr
                 ? std::string_view::npos
                 : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    }
    const re2::StringPiece whole(text.data(), text.size());
    while (!stop.stop_requested()) {
      // To the end of a line, or some way into one that is long.
      std::size_t end = text.size();
      bool inside_line = false;
      if (text.size() - from > piece_bytes) {
        const std::size_t newline = text.rfind('\n', from + piece_bytes - 1);
        inside_line = newline == std::string_view::npos || newline < from;
        end = inside_line ? from + piece_bytes : newline + 1;
      }
      re2::StringPiece match;
      if (expression_->Match(whole, from, end, RE2::UNANCHORED, &match, 1))
        return static_cast<std::size_t>(match.data() - text.data());
      if (end == text.size()) break;
      from = inside_line ? end - overlap_bytes : end;
    }
    return std::string_view::npos;
  }

 private:
  std::string literal_;
  std::unique_ptr<RE2> expression_;
};

// A glob on its own, as a .gitignore would hold it.
class Glob {
 public:
  explicit Glob(const std::string& glob) : file_(glob + "\n"), all_(glob.empty()) {
    if (!all_ && file_.empty()) throw BadPattern("a glob that matches nothing: " + glob);
  }
  bool matches(const std::string& path) const {
    return all_ || file_.ignores(path, false).value_or(false);
  }

 private:
  IgnoreFile file_;
  bool all_;
};

// What is there and cannot be opened is said: "nothing found" would be wrong. From any thread.
class Unopened {
 public:
  void add(const std::string& path, int code) {
    const std::lock_guard lock(mutex_);
    if (count_++ == 0) first_ = (path.empty() ? "." : path) + ": " + std::strerror(code);
  }
  std::string text() const {
    if (count_ == 0) return {};
    return std::to_string(count_) + (count_ == 1 ? " file or directory" : " files or directories") +
           " could not be opened (" + first_ + ")";
  }

 private:
  std::mutex mutex_;
  std::size_t count_ = 0;
  std::string first_;
};

std::string as_text(std::string_view line, const SearchOptions& options) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  constexpr std::size_t longest_key = 4096;  // what is masked may reach beyond what is shown
  const std::size_t most = options.max_line_bytes;
  const std::size_t taken = std::min(line.size(), options.mask ? most + longest_key : most);
  workspace::OutputBuffer valid(taken + 4);
  std::string text = valid.append(line.substr(0, taken));
  if (taken == line.size()) text += valid.finish();
  if (options.mask) options.mask(text);
  if (text.size() <= most && taken == line.size()) return text;
  text.resize(json::utf8_cut(text, most));
  return text + "…";
}

class Search {
 public:
  explicit Search(const SearchOptions& options)
      : options_(options), finder_(options), glob_(options.glob) {
    if (!options.forbidden.empty()) forbidden_ = options.forbidden.for_reading();
  }

  SearchResult run(io::Descriptor root) {
    TreeOptions tree;
    tree.with_ignored = options_.with_ignored;
    tree.threads = options_.threads;
    tree.stop = options_.stop;
    if (forbidden_) tree.forbidden = &*forbidden_;
    tree.on_unopened = [this](const std::string& path, int code) { unopened_.add(path, code); };
    buffers_.resize(threads_of(tree));
    if (walk_tree(std::move(root), tree, [this](const TreeFile& file, unsigned thread) {
          return look_into(file, thread);
        }))
      forbidden_seen_ = true;
    return take_result();
  }

  SearchResult run(const io::Descriptor& file, const std::string& name) {
    std::string buffer;
    if (const auto text = read(file, name, buffer)) look_into(*text, name);
    return take_result();
  }

 private:
  SearchResult take_result() {
    std::sort(result_.matches.begin(), result_.matches.end(), [](const auto& a, const auto& b) {
      return std::tie(a.path, a.line) < std::tie(b.path, b.line);
    });
    std::sort(result_.passed_over.begin(), result_.passed_over.end());
    if (result_.matches.size() > options_.max_matches) {
      result_.matches.resize(options_.max_matches);
      result_.truncated = true;
    }
    result_.files = files_;
    result_.left_out = left_out_;
    result_.forbidden = forbidden_seen_;
    result_.unopened = unopened_.text();
    return std::move(result_);
  }

  bool look_into(const TreeFile& file, unsigned thread) {
    if (!glob_.matches(file.path)) return true;
    if (options_.leave_out && options_.leave_out(file.path)) {
      ++left_out_;
      return true;
    }
    const io::Descriptor opened(
        openat(file.directory, file.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!opened && errno != ENOENT && errno != ELOOP) unopened_.add(file.path, errno);
    const auto text = read(opened, file.path, buffers_[thread]);
    return !text || look_into(*text, file.path);
  }

  bool look_into(std::string_view view, const std::string& path) {
    ++files_;
    if (memchr(view.data(), 0, std::min(view.size(), binary_bytes)) != nullptr) return true;
    std::vector<SearchMatch> found;
    std::size_t line = 1, counted = 0;
    for (std::size_t at = finder_.find(view, 0, options_.stop); at < view.size();) {
      const std::size_t newline = at == 0 ? std::string_view::npos : view.rfind('\n', at - 1);
      const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
      const std::size_t end = std::min(view.find('\n', at), view.size());
      line += static_cast<std::size_t>(
          std::count(view.begin() + static_cast<std::ptrdiff_t>(counted),
                     view.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
      counted = begin;
      found.push_back({path, line, as_text(view.substr(begin, end - begin), options_)});
      if (end + 1 >= view.size() || found.size() > options_.max_matches) break;
      at = finder_.find(view, end + 1, options_.stop);
    }
    if (found.empty()) return true;
    const std::lock_guard lock(mutex_);
    result_.matches.insert(result_.matches.end(), std::make_move_iterator(found.begin()),
                           std::make_move_iterator(found.end()));
    // So that what is shown does not depend on who was first, there must be far more than enough.
    return result_.matches.size() < 100 * options_.max_matches;
  }

  // The whole file, into a buffer that stays; nothing if there is nothing to look into.
  std::optional<std::string_view> read(const io::Descriptor& opened, const std::string& path,
                                       std::string& buffer) {
    struct stat about;
    if (!opened || fstat(opened.get(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
    if (forbidden_ && forbidden_->has(about)) {
      forbidden_seen_ = true;
      return {};
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    if (size > options_.max_file_bytes) {
      const std::lock_guard lock(mutex_);
      result_.passed_over.push_back(path);
      return {};
    }
    if (buffer.size() < size) buffer.resize(std::max(size, binary_bytes));
    std::size_t filled = 0;
    while (filled < size) {
      if (options_.stop.stop_requested()) return {};
      const ssize_t got =
          ::read(opened.get(), buffer.data() + filled, std::min(size - filled, read_bytes));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      filled += static_cast<std::size_t>(got);
      // A binary file shows itself at its beginning: the rest is not worth reading.
      if (filled == static_cast<std::size_t>(got) &&
          memchr(buffer.data(), 0, std::min(filled, binary_bytes)) != nullptr)
        return {};
    }
    return std::string_view(buffer.data(), filled);
  }

  const SearchOptions& options_;
  const Finder finder_;
  const Glob glob_;
  std::optional<workspace::Forbidden::Now> forbidden_;
  std::atomic<bool> forbidden_seen_ = false;
  std::vector<std::string> buffers_;
  std::atomic<std::size_t> files_ = 0, left_out_ = 0;
  std::mutex mutex_;
  SearchResult result_;
  Unopened unopened_;
};

}  // namespace

SearchResult search_tree(io::Descriptor root, const SearchOptions& options) {
  return Search(options).run(std::move(root));
}

SearchResult search_file(const workspace::Boundary& boundary, const std::string& path,
                         const SearchOptions& options) {
  const io::Descriptor file = boundary.open(path, O_RDONLY | O_NONBLOCK);
  return Search(options).run(file, path.substr(path.rfind('/') + 1));
}

FoundFiles find_files(io::Descriptor root, const std::string& pattern, std::size_t most,
                      bool with_ignored, std::stop_token stop, const LeaveOut& leave_out,
                      const workspace::Forbidden& forbidden) {
  const Glob glob(pattern);
  TreeOptions tree;
  tree.stop = std::move(stop);
  tree.with_ignored = with_ignored;
  const auto now = forbidden.for_reading();
  if (!forbidden.empty()) tree.forbidden = &now;
  Unopened missed;
  tree.on_unopened = [&](const std::string& path, int code) { missed.add(path, code); };
  std::mutex mutex;
  FoundFiles found;
  found.forbidden = walk_tree(std::move(root), tree, [&](const TreeFile& file, unsigned) {
    if (!glob.matches(file.path)) return true;
    const bool left_out = leave_out && leave_out(file.path);
    const std::lock_guard lock(mutex);
    if (left_out)
      ++found.left_out;
    else
      found.paths.push_back(file.path);
    return true;
  });
  found.unopened = missed.text();
  std::sort(found.paths.begin(), found.paths.end());
  found.truncated = found.paths.size() > most;
  if (found.truncated) found.paths.resize(most);
  return found;
}

}  // namespace acp::coder
