// For tests: while this exists, no file of this process can be written to, as on a disk that is
// full. Works for root and for others, and on any file system.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <stdexcept>

namespace acp::coder::testing {

class FullDisk {
 public:
  FullDisk() : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("getrlimit failed");
    before_ = limit.rlim_cur;
    limit.rlim_cur = 0;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit failed");
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = before_;
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  void (*old_handler_)(int);
  rlim_t before_ = 0;
};

}  // namespace acp::coder::testing
