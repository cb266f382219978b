#include "acp/workspace/files/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "acp/error.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

namespace fs = std::filesystem;
using Kind = FileError::Kind;
using testing::Scratch;

// Both ways to walk a path.
class FilesTest : public ::testing::TestWithParam<Boundary::Walk> {
 protected:
  template <class F>
  static Kind fails(F action) {
    try {
      action();
    } catch (const FileError& error) {
      message = error.what();
      return error.kind();
    }
    ADD_FAILURE() << "did not fail";
    return Kind::failed;
  }
  std::string in(const std::string& name) const { return scratch / ("project/" + name); }

  const Scratch scratch{"project", "more"};
  Files files{Boundary({scratch / "project", scratch / "more"}, GetParam())};
  static inline std::string message;
};

// What this process has read so far.
std::uint64_t bytes_read() {
  std::ifstream in("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  in >> name >> bytes;
  return bytes;
}

// Without a stop this would take hours: the line is not there.
TEST_P(FilesTest, ReadingAHugeFileCanBeCancelledAtAnyTime) {
  scratch.put("project/huge", "x\n");
  fs::resize_file(in("huge"), 4'000'000'000'000);
  std::stop_source stop;
  std::thread user([&, before = bytes_read()] {
    while (bytes_read() < before + 1'000'000) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_THROW(files.read_text(in("huge"), 1'000'000'000, 1, stop.get_token()), Cancelled);
  user.join();
}

TEST_P(FilesTest, WhatIsCancelledHasChangedNothing) {
  scratch.put("project/a", "old");
  std::stop_source stop;
  stop.request_stop();
  const std::stop_token token = stop.get_token();
  EXPECT_THROW(files.read_text(in("a"), {}, {}, token), Cancelled);
  EXPECT_THROW(files.read_bytes(in("a"), token), Cancelled);
  EXPECT_THROW(files.list(in(""), token), Cancelled);
  EXPECT_THROW(files.write(in("a"), "new", token), Cancelled);
  EXPECT_THROW(files.write(in("b"), "", token), Cancelled);
  EXPECT_EQ(scratch.get("project/a"), "old");
  EXPECT_EQ(files.list(in("")).size(), 1u) << "nor is anything left behind";
}

INSTANTIATE_TEST_SUITE_P(, FilesTest,
                         ::testing::Values(Boundary::Walk::by_system,
                                           Boundary::Walk::by_components),
                         [](const auto& info) {
                           return info.param == Boundary::Walk::by_system ? "BySystem"
                                                                          : "ByComponents";
                         });

TEST_P(FilesTest, ReadsLinesFromOne) {
  scratch.put("project/a.txt", "one\ntwo\r\nthree\nlast");
  const auto read = [&](auto... which) { return files.read_text(in("a.txt"), which...); };
  EXPECT_EQ(read(), "one\ntwo\r\nthree\nlast");
  EXPECT_EQ(read(1), read());
  EXPECT_EQ(read(0), read());
  EXPECT_EQ(read(2), "two\r\nthree\nlast");
  EXPECT_EQ(read(2, 1), "two\r\n");
  EXPECT_EQ(read(3, 5), "three\nlast");
  EXPECT_EQ(read(4, 1), "last");
  EXPECT_EQ(read(5), "");
  EXPECT_EQ(read(1'000'000'000, 10), "");
  EXPECT_EQ(read(1, 0), "");
  EXPECT_EQ(read(std::nullopt, 2), "one\ntwo\r\n");
  EXPECT_EQ(files.read_text("a.txt"), read()) << "relative to the first directory";
}

TEST_P(FilesTest, ReadsLinesAcrossPieces) {
  // Lines of all lengths, so that the pieces in which a file is read end anywhere.
  std::string text;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 3000; ++i) {
    lines.push_back(std::string(i % 613, 'x') + "\xC3\xA4\n");
    text += lines.back();
  }
  scratch.put("project/long.txt", text);
  EXPECT_EQ(files.read_text(in("long.txt")), text);
  for (std::size_t from : {1u, 2u, 137u, 1500u, 2999u, 3000u}) {
    std::string expected;
    for (std::size_t i = from; i < from + 400 && i <= lines.size(); ++i) expected += lines[i - 1];
    EXPECT_EQ(files.read_text(in("long.txt"), from, 400), expected) << from;
  }
}

TEST_P(FilesTest, SaysWhatItWillNotRead) {
  EXPECT_EQ(fails([&] { files.read_text(in("none")); }), Kind::not_found);
  EXPECT_EQ(message, in("none") + ": no such file or directory");
  EXPECT_EQ(fails([&] { files.read_text(in("none/deeper")); }), Kind::not_found);
  scratch.put("project/file", "x");
  EXPECT_EQ(fails([&] { files.read_text(in("file/deeper")); }), Kind::not_found);
  EXPECT_EQ(fails([&] { files.read_text(scratch / "project"); }), Kind::not_a_file);
  EXPECT_EQ(message, (scratch / "project") + ": a directory");
  scratch.put("project/binary", std::string("a\0b", 3));
  EXPECT_EQ(fails([&] { files.read_text(in("binary")); }), Kind::not_text);
  EXPECT_EQ(message, in("binary") + ": a binary file");
  EXPECT_EQ(files.read_bytes(in("binary")), std::string("a\0b", 3));
  scratch.put("project/latin1", "na\xEFve");
  EXPECT_EQ(fails([&] { files.read_text(in("latin1")); }), Kind::not_text);
  EXPECT_EQ(message, in("latin1") + ": not UTF-8 at byte 2");
  // A pipe that nobody writes to must not keep us waiting.
  ASSERT_EQ(mkfifo(in("pipe").c_str(), 0600), 0);
  EXPECT_EQ(fails([&] { files.read_text(in("pipe")); }), Kind::not_a_file);
  EXPECT_EQ(fails([&] { files.write(in("pipe"), "x"); }), Kind::not_a_file);
}

TEST_P(FilesTest, OfALargeFileGivesLines) {
  const Files small(Boundary({scratch / "project"}, GetParam()), {.max_read_bytes = 1 << 20});
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "the line of number " + std::to_string(i) + "\n";
  for (int i = 0; i < 4; ++i) text += text;
  scratch.put("project/large", text);
  EXPECT_EQ(fails([&] { small.read_text(in("large")); }), Kind::too_large);
  EXPECT_EQ(message,
            in("large") + ": more than 1 MiB of text; ask for some of its lines (line, limit)");
  EXPECT_EQ(small.read_text(in("large"), 200'001, 1), "the line of number 0\n");
  EXPECT_EQ(fails([&] { small.read_bytes(in("large")); }), Kind::too_large);
}

TEST_P(FilesTest, WritesByteForByte) {
  for (const std::string& content :
       {std::string(), std::string("no end of line"), std::string("\xEF\xBB\xBF crlf\r\n"),
        std::string("\0\xFF", 2), std::string(3'000'000, 'x')}) {
    files.write(in("new/deep/file"), content);
    EXPECT_EQ(scratch.get("project/new/deep/file"), content);
  }
  EXPECT_EQ(files.list(in("new/deep")).size(), 1u) << "nothing is left beside it";
}

TEST_P(FilesTest, KeepsTheModeOfWhatItReplaces) {
  scratch.put("project/script", "old");
  ASSERT_EQ(chmod(in("script").c_str(), 0751), 0);
  files.write(in("script"), "new");
  struct stat status;
  ASSERT_EQ(stat(in("script").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0751u);
  const mode_t mask = umask(0027);
  files.write(in("fresh"), "new");
  umask(mask);
  ASSERT_EQ(stat(in("fresh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_P(FilesTest, AReaderSeesTheOldFileOrTheNew) {
  const std::string old_text(1 << 20, 'o'), new_text(1 << 20, 'n');
  files.write(in("file"), old_text);
  std::atomic<bool> over = false;
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) files.write(in("file"), i % 2 == 0 ? new_text : old_text);
    over = true;
  });
  while (!over) {
    const std::string seen = files.read_text(in("file"));
    ASSERT_TRUE(seen == old_text || seen == new_text) << seen.size();
  }
  writer.join();
}

TEST_P(FilesTest, FollowsInnerLinks) {
  scratch.put("project/src/a.txt", "text");
  scratch.link("project/relative", "src/a.txt");
  scratch.link("project/absolute", in("src/a.txt"));
  scratch.link("project/directory", "src");
  scratch.link("project/src/up", "../src/../src");
  for (const char* path : {"relative", "absolute", "directory/a.txt", "src/up/a.txt",
                           "src/../src/./a.txt", "directory/../src/a.txt"})
    EXPECT_EQ(files.read_text(in(path)), "text") << path;
  files.write(in("relative"), "through the link");
  EXPECT_EQ(scratch.get("project/src/a.txt"), "through the link");
  EXPECT_TRUE(fs::is_symlink(in("relative")));
  // A link to where nothing is yet.
  scratch.link("project/dangling", "later/file");
  files.write(in("dangling"), "made");
  EXPECT_EQ(scratch.get("project/later/file"), "made");
  EXPECT_TRUE(fs::is_symlink(in("dangling")));
  files.remove(in("relative"));
  EXPECT_FALSE(fs::exists(in("relative")));
  EXPECT_TRUE(fs::exists(in("src/a.txt"))) << "the link was meant";
}

TEST_P(FilesTest, GoesFromOneDirectoryOfTheSessionToAnother) {
  scratch.put("more/b.txt", "more");
  scratch.link("project/to_more", "../more/b.txt");
  scratch.link("project/to_more_absolute", scratch / "more/b.txt");
  for (const std::string& path :
       {in("to_more"), in("to_more_absolute"), in("../more/b.txt"), scratch / "more/b.txt"})
    EXPECT_EQ(files.read_text(path), "more") << path;
  files.write(in("to_more"), "written");
  EXPECT_EQ(scratch.get("more/b.txt"), "written");
}

TEST_P(FilesTest, KnowsADirectoryByBothItsNames) {
  scratch.put("project/a.txt", "text");
  scratch.link("alias", "project");
  const Files through(Boundary({scratch / "alias"}, GetParam()));
  EXPECT_EQ(through.read_text(scratch / "alias/a.txt"), "text");
  EXPECT_EQ(through.read_text(scratch / "project/a.txt"), "text");
}

TEST_P(FilesTest, RemovesMovesAndLists) {
  scratch.put("project/a", "1");
  scratch.put("project/sub/b", "2");
  scratch.link("project/link", "a");
  std::vector<std::string> names;
  for (const Entry& entry : files.list(scratch / "project"))
    names.push_back(entry.name + (entry.kind == EntryKind::directory ? "/"
                                  : entry.kind == EntryKind::link    ? "@"
                                                                     : ""));
  EXPECT_EQ(names, (std::vector<std::string>{"a", "link@", "sub/"}));
  files.move(in("a"), in("new/place/c"));
  EXPECT_EQ(scratch.get("project/new/place/c"), "1");
  EXPECT_EQ(fails([&] { files.move(in("new/place/c"), in("sub/b")); }), Kind::exists);
  EXPECT_EQ(message, in("sub/b") + ": it exists already");
  EXPECT_EQ(fails([&] { files.move(in("none"), in("x")); }), Kind::not_found);
  EXPECT_EQ(fails([&] { files.move(in("new"), in("link")); }), Kind::exists) << "a link, too";
  files.move(in("sub"), in("moved"));
  EXPECT_EQ(scratch.get("project/moved/b"), "2");
  EXPECT_EQ(fails([&] { files.remove(in("moved")); }), Kind::exists);
  EXPECT_EQ(message, in("moved") + ": the directory is not empty");
  files.remove(in("moved/b"));
  files.remove(in("moved"));
  EXPECT_EQ(files.kind(in("moved")), std::nullopt);
  EXPECT_EQ(fails([&] { files.remove(in("moved")); }), Kind::not_found);
  EXPECT_EQ(fails([&] { files.remove(scratch / "project"); }), Kind::not_a_file);
  files.make_directory(in("x/y"));
  files.make_directory(in("x/y"));
  EXPECT_EQ(files.kind(in("x/y")), EntryKind::directory);
  EXPECT_EQ(files.kind(in("new/place/c")), EntryKind::file);
}

TEST_P(FilesTest, AFileThatMustNotBeWrittenIsNot) {
  scratch.put("project/fixed", "old");
  ASSERT_EQ(chmod(in("fixed").c_str(), 0444), 0);
  // Root may write everything: be somebody else who may write to the directory.
  const uid_t before = geteuid();
  for (const char* path : {"", "project"}) ASSERT_EQ(chmod((scratch / path).c_str(), 0777), 0);
  const auto be = [&](uid_t user) { return before == 0 ? seteuid(user) : 0; };
  ASSERT_EQ(be(65534), 0);
  EXPECT_EQ(fails([&] { files.write(in("fixed"), "new"); }), Kind::denied);
  ASSERT_EQ(be(before), 0);
  EXPECT_EQ(scratch.get("project/fixed"), "old");
}

}  // namespace
}  // namespace acp::workspace
