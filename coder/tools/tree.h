// Walks the files of a tree: ignored files are left out, and links are not followed, so that
// nothing outside the tree is seen.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "acp/io/descriptor.h"
#include "acp/workspace/files/forbidden.h"

namespace acp::coder {

struct TreeFile {
  const std::string& path;  // relative to the root
  int directory;            // open
  const char* name;         // in the directory
};

struct TreeOptions {
  bool with_ignored = false;  // .git is left out in any case
  unsigned threads = 0;       // 0: as many as there are cores
  std::stop_token stop = {};
  const workspace::Forbidden::Now* forbidden = nullptr;  // directories that are not entered
  // A directory that is there and cannot be opened, with the system's code; on any of the threads.
  std::function<void(const std::string& path, int code)> on_unopened = nullptr;
};

// Called for each file, on several threads at a time; `thread` counts them from 0. Returns false to
// end the walk.
using TreeVisitor = std::function<bool(const TreeFile& file, unsigned thread)>;

// The number of threads of a walk with these options.
unsigned threads_of(const TreeOptions& options);
// Walks a tree; `root` is an open directory. Returns true if something forbidden was left out.
bool walk_tree(io::Descriptor root, const TreeOptions& options, const TreeVisitor& visitor);

}  // namespace acp::coder
