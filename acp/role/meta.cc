#include "acp/role/meta.h"

#include <stdexcept>

namespace acp::detail {

void require_namespaced(std::string_view key) {
  const std::size_t mark = key.find_first_of("./");
  const bool named = mark != std::string_view::npos && mark > 0 && mark + 1 < key.size();
  if (!named)
    throw std::invalid_argument(
        "a key in a capability's _meta has a namespace, such as \"example.com/feature\": " +
        std::string(key));
  if (key.starts_with("libacp/"))
    throw std::invalid_argument("this key in _meta is the library's own: " + std::string(key));
}

void require_object(const char* what, const Json& meta) {
  if (!meta.is_object())
    throw std::invalid_argument(std::string(what) + ": expected a JSON object, got " +
                                std::string(meta.text()));
}

}  // namespace acp::detail
