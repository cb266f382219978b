#pragma once

#include <chrono>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace acp::cli {

// An option that takes a time: a number of seconds above 0.
CLI::Option* add_seconds(CLI::App& app, const std::string& name, double& into,
                         const std::string& what);

std::chrono::milliseconds milliseconds(double seconds);

}  // namespace acp::cli
