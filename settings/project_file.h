// A project's files for us: AGENTS.md, .acp/config.toml. They are not trusted: anybody may have
// written them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace acp::settings {

struct ProjectText {
  std::optional<std::string> text =
      {};                    // UTF-8. Nothing if there is no such file, or it is not read
  std::string problem = {};  // for people, with the path: why it is not read
  std::size_t size = 0;      // of the whole file; `text` may be less
};

// Reads the file `name` in `directory`, at most so many bytes. Not read, and reported as a problem:
// - what is no file, or no text; - a link that leaves the directory; - a file of another user than
// us, root, and the owner of `project`, the directory that the user
//   chose to work in;
// - above `project`, a file or a directory that everybody may write to.
ProjectText read_project_file(const std::string& directory, const std::string& name,
                              const std::string& project, std::size_t most);

}  // namespace acp::settings
