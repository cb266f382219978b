#include "acp/workspace/files/session_boundaries.h"

#include <utility>

namespace acp::workspace {

Boundary SessionBoundaries::of(const ClientContext& context) {
  std::vector<std::string> directories = {context.cwd()};
  for (std::string& directory : context.additional_directories())
    directories.push_back(std::move(directory));
  if (directories.front().empty())
    throw not_found("session " + context.session_id(),
                    Json::object({{"sessionId", context.session_id()}}));
  return of(context.session_id(), std::move(directories));
}

Boundary SessionBoundaries::of(const std::string& session_id,
                               std::vector<std::string> directories) {
  const std::lock_guard lock(mutex_);
  const auto known = boundaries_.find(session_id);
  if (known != boundaries_.end() && known->second.directories() == directories)
    return known->second;
  Boundary made(std::move(directories), forbidden_);
  boundaries_.insert_or_assign(session_id, made);
  return made;
}

void SessionBoundaries::forget(const std::string& session_id) {
  const std::lock_guard lock(mutex_);
  boundaries_.erase(session_id);
}

}  // namespace acp::workspace
