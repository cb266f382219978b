#include "acp/json/path.h"

#include <algorithm>
#include <vector>

#include "acp/json/writer.h"

namespace acp::json {

std::string render(const PathNode* node) {
  std::vector<const PathNode*> chain;
  for (; node != nullptr; node = node->up) chain.push_back(node);
  std::string path;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const PathNode& part = **it;
    if (part.key.data() == nullptr) {
      path += "[" + std::to_string(part.index) + "]";
      continue;
    }
    const bool plain =
        !part.key.empty() && std::all_of(part.key.begin(), part.key.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '_' || c == '$';
        });
    if (plain) {
      if (!path.empty()) path += '.';
      path += part.key;
    } else {
      Writer quoted;
      quoted.string(part.key);
      path += "[" + quoted.str() + "]";
    }
  }
  return path;
}

}  // namespace acp::json
