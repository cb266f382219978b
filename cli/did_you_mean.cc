#include "cli/did_you_mean.h"

#include <algorithm>
#include <set>

#include "acp/schema/registry.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"
#include "settings/closest.h"
#include "settings/settings.h"

namespace acp::cli {
namespace {

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::vector<std::string> method_names() {
  std::set<std::string> names = {"session/set_model"};
  for (const auto methods : {v1::methods(), v2::methods()})
    for (const Method& method : methods) names.emplace(method.name);
  return {names.begin(), names.end()};
}

std::string did_you_mean(const std::string& written, const std::vector<std::string>& known) {
  std::vector<std::string> spelt;
  for (const std::string& name : known) spelt.push_back(lower(name));
  const auto same = std::ranges::find(spelt, lower(written));
  auto found = same != spelt.end()
                   ? same
                   : std::ranges::find(spelt, settings::closest(lower(written), spelt));
  // The beginning of one name alone.
  const auto begun = [&](const std::string& name) { return name.starts_with(lower(written)); };
  if (found == spelt.end() && !written.empty() && std::ranges::count_if(spelt, begun) == 1)
    found = std::ranges::find_if(spelt, begun);
  if (found == spelt.end()) return "";
  return "; did you mean " + known[static_cast<std::size_t>(found - spelt.begin())] + "?";
}

}  // namespace acp::cli
