#pragma once

#include <string>
#include <string_view>

#include "acp/workspace/files/leftovers.h"

namespace acp::workspace {

// ".acp-", sixteen hexadecimal digits, ".tmp".
std::string temporary_name();
bool is_temporary_name(std::string_view name);

void remove_leftovers_in(int directory);
// As remove_leftovers(), once per directory in this process.
void remove_leftovers_once_in(int directory);

}  // namespace acp::workspace
