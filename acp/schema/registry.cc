#include "acp/schema/registry.h"

namespace acp {

std::string_view to_string(Side side) {
  switch (side) {
    case Side::agent:
      return "agent";
    case Side::client:
      return "client";
    case Side::protocol:
      return "either side";
    case Side::proxy:
      return "proxy";
  }
  return "";
}

const Definition* find_definition(std::span<const Definition> definitions, std::string_view name) {
  for (const Definition& definition : definitions)
    if (name == definition.name) return &definition;
  return nullptr;
}

const Method* find_method(std::span<const Method> methods, std::string_view name,
                          bool notification) {
  for (const Method& method : methods)
    if (method.name == name && method.notification == notification) return &method;
  return nullptr;
}

}  // namespace acp
