// Nothing is left of a process that was killed while it wrote.
#include "acp/workspace/files/leftovers_posix.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "acp/io/descriptor.h"
#include "acp/workspace/files/files.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

namespace fs = std::filesystem;
using testing::Scratch;

std::size_t temporaries(const fs::path& directory) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(directory))
    count += is_temporary_name(entry.path().filename().string()) ? 1 : 0;
  return count;
}

constexpr const char* name = ".acp-0123456789abcdef.tmp";

TEST(Leftovers, HaveNamesOfTheirOwn) {
  EXPECT_TRUE(is_temporary_name(name));
  EXPECT_TRUE(is_temporary_name(temporary_name()));
  for (const char* other :
       {"", ".acp-.tmp", ".acp-0123456789abcde.tmp", ".acp-0123456789abcdef.tmp~",
        ".acp-0123456789abcdeF.tmp", "acp-0123456789abcdef.tmp", ".acp-0123456789abcdef.txt",
        ".acp-0123456789abcdefg.tmp"})
    EXPECT_FALSE(is_temporary_name(other)) << other;
}

TEST(Leftovers, AreRemovedByTheNextWriterAndTheNextSession) {
  Scratch scratch;
  scratch.put(name, "half");
  scratch.put(std::string("sub/") + name, "half");
  remove_leftovers(scratch.path());
  EXPECT_EQ(temporaries(scratch.path()), 0u);
  EXPECT_EQ(temporaries(scratch.path() / "sub"), 1u) << "only what it was asked for";
  Files(Boundary({scratch.path().string()})).write(scratch / "sub/new.txt", "x");
  EXPECT_EQ(temporaries(scratch.path() / "sub"), 0u);
  EXPECT_EQ(scratch.get("sub/new.txt"), "x");
  remove_leftovers(scratch / "not there");
}

TEST(Leftovers, WhatIsNotOursStays) {
  Scratch scratch;
  scratch.put("other.txt", "x");
  scratch.link(name, "other.txt");
  fs::create_directory(scratch.path() / ".acp-1123456789abcdef.tmp");
  scratch.put(".acp-2123456789abcdef.tmp", "x");
  fs::create_hard_link(scratch.path() / ".acp-2123456789abcdef.tmp", scratch.path() / "precious");
  ASSERT_EQ(mkfifo((scratch / ".acp-3123456789abcdef.tmp").c_str(), 0600), 0);
  scratch.put(".acp-4123456789abcdef.tmp", "somebody writes to it");
  const io::Descriptor writer(open((scratch / ".acp-4123456789abcdef.tmp").c_str(), O_WRONLY));
  ASSERT_EQ(flock(writer.get(), LOCK_EX), 0);
  std::size_t expected = 5;
  if (geteuid() == 0) {
    scratch.put(".acp-5123456789abcdef.tmp", "another user's");
    ASSERT_EQ(chown((scratch / ".acp-5123456789abcdef.tmp").c_str(), 12345, 12345), 0);
    ++expected;
  }
  remove_leftovers(scratch.path());
  EXPECT_EQ(temporaries(scratch.path()), expected);
  EXPECT_EQ(scratch.get("precious"), "x");
}

// Processes that write all the time, killed at any moment; others clean up meanwhile, and must not
// take away what is being written.
TEST(Leftovers, OfKilledWritersAreNone) {
  Scratch scratch;
  const Files files(Boundary({scratch.path().string()}));
  const std::string content(1 << 20, 'x');
  for (int round = 0; round < 40; ++round) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t writer = fork();
    if (writer == 0) {
      for (int i = 0;; ++i) {
        try {
          files.write(scratch / "file.txt", content);
        } catch (const FileError&) {
          _exit(1);
        }
        if (i == 0 && write(ends[1], "w", 1) != 1) _exit(2);
      }
    }
    close(ends[1]);
    char byte;
    ASSERT_EQ(read(ends[0], &byte, 1), 1) << "the writer failed";
    close(ends[0]);
    for (int i = 0; i < round; ++i) remove_leftovers(scratch.path());
    kill(writer, SIGKILL);
    int status = 0;
    waitpid(writer, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it failed to write: " << WEXITSTATUS(status);
    EXPECT_EQ(scratch.get("file.txt"), content);
  }
  remove_leftovers(scratch.path());
  EXPECT_EQ(temporaries(scratch.path()), 0u);
}

}  // namespace
}  // namespace acp::workspace
