// What the commands with --ssh have in common.
#pragma once

#include <string>
#include <vector>

#include "cli/parser.h"

namespace acp::cli {

void add_ssh_options(const Command& app, std::vector<std::string>& options);
// Throws BadUsage if ssh would take one of them for something else.
void check_ssh(const std::string& host, const std::vector<std::string>& options);

}  // namespace acp::cli
