// Searches text in the files of a tree.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/io/descriptor.h"
#include "acp/workspace/files/boundary.h"

namespace acp::coder {

// Whether to skip a file, given relative to the root, without a word about it. Called on several
// threads.
using LeaveOut = std::function<bool(const std::string& path)>;

struct SearchOptions {
  std::string pattern;
  bool literal = false;  // else a regular expression (RE2)
  bool ignore_case = false;
  std::string glob;  // only files that this matches, as a line of a .gitignore would; empty: all
  bool with_ignored = false;
  std::size_t max_matches = 1000;    // lines
  std::size_t max_line_bytes = 500;  // of each line that is shown
  std::size_t max_file_bytes = 64 * 1024 * 1024;
  unsigned threads = 0;
  std::stop_token stop = {};
  LeaveOut leave_out = nullptr;
  // Applied to each line that is shown, before it is cut; on any thread.
  std::function<void(std::string&)> mask = nullptr;
  workspace::Forbidden forbidden = {};
};

struct SearchMatch {
  std::string path;  // relative to the root
  std::size_t line;  // from 1
  std::string text;  // of the line, as UTF-8, cut if it is long

  friend bool operator==(const SearchMatch&, const SearchMatch&) = default;
};

struct SearchResult {
  std::vector<SearchMatch> matches;      // by path and line
  std::size_t files = 0;                 // that were looked into
  bool truncated = false;                // there are more
  std::vector<std::string> passed_over;  // files that are too large
  std::size_t left_out = 0;              // files that `leave_out` kept back
  bool forbidden = false;                // something forbidden was left out
  std::string unopened;                  // what could not be opened, for the model; empty: nothing
};

// An invalid pattern; what() says why.
class BadPattern : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Searches a tree, without binary files. `root` is an open directory.
SearchResult search_tree(io::Descriptor root, const SearchOptions& options);

// Searches one file, which is named as in its directory. The options' glob and git's ignore rules
// do not apply. Throws FileError.
SearchResult search_file(const workspace::Boundary& boundary, const std::string& path,
                         const SearchOptions& options);

struct FoundFiles {
  std::vector<std::string> paths;  // sorted
  bool truncated = false;          // there are more
  std::size_t left_out = 0;        // files that `leave_out` kept back
  bool forbidden = false;          // something forbidden was left out
  std::string unopened;            // directories that could not be opened, for the model
};
// The files whose path matches; at most so many, and those that were found by then once the token
// is set.
FoundFiles find_files(io::Descriptor root, const std::string& glob, std::size_t most,
                      bool with_ignored = false, std::stop_token stop = {},
                      const LeaveOut& leave_out = nullptr,
                      const workspace::Forbidden& forbidden = {});

}  // namespace acp::coder
