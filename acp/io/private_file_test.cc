#include "acp/io/private_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace acp::io {
namespace {

class PrivateFile : public ::testing::Test {
 protected:
  PrivateFile() {
    std::string name = (std::filesystem::temp_directory_path() / "acp-XXXXXX").string();
    directory = mkdtemp(name.data());
    umask(0);
  }
  ~PrivateFile() override {
    umask(022);
    std::filesystem::remove_all(directory);
  }
  mode_t mode() const {
    struct stat about = {};
    EXPECT_EQ(stat(path().c_str(), &about), 0);
    return about.st_mode & 07777;
  }
  std::string path() const { return directory / "file"; }
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path()).rdbuf();
    return out.str();
  }
  std::filesystem::path directory;
};

TEST_F(PrivateFile, IsForItsOwnerAloneFromTheBeginning) {
  const Descriptor file = open_private_file(path(), Existing::replace);
  EXPECT_EQ(mode(), 0600u);
}

TEST_F(PrivateFile, AnOpenFileBecomesPrivate) {
  std::ofstream(path()) << "what was there before";
  ASSERT_EQ(chmod(path().c_str(), 0666), 0);
  write_private_file(path(), "new", Existing::replace);
  EXPECT_EQ(mode(), 0600u);
  EXPECT_EQ(text(), "new");
}

TEST_F(PrivateFile, LeavesWhatIsThereWhereToldSo) {
  std::ofstream(path()) << "old";
  EXPECT_THROW(write_private_file(path(), "new", Existing::refuse), std::runtime_error);
  EXPECT_EQ(text(), "old");
  EXPECT_THROW(write_private_file(path() + "/none/x", "new", Existing::replace),
               std::runtime_error);
}

TEST_F(PrivateFile, AFileOfAnotherUserIsNotWritten) {
  if (geteuid() != 0) return;  // only root can make one
  std::ofstream(path()) << "theirs";
  ASSERT_EQ(chown(path().c_str(), 65534, 65534), 0);
  EXPECT_THROW(write_private_file(path(), "new", Existing::replace), std::runtime_error);
  EXPECT_EQ(text(), "theirs");
}

TEST_F(PrivateFile, WhatIsNoFileIsWrittenToAsItIs) {
  EXPECT_NO_THROW(write_private_file("/dev/null", "x", Existing::replace));
}

}  // namespace
}  // namespace acp::io
