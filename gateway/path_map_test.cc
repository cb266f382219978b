#include "gateway/path_map.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace acp::gateway {
namespace {

using Towards = PathMap::Towards;

TEST(PathMap, TakesTheLongestDirectory) {
  PathMap map;
  map.add("/home/me=/srv");
  map.add("/home/me/deep/=/deep");
  EXPECT_EQ(map.path("/home/me", Towards::agent), "/srv");
  EXPECT_EQ(map.path("/home/me/", Towards::agent), "/srv");
  EXPECT_EQ(map.path("/home/me/a/b", Towards::agent), "/srv/a/b");
  EXPECT_EQ(map.path("/home/me/deep/x", Towards::agent), "/deep/x");
  EXPECT_EQ(map.path("/home/meow", Towards::agent), std::nullopt);
  EXPECT_EQ(map.path("/srv/a", Towards::editor), "/home/me/a");
  EXPECT_EQ(map.path("/etc", Towards::editor), std::nullopt);
}

TEST(PathMap, KnowsTheRoot) {
  PathMap map;
  map.add("/mnt=/");
  EXPECT_EQ(map.path("/mnt/etc", Towards::agent), "/etc");
  EXPECT_EQ(map.path("/mnt", Towards::agent), "/");
  EXPECT_EQ(map.path("/etc", Towards::editor), "/mnt/etc");
}

TEST(PathMap, DotsDoNotLeaveADirectory) {
  PathMap map;
  map.add("/home/me/src=/srv/src");
  EXPECT_EQ(map.path("/home/me/src/./a/../b", Towards::agent), "/srv/src/b");
  EXPECT_EQ(map.path("/srv/src/../../etc/passwd", Towards::editor), std::nullopt);
  EXPECT_EQ(map.path("/home/me/src/..", Towards::agent), std::nullopt);
  EXPECT_EQ(map.path("/home/me/src/.git", Towards::agent), "/srv/src/.git");
}

TEST(PathMap, AddressesAreEscaped) {
  PathMap map;
  map.add("/home/me/my project=/srv/p#1");
  const auto there = map.translate(
      *Json::parse(R"({"uri":"file:///home/me/my%20project/a%25b.cc#L10"})"), Towards::agent);
  EXPECT_EQ(there.json.text(), R"({"uri":"file:///srv/p%231/a%25b.cc#L10"})");
  EXPECT_FALSE(there.unmapped);
  EXPECT_EQ(map.translate(there.json, Towards::editor).json.text(),
            R"({"uri":"file:///home/me/my%20project/a%25b.cc#L10"})");
  const auto out = map.translate(*Json::parse(R"({"uri":"file:///home/me/my%20project/%2e%2e/x"})"),
                                 Towards::agent);
  EXPECT_EQ(out.unmapped, "/home/me/my project/../x");
}

TEST(PathMap, KnowsMovedFilesAndWorkspaces) {
  PathMap map;
  map.add("/l=/r");
  const auto there = map.translate(
      *Json::parse(R"({"changes":[{"operation":"move","oldPath":"/l/a","path":"/l/b"}],)"
                   R"("workspaceUri":"file:///l","workspaceFolders":[{"uri":"file:///l/c"}]})"),
      Towards::agent);
  EXPECT_EQ(there.json.text(),
            R"({"changes":[{"operation":"move","oldPath":"/r/a","path":"/r/b"}],)"
            R"("workspaceUri":"file:///r","workspaceFolders":[{"uri":"file:///r/c"}]})");
  EXPECT_FALSE(there.unmapped);
}

TEST(PathMap, RefusesWhatIsNoPair) {
  PathMap map;
  for (const char* wrong : {"", "/a", "a=/b", "/a=b", "=", "/a="})
    EXPECT_THROW(map.add(wrong), std::invalid_argument) << wrong;
}

TEST(PathMap, TranslatesWhatTheProtocolKnows) {
  PathMap map;
  map.add("/l=/r");
  const auto json = *Json::parse(
      R"({"cwd":"/l","additionalDirectories":["/l/a","/l/b"],"locations":[{"path":"/l/c","line":1}],)"
      R"("content":[{"type":"diff","path":"/l/d","oldText":"/l"},{"uri":"file:///l/e"},{"uri":"https://x/l"}],)"
      R"("rawInput":{"path":"/l"},"_meta":{"cwd":"/l"},"text":"/l","n":1.50,"null":null,"s":"\u00e9"})");
  const auto translated = map.translate(json, Towards::agent);
  EXPECT_EQ(
      translated.json.text(),
      R"({"cwd":"/r","additionalDirectories":["/r/a","/r/b"],"locations":[{"path":"/r/c","line":1}],)"
      R"("content":[{"type":"diff","path":"/r/d","oldText":"/l"},{"uri":"file:///r/e"},{"uri":"https://x/l"}],)"
      R"("rawInput":{"path":"/l"},"_meta":{"cwd":"/l"},"text":"/l","n":1.50,"null":null,"s":"\u00e9"})");
  EXPECT_FALSE(translated.unmapped);
  const auto foreign = map.translate(*Json::parse(R"({"cwd":"/other"})"), Towards::agent);
  EXPECT_EQ(foreign.unmapped, "/other");
}

}  // namespace
}  // namespace acp::gateway
