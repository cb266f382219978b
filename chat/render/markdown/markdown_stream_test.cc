// That a stream ends as the same lines however it is cut, and what of it is drawn again.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "chat/render/markdown/markdown.h"

namespace acp::chat {
namespace {

Lines joined(Lines lines, Lines more) {
  for (Line& line : more) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> corpus() {
  std::vector<std::string> texts = {
      "# Title\n\nSome **bold** text\nwith *more*.\n\n- a\n- b\n  - c\n\n1. x\n2. y\n\n```cpp\nint "
      "a;\n\n```\n"
      "after\n\n> quote\n> - item\nlazy\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\nSetext\n===\n   "
      " code\n",
      "- [ ] task\n- [x] done\n\n  para\n  ```py\n  code\n  ```\n  rest\n1. one\n1. "
      "two\r\n\r\ncrlf\r\n",
      "Intro\n| A | B |\n|:-|-:|\n| ü | 漢字 |\n| 😀 | \x1b[31m |\n\n[a]: "
      "b\n\n<div>\n<p>\n</div>\n\n&amp; &#27;",
      "> > > deep\n> back\n\n- \n\n- x\n\n\n\n-\n```\nopen fence\n\n\n",
      "\xff\xfe bad \xc3",
      "a\tb\n\tcode\n\n\n\n",
      "",
      "\n\n\n",
  };
  std::string long_paragraph;
  for (int i = 0; i < 3000; ++i) long_paragraph += "wörd *em* ";
  texts.push_back(long_paragraph + "\n\nnext");
  texts.push_back(std::string(10'000, 'x') + "\n- " + std::string(9'000, '`') + "\n```\n" +
                  std::string(9'000, ' ') + "y\n```\nz");
  std::string table = "|N|V|\n|-|-|\n";
  for (int i = 0; i < 2000; ++i) table += "|" + std::to_string(i) + "|v|\n";
  texts.push_back(table + "\nafter");
  return texts;
}

TEST(MarkdownStream, AnyChunksGiveTheSameLines) {
  std::mt19937 random(7);
  for (const std::string& text : corpus()) {
    for (const std::size_t columns : {20, 80, 200}) {
      const Lines whole = markdown_lines(text, columns);
      for (int round = 0; round < 6; ++round) {
        const std::size_t longest = text.size() > 5000 ? 700 : round == 0 ? 1 : 12;
        MarkdownStream stream;
        Lines lines;
        for (std::size_t at = 0; at < text.size();) {
          const std::size_t size = 1 + random() % longest;
          stream.append(std::string_view(text).substr(at, size));
          at += size;
          if (random() % 3 == 0) lines = joined(std::move(lines), stream.take_finished(columns));
          if (random() % 3 == 0) stream.open_lines(columns);
        }
        stream.finish();
        lines = joined(std::move(lines), stream.take_finished(columns));
        ASSERT_EQ(to_plain(lines), to_plain(whole)) << text.substr(0, 200);
        ASSERT_TRUE(lines == whole);  // the styles too
      }
    }
  }
}

TEST(MarkdownStream, FinishedAndOpenTogetherAreTheWhole) {
  for (const std::string& text : corpus()) {
    if (text.size() > 1000) continue;
    MarkdownStream stream;
    Lines finished;
    for (std::size_t at = 0; at < text.size(); ++at) {
      stream.append(std::string_view(text).substr(at, 1));
      finished = joined(std::move(finished), stream.take_finished(40));
      ASSERT_EQ(to_plain(joined(finished, stream.open_lines(40))),
                to_plain(markdown_lines(text.substr(0, at + 1), 40)));
    }
  }
}

TEST(MarkdownStream, OnlyTheLastBlockIsOpen) {
  MarkdownStream stream;
  stream.append("# Title\nFirst\n\nSec");
  EXPECT_EQ(to_plain(stream.take_finished(80)), "# Title\n\nFirst\n");
  EXPECT_EQ(to_plain(stream.open_lines(80)), "\nSec\n");
  stream.append("ond\n- a\n- b");
  // Whether the last line belongs to the item is not known before its end.
  EXPECT_EQ(to_plain(stream.take_finished(80)), "\nSecond\n");
  EXPECT_EQ(to_plain(stream.open_lines(80)), "• a\n• b\n");
  EXPECT_EQ(to_plain(stream.open_lines(80)), "• a\n• b\n");
  stream.append("\n");
  EXPECT_EQ(to_plain(stream.take_finished(80)), "• a\n");
  stream.append("```c\nint a;\nint");
  EXPECT_EQ(to_plain(stream.take_finished(80)), "• b\n  c\n  int a;\n");
  EXPECT_EQ(to_plain(stream.open_lines(80)), "  int\n");
  stream.append(" b;\n```\n");
  EXPECT_EQ(to_plain(stream.take_finished(80)), "  int b;\n");
  EXPECT_EQ(to_plain(stream.open_lines(80)), "");
  stream.finish();
  EXPECT_EQ(to_plain(stream.take_finished(80)), "");
  stream.append("more");
  EXPECT_EQ(to_plain(stream.open_lines(80)), "\nmore\n");
}

// Not a time, but what a time is made of: how many lines are made anew.
TEST(MarkdownStream, WhatIsOpenStaysSmall) {
  for (const std::string& unit : {std::string("word "), std::string("x"), std::string("|a|b"),
                                  std::string("- "), std::string("> ")}) {
    for (const char* start : {"", "```\n", "- a\n  ```\n  ", "> ", "|a|b|\n|-|-|\n"}) {
      MarkdownStream stream;
      stream.append(start);
      std::size_t most = 0;
      for (int i = 0; i < 100; ++i) {
        std::string chunk;
        for (std::size_t n = 0; n < 500 / unit.size(); ++n) chunk += unit;
        stream.append(chunk);
        stream.take_finished(80);
        most = std::max(most, stream.open_lines(80).size());
      }
      EXPECT_LE(most, 260u) << start << unit;
    }
  }
}

}  // namespace
}  // namespace acp::chat
