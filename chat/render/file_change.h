// A file that the agent has written through us.
#pragma once

#include <optional>
#include <string>

namespace acp::chat {

struct FileChange {
  std::optional<std::string> before;  // none: it was not there
  std::string after;
  bool kept = true;  // false: both texts were too long to be kept with the others
};

}  // namespace acp::chat
