#include "acp/role/paths.h"

#include "acp/error.h"

namespace acp::detail {

bool is_absolute(std::string_view path) {
  if (path.starts_with('/')) return true;
  // C:\ and C:/, and \\server: a client on Windows may speak to an agent elsewhere.
  const bool drive = path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
  return drive || path.starts_with("\\\\");
}

void require_absolute(std::string_view field, std::string_view path) {
  if (!is_absolute(path))
    throw Refused(std::string(field) + ": expected an absolute path, got \"" + std::string(path) +
                  "\"");
}

void require_absolute(const std::vector<v1::ToolCallContent>& content) {
  for (const v1::ToolCallContent& item : content)
    if (const auto* diff = std::get_if<v1::Diff>(&item)) require_absolute("diff.path", diff->path);
}

void require_absolute(const std::vector<v1::ToolCallLocation>& locations) {
  for (const v1::ToolCallLocation& location : locations) {
    require_absolute("locations.path", location.path);
    if (location.line.has_value() && *location.line == 0)
      throw Refused("locations.line: lines count from 1");
  }
}

}  // namespace acp::detail
