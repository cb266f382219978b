#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "acp/io/process/host_memory_linux.h"
#include "acp/io/process/orphans_linux.h"
#include "acp/io/process/process.h"
#include "acp/io/process/supervisor_linux.h"

extern char** environ;

namespace acp::io {
namespace {

using Clock = std::chrono::steady_clock;
using Phase = StartError::Phase;

constexpr std::chrono::seconds time_to_die{10};
// A supervisor that takes longer to report may have been stopped.
constexpr std::chrono::milliseconds time_to_wake{100};
constexpr std::size_t table_size = 32768;

struct SignalName {
  int number;
  const char* name;
};
constexpr SignalName signal_names[] = {
    {SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},   {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"},     {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},     {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"},     {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"},   {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"},     {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},   {SIGCHLD, "SIGCHLD"},
    {SIGCONT, "SIGCONT"},     {SIGSTOP, "SIGSTOP"}, {SIGTSTP, "SIGTSTP"},   {SIGTTIN, "SIGTTIN"},
    {SIGTTOU, "SIGTTOU"},     {SIGURG, "SIGURG"},   {SIGXCPU, "SIGXCPU"},   {SIGXFSZ, "SIGXFSZ"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGWINCH, "SIGWINCH"}, {SIGIO, "SIGIO"},
    {SIGSYS, "SIGSYS"}};

struct Pipe {
  Descriptor read, write;
};

bool open_pipe(Pipe& pipe) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe.read.reset(ends[0]);
  pipe.write.reset(ends[1]);
  return true;
}

// Of one end only: each has its own flags.
void make_nonblocking(const Descriptor& end) {
  fcntl(end.get(), F_SETFL, fcntl(end.get(), F_GETFL) | O_NONBLOCK);
}

void resize([[maybe_unused]] const Pipe& pipe, [[maybe_unused]] std::size_t size) {
#ifdef F_SETPIPE_SZ
  if (size > 0 && size <= static_cast<std::size_t>(std::numeric_limits<int>::max()))
    fcntl(pipe.write.get(), F_SETPIPE_SZ, static_cast<int>(size));
#endif
}

bool has_nul(std::string_view text) { return text.find('\0') != text.npos; }

std::string_view name_of(std::string_view variable) {
  // A leading `=` belongs to the name.
  return variable.substr(0, variable.find('=', variable.empty() ? 0 : 1));
}

std::vector<std::string> edited_environment(const std::vector<EnvironmentEdit>& edits) {
  std::vector<std::string> variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) variables.emplace_back(*at);
  for (const EnvironmentEdit& edit : edits) {
    std::erase_if(variables, [&](const std::string& v) { return name_of(v) == edit.name; });
    if (edit.value) variables.push_back(edit.name + '=' + *edit.value);
  }
  return variables;
}

// Every path to try, in the order of execvp.
std::vector<std::string> candidates(const std::string& command,
                                    const std::vector<std::string>& environment) {
  if (command.find('/') != command.npos) return {command};
  std::string_view path = "/bin:/usr/bin";
  for (const std::string& variable : environment)
    if (name_of(variable) == "PATH" && variable.size() > 4)
      path = std::string_view(variable).substr(5);
  std::vector<std::string> found;
  for (;;) {
    const std::size_t colon = path.find(':');
    const std::string_view directory = path.substr(0, colon);
    found.push_back(std::string(directory.empty() ? "." : directory) + '/' + command);
    if (colon == path.npos) return found;
    path.remove_prefix(colon + 1);
  }
}

// Null-terminated, with `before` free places in front.
std::vector<const char*> pointers(const std::vector<std::string>& strings, std::size_t before = 0) {
  std::vector<const char*> result(before);
  for (const std::string& string : strings) result.push_back(string.c_str());
  result.push_back(nullptr);
  return result;
}

std::string error_text(int code) { return std::generic_category().message(code); }

std::string why_not_executed(const ProcessOptions& options, const std::string& path, int code) {
  const std::string& command = options.argv[0];
  const bool searched = command.find('/') == command.npos;
  const std::string place =
      path.starts_with('/') || options.cwd.empty() ? path : options.cwd + '/' + path;
  struct stat info {};
  const bool exists = stat(place.c_str(), &info) == 0;
  switch (code) {
    case ENOENT:
      if (exists) return path + ": its interpreter was not found";
      return command + (searched ? ": command not found" : ": no such file");
    case EACCES:
      if (exists && S_ISDIR(info.st_mode)) return path + ": is a directory";
      return path + ": not executable";
    case ENOEXEC:
      return path + ": not a program for this machine";
    default:
      return path + ": cannot be executed";
  }
}

Phase phase_of_exec(int code) {
  switch (code) {
    case E2BIG:
    case ENOMEM:
    case EAGAIN:
    case ENFILE:
    case EMFILE:
      return Phase::spawn;
    default:
      return Phase::resolve;
  }
}

// Where the command line of this program stands, for /proc; nothing if that is not known.
struct ArgumentArea {
  char* begin = nullptr;
  std::size_t size = 0;
};

ArgumentArea argument_area() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // Numbered as in proc(5): after the name, which may hold anything, the state is field 3, and 48
  // and 49 are what we look for.
  const std::size_t name_end = text.rfind(')');
  if (name_end == text.npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 48; ++field) fields >> skipped;
  std::uintptr_t begin = 0, end = 0;
  if (!(fields >> begin >> end) || begin == 0 || end <= begin) return {};
  return {reinterpret_cast<char*>(begin), end - begin};
}

// Until the descriptor is readable; false if the time is over first.
bool wait_readable(int fd, Clock::time_point end) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd entry{fd, POLLIN, 0};
    const int count = poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (count >= 0) return count > 0;
    if (errno != EINTR) return false;
  }
}

}  // namespace

void Descriptor::close(NativeDescriptor native) { ::close(native); }

struct Process::State {
  Descriptor child_stdin, child_stdout, child_stderr;
  Descriptor control;
  int child = 0;
  int supervisor = 0;
  pid_t owner = getpid();
  std::optional<ExitStatus> status;
  bool ended = true;  // until there is a supervisor

  ~State() {
    // In a fork of the host the processes belong to somebody else.
    if (ended || getpid() != owner) return;
    kill();
    const Clock::time_point end = Clock::now() + time_to_die;
    while (read_reports() && wait_for_report(end)) {
    }
  }

  void kill() const {
    shutdown(control.get(), SHUT_WR);
    wake();
  }

  // A command may have stopped it. It is our child until it is reaped, so the number is its own.
  void wake() const {
    if (!ended && getpid() == owner) ::kill(supervisor, SIGCONT);
  }

  // False if the time is over first.
  bool wait_for_report(Clock::time_point end) const {
    while (!wait_readable(control.get(), std::min(end, Clock::now() + time_to_wake))) {
      if (Clock::now() >= end) return false;
      wake();
    }
    return true;
  }

  // Takes what has been reported. False once no more will come.
  bool read_reports() {
    while (!ended) {
      SupervisorReport report{};
      const ssize_t size = recv(control.get(), &report, sizeof report, MSG_DONTWAIT);
      // Reset: the supervisor has not read all that we sent. What it sent is still there.
      if (size < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
      if (size < 0 && errno == EAGAIN) return true;
      const bool whole = size == static_cast<ssize_t>(sizeof report);
      if (whole && report.kind == SupervisorReport::exited) status = exit_status(report.value);
      ended = !whole || report.kind == SupervisorReport::ended;
      if (!ended) continue;
      if (!whole) {
        // The supervisor was killed, and its tree is without one. Nobody knows more of it.
        if (!status) status = ExitStatus{};
        kill_orphans_of(supervisor);
      }
      reap();
    }
    return false;
  }

  static ExitStatus exit_status(int status) {
    if (WIFSIGNALED(status)) return {ExitStatus::Kind::killed, WTERMSIG(status)};
    return {ExitStatus::Kind::exited, WEXITSTATUS(status)};
  }

  // The supervisor, which is at its end, and nobody else. Somebody may have been faster (a host
  // that waits for everything with __WALL): the status does not depend on it.
  void reap() const {
    forget_known(supervisor);  // before its number can be another's
    while (waitpid(supervisor, nullptr, __WALL) < 0 && errno == EINTR) {
    }
  }
};

StartResult Process::start(const ProcessOptions& options) {
  const auto failed = [&](Phase phase, int code, const std::string& reason) {
    return StartError{phase, code, reason + " (" + error_text(code) + ')',
                      command_line(options.argv)};
  };
  const auto system_failed = [&](const char* what) {
    const int code = errno;
    return failed(Phase::spawn, code, what);
  };

  // What the system would cut short or take for something else.
  if (options.argv.empty() || options.argv[0].empty())
    return failed(Phase::resolve, ENOENT, "no command");
  if (std::any_of(options.argv.begin(), options.argv.end(), has_nul))
    return failed(Phase::resolve, EINVAL, "an argument holds a NUL byte");
  if (has_nul(options.cwd)) return failed(Phase::cwd, EINVAL, "the path holds a NUL byte");
  for (const EnvironmentEdit& edit : options.environment)
    if (edit.name.empty() || edit.name.find('=') != edit.name.npos || has_nul(edit.name) ||
        has_nul(edit.value.value_or("")))
      return failed(Phase::spawn, EINVAL, "cannot set the environment variable " + edit.name);

  const std::vector<std::string> environment = edited_environment(options.environment);
  const std::vector<std::string> paths = candidates(options.argv[0], environment);
  std::vector<const char*> argv = pointers(options.argv, 1);
  const std::vector<const char*> path_pointers = pointers(paths);
  const std::vector<const char*> environment_pointers = pointers(environment);
  const auto table = std::make_unique_for_overwrite<ProcessTree::Entry[]>(table_size);
  auto state = std::make_unique<State>();

  Pipe to_child, from_child, errors;
  if (!open_pipe(to_child) || !open_pipe(from_child) || !open_pipe(errors))
    return system_failed("cannot make a pipe");
  resize(to_child, options.pipe_size);
  resize(from_child, options.pipe_size);
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    return system_failed("cannot make a socket");
  state->control.reset(sockets[0]);
  Descriptor supervisor_end(sockets[1]);

  static const ArgumentArea arguments = argument_area();
  const SupervisorPlan plan{
      .candidates = path_pointers.data(),
      .argv = argv.data() + 1,
      .environment = environment_pointers.data(),
      .cwd = options.cwd.empty() ? nullptr : options.cwd.c_str(),
      .group = options.group,
      .child_stdin = to_child.read.get(),
      .child_stdout = from_child.write.get(),
      .child_stderr = errors.write.get(),
      .control = supervisor_end.get(),
      .host = state->owner,
      .table = table.get(),
      .table_size = table_size,
      .arguments = arguments.begin,
      .arguments_size = arguments.size,
      .release_memory = can_release_host_memory,
  };
  const int supervisor = start_known([&] { return start_supervisor(plan); });
  if (supervisor < 0) return failed(Phase::spawn, -supervisor, "cannot fork");
  state->supervisor = supervisor;
  state->ended = false;
  supervisor_end.reset();
  to_child.read.reset();
  from_child.write.reset();
  errors.write.reset();

  // The command runs already, and may stop its supervisor before that has reported.
  state->wait_for_report(Clock::time_point::max());
  SupervisorReport report{};
  ssize_t size;
  do size = recv(state->control.get(), &report, sizeof report, 0);
  while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(sizeof report))
    return failed(Phase::spawn, ECHILD, "the supervisor was killed");
  if (report.kind == SupervisorReport::failed) {
    const int code = report.value;
    if (report.step == SupervisorReport::cwd)
      return failed(Phase::cwd, code, options.cwd + ": cannot be entered");
    if (report.step == SupervisorReport::exec)
      return failed(
          phase_of_exec(code), code,
          why_not_executed(options, paths[static_cast<std::size_t>(report.candidate)], code));
    return failed(Phase::spawn, code, "cannot fork");
  }
  state->child = report.value;
  state->child_stdin = std::move(to_child.write);
  state->child_stdout = std::move(from_child.read);
  state->child_stderr = std::move(errors.read);
  make_nonblocking(state->child_stdin);
  make_nonblocking(state->child_stdout);
  make_nonblocking(state->child_stderr);
  return Process(std::move(state));
}

Process::Process() noexcept = default;
Process::Process(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Process::Process(Process&& other) noexcept = default;
Process& Process::operator=(Process&& other) noexcept = default;
Process::~Process() = default;

Descriptor& Process::child_stdin() { return state_->child_stdin; }
Descriptor& Process::child_stdout() { return state_->child_stdout; }
Descriptor& Process::child_stderr() { return state_->child_stderr; }
NativeDescriptor Process::exit_descriptor() const { return state_->control.get(); }

std::optional<ExitStatus> Process::poll_exit() {
  state_->read_reports();
  return state_->status;
}

bool Process::tree_ended() const { return state_->ended; }

void Process::terminate(std::chrono::milliseconds grace) {
  const SupervisorRequest request{static_cast<std::int32_t>(
      std::clamp<std::int64_t>(grace.count(), 0, std::numeric_limits<std::int32_t>::max()))};
  // Fails where there is nobody left, or where it has more requests before it than it can have
  // read.
  send(state_->control.get(), &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT);
  state_->wake();
}

void Process::kill() { state_->kill(); }

int Process::id() const { return state_->child; }
int Process::supervisor_id() const { return state_->supervisor; }

std::string ExitStatus::describe() const {
  switch (kind) {
    case Kind::exited:
      return "exited with code " + std::to_string(value);
    case Kind::killed:
      for (const auto& [number, name] : signal_names)
        if (number == value) return "killed by " + std::string(name);
      return "killed by signal " + std::to_string(value);
    default:
      return "ended in an unknown way: its supervisor was killed";
  }
}

}  // namespace acp::io
