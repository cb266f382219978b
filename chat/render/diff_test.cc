// Diffs, compared with what they must rebuild.
#include "chat/render/diff.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace acp::chat {
namespace {

std::string shown(std::string_view a, std::string_view b, std::size_t columns = 80,
                  std::size_t rows = 0) {
  return to_plain(diff_lines(diff(a, b), columns, rows));
}

TEST(Diff, IsUnified) {
  EXPECT_EQ(shown("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  const TextDiff far = diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n");
  EXPECT_EQ(to_plain(diff_lines(far, 80)),
            "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
  EXPECT_EQ(far.inserted, 2u);
  EXPECT_EQ(far.deleted, 2u);
  EXPECT_EQ(to_plain(diff_counts(far)), "+2 -2");
  // Six lines between them: one hunk.
  EXPECT_EQ(diff("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n").hunks.size(), 1u);
}

TEST(Diff, OfNewAndOfEmptyFiles) {
  EXPECT_EQ(shown("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(shown("a\n", ""), "@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(shown("a\n", "a\n"), "no changes\n");
  EXPECT_EQ(shown("a", "a\n"), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST(Diff, HasColours) {
  const Lines lines = diff_lines(diff("a\n", "b\n"), 80);
  EXPECT_EQ(to_ansi(lines[1], ColourMode::ansi), "\x1b[31m-a\x1b[0m");
  EXPECT_EQ(to_ansi(lines[2], ColourMode::ansi), "\x1b[32m+b\x1b[0m");
}

TEST(Diff, IsCutWhereItIsTooMuch) {
  EXPECT_EQ(shown("abc", std::string("a\0b", 3)), "binary: 3 bytes, now 3\n");
  EXPECT_EQ(shown("", "a\nb\nc\nd\n", 80, 3), "@@ -0,0 +1,4 @@\n+a\n+b\n… 2 more lines\n");
  const std::string long_line(1'000'000, 'x');
  const Lines lines = diff_lines(diff("", long_line), 20);
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_EQ(to_plain(lines[9]), " … a line of 100000…");
  EXPECT_EQ(shown("", "a\x1b[31m\r\n"), "@@ -0,0 +1 @@\n+a␛[31m␍\n");
}

TEST(Diff, OfHugeTextsIsCoarseAndSaysSo) {
  std::string a = "same\n";
  std::string b = "same\n";
  for (int i = 0; i < 100'000; ++i) {
    a += "a" + std::to_string(i) + "\n";
    b += "b" + std::to_string(i) + "\n";
  }
  a += "end\n";
  b += "end\n";
  const TextDiff huge = diff(a, b);
  EXPECT_TRUE(huge.coarse);
  EXPECT_EQ(huge.deleted, 100'000u);
  const Lines lines = diff_lines(huge, 80, 5);
  EXPECT_EQ(to_plain(lines[0]), "too many changes to compare line by line: shown as one");
  EXPECT_EQ(to_plain(lines.back()), "… 199999 more lines");
  // One change in the middle is found all the same.
  std::string c = a;
  c.replace(c.find("a50000\n"), 6, "other");
  EXPECT_FALSE(diff(a, c).coarse);
  EXPECT_EQ(diff(a, c).inserted, 1u);
}

// The rows, put together again, are the two texts; and no fewer changes would do.
TEST(Diff, RebuildsBothSides) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    const auto text = [&] {
      std::string made;
      for (unsigned i = random() % 12; i > 0; --i)
        made += std::string(1, "abc"[random() % 3]) + "\n";
      return made;
    };
    const std::string a = text();
    const std::string b = text();
    const TextDiff all = diff(a, b, 1000);
    std::string old_side;
    std::string new_side;
    for (const Hunk& hunk : all.hunks) {
      EXPECT_LE(hunk.old_count, hunk.rows.size());
      for (const Hunk::Row& row : hunk.rows) {
        if (row.mark != '+') old_side += std::string(row.text) + "\n";
        if (row.mark != '-') new_side += std::string(row.text) + "\n";
      }
    }
    if (all.hunks.empty()) continue;
    ASSERT_EQ(old_side, a);
    ASSERT_EQ(new_side, b);
    // The longest common subsequence, the slow way.
    std::vector<std::vector<std::size_t>> longest(a.size() + 1,
                                                  std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = a.size() / 2; i-- > 0;)
      for (std::size_t j = b.size() / 2; j-- > 0;)
        longest[i][j] = a[i * 2] == b[j * 2] ? 1 + longest[i + 1][j + 1]
                                             : std::max(longest[i + 1][j], longest[i][j + 1]);
    ASSERT_EQ(all.deleted, a.size() / 2 - longest[0][0]);
    ASSERT_EQ(all.inserted, b.size() / 2 - longest[0][0]);
  }
}

TEST(Diff, HunksWithContextNameTheirLines) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string a;
    std::string b;
    std::vector<std::string> old_lines;
    for (int i = 0; i < 60; ++i) {
      old_lines.push_back(std::to_string(i));
      a += old_lines.back() + "\n";
      if (random() % 9 == 0) b += "new\n";
      if (random() % 9 != 0) b += old_lines.back() + "\n";
    }
    std::size_t end = 0;
    for (const Hunk& hunk : diff(a, b).hunks) {
      ASSERT_GT(hunk.old_line + (hunk.old_count == 0 ? 1 : 0), end);  // no overlap
      std::size_t line = hunk.old_line;
      std::size_t count = 0;
      for (const Hunk::Row& row : hunk.rows) {
        if (row.mark == '+') continue;
        ASSERT_EQ(row.text, old_lines[line - 1]);
        ++line;
        ++count;
      }
      ASSERT_EQ(count, hunk.old_count);
      end = hunk.old_line + hunk.old_count - 1;
    }
  }
}

}  // namespace
}  // namespace acp::chat
