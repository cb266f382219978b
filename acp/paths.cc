#include "acp/paths.h"

namespace acp::detail {

bool is_absolute(std::string_view path) {
  if (path.starts_with('/')) return true;
  // C:\ and C:/, and \\server: a client on Windows may speak to an agent elsewhere.
  const bool drive = path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
  return drive || path.starts_with("\\\\");
}

}  // namespace acp::detail
