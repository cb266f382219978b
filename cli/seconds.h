#pragma once

#include <chrono>
#include <string>

#include "cli/parser.h"

namespace acp::cli {

// An option that takes a time: a number of seconds above 0.
Option add_seconds(const Command& app, const std::string& name, double& into,
                   const std::string& what);

std::chrono::milliseconds milliseconds(double seconds);

}  // namespace acp::cli
