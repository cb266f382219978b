// One process works on a session at a time.
#pragma once

#include <string>

#include "acp/io/descriptor.h"

namespace acp::coder {

// Whether it is letters, digits, - _ . (not first), at most 128: safe as part of a file name.
bool is_session_id(const std::string& id);

// A lock on DIRECTORY/ID.lock. The lock ends with the process, however that ends. It removes the
// file, unless the process was killed: then the next process takes it over, or removes it.
class SessionLock {
 public:
  SessionLock() = default;  // none
  // Throws SessionBusy and StoreError.
  SessionLock(const std::string& directory, const std::string& id);
  SessionLock(SessionLock&&) noexcept = default;
  SessionLock& operator=(SessionLock&&) = delete;
  ~SessionLock();

  // Removes the files of processes that were killed.
  static void remove_left(const std::string& directory);

 private:
  std::string path_;
  io::Descriptor file_;
};

}  // namespace acp::coder
