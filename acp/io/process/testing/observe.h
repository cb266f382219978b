// Starting processes, and watching them and their pipes without ever sleeping.
#pragma once

#include <string>
#include <vector>

#include "acp/io/process/process.h"

namespace acp::io::testing {

// Longer than anything takes on a busy machine, under a sanitizer.
inline constexpr int patience = 60000;  // milliseconds

// A process that must start, and one that must not.
Process start(std::vector<std::string> argv, ProcessOptions options = {});
StartError failure(std::vector<std::string> argv, ProcessOptions options = {});
// What the command prints.
std::string output(std::vector<std::string> argv, ProcessOptions options = {});

// Whether it becomes readable within so many milliseconds.
bool readable(int fd, int milliseconds = patience);

// The next line, without its end; empty at end-of-file or when patience is over.
std::string read_line(int fd);
// Everything up to end-of-file; "(no end)" is added when patience is over first.
std::string read_all(int fd);
// Whether end-of-file comes next, at once.
bool at_end(int fd);

// How the child ended; "alive" when patience is over.
std::string wait_for_exit(Process& process);
// Until no process of its tree is left.
bool wait_for_tree(Process& process);

// A process, by a descriptor that nobody else can come to have.
class Watched {
 public:
  explicit Watched(int pid);
  // Within so many milliseconds; 0: already.
  bool has_ended(int milliseconds) const { return readable(pidfd_.get(), milliseconds); }

 private:
  Descriptor pidfd_;
};

}  // namespace acp::io::testing
