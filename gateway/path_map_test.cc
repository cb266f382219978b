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

// All of them name a file of the own machine.
TEST(PathMap, AnAddressHasSeveralForms) {
  PathMap map;
  map.add("/l=/r");
  for (const char* form :
       {"file:///l/a", "file://localhost/l/a", "FILE://LocalHost/l/a", "file:/l/a"}) {
    const auto translated = map.translate(Json::object({{"uri", form}}), Towards::agent);
    EXPECT_EQ(translated.json.text(), R"({"uri":"file:///r/a"})") << form;
  }
  for (const char* form : {"file://localhost/other", "file:/other"})
    EXPECT_EQ(map.translate(Json::object({{"uri", form}}), Towards::agent).unmapped, "/other");
  // Of another machine.
  for (const char* form : {"file://server/l/a", "file:l", "file://localhost"}) {
    const auto translated = map.translate(Json::object({{"uri", form}}), Towards::agent);
    EXPECT_EQ(translated.json["uri"].as_string(), form);
    EXPECT_FALSE(translated.unmapped) << form;
  }
}

TEST(PathMap, PatchesNameFiles) {
  PathMap map;
  map.add("/l=/r");
  map.add("/s p=/t");
  const auto translated = [&](const std::string& patch) {
    const Json params = Json::object(
        {{"patch", Json::object({{"format", "git_patch"}, {"text", patch}})}, {"text", patch}});
    const auto made = map.translate(params, Towards::editor);
    EXPECT_EQ(made.json["text"].as_string(), patch);  // what somebody has written
    return made.json["patch"]["text"].as_string().value_or("") + made.unmapped.value_or("");
  };
  const std::string hunk = "@@ -1,3 +1,2 @@ /r\n--- /r/a\n /r\n-x\n+++ /r/b\n\\ No newline\n";
  EXPECT_EQ(translated("diff --git /r/a /r/a\n--- /r/a\n+++ /r/a\n" + hunk +
                       "diff --git /r/new /r/new\nnew file mode 100644\n--- /dev/null\n+++ /r/new\n"
                       "@@ -0,0 +1 @@\n+++ /r/c\n"),
            "diff --git /l/a /l/a\n--- /l/a\n+++ /l/a\n" + hunk +
                "diff --git /l/new /l/new\nnew file mode 100644\n--- /dev/null\n+++ /l/new\n"
                "@@ -0,0 +1 @@\n+++ /r/c\n");
  EXPECT_EQ(translated("diff --git /r/a /r/b\nrename from /r/a\nrename to /r/b\n"),
            "diff --git /l/a /l/b\nrename from /l/a\nrename to /l/b\n");
  EXPECT_EQ(
      translated(
          "diff --git \"/r/\\303\\244\\t\" \"/r/\\303\\244\\t\"\n--- \"/r/\\303\\244\\t\"\n"),
      "diff --git \"/l/\\303\\244\\011\" \"/l/\\303\\244\\011\"\n--- \"/l/\\303\\244\\011\"\n");
  EXPECT_EQ(translated("diff --git /t/a b /t/a b\n--- /t/a b\t\n+++ /t/c"),
            "diff --git /s p/a b /s p/a b\n--- /s p/a b\t\n+++ /s p/c\t");
  // Names in a/ and b/ belong to the directory where the patch is applied.
  for (const std::string kept :
       {"diff --git a/r b/r\n--- a/r\n+++ b/r\n", "no patch\n", "", "\n\n"})
    EXPECT_EQ(translated(kept), kept);
  EXPECT_EQ(translated("--- /other\n"), "--- /other\n/other");
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
