#include "acp/io/process/testing/observe.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace acp::io::testing {

Process start(std::vector<std::string> argv, ProcessOptions options) {
  options.argv = std::move(argv);
  StartResult result = Process::start(options);
  EXPECT_TRUE(result.ok()) << result.error().message();
  return result ? std::move(*result) : Process();
}

StartError failure(std::vector<std::string> argv, ProcessOptions options) {
  options.argv = std::move(argv);
  const StartResult result = Process::start(options);
  EXPECT_FALSE(result.ok());
  return result.error();
}

std::string output(std::vector<std::string> argv, ProcessOptions options) {
  Process process = start(std::move(argv), std::move(options));
  return process ? read_all(process.child_stdout().get()) : "not started";
}

bool readable(int fd, int milliseconds) {
  pollfd entry{fd, POLLIN, 0};
  int count;
  do count = poll(&entry, 1, milliseconds);
  while (count < 0 && errno == EINTR);
  return count > 0;
}

std::string read_line(int fd) {
  std::string line;
  for (char c; readable(fd) && read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  while (readable(fd)) {
    const ssize_t size = read(fd, buffer, sizeof buffer);
    if (size == 0) return text;
    if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
  }
  return text + "(no end)";
}

bool at_end(int fd) {
  char byte;
  return readable(fd, 0) && read(fd, &byte, 1) == 0;
}

std::string wait_for_exit(Process& process) {
  for (;;) {
    if (const auto status = process.poll_exit()) return status->describe();
    if (!readable(process.exit_descriptor())) return "alive";
  }
}

bool wait_for_tree(Process& process) {
  for (;;) {
    process.poll_exit();
    if (process.tree_ended()) return true;
    if (!readable(process.exit_descriptor())) return false;
  }
}

Watched::Watched(int pid) : pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  EXPECT_TRUE(pidfd_) << "there is no process " << pid;
}

}  // namespace acp::io::testing
