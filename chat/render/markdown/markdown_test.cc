// Markdown as frames of text.
#include "chat/render/markdown/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

std::string shown(std::string_view text, std::size_t columns = 80) {
  return to_plain(markdown_lines(text, columns));
}
std::string ansi(std::string_view text) {
  std::string out;
  for (const Line& line : markdown_lines(text, 80)) out += to_ansi(line, ColourMode::ansi) + "\n";
  return out;
}

TEST(Markdown, Headings) {
  EXPECT_EQ(shown("# One\ntext\n## Two ##\nSet\next\n===\nsub\n---\n####### no"),
            "# One\n\ntext\n\n## Two\n\n# Set ext\n\n## sub\n\n####### no\n");
  EXPECT_EQ(ansi("## Two"), "\x1b[1;2m## \x1b[0m\x1b[1mTwo\x1b[0m\n");
}

TEST(Markdown, Emphasis) {
  EXPECT_EQ(ansi("a **b** *c* ~~d~~ `e*f*`"),
            "a \x1b[1mb\x1b[0m \x1b[3mc\x1b[0m \x1b[9md\x1b[0m \x1b[36me*f*\x1b[0m\n");
  EXPECT_EQ(ansi("**b**"), "\x1b[1mb\x1b[0m\n");
  EXPECT_EQ(ansi("_b_ snake_case_name"), "\x1b[3mb\x1b[0m snake_case_name\n");
}

TEST(Markdown, ParagraphsAreWrapped) {
  EXPECT_EQ(shown("one two\nthree four\n\nfive", 10), "one two\nthree four\n\nfive\n");
  EXPECT_EQ(shown("a  \nb\\\nc"), "a\nb\nc\n");
  EXPECT_EQ(shown("漢字漢字漢字", 8), "漢字漢字\n漢字\n");
}

TEST(Markdown, Lists) {
  EXPECT_EQ(shown("- a\n- b\n  more\n  - c\n    1. d\n    1. e\n* f"),
            "• a\n• b more\n  • c\n    1. d\n    2. e\n• f\n");
  EXPECT_EQ(shown("3) a\n9) b\n\n   p\n\n7. c"), "3) a\n4) b\n\n   p\n\n7. c\n");
  EXPECT_EQ(shown("- [ ] a\n- [x] b\n\n  c\n1. [x] d"), "☐ a\n☑ b\n\n  c\n1. [x] d\n");
  EXPECT_EQ(shown("- a\n\n- b"), "• a\n\n• b\n");
  EXPECT_EQ(shown("-\n- b\n-"), "• \n• b\n• \n");
  EXPECT_EQ(shown("- - a\n  - b"), "• • a\n  • b\n");
  EXPECT_EQ(shown("1. a\n> q\n1. b"), "1. a\n│ q\n1. b\n");
  EXPECT_EQ(shown("text\n- item"), "text\n• item\n");
  EXPECT_EQ(shown("The number is\n14. no item"), "The number is 14. no item\n");
  EXPECT_EQ(shown("- one two three", 8), "• one\n  two\n  three\n");
}

TEST(Markdown, Quotes) {
  EXPECT_EQ(shown("> a\nlazy\n>\n> b\n> > c\n\nd"), "│ a lazy\n│\n│ b\n│\n│ │ c\n\nd\n");
  EXPECT_EQ(shown("> - a\n>   b\n> # h"), "│ • a b\n│ # h\n");
}

TEST(Markdown, Code) {
  EXPECT_EQ(shown("a\n```cpp x=1\nint  *a*;\n\n\tb\n```\nc"),
            "a\n\n  cpp\n  int  *a*;\n\n      b\n\nc\n");
  EXPECT_EQ(shown("~~~\n```\n~~~~\nx"), "  ```\n\nx\n");
  EXPECT_EQ(shown("    a\n\n      b\n\nc"), "  a\n\n    b\n\nc\n");
  EXPECT_EQ(shown("- x\n  ```py\n  y\n  ```\n  z\n- w"), "• x\n    py\n    y\n  z\n• w\n");
  EXPECT_EQ(shown("- ```\n  y\n  ```"), "• \n    y\n");
  EXPECT_EQ(shown("> ```\n> y\nz"), "│   y\n\nz\n");
  EXPECT_EQ(shown("```\nabcdefgh", 6), "  abcd\n  efgh\n");  // still open at the end
}

TEST(Markdown, Rules) {
  EXPECT_EQ(shown("a\n\n---\n***\n- - -", 5), "a\n\n─────\n\n─────\n\n─────\n");
}

TEST(Markdown, LinksShowWhereTheyLead) {
  EXPECT_EQ(shown("[text](http://a.b/c) <http://d.e> http://f.g <x@y.z>"),
            "text (http://a.b/c) http://d.e http://f.g x@y.z\n");
  EXPECT_EQ(shown("[http://bank.com](http://evil.com)"), "http://bank.com (http://evil.com)\n");
  EXPECT_EQ(shown("![pic](a.png)"), "[image: pic] (a.png)\n");
  EXPECT_EQ(shown("[a][1]\n\n[1]: http://x"), "[a][1]\n\n[1]: http://x\n");
}

TEST(Markdown, HtmlIsText) {
  EXPECT_EQ(shown("<div a=\"*x*\">\n  <b>y</b>\n</div>\n\nz <i>w</i> <!-- c -->"),
            "<div a=\"*x*\">\n<b>y</b>\n</div>\n\nz <i>w</i> <!-- c -->\n");
}

TEST(Markdown, Entities) {
  EXPECT_EQ(shown("&lt;b&gt; &copy; &nosuch; &#65;&#x42; &#0;"), "<b> © &nosuch; AB \uFFFD\n");
}

TEST(Markdown, Tables) {
  const std::string_view table =
      "Intro\n| Name | Size | N |\n|---|:---:|---:|\n| a `b` | 漢 | 1 |\n| x \\| y | four |\n\nend";
  EXPECT_EQ(shown(table),
            "Intro\n\n"
            "Name  │ Size │ N\n"
            "──────┼──────┼──\n"
            "a b   │  漢  │ 1\n"
            "x | y │ four │  \n"
            "\nend\n");
  EXPECT_EQ(shown("a|b\n-|-\nlonger words|and more words", 20),
            "a        │ b\n"
            "─────────┼──────────\n"
            "longer   │ and more\n"
            "words    │ words\n");
  // No room side by side.
  EXPECT_EQ(shown("|A|B|C|D|\n|-|-|-|-|\n|aaaa|bbbb|cccc|dddd|\n|1111|2|3|4|", 20),
            "• A: aaaa\n  B: bbbb\n  C: cccc\n  D: dddd\n• A: 1111\n  B: 2\n  C: 3\n  D: 4\n");
  EXPECT_EQ(shown("a|b\n-|-|-"), "a|b -|-|-\n");
  EXPECT_EQ(shown("> a|b\n> -|-\n> c|d"), "│ a │ b\n│ ──┼──\n│ c │ d\n");
}

TEST(Markdown, ALongTableKeepsItsColumns) {
  std::string text = "|Name|Value|\n|-|-|\n|a wide cell, the widest|1|\n";
  for (int i = 0; i < 5000; ++i) text += "|n|v|\n";
  const Lines lines = markdown_lines(text, 80);
  ASSERT_EQ(lines.size(), 5003u);
  EXPECT_EQ(to_plain(lines[3]), "n                       │ v");
  EXPECT_EQ(to_plain(lines[5002]), to_plain(lines[3]));
}

TEST(Markdown, NothingIsSafeButWhatIsMadeSo) {
  const std::string hostile =
      "# "
      "\x1b[2J\n\n[\x1b]8;;x\x07](http://"
      "\x1b[31m)\n\n|\x1b|\n|-|\n|\u202E|\n\n```\x1b[m\n\x1b[1A\n```\n"
      "- \x9b\n> \x07&#27;[0m&#155;&#x202E;\n\n<\x1b> `\x1b` \r\r x\xff";
  for (const std::size_t columns : {1, 20, 80, 200}) {
    for (const Line& line : markdown_lines(hostile, columns))
      for (const Span& span : line) EXPECT_TRUE(is_safe(span.text)) << columns;
  }
  EXPECT_EQ(shown("&#27;[31m"), "␛[31m\n");
}

TEST(Markdown, WhereALongLineIsCutNoBlockBegins) {
  for (std::size_t start = 1; start < 20; ++start) {  // the cut comes before each of the words
    std::string text(start, 'x');
    for (int i = 0; i < 400; ++i) text += " # a > b - c 1. d";
    std::string seen = shown(text);
    std::replace(seen.begin(), seen.end(), '\n', ' ');
    EXPECT_EQ(seen, text + " ");
  }
}

TEST(Markdown, NestingHasAnEnd) {
  for (const char* marker :
       {"> ", ">", "- ", "1. ", "[", "**", "*", "`", "<", "![", "~~", "(", "|"}) {
    std::string deep;
    for (int i = 0; i < 200'000; ++i) deep += marker;
    const Lines lines = markdown_lines(deep + "x", 80);
    EXPECT_FALSE(lines.empty());
    for (const Line& line : lines) EXPECT_LE(width(line), 80u) << marker;
  }
  std::string stairs;
  for (std::size_t i = 0; i < 2'000; ++i) stairs += std::string(i * 2, ' ') + "- x\n";
  EXPECT_GE(markdown_lines(stairs, 80).size(), 32u);
}

TEST(Markdown, RowsFitTheWidth) {
  const std::string text =
      "# A heading of words\n\n- a list\n  - nested deeper\n    - and deeper still\n\n> > quoted "
      "words\n\n"
      "|Column|Another|\n|-|-|\n|some words in it|and some more|\n\n```text\nsome code of a "
      "length\n```\n\n"
      "A paragraph with 漢字 and 😀 and averyveryveryverylongword.";
  for (const std::size_t columns : {20, 80, 200})
    for (const Line& line : markdown_lines(text, columns)) EXPECT_LE(width(line), columns);
  for (const std::size_t columns : {0, 1, 2, 3, 5})
    EXPECT_FALSE(markdown_lines(text, columns).empty());
}

}  // namespace
}  // namespace acp::chat
