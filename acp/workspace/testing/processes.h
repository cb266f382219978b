// For tests: processes that are not ours to wait for.
#pragma once

#include <fstream>
#include <string>

namespace acp::workspace::testing {

// One that has ended, but that nobody has waited for yet, is still to be seen, and does not live.
inline bool lives(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(status, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text[name_end + 2] != 'Z';
}

}  // namespace acp::workspace::testing
