#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "acp/io/process/orphans.h"
#include "chat/tui/input/raw_terminal.h"

namespace acp::chat {

namespace {

// Bracketed paste, and the focus.
constexpr std::string_view enter_sequence = "\x1b[?2004h\x1b[?1004h";
constexpr char leave_sequence[] = "\x1b[?2026l\x1b[?2004l\x1b[?1004l\x1b[?25h\x1b[0m";
constexpr int told_signals[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT};
constexpr int deadly_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT};

// For the handlers of signals: nothing but these can be used there. Atomic, because the system
// picks the thread that runs a handler.
termios found;              // the state to go back to
std::atomic<bool> changed;  // it is to be gone back to
const io::WakePipe* signal_pipe = nullptr;
std::atomic<bool> pending_resize, pending_interrupt;
std::atomic<int> pending_end;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void restore() {
  if (!changed.exchange(false)) return;
  const ssize_t ignored = ::write(STDOUT_FILENO, leave_sequence, sizeof leave_sequence - 1);
  static_cast<void>(ignored);
  tcsetattr(STDIN_FILENO, TCSANOW, &found);
}

extern "C" void tell(int signal) {
  if (signal == SIGWINCH)
    pending_resize = true;
  else if (signal == SIGINT)
    pending_interrupt = true;
  else
    pending_end = signal;
  signal_pipe->poke();
}

// SA_RESETHAND: the second time it does what it always does.
extern "C" void die(int signal) {
  restore();
  raise(signal);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

RawTerminal::How RawTerminal::possible() {
  const char* const type = std::getenv("TERM");
  const bool known = type != nullptr && *type != '\0' && std::strcmp(type, "dumb") != 0;
  return known && isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 ? How::keys : How::lines;
}

bool RawTerminal::typed() { return isatty(STDIN_FILENO) != 0; }

RawTerminal::RawTerminal(How how) : how_(how) {
  signal_pipe = &wake_;
  for (const int signal : told_signals) handle(signal, tell, SA_RESTART);
  enter();
  if (how_ == How::keys)
    for (const int signal : deadly_signals)
      handle(signal, die, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}

RawTerminal::~RawTerminal() {
  leave();
  for (const int signal : told_signals) handle(signal, SIG_DFL, 0);
  if (how_ == How::keys)
    for (const int signal : deadly_signals) handle(signal, SIG_DFL, 0);
}

void RawTerminal::enter() {
  if (how_ == How::lines || entered_) return;
  if (tcgetattr(STDIN_FILENO, &found) != 0)
    throw std::runtime_error(std::string("the terminal cannot be used: ") + std::strerror(errno));
  changed = true;
  termios raw = found;
  raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  entered_ = true;
  write(enter_sequence);
}

void RawTerminal::leave() {
  if (entered_) restore();
  entered_ = false;
}

void RawTerminal::suspend() {
  leave();
  kill(0, SIGTSTP);
  enter();
  pending_resize = true;
}

RawTerminal::Size RawTerminal::size() const {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

void RawTerminal::wake() {
  if (!woken_.exchange(true)) wake_.poke();
}

RawTerminal::Event RawTerminal::wait(int milliseconds) {
  Event event;
  pollfd watched[2] = {{wake_.descriptor(), POLLIN, 0},
                       {input_ended_ ? -1 : STDIN_FILENO, POLLIN, 0}};
  if (poll(watched, 2, milliseconds) < 0) watched[0].revents = POLLIN, watched[1].revents = 0;
  if (watched[0].revents != 0) {
    wake_.drain();
    event.woken = woken_.exchange(false);
  }
  if (watched[1].revents != 0) {
    char bytes[65536];
    const ssize_t size = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (size > 0) event.input.assign(bytes, static_cast<std::size_t>(size));
    if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) input_ended_ = true;
  }
  event.ended = input_ended_;
  event.resized = pending_resize.exchange(false);
  event.interrupted = pending_interrupt.exchange(false);
  event.end_signal = pending_end;
  return event;
}

void RawTerminal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (size >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno == EAGAIN) {
      pollfd full = {STDOUT_FILENO, POLLOUT, 0};
      poll(&full, 1, -1);
    } else if (errno != EINTR) {
      throw std::runtime_error(std::string("the terminal is gone: ") + std::strerror(errno));
    }
  }
}

int run_in_terminal(const std::vector<std::string>& argv,
                    const std::vector<io::EnvironmentEdit>& environment, const std::string& cwd) {
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view set = *one;
    bool replaced = false;
    for (const io::EnvironmentEdit& edit : environment)
      replaced |= set.starts_with(edit.name + "=");
    if (!replaced) variables.emplace_back(set);
  }
  for (const io::EnvironmentEdit& edit : environment)
    if (edit.value) variables.push_back(edit.name + "=" + *edit.value);
  std::vector<char*> env;
  for (std::string& one : variables) env.push_back(one.data());
  env.push_back(nullptr);
  const pid_t child = io::start_known([] { return fork(); });
  if (child < 0) return -1;
  if (child == 0) {
    for (const int signal : told_signals) handle(signal, SIG_DFL, 0);
    for (const int signal : deadly_signals) handle(signal, SIG_DFL, 0);
    if (chdir(cwd.c_str()) == 0) execvpe(pointers[0], pointers.data(), env.data());
    _exit(127);
  }
  siginfo_t ended;
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  io::forget_known(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace acp::chat
