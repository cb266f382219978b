// Ctrl-C as a stop token.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <stop_token>
#include <thread>

namespace acp::cli {

// SIGINT and SIGTERM take back what is under way. Made before any other thread.
class Interrupts {
 public:
  static constexpr int exit_code = 130;

  Interrupts() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGUSR1);  // our own: the end
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::thread([this] {
      int signal = 0;
      while (sigwait(&signals_, &signal) != 0 || signal != SIGUSR1) {
        if (stop_.stop_requested()) _exit(exit_code);  // asked twice
        stop_.request_stop();
      }
    });
  }
  ~Interrupts() {
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  sigset_t signals_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace acp::cli
