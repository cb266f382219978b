#include <termios.h>
#include <unistd.h>

#include <iostream>

#include "cli/read_secret.h"

namespace acp::cli {

namespace {

// The terminal shows nothing while this lives.
class NoEcho {
 public:
  NoEcho() : changed_(isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!changed_) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;
  ~NoEcho() {
    if (!changed_) return;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    std::cerr << "\n";
  }

 private:
  termios before_ = {};
  bool changed_;
};

}  // namespace

std::string read_secret(const std::string& question) {
  std::string line;
  {
    // Before the question: what is typed or pasted at once is neither shown nor lost.
    const NoEcho quiet;
    if (isatty(STDIN_FILENO) != 0) std::cerr << question << std::flush;
    std::getline(std::cin, line);
  }
  const std::size_t begin = line.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace acp::cli
