#include "check/rules/requirement.h"

#include <algorithm>
#include <vector>

#include "check/rules/requirement_lists.h"

namespace acp::check {

std::string_view to_string(Level level) {
  switch (level) {
    case Level::must:
      return "must";
    case Level::should:
      return "should";
    case Level::may:
      return "may";
  }
  return "";
}

std::span<const Requirement> requirements() {
  static const std::vector<Requirement> all = [] {
    std::vector<Requirement> joined;
    for (const auto list : {wire_requirements(), agent_requirements(), transport_requirements(),
                            client_requirements()})
      joined.insert(joined.end(), list.begin(), list.end());
    return joined;
  }();
  return all;
}

const Requirement* find_requirement(std::string_view id) {
  const auto all = requirements();
  const auto found = std::ranges::find(all, id, &Requirement::id);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace acp::check
