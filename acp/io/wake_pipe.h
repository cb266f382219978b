// Wakes a thread that sleeps in poll().
#pragma once

#include "acp/io/descriptor.h"

namespace acp::io {

class WakePipe {
 public:
  // Throws std::system_error.
  WakePipe();

  // From any thread or signal handler, any number of times.
  void poke() const noexcept;
  // Readable from a poke to the next drain().
  NativeDescriptor descriptor() const { return read_.get(); }
  void drain() const noexcept;

 private:
  Descriptor read_, write_;
};

}  // namespace acp::io
