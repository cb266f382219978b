#include "acp/role/spoken_versions.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace acp::detail {

std::vector<int> versions_of_environment() {
  const char* const wanted = std::getenv("ACP_V2");
  if (wanted != nullptr && std::string_view(wanted) == "1") return {1, 2};
  return {1};
}

std::vector<int> checked_versions(std::vector<int> versions) {
  std::sort(versions.begin(), versions.end());
  const auto is_known = [](int version) { return version == 1 || version == 2; };
  if (versions.empty() || !std::all_of(versions.begin(), versions.end(), is_known) ||
      std::adjacent_find(versions.begin(), versions.end()) != versions.end())
    throw std::invalid_argument("versions: expected {1}, {1, 2} or {2}");
  return versions;
}

}  // namespace acp::detail
