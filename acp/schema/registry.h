// The tables by name: every definition of a protocol version, and every method.
#pragma once

#include <span>
#include <string_view>

#include "acp/json/type.h"

namespace acp {

// A type of the schema.
struct Definition {
  const char* name;
  const json::Type* type;
  bool unstable;
  const char* alias_of;  // null unless it is another name for that definition
};

// Who handles it. `protocol`: either; `proxy`: a component of a proxy chain.
enum class Side { agent, client, protocol, proxy };

// A method of the protocol.
struct Method {
  std::string_view name;
  Side side;
  bool notification;
  const char* params_name;
  const json::Type* params;
  const char* result_name;   // empty for notifications
  const json::Type* result;  // null for notifications
  bool unstable;
  // What must have been advertised first: a path in the initialize exchange or in a session's
  // answer. Empty if every peer has it.
  std::string_view gate;
};

// As the schema calls it.
std::string_view to_string(Side side);

// Null if there is none.
const Definition* find_definition(std::span<const Definition> definitions, std::string_view name);
const Method* find_method(std::span<const Method> methods, std::string_view name,
                          bool notification);

}  // namespace acp
