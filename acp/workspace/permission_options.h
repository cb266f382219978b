// The answers that an agent offers to its question: chosen by kind, never by position.
#pragma once

#include <vector>

#include "acp/schema/v1.h"

namespace acp::workspace {

// Once or always.
inline bool allows(v1::PermissionOptionKind kind) {
  return kind == v1::PermissionOptionKind::allow_once ||
         kind == v1::PermissionOptionKind::allow_always;
}
// Once or always.
inline bool rejects(v1::PermissionOptionKind kind) {
  return kind == v1::PermissionOptionKind::reject_once ||
         kind == v1::PermissionOptionKind::reject_always;
}
// Whether it is remembered for later questions.
inline bool holds_on(v1::PermissionOptionKind kind) {
  return kind == v1::PermissionOptionKind::allow_always ||
         kind == v1::PermissionOptionKind::reject_always;
}

// The option with the smallest scope that allows, or rejects; null if the agent offers none.
inline const v1::PermissionOption* least_option(const std::vector<v1::PermissionOption>& options,
                                                bool allow) {
  const v1::PermissionOption* found = nullptr;
  for (const v1::PermissionOption& option : options) {
    if (!(allow ? allows(option.kind) : rejects(option.kind))) continue;
    if (found == nullptr || (holds_on(found->kind) && !holds_on(option.kind))) found = &option;
  }
  return found;
}

}  // namespace acp::workspace
