// Compared with git itself: whatever `git check-ignore` says of a path is right.
#include "coder/tools/gitignore.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "acp/json/json.h"
#include "acp/workspace/command.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::coder {
namespace {

using workspace::testing::Scratch;

class GitIgnore : public ::testing::Test {
 protected:
  GitIgnore() { EXPECT_EQ(git("init -q").exit.value, 0); }

  workspace::CommandOutcome git(const std::string& arguments) {
    workspace::CommandLine line;
    line.command = "git " + arguments;
    line.cwd = scratch.path();
    // No configuration but the test's.
    line.environment = {{"HOME", scratch / ".git"},
                        {"GIT_CONFIG_NOSYSTEM", "1"},
                        {"XDG_CONFIG_HOME", scratch / ".git"}};
    return workspace::run_command(line, {});
  }

  // What git ignores of these paths, which are there.
  std::set<std::string> ignored_by_git(const std::vector<std::string>& paths) {
    std::string list;
    for (const std::string& path : paths) (list += path) += '\0';
    scratch.put(".git/list", list);
    const std::string said = git("check-ignore --no-index -z --stdin < .git/list").output;
    std::set<std::string> ignored;
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line, '\0');) ignored.insert(line);
    return ignored;
  }

  // A directory has a slash at its end.
  void make(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const bool directory = name.ends_with('/');
      const std::string path = directory ? name.substr(0, name.size() - 1) : name;
      if (directory)
        std::filesystem::create_directories(scratch / path);
      else
        scratch.put(path, "");
      paths.push_back(path);
    }
  }

  void compare(const std::string& patterns) {
    scratch.put(".gitignore", patterns);
    const IgnoreFile file(patterns);
    const std::set<std::string> expected = ignored_by_git(paths);
    for (const std::string& path : paths) {
      // Below an ignored directory everything is.
      bool ours = false;
      for (std::size_t slash = path.find('/'); !ours; slash = path.find('/', slash + 1)) {
        const std::string part = path.substr(0, slash);
        ours = file.ignores(part, std::filesystem::is_directory(scratch / part)).value_or(false);
        if (slash == std::string::npos) break;
      }
      EXPECT_EQ(ours, expected.contains(path)) << path << " with " << Json(patterns).text();
    }
  }

  std::vector<std::string> paths;
  Scratch scratch;
};

TEST_F(GitIgnore, AgreesOnWhatPeopleWrite) {
  make({"a",
        "b/a/",
        "c/a",
        "d/b",
        "build/",
        "src/build/x",
        "lib/build",
        "src/a.o",
        "a.o",
        "x.log",
        "logs/x.log",
        "keep.log",
        "a b",
        "a b ",
        "#file",
        "!file",
        "doc/a.txt",
        "doc/x/a.txt",
        "doc/x/y/a.txt",
        "foo/bar",
        "foo/x/bar",
        "foo/x/y/bar",
        "x/foo/bar",
        "abc/d/e",
        "abc/f/",
        "file1",
        "fileA",
        "file",
        "file]",
        "\xC3\xA4",
        "x\xC3\xA4y",
        ".hidden",
        "a.O",
        "node_modules/m",
        "b/node_modules/x",
        "deep/er/node_modules/",
        "a\\b",
        "star*name",
        "q?",
        "tmp/x/",
        "cr.o\r"});
  for (const char* patterns : {"a\n",
                               "a/\n",
                               "/a\n",
                               "b/a\n",
                               "a/b\n",
                               "*.o\n",
                               "*.log\n!keep.log\n",
                               "build/\n",
                               "/build\n",
                               "src/build\n",
                               "doc/*.txt\n",
                               "doc/**/*.txt\n",
                               "doc/**\n",
                               "**/a.txt\n",
                               "**/foo/bar\n",
                               "foo/**/bar\n",
                               "abc/**\n",
                               "**\n",
                               "*\n!*.log\n",
                               "*\n!/b/\n",
                               "\\#file\n",
                               "\\!file\n",
                               "#file\n",
                               "a b\n",
                               "a b \n",
                               "a b\\ \n",
                               "file[0-9]\n",
                               "file[!0-9]\n",
                               "file[a-zA-Z]\n",
                               "file[[:digit:]]\n",
                               "file[]]\n",
                               "file?\n",
                               "?\n",
                               "??\n",
                               "x*y\n",
                               "node_modules\n",
                               "node_modules/\n",
                               "a\\\\b\n",
                               "star\\*name\n",
                               "q\\?\n",
                               "[\n",
                               "a\\\n",
                               "\n\n",
                               "/\n",
                               "//\n",
                               "a**b\n",
                               "**b\n",
                               "b**\n",
                               "*/a\n",
                               "*/*/a.txt\n",
                               "tmp/*/\n",
                               "\r\n*.o\r\n",
                               "/*\n!/src\n",
                               ".*\n",
                               "\xEF\xBB\xBF*.o\n",
                               "\xC3\xA4\n",
                               "/**/a\n",
                               "a/**/\n"})
    compare(patterns);
}

// Patterns and paths of few letters, so that they meet often.
TEST_F(GitIgnore, AgreesOnAnything) {
  std::mt19937 random(20261115);
  const auto pick = [&](std::string_view from) { return from[random() % from.size()]; };
  for (int i = 0; i < 60; ++i) {
    std::string path;
    const int depth = 1 + static_cast<int>(random() % 4);
    // A name with a digit is a file's.
    for (int d = 0; d < depth; ++d) {
      if (d > 0) path += '/';
      path += pick("abc");
      for (std::size_t n = random() % 3; n > 0; --n) path += pick("abc.");
    }
    make({path + "1"});
  }
  for (int i = 0; i < 20; ++i) make({std::string(1, pick("abc")) + "/" + pick("abc") + "/"});
  for (int round = 0; round < 150; ++round) {
    std::string patterns;
    for (std::size_t lines = 1 + random() % 3; lines > 0; --lines) {
      for (std::size_t n = 1 + random() % 6; n > 0; --n) {
        const int kind = static_cast<int>(random() % 12);
        patterns += kind == 0   ? "**"
                    : kind == 1 ? "*"
                    : kind <= 4 ? "/"
                    : kind == 5 ? "?"
                    : kind == 6 ? "[ab]"
                    : kind == 7 ? "**/"
                                : std::string(1, pick("abc.1"));
      }
      patterns += "\n";
      if (random() % 4 == 0) patterns += "!";
    }
    // Two slashes in a row mean nothing, and git is of two minds about them.
    for (std::size_t at; (at = patterns.find("//")) != std::string::npos;) patterns.erase(at, 1);
    compare(patterns + "\n");
  }
}

// A stranger's file must not take minutes.
TEST(IgnoreFileLimits, LongPatternsAreOfNoUse) {
  EXPECT_TRUE(IgnoreFile("?" + std::string(1 << 20, 'a') + "\n").empty());
  EXPECT_FALSE(IgnoreFile("?" + std::string(1000, 'a') + "\n").empty());
  std::string sets;
  for (int i = 0; i < 500; ++i) sets += "[!a]";
  EXPECT_EQ(IgnoreFile(sets + "\n").ignores(std::string(500, 'b'), false), true);
  EXPECT_FALSE(IgnoreFile(sets + "\n").ignores(std::string(499, 'b') + "a", false));
}

TEST(IgnoreFileLimits, NothingIsComparedOnceItIsStopped) {
  std::stop_source stop;
  const IgnoreFile file("a*b\n");
  EXPECT_EQ(file.ignores("ab", false, stop.get_token()), true);
  stop.request_stop();
  EXPECT_FALSE(file.ignores("ab", false, stop.get_token()));
}

TEST(IgnoreRules, TheNearestFileDecides) {
  const auto root = std::make_shared<IgnoreRules>(nullptr, "", IgnoreFile("*.log\n/only_here\n"));
  const IgnoreRules inner(root, "src", IgnoreFile("!keep.log\n/generated/\n"));
  EXPECT_TRUE(root->ignores("a.log", false));
  EXPECT_TRUE(inner.ignores("src/a.log", false));
  EXPECT_FALSE(inner.ignores("src/keep.log", false));
  EXPECT_TRUE(inner.ignores("src/generated", true));
  EXPECT_FALSE(inner.ignores("src/generated", false));
  EXPECT_FALSE(inner.ignores("src/x/generated", true));
  EXPECT_FALSE(inner.ignores("src/only_here", false));
}

}  // namespace
}  // namespace acp::coder
