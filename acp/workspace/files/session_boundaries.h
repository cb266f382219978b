// The boundaries of sessions: made at the first use, the same until the session ends.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "acp/client.h"
#include "acp/workspace/files/boundary.h"

namespace acp::workspace {

// May be used by several threads.
class SessionBoundaries {
 public:
  explicit SessionBoundaries(Forbidden forbidden = {}) : forbidden_(std::move(forbidden)) {}

  // The boundary of the session that the request names. A session that was opened again with other
  // directories gets those. Throws Error -32002 if there is no such session.
  Boundary of(const ClientContext& context);
  // The same of a session with these directories, the first of them its cwd.
  Boundary of(const std::string& session_id, std::vector<std::string> directories);
  void forget(const std::string& session_id);

 private:
  const Forbidden forbidden_;
  std::mutex mutex_;
  std::map<std::string, Boundary> boundaries_;
};

}  // namespace acp::workspace
