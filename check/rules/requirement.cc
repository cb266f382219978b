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
                            client_requirements(), wire_requirements_2(), agent_requirements_2(),
                            client_requirements_2()})
      joined.insert(joined.end(), list.begin(), list.end());
    return joined;
  }();
  return all;
}

bool holds_for(const Requirement& requirement, int protocol) {
  const std::string_view id = requirement.id;
  if (id[1] == '2') return protocol == 2;
  if (protocol == 1) return true;
  const std::string_view area = id.substr(2, id.rfind('-') - 2);
  for (const std::string_view both :
       {"WIRE", "SCHEMA", "INPUT", "ID", "EXT", "META", "EXIT", "RPC", "LIFE"})
    if (area == both) return true;
  return id == "A-ORDER-1" || id == "C-ORDER-1" || id == "C-ORDER-2";
}

const Requirement* find_requirement(std::string_view id) {
  const auto all = requirements();
  const auto found = std::ranges::find(all, id, &Requirement::id);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace acp::check
