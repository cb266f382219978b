// A path of an open directory for another program: it leads to that directory even if another one
// gets its name.
#pragma once

#include <unistd.h>

#include <string>

#include "acp/io/descriptor.h"

namespace acp::workspace {

// A path of the directory, valid as long as the descriptor is open. Where the system has no names
// for descriptors, the path as it was given.
inline std::string path_of_held(const io::Descriptor& directory, const std::string& given) {
  const std::string path =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(directory.get());
  return access((path + "/.").c_str(), X_OK) == 0 ? path : given;
}

}  // namespace acp::workspace
