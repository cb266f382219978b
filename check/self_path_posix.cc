#include <filesystem>
#include <system_error>

#include "check/self_path.h"

namespace acp::check {

std::string self_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace acp::check
