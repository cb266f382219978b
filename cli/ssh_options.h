// Options of the commands with --ssh.
#pragma once

#include <string>
#include <vector>

#include "cli/parser.h"

namespace acp::cli {

void add_ssh_options(const Command& app, std::vector<std::string>& options);
// Throws BadUsage if ssh would misread the host or an option.
void check_ssh(const std::string& host, const std::vector<std::string>& options);

}  // namespace acp::cli
