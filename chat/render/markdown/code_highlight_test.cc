#include "chat/render/markdown/code_highlight.h"

#include <gtest/gtest.h>

#include "chat/render/markdown/markdown.h"

namespace acp::chat {
namespace {

// Keywords as <k>, strings as "s", numbers as #n, comments as (c).
std::string marked(const Line& line) {
  std::string out;
  for (const Span& span : line) {
    const auto around = [&](const char* left, const char* right) {
      out += left + span.text + right;
    };
    if (span.style.dim)
      around("(", ")");
    else if (span.style.colour == Colour::magenta)
      around("<", ">");
    else if (span.style.colour == Colour::yellow)
      around("{", "}");
    else if (span.style.colour == Colour::blue)
      around("#", "");
    else
      out += span.text;
  }
  return out;
}
std::string one(std::string_view language, std::string_view source) {
  return marked(CodeHighlight(language).line(source));
}

TEST(CodeHighlight, KnowsWordsStringsNumbersAndComments) {
  EXPECT_EQ(one("cpp", "return x1 + 0x2f; // done"), "<return> x1 + #0x2f; (// done)");
  EXPECT_EQ(one("C++", "auto s = \"a \\\" // b\";"), "<auto> s = {\"a \\\" // b\"};");
  EXPECT_EQ(one("py", "def f(a): return 'x'  # why"), "<def> f(a): <return> {'x'}  (# why)");
  EXPECT_EQ(one("sh", "for f in a#b; do echo \"$f\"; done"),
            "<for> f <in> a#b; <do> <echo> {\"$f\"}; <done>");
  EXPECT_EQ(one("sql", "SELECT name FROM t -- all"), "<SELECT> name <FROM> t (-- all)");
  EXPECT_EQ(one("json", "{\"a\": true, \"b\": 1.5}"), "{{\"a\"}: <true>, {\"b\"}: #1.5}");
  EXPECT_EQ(one("cmake", "if(NOT x) # y"), "<if>(<NOT> x) (# y)");
  EXPECT_EQ(one("rust", "fn f<'a>(x: &'a str) {}"), "<fn> f<'a>(x: &'a <str>) {}");
}

TEST(CodeHighlight, GoesOnOverLines) {
  CodeHighlight c("c");
  EXPECT_EQ(marked(c.line("int a; /* one")), "<int> a; (/* one)");
  EXPECT_EQ(marked(c.line("int b;")), "(int b;)");
  EXPECT_EQ(marked(c.line("two */ int c;")), "(two */) <int> c;");
  CodeHighlight python("python");
  EXPECT_EQ(marked(python.line("x = \"\"\"a")), "x = {\"\"\"a}");
  EXPECT_EQ(marked(python.line("if b\"\"\"")), "{if b\"\"\"}");
  EXPECT_EQ(marked(python.line("if b:")), "<if> b:");
}

TEST(CodeHighlight, TheTextIsNeverChanged) {
  for (const char* language :
       {"cpp",  "py",   "ts",   "java", "cs",   "go",    "rs",         "rb",   "php",
        "bash", "sql",  "json", "yaml", "toml", "html",  "css",        "kt",   "swift",
        "lua",  "perl", "r",    "hs",   "zig",  "cmake", "dockerfile", "make", "diff"}) {
    ASSERT_NE(language_of(language), nullptr) << language;
    CodeHighlight code(language);
    for (const char* source :
         {"", "it's 'a' \"b", "x/*y*/z", "漢字 = 1 # e", "'", "\"\\", "```", "''' x"})
      EXPECT_EQ(to_plain(code.line(source)), source) << language;
  }
  EXPECT_EQ(language_of("nothing"), nullptr);
  EXPECT_EQ(language_of(""), nullptr);
  EXPECT_EQ(one("nothing", "if 1"), "if 1");
}

TEST(CodeHighlight, ADiffIsGreenAndRed) {
  CodeHighlight diff("diff");
  EXPECT_EQ(diff.line("+a").front().style.colour, Colour::green);
  EXPECT_EQ(diff.line("-a").front().style.colour, Colour::red);
  EXPECT_TRUE(diff.line("@@ -1 +1 @@").front().style.dim);
  EXPECT_EQ(diff.line(" a").front().style, Style());
}

TEST(CodeHighlight, InMarkdownAsItStreams) {
  MarkdownStream stream;
  stream.append("```c\n/* a\n");
  Lines lines = stream.take_finished(40);
  stream.append("int b;\n*/ int");
  for (Line& line : stream.take_finished(40)) lines.push_back(std::move(line));
  EXPECT_EQ(marked(stream.open_lines(40).back()), "  (*/) <int>");
  stream.append(" c;\n```\n");
  stream.finish();
  for (Line& line : stream.take_finished(40)) lines.push_back(std::move(line));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(marked(lines[2]), "  (int b;)");
  EXPECT_EQ(marked(lines[3]), "  (*/) <int> c;");
}

}  // namespace
}  // namespace acp::chat
