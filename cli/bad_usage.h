#pragma once

#include <stdexcept>

namespace acp::cli {

// A mistake on the command line: told with the way to the help.
class BadUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace acp::cli
