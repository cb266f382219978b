// Patches as git writes and reads them: what a version 2 diff consists of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace acp::detail::versions {

// A patch of one file, with one hunk: what differs, and three lines around it. Without an old text
// the file is new. It is named by its path, which is absolute in version 2, without a/ and b/.
// Empty if the texts are the same, or there is no path. Linear in the size of the texts.
std::string write_git_patch(std::string_view path, std::optional<std::string_view> old_text,
                            std::string_view new_text);

// What a patch does to one file.
struct PatchedFile {
  enum class Operation { add, delete_, modify, move, copy };

  Operation operation = Operation::modify;
  std::string old_path;  // as the patch names it: absolute, or without a/ and b/
  std::string path;
  std::string old_text;  // the lines of all hunks, one after the other
  std::string new_text;
  std::size_t hunks = 0;
  std::size_t first_line = 0;  // of the first hunk, in the old file; from 1
  bool binary = false;         // its content is not read
  std::string mode;            // a new one, if it is not that of a plain file
};

struct PatchLimits {
  std::size_t bytes = 32 * 1024 * 1024;
  std::size_t files = 4096;
};

// Nothing if the text is no patch, is malformed anywhere, or is beyond a limit: then the text stays
// what it is.
std::optional<std::vector<PatchedFile>> read_git_patch(std::string&& text, PatchLimits limits = {});

}  // namespace acp::detail::versions
