#pragma once

#include <stdexcept>

namespace acp::cli {

// A usage error; printed with a pointer to --help.
class BadUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace acp::cli
