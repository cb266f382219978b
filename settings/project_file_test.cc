#include "settings/project_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "acp/workspace/testing/scratch.h"

namespace acp::settings {
namespace {

using workspace::testing::Scratch;

constexpr uid_t nobody = 65534;

class ProjectFile : public ::testing::Test {
 protected:
  ProjectFile() { scratch.put("above/project/x", ""); }

  ProjectText read(const std::string& directory, std::size_t most = 100) const {
    return read_project_file(scratch / directory, "A.md", scratch / "above/project", most);
  }
  // The reason, or nothing.
  std::string problem(const std::string& directory) const {
    const ProjectText file = read(directory);
    EXPECT_EQ(file.problem.empty(), file.text.has_value());
    const std::string start = (scratch / directory) + "/A.md is not read: ";
    EXPECT_TRUE(file.problem.empty() || file.problem.starts_with(start)) << file.problem;
    return file.problem.empty() ? "" : file.problem.substr(start.size());
  }
  Scratch scratch;
};

TEST_F(ProjectFile, IsReadOrIsNotThere) {
  EXPECT_FALSE(read("above/project").text);
  EXPECT_EQ(read("above/project").problem, "");
  EXPECT_EQ(read("nowhere").problem, "");
  scratch.put("above/project/A.md", "words");
  EXPECT_EQ(read("above/project").text, "words");
}

TEST_F(ProjectFile, NoMoreThanWantedAndWholeCharacters) {
  scratch.put("above/project/A.md", "12345é");
  const ProjectText file = read("above/project", 6);
  EXPECT_EQ(file.text, "12345");
  EXPECT_EQ(file.size, 7u);
  EXPECT_EQ(read("above/project", 7).text, "12345é");
}

TEST_F(ProjectFile, ALinkThatLeavesItsDirectoryIsNotFollowed) {
  scratch.put("secret", "secret");
  scratch.put("above/other", "other");
  scratch.put("above/project/docs/inner", "inner");
  const std::string link = scratch / "above/project/A.md";
  for (const std::string& target : {scratch / "secret", std::string("../../secret"),
                                    std::string("../other"), std::string("docs/../../other")}) {
    std::filesystem::create_symlink(target, link);
    EXPECT_EQ(problem("above/project"), "it is a link that leaves its directory") << target;
    std::filesystem::remove(link);
  }
  std::filesystem::create_symlink("docs/inner", link);
  EXPECT_EQ(read("above/project").text, "inner");
}

TEST_F(ProjectFile, WhatIsNoText) {
  scratch.put("above/project/A.md", std::string("a\0b", 3));
  EXPECT_EQ(problem("above/project"), "it is no UTF-8 text");
  scratch.put("above/project/A.md", "a\xC3");
  EXPECT_EQ(problem("above/project"), "it is no UTF-8 text");
  std::filesystem::remove(scratch.path() / "above/project/A.md");
  std::filesystem::create_directory(scratch.path() / "above/project/A.md");
  EXPECT_EQ(problem("above/project"), "it is no file");
  std::filesystem::remove(scratch.path() / "above/project/A.md");
  ASSERT_EQ(mkfifo((scratch / "above/project/A.md").c_str(), 0600), 0);
  EXPECT_EQ(problem("above/project"), "it is no file") << "and nobody waits for its other end";
}

TEST_F(ProjectFile, WhereEverybodyMayWriteAboveTheProject) {
  scratch.put("above/A.md", "words");
  EXPECT_EQ(read("above").text, "words");
  ASSERT_EQ(chmod((scratch / "above/A.md").c_str(), 0666), 0);
  EXPECT_EQ(problem("above"), "everybody may write to it (chmod o-w)");
  ASSERT_EQ(chmod((scratch / "above/A.md").c_str(), 0644), 0);
  ASSERT_EQ(chmod((scratch / "above").c_str(), 01777), 0);
  EXPECT_TRUE(problem("above").starts_with("everybody may write to its directory"));
  // What the user has chosen to work in is as it is.
  scratch.put("above/project/A.md", "words");
  ASSERT_EQ(chmod((scratch / "above/project").c_str(), 01777), 0);
  EXPECT_EQ(read("above/project").text, "words");
}

TEST_F(ProjectFile, OfAnotherUser) {
  if (geteuid() != 0) return;  // nobody else can give files away
  scratch.put("above/A.md", "words");
  scratch.put("above/project/A.md", "words");
  for (const char* name : {"above/A.md", "above/project/A.md"})
    ASSERT_EQ(chown((scratch / name).c_str(), nobody, nobody), 0);
  EXPECT_EQ(problem("above"), "it belongs to another user");
  EXPECT_EQ(problem("above/project"), "it belongs to another user");
  // Whose project it is says what it says.
  ASSERT_EQ(chown((scratch / "above/project").c_str(), nobody, nobody), 0);
  EXPECT_EQ(read("above/project").text, "words");
}

}  // namespace
}  // namespace acp::settings
