// Ctrl-C as a stop token.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <stop_token>
#include <thread>

namespace acp::cli {

// Sets a stop token at SIGINT, SIGTERM and SIGHUP. Must be made before any other thread.
class Interrupts {
 public:
  static constexpr int exit_code = 130;

  Interrupts() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    if (!is_ignored(SIGHUP)) sigaddset(&signals_, SIGHUP);  // by nohup
    sigaddset(&signals_, SIGUSR1);                          // our own: the end
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::thread([this] {
      int signal = 0;
      while (sigwait(&signals_, &signal) != 0 || signal != SIGUSR1) {
        if (stop_.stop_requested()) _exit(128 + signal);  // asked twice
        signal_ = signal;
        stop_.request_stop();
      }
    });
  }
  ~Interrupts() {
    pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }
  std::stop_token token() const { return stop_.get_token(); }
  // The signal that set the token; before that, SIGINT.
  int signal() const { return signal_; }

 private:
  static bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
  }

  sigset_t signals_;
  std::atomic<int> signal_ = SIGINT;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace acp::cli
