#pragma once

#include "coder/model/model.h"

namespace acp::coder {

// A server of this machine that does not run: nothing listens at its port.
class NotRunning : public ModelError {
 public:
  explicit NotRunning(const std::string& what) : ModelError(Kind::unreachable, what) {}
};

}  // namespace acp::coder
