// Which changes need a person's word in every mode.
#include "acp/workspace/files/guarded.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

namespace fs = std::filesystem;
using testing::Scratch;

class GuardedTest : public ::testing::Test {
 protected:
  GuardedTest() {
    scratch.put("project/.git/config", "[core]");
    scratch.put("project/src/a.txt", "text");
  }
  std::string in(const std::string& name) const { return scratch / ("project/" + name); }
  std::optional<std::string> reason(const std::string& name, Change change = Change::write) const {
    return guarded_reason(boundary, in(name), change);
  }
  // As `git init --bare` makes it.
  void put_git_directory(const std::string& name) const {
    scratch.put(name + "/HEAD", "ref: refs/heads/main\n");
    fs::create_directories(scratch.path() / name / "objects");
    fs::create_directories(scratch.path() / name / "refs");
  }

  const Scratch scratch{"project", "more"};
  const Boundary boundary{{scratch / "project", scratch / "more"}};
};

TEST_F(GuardedTest, ByName) {
  fs::create_directories(in("a/b"));
  scratch.link("project/linked", ".git");
  scratch.link("project/hook", ".git/hooks/pre-commit");
  for (const char* name :
       {".git/config", ".git/hooks/new", ".git", ".GIT/config", ".Git", "a/.git/x",
        ".acp/config.toml", ".ACP/commands/x.md", ".acp", "src/../.git/config", "linked/config",
        "linked/hooks/new", "hook", "src/.git", "none/.acp/x"})
    EXPECT_TRUE(reason(name)) << name;
  for (const char* name :
       {".gitignore", ".github/x", "git/config", ".git2", "a/b/c", "src/a.txt", "acp/x", ".acp-x"})
    EXPECT_FALSE(reason(name)) << name << ": " << *reason(name);
  EXPECT_EQ(*reason(".git/config"),
            in(".git/config") + " belongs to git, which can run commands from it later");
  EXPECT_EQ(*reason(".acp/x"), in(".acp/x") + " belongs to .acp, which configures agents");
  // The link itself is not in there, what it leads to is.
  EXPECT_FALSE(reason("linked", Change::remove));
  EXPECT_TRUE(reason("linked/config", Change::remove));
  EXPECT_TRUE(reason("src/.git", Change::arrive));
  EXPECT_THROW(guarded_reason(boundary, scratch / "project/../outside", Change::write), FileError);
}

TEST_F(GuardedTest, WhatAGitFileNames) {
  // A worktree whose own directory, and the one that it shares, have names of no meaning.
  scratch.put("more/store/worktrees/one/commondir", "../..\n");
  scratch.put("more/store/config", "x");
  scratch.put("project/tree/.git", "gitdir: ../../more/store/worktrees/one\n");
  const Boundary tree({scratch / "project/tree", scratch / "more"});
  const auto in_more = [&](const std::string& name) {
    return guarded_reason(tree, scratch / ("more/" + name), Change::write);
  };
  EXPECT_TRUE(in_more("store/worktrees/one/config.worktree"));
  EXPECT_TRUE(in_more("store/config"));
  EXPECT_TRUE(in_more("store/hooks/new"));
  EXPECT_FALSE(in_more("other/config"));
  // By an absolute path, and by a link in place of a file.
  scratch.put("more/second/x", "x");
  scratch.put("project/tree/.git", "gitdir: " + (scratch / "more/second") + "\n");
  EXPECT_TRUE(in_more("second/config"));
  EXPECT_FALSE(in_more("store/config"));
  fs::remove(in("tree/.git"));
  scratch.link("project/tree/.git", "../../more/store");
  EXPECT_TRUE(in_more("store/config"));
  // Of a directory above the session's.
  fs::create_directories(in("tree/deep"));
  const Boundary deep({in("tree/deep"), scratch / "more"});
  EXPECT_TRUE(guarded_reason(deep, scratch / "more/store/config", Change::write));
}

TEST_F(GuardedTest, WhatLooksLikeAGitDirectory) {
  put_git_directory("project/vendor/store");
  EXPECT_TRUE(reason("vendor/store/config"));
  EXPECT_TRUE(reason("vendor/store/hooks/deep/new"));
  EXPECT_FALSE(reason("vendor/config"));
  // What would become one by the change.
  scratch.put("project/almost/config", "[core]\nfsmonitor = evil\n");
  fs::create_directories(in("almost/objects"));
  fs::create_directories(in("almost/rest"));
  scratch.put("project/almost/HEAD", "x");
  EXPECT_FALSE(reason("almost/config"));
  EXPECT_FALSE(reason("almost/rest/x"));
  EXPECT_TRUE(reason("almost/refs/heads/main"));
  EXPECT_TRUE(reason("almost/refs", Change::arrive));
}

// As `git worktree add` makes it in a bare repository.
// git takes all that a `.git` file says for the path, and needs no HEAD in what worktrees share.
TEST_F(GuardedTest, WhatGitReadsOfAGitFile) {
  put_git_directory("project/a\nb");
  scratch.put("project/tree/.git", "gitdir: ../a\nb\n");
  const Boundary tree({scratch / "project/tree", scratch / "project"});
  EXPECT_TRUE(guarded_reason(tree, scratch / "project/a\nb/config", Change::write));
  fs::remove(scratch.path() / "project/a\nb/HEAD");
  EXPECT_TRUE(guarded_reason(tree, scratch / "project/a\nb/config", Change::write));
  // Shared by the worktree of a directory below.
  put_git_directory("project/shared");
  fs::remove(scratch.path() / "project/shared/HEAD");
  EXPECT_TRUE(reason("shared/config"));
}

TEST_F(GuardedTest, WhatCannotBeOpenedIsAskedAbout) {
  std::string deep = "project/vendor";
  for (int i = 0; i < 60; ++i) deep += "/d";
  scratch.put(deep + "/.git/config", "x");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto found = reason("vendor", Change::remove);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(found);
  EXPECT_NE(found->find("cannot be read"), std::string::npos) << *found;
}

TEST_F(GuardedTest, AWorkingTreeInAGitDirectoryIsNotGits) {
  put_git_directory("project/bare");
  scratch.put("project/bare/worktrees/tree/commondir", "../..\n");
  scratch.put("project/bare/tree/.git", "gitdir: ../worktrees/tree\n");
  EXPECT_FALSE(reason("bare/tree/src/a.txt"));
  const Boundary tree({in("bare/tree"), in("none")});
  EXPECT_FALSE(guarded_reason(tree, in("bare/tree/src/a.txt"), Change::write));
  EXPECT_TRUE(guarded_reason(tree, in("bare/tree/.git"), Change::write));
  EXPECT_TRUE(reason("bare/hooks/pre-commit"));
  EXPECT_TRUE(reason("bare/worktrees/tree/config.worktree"));
}

TEST_F(GuardedTest, WhatIsMovedWithItsContents) {
  scratch.put("project/vendor/one/two/.git/config", "x");
  scratch.put("project/sub/module/.git", "gitdir: ../x");
  scratch.put("project/other/.acp/config.toml", "x");
  put_git_directory("project/stores/bare");
  for (const char* name : {"vendor", "vendor/one", "sub", "other", "stores", "stores/bare", "."})
    EXPECT_TRUE(reason(name, Change::remove)) << name;
  for (const char* name : {"src", "src/a.txt", "none"})
    EXPECT_FALSE(reason(name, Change::remove)) << name;
  scratch.link("project/src/link", "../vendor");
  EXPECT_FALSE(reason("src", Change::remove)) << "links are not followed";
}

}  // namespace
}  // namespace acp::workspace
