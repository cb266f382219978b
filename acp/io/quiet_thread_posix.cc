#include <signal.h>

#include <utility>

#include "acp/io/quiet_thread.h"

namespace acp::io {

std::thread quiet_thread(std::function<void()> main) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(main));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace acp::io
