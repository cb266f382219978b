// grep, glob, run, fetch, plan and switch_mode; and what is made of a page.
#include <gtest/gtest.h>

#include <thread>

#include "coder/model/testing/http_server.h"
#include "coder/tools/html_text.h"
#include "coder/tools/testing/local_tool_host.h"

namespace acp::coder {
namespace {

using testing::begins_with;
using testing::contains;
using testing::ends_with;
using testing::HttpServer;
using testing::lacks;

class OtherToolsTest : public testing::ToolsTest {};

// ---- glob and grep

TEST_F(OtherToolsTest, GrepTellsFileAndLine) {
  put("a.cc", "int x;\nint y;\n");
  put("sub/b.cc", "int x;\n");
  put("c.txt", "int x;\n");
  const ToolResult all = run("grep", R"({"pattern":"int x"})");
  EXPECT_EQ(all.text, "a.cc:1: int x;\nc.txt:1: int x;\nsub/b.cc:1: int x;\n");
  ASSERT_EQ(all.locations.size(), 3u);
  EXPECT_EQ(all.locations[2].path, project() + "/sub/b.cc");
  EXPECT_EQ(*all.locations[2].line, 1u);
  EXPECT_EQ(run("grep", R"({"pattern":"INT X","ignore_case":true,"glob":"*.txt"})").text,
            "c.txt:1: int x;\n");
  EXPECT_EQ(run("grep", R"({"pattern":"int [y]","path":"."})").text, "a.cc:2: int y;\n");
  EXPECT_PRED2(begins_with, run("grep", R"({"pattern":"int [y]","literal":true})").text,
               "(nothing found in 3 files)");
  EXPECT_PRED2(contains, failure("grep", R"({"pattern":"("})"), "missing");
  EXPECT_NE(failure("grep", R"({"pattern":""})"), "(no failure)");
  EXPECT_PRED2(contains, failure("grep", R"({"pattern":"x","literal":"yes"})"), "\"literal\"");
}

TEST_F(OtherToolsTest, GrepLooksIntoTheOneFileThatIsNamed) {
  put(".gitignore", "build\n*.log\n");
  put("a.log", "needle\n");
  put("sub/a.log", "needle\n");
  put("odd [name]*.txt", "needle\n");
  put("build/out.txt", "needle\n");
  scratch.link("project/link.txt", "odd [name]*.txt");
  std::filesystem::create_directories(scratch.path() / "project/.git");
  const auto one = [&](const char* path) {
    return run("grep", Json::object({{"pattern", "needle"}, {"path", path}}));
  };
  EXPECT_EQ(one("a.log").text, "a.log:1: needle\n") << "although git ignores it";
  EXPECT_EQ(one("a.log").locations.at(0).path, project() + "/a.log");
  EXPECT_EQ(one("odd [name]*.txt").text, "odd [name]*.txt:1: needle\n");
  EXPECT_EQ(one("build/out.txt").text, "out.txt:1: needle\n");
  EXPECT_EQ(one("build/out.txt").locations.at(0).path, project() + "/build/out.txt");
  EXPECT_EQ(one("link.txt").text, "link.txt:1: needle\n");
  EXPECT_EQ(run("grep", R"({"pattern":"needle"})").text, "odd [name]*.txt:1: needle\n");
  put("bin", std::string("needle\0", 7));
  EXPECT_PRED2(begins_with, one("bin").text, "(nothing found");
}

TEST_F(OtherToolsTest, GlobFindsFilesBelowADirectory) {
  put("a.h", "");
  put("src/b.h", "");
  put("src/c.cc", "");
  EXPECT_EQ(run("glob", R"({"pattern":"*.h"})").text,
            project() + "/a.h\n" + project() + "/src/b.h\n");
  EXPECT_EQ(run("glob", R"({"pattern":"*.h","path":"src"})").text, project() + "/src/b.h\n");
  EXPECT_EQ(run("glob", R"({"pattern":"*.py"})").text, "(no file matches)\n");
  EXPECT_EQ(prepare("glob", R"({"pattern":"*.h","path":"src"})").title, "Find *.h in src");
  EXPECT_NE(failure("glob", R"({"pattern":"*.h","path":"nowhere"})"), "(no failure)");
}

TEST_F(OtherToolsTest, ASearchThatIsCancelledHasNoResult) {
  put("a.h", "needle\n");
  host->stop.request_stop();
  EXPECT_THROW(run("grep", R"({"pattern":"needle"})"), Cancelled);
  EXPECT_THROW(run("glob", R"({"pattern":"*"})"), Cancelled);
}

// ---- run

TEST_F(OtherToolsTest, RunGivesOutputAndExitCode) {
  put("sub/x", "");
  const PreparedCall call =
      prepare("run", R"({"command":"pwd; echo told >&2; exit 3","cwd":"sub"})");
  EXPECT_EQ(call.title, "`pwd; echo told >&2; exit 3` in sub");
  EXPECT_EQ(call.command, "pwd; echo told >&2; exit 3");
  EXPECT_PRED2(contains, json::encode(call.content.at(0)), "can read, change and send anything");
  const ToolResult result = run(call);
  EXPECT_EQ(result.text, project() + "/sub\ntold\n[exit code 3]");
  EXPECT_FALSE(result.failed) << "a command that says no has worked";
  EXPECT_EQ(result.raw_output["exitCode"].as_uint64().value(), 3u);
  EXPECT_FALSE(progress.empty());
}

TEST_F(OtherToolsTest, RunEndsWhenItsTimeIsOver) {
  const ToolResult result =
      run("run", R"({"command":"echo before; sleep 600","timeout_seconds":"1"})");
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.text, "before\n[timed out: killed after 1 s]");
  EXPECT_TRUE(result.raw_output["timedOut"].as_bool().value());
}

TEST_F(OtherToolsTest, RunKeepsTheLastOfALongOutput) {
  limits.output_bytes = 1000;
  const ToolResult result =
      run("run", R"({"command":"yes 0123456789 | head -c 3000000; echo end"})");
  EXPECT_PRED2(begins_with, result.text, "[the beginning is left out]\n");
  EXPECT_PRED2(ends_with, result.text, "end\n[exit code 0]");
  EXPECT_LT(result.text.size(), 1200u);
  EXPECT_TRUE(result.raw_output["truncated"].as_bool().value());
}

TEST_F(OtherToolsTest, RunRefusesWhatIsNoCommand) {
  EXPECT_PRED2(contains, failure("run", R"({"command":" \n"})"), "empty");
  // What is shown and asked for is what is run.
  EXPECT_THROW(prepare("run", R"({"command":"echo a\u0000; echo b"})"), ToolFailed);
  EXPECT_NE(failure("run", R"({"command":"true","cwd":"nowhere"})"), "(no failure)");
}

TEST_F(OtherToolsTest, RunThatIsCancelledEndsAtOnce) {
  const PreparedCall call = prepare("run", R"({"command":"echo begun; sleep 600"})");
  EXPECT_THROW(call.run([&](std::vector<v1::ToolCallContent>) { host->stop.request_stop(); }),
               Cancelled);
}

TEST_F(OtherToolsTest, WhatATerminalShowedIsKeptAsText) {
  host->terminal = "term_1";
  host->outcome.output = "hello\n";
  host->outcome.exit_code = 0;
  const ToolResult result = run("run", R"({"command":"echo hello"})");
  EXPECT_PRED2(contains, json::encode(result.content.at(0)), "term_1");
  EXPECT_PRED2(contains, json::encode(result.kept_content.at(0)), "hello");
  EXPECT_PRED2(lacks, json::encode(result.kept_content.at(0)), "term_1");
  EXPECT_EQ(result.text, "hello\n[exit code 0]");
}

// ---- fetch

// Answers each request with this.
HttpServer::Handler answering(const std::string& answer) {
  return [answer](HttpServer::Connection& connection) {
    while (connection.read()) connection.send(answer);
  };
}

TEST_F(OtherToolsTest, FetchGivesAPageAsText) {
  HttpServer server(answering(testing::response(
      "200 OK", "<html><title>T</title><p>One &amp; two</p></html>", "text/html; charset=utf-8")));
  const PreparedCall call = prepare("fetch", Json::object({{"url", server.url("/a?b=c")}}));
  EXPECT_EQ(call.title, "Fetch " + server.url("/a?b=c"));
  // A rule that is made of it is for this server alone.
  EXPECT_EQ(call.policy_name, "http://127.0.0.1:" + std::to_string(server.port()));
  const ToolResult result = run(call);
  EXPECT_EQ(result.text, "T\nOne & two");
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.raw_output["status"].as_int64().value(), 200);
}

TEST_F(OtherToolsTest, FetchTellsOfFailures) {
  HttpServer missing(answering(testing::response("404 Not Found", "no such page", "text/plain")));
  const ToolResult result = run("fetch", Json::object({{"url", missing.url("/")}}));
  EXPECT_TRUE(result.failed);
  EXPECT_EQ(result.text, "HTTP 404\nno such page");

  HttpServer picture(answering(testing::response("200 OK", "\x89PNG", "image/png")));
  std::string with_password = picture.url("/x");
  with_password.insert(7, "me:hunter2@");
  const std::string told = failure("fetch", Json::object({{"url", with_password}}));
  EXPECT_PRED2(contains, told, "is no text, but image/png");
  EXPECT_PRED2(lacks, told, "hunter2");

  const std::string nobody = "http://127.0.0.1:" + std::to_string(testing::unused_port()) + "/";
  EXPECT_PRED2(contains, failure("fetch", Json::object({{"url", nobody}})), nobody);
  for (const char* url : {"file:///etc/passwd", "ftp://x/", "/etc/passwd", "", "javascript:1"})
    EXPECT_PRED2(contains, failure("fetch", Json::object({{"url", url}})), "no http or https");
}

TEST_F(OtherToolsTest, FetchStaysOnItsServer) {
  HttpServer other(answering(testing::response("200 OK", "the other's secret", "text/plain")));
  HttpServer server(answering(
      testing::response("302 Found", "", "text/plain", "location: " + other.url("/") + "\r\n")));
  try {
    const ToolResult result = run("fetch", Json::object({{"url", server.url("/")}}));
    EXPECT_PRED2(lacks, result.text, "secret");
  } catch (const ToolFailed&) {
  }
  EXPECT_EQ(other.connections(), 0);
}

TEST_F(OtherToolsTest, FetchIsBounded) {
  limits.output_bytes = 1000;
  HttpServer server(
      answering(testing::response("200 OK", std::string(6 << 20, 'x') + "\xC3", "text/plain")));
  const ToolResult result = run("fetch", Json::object({{"url", server.url("/")}}));
  EXPECT_LT(result.text.size(), 1200u);
  EXPECT_PRED2(contains, result.text, "larger than 4 MiB");
  EXPECT_TRUE(result.raw_output["truncated"].as_bool().value());
}

TEST_F(OtherToolsTest, FetchThatIsCancelledEndsAtOnce) {
  HttpServer server([this](HttpServer::Connection& connection) {
    connection.read();
    host->stop.request_stop();
    connection.wait_for_close();
  });
  EXPECT_THROW(run("fetch", Json::object({{"url", server.url("/")}})), Cancelled);
}

// ---- plan and switch_mode

TEST_F(OtherToolsTest, PlanIsShownWhole) {
  const ToolResult result = run(
      "plan",
      R"({"entries":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress","priority":"high"},{"content":"c"}]})");
  ASSERT_EQ(host->plan.size(), 3u);
  EXPECT_EQ(host->plan[1].priority, v1::PlanEntryPriority::high);
  EXPECT_EQ(host->plan[2].status, v1::PlanEntryStatus::pending);
  EXPECT_EQ(result.raw_output["completed"].as_int64().value(), 1);
  EXPECT_EQ(prepare("plan", R"({"entries":[]})").title, "Plan: 0 of 0 done");
  EXPECT_PRED2(contains, failure("plan", R"({"entries":{}})"), "must be a list");
  EXPECT_PRED2(contains, failure("plan", R"({"entries":[{"content":"a","status":"soon"}]})"),
               "\"soon\" is none of");
  EXPECT_PRED2(contains, failure("plan", R"({"entries":[{"content":"a","priority":1}]})"),
               "\"priority\" is wrong");
  EXPECT_EQ(tool("plan").kind(), v1::ToolKind::think);
}

TEST_F(OtherToolsTest, SwitchModeNamesWhatThereIs) {
  EXPECT_PRED2(contains, failure("switch_mode", R"({"mode":"yolo"})"),
               "there are ask, code, architect");
  const PreparedCall call = prepare("switch_mode", R"({"mode":"code","reason":"to work"})");
  EXPECT_EQ(call.title, "Switch from ask to code");
  EXPECT_EQ(host->mode(), "ask") << "before it was agreed to";
  run(call);
  EXPECT_EQ(host->mode(), "code");
}

TEST_F(OtherToolsTest, AllKindsOccurAndSchemasAreObjects) {
  std::set<v1::ToolKind> kinds;
  tool("read");
  for (const auto& one : tools) {
    kinds.insert(one->kind());
    const ToolSpec spec = one->spec();
    EXPECT_EQ(spec.input_schema["type"].as_string(), "object") << spec.name;
    EXPECT_TRUE(spec.input_schema["properties"].is_object()) << spec.name;
  }
  EXPECT_EQ(kinds.size(), 9u) << "the tenth, other, is for the tools of servers";
}

// ---- html_text

TEST(HtmlText, KeepsWhatIsSaid) {
  EXPECT_EQ(html_text("<h1>A</h1><p>b <b>c</b>\n d</p><ul><li>e<li>f</ul>"), "A\nb c d\ne\nf");
  EXPECT_EQ(html_text("a<script>if (a < b) x = '</p>';</script>b<STYLE>p{}</style >c"), "abc");
  EXPECT_EQ(html_text("a<!-- <p>no</p> -->b"), "ab");
  EXPECT_EQ(html_text("&lt;p&gt; &#65;&#x42;&#X43; &unknown; & &; &#xZ; &#0; &#x110000; &#xD800;"),
            "<p> ABC &unknown; & &; &#xZ; \xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD");
  EXPECT_EQ(html_text("a < b and c > d"), "a < b and c > d");
  EXPECT_EQ(html_text("1 <2 <= 3 <"), "1 <2 <= 3 <");
  EXPECT_EQ(html_text("a<svg/>b<svg><path/>no</svg>c"), "abc");
  EXPECT_EQ(html_text(""), "");
}

TEST(HtmlText, TakesWhateverComes) {
  for (const char* html : {"<", "</", "<!", "<!--", "<script", "<script>", "<script></", "&", "&#",
                           "&#x", "&#99999999999;", "<p", "</p", "<>", "</>", "<p/", "\xFF<\xFE>"})
    html_text(html);
  EXPECT_EQ(html_text("a<p unclosed"), "a");
  EXPECT_EQ(html_text("a<script>never closed"), "a");
}

// Each would take hours if the time grew with the square of the length.
TEST(HtmlText, TakesLongPages) {
  constexpr std::size_t size = 4 << 20;
  const auto repeat = [](std::string_view part) {
    std::string text;
    while (text.size() < size) text += part;
    return text;
  };
  EXPECT_EQ(html_text(repeat("&")).size(), size);
  for (const char* part : {"<", "<p", "<!--", "</", "<script>", "<script></", "<a>", "&#x",
                           "<svg></s", "<script></script>", "&amp", "<!-- -->"})
    html_text(repeat(part));
}

}  // namespace
}  // namespace acp::coder
