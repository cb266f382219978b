#include "gateway/roots.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "gateway/token.h"

namespace acp::gateway {
namespace {

namespace fs = std::filesystem;

struct FolderTest : ::testing::Test {
  FolderTest() {
    std::string name = fs::temp_directory_path() / "acp-roots-XXXXXX";
    folder = mkdtemp(name.data());
    fs::create_directories(folder / "root/inside");
    fs::create_directories(folder / "root-two");
    fs::create_directory_symlink(folder / "root-two", folder / "root/link");
    fs::create_directory_symlink(folder / "root", folder / "alias");
  }
  ~FolderTest() override { fs::remove_all(folder); }
  fs::path folder;
};
using RootsTest = FolderTest;
using TokenTest = FolderTest;

TEST_F(RootsTest, FollowLinks) {
  const Roots roots({(folder / "alias").string()});
  for (const char* inside : {"root", "root/", "root/inside", "root/inside/..", "root/not-there",
                             "alias/inside", "root/../root/inside"})
    EXPECT_TRUE(roots.hold(folder / inside)) << inside;
  for (const char* outside :
       {".", "root-two", "root/link", "root/link/x", "root/..", "root/inside/../../root-two"})
    EXPECT_FALSE(roots.hold(folder / outside)) << outside;
  // Where these lead depends on who asks: the agent's directory is another.
  fs::create_directory_symlink("/proc/self/cwd", folder / "root/mine");
  fs::create_directory_symlink("inside", folder / "root/plain");
  EXPECT_TRUE(roots.hold(folder / "root/plain"));
  const fs::path before = fs::current_path();
  fs::current_path(folder / "root/inside");
  for (const char* odd :
       {"/proc/self/cwd", "/proc/self/cwd/..", "/dev/fd/../cwd", "/proc/1/../self/cwd"})
    EXPECT_FALSE(roots.hold(odd)) << odd;
  EXPECT_FALSE(roots.hold(folder / "root/mine"));
  fs::current_path(before);
  fs::create_directory_symlink("round", folder / "root/round");
  EXPECT_FALSE(roots.hold(folder / "root/round"));
  EXPECT_FALSE(roots.hold("root"));
  EXPECT_FALSE(roots.hold(""));
  EXPECT_THROW(Roots({"/no/such/directory"}), fs::filesystem_error);
}

TEST_F(TokenTest, IsMadeOnceAndForItsOwnerAlone) {
  const std::string file = folder / "state/acp/serve-token";
  const Token made = read_or_make_token(file);
  EXPECT_TRUE(made.is_new);
  EXPECT_EQ(made.value.size(), 64u);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0600));
  const Token again = read_or_make_token(file);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.value, made.value);
  fs::permissions(file, fs::perms(0640));
  EXPECT_THROW(read_token(file), std::runtime_error);
  EXPECT_THROW(read_token(folder / "none"), std::runtime_error);
}

}  // namespace
}  // namespace acp::gateway
