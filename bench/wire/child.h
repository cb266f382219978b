// A contestant: a process with our pipes on its standard input and output, and a deadline.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench::wire {

// Names the contestant and the step.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Where driver and contestant run. Left to chance, a round trip takes one core's time or two
// cores', and a driver that is woken on the contestant's core waits for the end of its time slice.
enum class Cores { free, same, two };

// The folder of the program that runs: its contestants are next to it.
std::string own_folder();

class Child {
 public:
  // One at a time: the deadline's signal is the process's own. It begins with `step`.
  Child(std::string name, const std::vector<std::string>& command, Cores cores, std::string step,
        double seconds);
  ~Child();  // kills what is still there
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // What follows is this step, and fails when it takes longer.
  void begin(std::string step, double seconds);
  [[noreturn]] void fail(const std::string& why) const;
  // The last one was killed because its step took too long.
  static bool was_killed();

  void send(std::string_view bytes) { send(bytes, {}); }
  void send(std::string_view first, std::string_view second);  // in one write where the pipe allows

  // Valid until the next of these calls. The end of its output is a failure.
  std::string_view line();   // without the newline
  std::string_view bytes();  // whatever is there, at least one byte
  bool has_line() const;     // without waiting

  double cpu_seconds() const;
  double resident_mb() const { return status_mb("VmRSS:"); }
  double peak_mb() const { return status_mb("VmHWM:"); }

  // Closes its input and waits for it to end.
  void finish();

 private:
  void fill();
  double status_mb(std::string_view key) const;
  std::string how_it_ended();

  std::string name_, step_;
  double seconds_ = 0;
  cpu_set_t before_;  // of the driver
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace bench::wire
