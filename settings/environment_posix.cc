#include "settings/environment.h"

#include <unistd.h>

#include <string_view>

namespace acp::settings {

std::vector<std::pair<std::string, std::string>> all_variables() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const std::string_view set = *one;
    const std::size_t equals = set.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(set.substr(0, equals), set.substr(equals + 1));
  }
  return variables;
}

}  // namespace acp::settings
