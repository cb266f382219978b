// read, write, edit, delete, move and list, and how arguments are read.
#include <gtest/gtest.h>

#include "coder/tools/testing/local_tool_host.h"

namespace acp::coder {
namespace {

using testing::begins_with;
using testing::contains;
using testing::ends_with;
using testing::lacks;

class FileToolsTest : public testing::ToolsTest {};

const v1::Diff& diff_of(const PreparedCall& call) { return std::get<v1::Diff>(call.content.at(0)); }

// ---- read

TEST_F(FileToolsTest, ReadsLinesAndSaysWhereToGoOn) {
  put("a.txt", "one\ntwo\nthree\n");
  EXPECT_EQ(run("read", R"({"path":"a.txt"})").text, "one\ntwo\nthree\n");
  const ToolResult some = run("read", R"({"path":"a.txt","line":2,"limit":1})");
  EXPECT_EQ(some.text, "two\n\n[there is more: read on with line=3]");
  EXPECT_TRUE(some.raw_output["more"].as_bool().value());
  EXPECT_EQ(run("read", R"({"path":"a.txt","line":3,"limit":1})").text, "three\n");
  EXPECT_EQ(run("read", R"({"path":"a.txt","line":9})").text, "(the file has no such line)");
  put("empty", "");
  EXPECT_EQ(run("read", R"({"path":"empty"})").text, "(the file is empty)");
}

TEST_F(FileToolsTest, ReadNamesTheLineInTitleAndLocation) {
  put("a.txt", "one\ntwo\n");
  const PreparedCall call = prepare("read", R"({"path":"./a.txt","line":2})");
  EXPECT_EQ(call.title, "Read a.txt:2");
  ASSERT_EQ(call.locations.size(), 1u);
  EXPECT_EQ(call.locations[0].path, project() + "/a.txt");
  EXPECT_EQ(*call.locations[0].line, 2u);
  EXPECT_EQ(call.paths, std::vector{project() + "/a.txt"});
}

TEST_F(FileToolsTest, ReadTakesNumbersHoweverTheyAreWritten) {
  put("a.txt", "one\ntwo\nthree\n");
  const std::string two = "two\n\n[there is more: read on with line=3]";
  EXPECT_EQ(run("read", R"({"path":"a.txt","line":2.0,"limit":1.0})").text, two);
  EXPECT_EQ(run("read", R"({"path":"a.txt","line":"2","limit":"1"})").text, two);
  EXPECT_EQ(run("read", R"({"path":"a.txt","line":null,"limit":null})").text, "one\ntwo\nthree\n");
  EXPECT_PRED2(contains, failure("read", R"({"path":"a.txt","line":-1})"), "\"line\" is wrong");
  EXPECT_PRED2(contains, failure("read", R"({"path":"a.txt","line":"2x"})"), "\"line\" is wrong");
  EXPECT_PRED2(contains, failure("read", R"({"path":"a.txt","line":[]})"), "\"line\" is wrong");
  // As large as a number can be: all lines, not none.
  EXPECT_EQ(run("read", R"({"path":"a.txt","limit":18446744073709551615})").text,
            "one\ntwo\nthree\n");
  EXPECT_EQ(run("read", R"({"path":"a.txt","line":18446744073709551615})").text,
            "(the file has no such line)");
  EXPECT_PRED2(begins_with, run("read", R"({"path":"a.txt","limit":0})").text, "one\n");
}

TEST_F(FileToolsTest, ReadIsBoundedAtWholeLines) {
  limits.output_bytes = 100;
  std::string text;
  for (int i = 0; i < 50; ++i) text += "0123456789\n";
  put("a.txt", text);
  const ToolResult result = run("read", R"({"path":"a.txt"})");
  EXPECT_PRED2(ends_with, result.text, "0123456789\n\n[there is more: read on with line=10]");
  EXPECT_LT(result.text.size(), 160u);
}

TEST_F(FileToolsTest, ALineThatIsTooLongIsCutAndTheNextOneIsNotLost) {
  limits.output_bytes = 100;
  put("a.txt", std::string(99, 'x') + "\xC3\xA4" + std::string(500, 'y') + "\nsecond\n");
  const ToolResult result = run("read", R"({"path":"a.txt"})");
  EXPECT_PRED2(begins_with, result.text, std::string(99, 'x') + "\n[");  // between characters
  EXPECT_PRED2(ends_with, result.text, "[there is more: read on with line=2]");
  EXPECT_EQ(run("read", R"({"path":"a.txt","line":2})").text, "second\n");
  // The only line: what is left out is said, and there is no other line to read.
  put("b.txt", std::string(500, 'x') + "\n");
  EXPECT_PRED2(lacks, run("read", R"({"path":"b.txt"})").text, "there is more");
  EXPECT_PRED2(contains, run("read", R"({"path":"b.txt"})").text, "400 more bytes are left out");
}

TEST_F(FileToolsTest, ReadRefusesWhatIsNoText) {
  put("binary", std::string("a\0b", 3));
  EXPECT_PRED2(contains, failure("read", R"({"path":"binary"})"), "a binary file");
  put("latin", "caf\xE9\n");
  EXPECT_PRED2(contains, failure("read", R"({"path":"latin"})"), "not UTF-8");
  EXPECT_PRED2(contains, failure("read", R"({"path":"."})"), "directory");
  EXPECT_PRED2(contains, failure("read", R"({"path":""})"), "directory");
  EXPECT_PRED2(contains, failure("read", R"({"path":"nowhere"})"), "nowhere");
  EXPECT_PRED2(contains, failure("read", "{}"), "\"path\" is missing");
  EXPECT_PRED2(contains, failure("read", R"({"path":7})"), "\"path\" is wrong");
}

TEST_F(FileToolsTest, ReadOfAHugeFileGivesItsBeginning) {
  std::string text;
  text.reserve(40 << 20);
  while (text.size() < (40u << 20)) text += "a line of a log that nobody has looked at\n";
  put("huge.log", text);
  const ToolResult result = run("read", R"({"path":"huge.log"})");
  EXPECT_LE(result.text.size(), limits.output_bytes + 100);
  EXPECT_PRED2(contains, result.text, "read on with line=");
}

TEST_F(FileToolsTest, WhatIsCancelledIsNotDone) {
  put("a.txt", "old\n");
  const PreparedCall edit =
      prepare("edit", R"({"path":"a.txt","edits":[{"old_text":"old","new_text":"new"}]})");
  const PreparedCall write = prepare("write", R"({"path":"a.txt","content":"new"})");
  const PreparedCall read = prepare("read", R"({"path":"a.txt","line":7})");
  const PreparedCall list = prepare("list", "{}");
  host->stop.request_stop();
  for (const PreparedCall* call : {&edit, &write, &read, &list})
    EXPECT_THROW(run(*call), Cancelled);
  EXPECT_THROW(prepare("write", R"({"path":"a.txt","content":"new"})"), Cancelled);
  EXPECT_EQ(get("a.txt"), "old\n");
}

TEST_F(FileToolsTest, EditIsBounded) {
  limits.edit_bytes = 1024;
  put("a.txt", "a");
  Json edits = Json::array();
  for (int i = 0; i < 28; ++i)
    edits.append(Json::object({{"old_text", "a"}, {"new_text", "aa"}, {"all", true}}));
  EXPECT_PRED2(contains, failure("edit", Json::object({{"path", "a.txt"}, {"edits", edits}})),
               "the text would have more than 1024 bytes (limits.edit_bytes)");
  EXPECT_EQ(get("a.txt"), "a");
}

// ---- the boundary

TEST_F(FileToolsTest, NothingOutsideIsReadOrChanged) {
  scratch.link("project/link", scratch / "outside");
  scratch.link("project/file", scratch / "outside/secret.txt");
  const std::vector<std::string> ways = {scratch / "outside/secret.txt",
                                         "../outside/secret.txt",
                                         "link/secret.txt",
                                         "file",
                                         "./../outside/secret.txt",
                                         "//etc/../" + (scratch / "outside/secret.txt"),
                                         "/proc/self/root" + (scratch / "outside/secret.txt")};
  for (const std::string& way : ways) {
    const Json path = Json::object({{"path", way}});
    EXPECT_NE(failure("read", path), "(no failure)") << way;
    EXPECT_NE(failure("write", Json::object({{"path", way}, {"content", "x"}})), "(no failure)")
        << way;
    const Json edit = Json::object({{"old_text", "secret"}, {"new_text", "x"}});
    EXPECT_NE(failure("edit", Json::object({{"path", way}, {"edits", Json::array({edit})}})),
              "(no failure)")
        << way;
    EXPECT_NE(failure("move", Json::object({{"from", way + "/../secret.txt"}, {"to", "mine"}})),
              "(no failure)")
        << way;
    EXPECT_NE(failure("grep", Json::object({{"pattern", "secret"}, {"path", way}})), "(no failure)")
        << way;
  }
  EXPECT_NE(failure("list", R"({"path":"link"})"), "(no failure)");
  EXPECT_NE(failure("glob", R"({"pattern":"*","path":"link"})"), "(no failure)");
  EXPECT_NE(failure("delete", R"({"path":"link/secret.txt"})"), "(no failure)");
  EXPECT_NE(failure("run", R"({"command":"true","cwd":"link"})"), "(no failure)");
  EXPECT_NE(failure("run", R"({"command":"true","cwd":".."})"), "(no failure)");
  EXPECT_NE(failure("write", R"({"path":"a\u0000b","content":"x"})"), "(no failure)");
  EXPECT_EQ(scratch.get("outside/secret.txt"), "secret\n");
  // A link itself is ours to remove.
  run("delete", R"({"path":"file"})");
  EXPECT_EQ(scratch.get("outside/secret.txt"), "secret\n");
}

TEST_F(FileToolsTest, APathIsTheSameForRulesInEachSpelling) {
  put("src/a.txt", "x");
  for (const char* way : {"src/a.txt", "./src/a.txt", "src//a.txt", "src/./a.txt", ".//src/a.txt",
                          "src/a.txt/", "src/a.txt/."}) {
    const PreparedCall call = prepare("read", Json::object({{"path", way}}));
    EXPECT_EQ(call.paths, std::vector{project() + "/src/a.txt"}) << way;
    EXPECT_EQ(call.title, "Read src/a.txt") << way;
  }
  EXPECT_EQ(prepare("list", "{}").paths, std::vector{project()});
  EXPECT_EQ(prepare("list", "{}").title, "List .");
  // What `..` leads to only the disk knows: it stays to be seen.
  EXPECT_EQ(prepare("read", R"({"path":"src/../b"})").paths, std::vector{project() + "/src/../b"});
}

// ---- write

TEST_F(FileToolsTest, WriteShowsWhatItWouldChangeAndThenDoes) {
  put("a.txt", "old\r\n");
  const PreparedCall call = prepare("write", R"({"path":"a.txt","content":"new\r\n"})");
  EXPECT_EQ(call.title, "Write a.txt");
  EXPECT_EQ(*diff_of(call).oldText, "old\r\n");
  EXPECT_EQ(diff_of(call).newText, "new\r\n");
  EXPECT_EQ(get("a.txt"), "old\r\n") << "before it was agreed to";
  const ToolResult result = run(call);
  EXPECT_FALSE(result.raw_output["created"].as_bool().value());
  EXPECT_EQ(get("a.txt"), "new\r\n");
}

TEST_F(FileToolsTest, WriteMakesNewFilesAndTheirDirectories) {
  const PreparedCall call = prepare("write", R"({"path":"a/b/c.txt","content":""})");
  EXPECT_EQ(call.title, "Create a/b/c.txt");
  EXPECT_FALSE(diff_of(call).oldText.has_value());
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "project/a")) << "before it was agreed to";
  run(call);
  EXPECT_TRUE(std::filesystem::exists(scratch.path() / "project/a/b/c.txt"));
}

TEST_F(FileToolsTest, WhatHasChangedMeanwhileIsNotWrittenOver) {
  put("a.txt", "old\n");
  const PreparedCall write = prepare("write", R"({"path":"a.txt","content":"new\n"})");
  const PreparedCall edit =
      prepare("edit", R"({"path":"a.txt","edits":[{"old_text":"old","new_text":"new"}]})");
  const PreparedCall create = prepare("write", R"({"path":"b.txt","content":"new\n"})");
  put("a.txt", "the user's\n");
  put("b.txt", "the user's\n");
  EXPECT_THROW(run(write), ToolFailed);
  EXPECT_THROW(run(edit), ToolFailed);
  EXPECT_THROW(run(create), ToolFailed);
  EXPECT_EQ(get("a.txt"), "the user's\n");
  EXPECT_EQ(get("b.txt"), "the user's\n");
  std::filesystem::remove(scratch.path() / "project/a.txt");
  EXPECT_THROW(run(write), ToolFailed);
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "project/a.txt"));
}

TEST_F(FileToolsTest, WriteDoesNotReplaceWhatItCannotShow) {
  put("binary", std::string("a\0b", 3));
  EXPECT_PRED2(contains, failure("write", R"({"path":"binary","content":"x"})"), "a binary file");
  EXPECT_EQ(get("binary"), std::string("a\0b", 3));
}

// ---- edit

TEST_F(FileToolsTest, EditKeepsLineEndingsAndNamesTheLines) {
  put("a.txt", "one\r\ntwo\r\nthree\r\n");
  const PreparedCall call = prepare(
      "edit",
      R"({"path":"a.txt","edits":[{"old_text":"two\nthree","new_text":"2\n3"},{"old_text":"one","new_text":"1\n1b"}]})");
  EXPECT_EQ(diff_of(call).newText, "1\r\n1b\r\n2\r\n3\r\n");
  ASSERT_EQ(call.locations.size(), 2u);
  EXPECT_EQ(*call.locations[0].line, 3u);
  EXPECT_EQ(*call.locations[1].line, 1u);
  EXPECT_PRED2(contains, run(call).text, "2 places: lines 3 1");
  EXPECT_EQ(get("a.txt"), "1\r\n1b\r\n2\r\n3\r\n");
}

TEST_F(FileToolsTest, EditSaysWhatIsWrong) {
  put("a.txt", "x\nx\n");
  EXPECT_PRED2(contains,
               failure("edit", R"({"path":"a.txt","edits":[{"old_text":"x","new_text":"y"}]})"),
               "occurs 2 times, at the lines 1, 2");
  EXPECT_PRED2(contains, failure("edit", R"({"path":"a.txt","edits":[]})"), "\"edits\" is wrong");
  EXPECT_PRED2(contains, failure("edit", R"({"path":"a.txt"})"), "\"edits\" is missing");
  EXPECT_PRED2(contains, failure("edit", R"({"path":"a.txt","edits":[{"old_text":"x"}]})"),
               "\"new_text\" is missing");
  EXPECT_PRED2(contains, failure("edit", R"({"path":"a.txt","edits":["x"]})"), "old_text");
  EXPECT_PRED2(contains,
               failure("edit", R"({"path":"nowhere","edits":[{"old_text":"x","new_text":"y"}]})"),
               "nowhere");
  EXPECT_EQ(get("a.txt"), "x\nx\n");
}

// In a time that grows with the file, not with its square.
TEST_F(FileToolsTest, EditOfAHundredThousandPlacesNamesTheFirst) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a line with foo in it, and more than that\n";
  put("a.txt", text);
  const PreparedCall call = prepare(
      "edit", R"({"path":"a.txt","edits":[{"old_text":"foo","new_text":"bar","all":true}]})");
  EXPECT_EQ(call.locations.size(), 50u);
  const ToolResult result = run(call);
  EXPECT_PRED2(contains, result.text, "100000 places: lines 1 2 3 ");
  EXPECT_LT(result.text.size(), 1000u);
  EXPECT_EQ(get("a.txt").find("foo"), std::string::npos);
}

// ---- delete, move and list

TEST_F(FileToolsTest, DeletesAndMoves) {
  put("a.txt", "a");
  put("b.txt", "b");
  put("full/x", "x");
  EXPECT_EQ(run("move", R"({"from":"a.txt","to":"sub/c.txt"})").locations[0].path,
            project() + "/sub/c.txt");
  EXPECT_EQ(get("sub/c.txt"), "a");
  EXPECT_NE(failure("move", R"({"from":"sub/c.txt","to":"b.txt"})"), "(no failure)");
  EXPECT_EQ(get("b.txt"), "b") << "nothing is replaced";
  EXPECT_NE(failure("move", R"({"from":"b.txt","to":"../b.txt"})"), "(no failure)");
  const PreparedCall call = prepare("delete", R"({"path":"b.txt"})");
  EXPECT_EQ(get("b.txt"), "b") << "before it was agreed to";
  EXPECT_EQ(run(call).text, "deleted " + project() + "/b.txt");
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "project/b.txt"));
  EXPECT_NE(failure("delete", R"({"path":"full"})"), "(no failure)");
  EXPECT_NE(failure("delete", R"({"path":"nowhere"})"), "(no failure)");
  EXPECT_TRUE(std::filesystem::exists(scratch.path() / "project/full/x"));
}

// In every mode: the call carries the reason to the gate.
TEST_F(FileToolsTest, ChangesOfGitAndAcpSayThatAPersonMustBeAsked) {
  put(".git/config", "old");
  put("nested/.git/HEAD", "x");
  put("a.txt", "old");
  scratch.link("project/link", ".git/config");
  const auto reason = [&](const char* name, const char* arguments) {
    return prepare(name, arguments).ask_reason;
  };
  for (const auto& [name, arguments] : std::initializer_list<std::pair<const char*, const char*>>{
           {"write", R"({"path":".git/hooks/pre-commit","content":"x"})"},
           {"write", R"({"path":"link","content":"x"})"},
           {"write", R"({"path":".acp/config.toml","content":"x"})"},
           {"edit", R"({"path":".git/config","edits":[{"old_text":"old","new_text":"x"}]})"},
           {"delete", R"({"path":".git/config"})"},
           {"move", R"({"from":".git/config","to":"b"})"},
           {"move", R"({"from":"a.txt","to":".git/hooks/pre-commit"})"},
           {"move", R"({"from":"nested","to":"moved"})"}})
    EXPECT_PRED2(contains, reason(name, arguments), " belongs to ") << name << arguments;
  EXPECT_EQ(reason("write", R"({"path":"a.txt","content":"x"})"), "");
  EXPECT_EQ(reason("delete", R"({"path":"link"})"), "");
  EXPECT_EQ(reason("move", R"({"from":"a.txt","to":"b.txt"})"), "");
  EXPECT_EQ(reason("read", R"({"path":".git/config"})"), "");
}

TEST_F(FileToolsTest, WhatBelongsToAcpIsLeftOutAndSaid) {
  put("home/.config/acp/keys.toml", "needle\n");
  put("home/.config/other", "needle\n");
  std::filesystem::create_hard_link(scratch / "project/home/.config/acp/keys.toml",
                                    scratch / "project/home/hard");
  host = std::make_unique<testing::LocalToolHost>(std::vector{project()},
                                                  std::vector{project() + "/home/.config/acp"});
  const std::string said = "[what belongs to acp itself was left out: agents have no access]\n";
  EXPECT_EQ(run("grep", R"({"pattern":"needle"})").text, "home/.config/other:1: needle\n" + said);
  EXPECT_EQ(run("glob", R"({"pattern":"**"})").text,
            project() + "/home/.config/other\n" + project() + "/home/hard\n" + said);
  EXPECT_EQ(run("list", R"({"path":"home/.config"})").text, "acp/\nother\n");
  const std::string no = "belongs to acp itself: agents have no access";
  EXPECT_PRED2(ends_with, failure("list", R"({"path":"home/.config/acp"})"), no);
  EXPECT_PRED2(ends_with, failure("grep", R"({"pattern":"n","path":"home/.config/acp"})"), no);
  EXPECT_PRED2(ends_with, failure("grep", R"({"pattern":"n","path":"home/hard"})"), no);
  EXPECT_PRED2(ends_with, failure("glob", R"({"pattern":"*","path":"home/.config/acp"})"), no);
}

TEST_F(FileToolsTest, ListNamesKindsAndIsBounded) {
  EXPECT_EQ(run("list", "{}").text, "(the directory is empty)\n");
  put("dir/x", "x");
  put("a", "x");
  scratch.link("project/l", "a");
  EXPECT_EQ(run("list", "{}").text, "a\ndir/\nl@\n");
  EXPECT_EQ(run("list", R"({"path":null})").text, "a\ndir/\nl@\n");
  EXPECT_EQ(run("list", R"({"path":"dir"})").text, "x\n");
  EXPECT_NE(failure("list", R"({"path":"a"})"), "(no failure)");
  tools.clear();
  limits.output_bytes = 1000;
  for (int i = 0; i < 20; ++i) put("many/" + std::string(200, 'n') + std::to_string(i), "");
  EXPECT_LT(run("list", R"({"path":"many"})").text.size(), 1100u);
}

}  // namespace
}  // namespace acp::coder
