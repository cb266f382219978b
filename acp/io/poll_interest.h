#pragma once

#include "acp/io/descriptor.h"

namespace acp {

// What to watch for a program that has a loop of its own; as poll() takes it.
struct PollInterest {
  io::NativeDescriptor descriptor;
  bool readable;
  bool writable;
};

}  // namespace acp
