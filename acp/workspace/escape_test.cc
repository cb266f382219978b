// Attempts to get out of a session's directories: each is refused, and outside nothing changes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "acp/workspace/files/files.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

namespace fs = std::filesystem;
using testing::Scratch;

// All that can be seen of a tree: names, kinds, modes, sizes, times and contents.
std::string snapshot(const fs::path& root) {
  std::string all;
  std::vector<fs::path> paths{root};
  for (const auto& entry : fs::recursive_directory_iterator(root)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    struct stat status;
    if (lstat(path.c_str(), &status) != 0) continue;
    all += path.string() + " " + std::to_string(status.st_mode) + " " +
           std::to_string(status.st_size) + " " + std::to_string(status.st_ino) + " " +
           std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
    std::ostringstream text;
    if (S_ISREG(status.st_mode)) text << std::ifstream(path, std::ios::binary).rdbuf();
    all += " " + text.str() + "\n";
  }
  return all;
}

class Escape : public ::testing::TestWithParam<Boundary::Walk> {
 protected:
  Escape() {
    scratch.put("project/inner/file.txt", "inside");
    scratch.put("project-too/secret.txt", "secret");
    scratch.put("outside/secret.txt", "secret");
    scratch.put("outside/empty/.keep", "");
    fs::remove(scratch.path() / "outside/empty/.keep");
    scratch.link("project/up", "..");
    scratch.link("project/out", "../outside");
    scratch.link("project/out_absolute", scratch / "outside");
    scratch.link("project/secret", "../outside/secret.txt");
    scratch.link("project/secret_absolute", scratch / "outside/secret.txt");
    scratch.link("project/new", "../outside/new.txt");
    scratch.link("project/new_directory", "../outside/new/deep.txt");
    scratch.link("project/first", "second");
    scratch.link("project/second", "inner/third");
    scratch.link("project/inner/third", "../../outside");
    scratch.link("project/root", "/");
    scratch.link("project/process_root", "/proc/self/root");
    scratch.link("project/process_cwd", "/proc/self/cwd");
    scratch.link("project/loop", "loop");
    scratch.link("project/zigzag", "inner/../../project/../outside");
    fs::create_hard_link(scratch.path() / "outside/secret.txt", scratch.path() / "project/hard");
    before = snapshot(scratch.path() / "outside") + snapshot(scratch.path() / "project-too");
  }

  void refuse(const std::string& what, const std::function<void()>& attempt) {
    ++attempts;
    try {
      attempt();
      ADD_FAILURE() << "not refused: " << what;
    } catch (const FileError& error) {
      const std::string said = error.what();
      EXPECT_TRUE(said.find("outside the directories of this session") != said.npos ||
                  said.find("followed by a NUL") != said.npos ||
                  said.find("too many symbolic links") != said.npos)
          << what << ": " << said;
    }
    EXPECT_EQ(snapshot(scratch.path() / "outside") + snapshot(scratch.path() / "project-too"),
              before)
        << what;
  }

  const Scratch scratch{"project"};
  Files files{Boundary({scratch / "project"}, GetParam())};
  std::string before;
  int attempts = 0;
};

INSTANTIATE_TEST_SUITE_P(, Escape,
                         ::testing::Values(Boundary::Walk::by_system,
                                           Boundary::Walk::by_components),
                         [](const auto& info) {
                           return info.param == Boundary::Walk::by_system ? "BySystem"
                                                                          : "ByComponents";
                         });

TEST_P(Escape, EveryWayOutIsRefused) {
  const std::string project = scratch / "project";
  const std::string absolute = (scratch.path() / "outside").string();
  const std::vector<std::string> directories = {
      "..",
      "../outside",
      "inner/../../outside",
      "./../outside/.",
      "inner/../../outside/empty/..",
      "//..//outside",
      "up",
      "up/outside",
      "up/project/../outside",
      "out",
      "out/empty",
      "out_absolute",
      "first",
      "second/empty",
      "inner/third",
      "zigzag",
      "root",
      "root/" + absolute,
      "process_root",
      "process_root/" + absolute,
      "process_cwd/..",
      "loop",
      "loop/deeper",
  };
  std::vector<std::string> all = {
      absolute, absolute + "/empty", scratch / "project-too", scratch / "projec", scratch / "", "/",
      "/etc",   "/proc/self/root",   project + "/..",         project + "-too",
  };
  for (const std::string& directory : directories) all.push_back(project + "/" + directory);
  for (const std::string& path : all) {
    const std::string file = path + "/secret.txt", fresh = path + "/fresh/deep.txt";
    refuse("list " + path, [&] { files.list(path); });
    refuse("kind of " + path, [&] { files.kind(path); });
    refuse("read " + file, [&] { files.read_text(file); });
    refuse("read bytes of " + file, [&] { files.read_bytes(file); });
    refuse("write " + file, [&] { files.write(file, "changed"); });
    refuse("write " + fresh, [&] { files.write(fresh, "new"); });
    refuse("remove " + file, [&] { files.remove(file); });
    refuse("make " + fresh, [&] { files.make_directory(fresh); });
    refuse("move out to " + fresh, [&] { files.move(project + "/inner/file.txt", fresh); });
    refuse("move in from " + file, [&] { files.move(file, project + "/stolen"); });
  }
  for (const char* name : {"secret", "secret_absolute", "loop"})
    refuse(std::string("read ") + name, [&] { files.read_text(project + "/" + name); });
  for (const char* name : {"secret", "secret_absolute", "new", "new_directory", "out", "loop"})
    refuse(std::string("write ") + name, [&] { files.write(project + "/" + name, "changed"); });
  refuse("a relative path", [&] { files.read_text("../outside/secret.txt"); });
  refuse("a NUL", [&] { files.read_text(project + std::string("/a\0/../..", 9)); });
  EXPECT_EQ(scratch.get("project/inner/file.txt"), "inside");
  RecordProperty("attempts", attempts);
  EXPECT_GE(attempts, 50);
}

TEST_P(Escape, AHardLinkIsReplacedAndNotWrittenThrough) {
  files.write(scratch / "project/hard", "changed");
  EXPECT_EQ(scratch.get("project/hard"), "changed");
  EXPECT_EQ(scratch.get("outside/secret.txt"), "secret");
}

// A directory and a link to the outside change places all the time: whatever is found under the
// name, what is outside is neither read nor changed.
TEST_P(Escape, NothingSlipsThroughBetweenCheckAndUse) {
  scratch.put("project/flip/secret.txt", "inside");
  scratch.put("project/flip/empty/file", "inside");
  scratch.link("project/flop", "../outside");
  scratch.put("project/file", "inside");
  scratch.link("project/link", "../outside/secret.txt");
  fs::remove(scratch.path() / "project/hard");
  before = snapshot(scratch.path() / "outside");
  const std::string flip = scratch / "project/flip", flop = scratch / "project/flop";
  const std::string file = scratch / "project/file", link = scratch / "project/link";
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) {
      renameat2(AT_FDCWD, flip.c_str(), AT_FDCWD, flop.c_str(), RENAME_EXCHANGE);
      renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
    }
  });
  int inside = 0, refused = 0;
  const auto attempt = [&](auto action) {
    try {
      action();
      ++inside;
    } catch (const FileError&) {
      ++refused;
    }
  };
  // Until both were seen often.
  for (int i = 0; i < 200 || ((inside < 50 || refused < 50) && i < 100'000); ++i) {
    attempt([&] { EXPECT_EQ(files.read_text(flip + "/secret.txt"), "inside"); });
    attempt([&] { EXPECT_EQ(files.read_text(file), "inside"); });
    attempt([&] { files.write(file, "inside"); });
    attempt([&] { files.write(flip + "/empty/fresh", "x"); });
    attempt([&] { files.write(flip + "/secret.txt", "inside"); });
    attempt([&] { files.remove(flip + "/empty/fresh"); });
  }
  over = true;
  other.join();
  EXPECT_GE(inside, 50);
  EXPECT_GE(refused, 50);
  EXPECT_EQ(snapshot(scratch.path() / "outside"), before);
}

}  // namespace
}  // namespace acp::workspace
