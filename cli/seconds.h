#pragma once

#include <chrono>
#include <string>

#include "cli/parser.h"

namespace acp::cli {

enum class Zero { refused, allowed };

// An option that takes a time: a number of seconds ("10", "10s", "500ms"), above 0 unless 0 is
// allowed.
Option add_seconds(const Command& app, const std::string& name, double& into,
                   const std::string& what, Zero zero = Zero::refused);

std::chrono::milliseconds milliseconds(double seconds);

}  // namespace acp::cli
