// Where coroutines go on: the seam for a user's own loop, a GUI thread for instance.
#pragma once

#include <functional>

namespace acp {

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs the function later, on the executor's thread, in the order of the calls. From any thread.
  virtual void post(std::function<void()> function) = 0;
};

}  // namespace acp
