// The `_meta` that a program sends when a connection begins.
#pragma once

#include <string>
#include <string_view>

#include "acp/json/json.h"

namespace acp::detail {

// Throws std::invalid_argument for a key that is not of a namespace, or of the library's own.
void require_namespaced(std::string_view key);
// Throws std::invalid_argument, naming `what`, unless it is an object.
void require_object(const char* what, const Json& meta);

// The names of extension methods, added under the library's own key; nothing if there are none.
template <class Requests, class Notifications>
void tell_extensions(Json& meta, const Requests& requests, const Notifications& notifications) {
  if (requests.empty() && notifications.empty()) return;
  Json request_names = Json::array(), notification_names = Json::array();
  for (const auto& [name, handler] : requests) request_names.append(name);
  for (const auto& [name, handler] : notifications) notification_names.append(name);
  meta.set("libacp/extensions",
           Json::object({{"requests", request_names}, {"notifications", notification_names}}));
}

}  // namespace acp::detail
