#include "acp/io/process/tail_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "acp/json/utf8.h"

namespace acp::io {
namespace {

bool is_utf8(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const std::size_t length =
        static_cast<unsigned char>(*at) < 0x80 ? 1 : json::utf8_length(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

struct Recorded {
  std::vector<std::string> lines;
  TailBuffer tail;
  explicit Recorded(std::size_t limit = TailBuffer::default_limit)
      : tail(limit, [this](std::string_view line) { lines.emplace_back(line); }) {}
};

using Lines = std::vector<std::string>;

TEST(TailBuffer, GivesLinesHoweverTheyAreCut) {
  const std::string text = "one\ntwo\r\n\nthree é\nrest";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Recorded it;
    it.tail.append(std::string_view(text).substr(0, cut));
    it.tail.append(std::string_view(text).substr(cut));
    EXPECT_EQ(it.lines, (Lines{"one", "two", "", "three é"}));
    EXPECT_EQ(it.tail.text(), "one\ntwo\n\nthree é\nrest");
    it.tail.finish();
    it.tail.finish();
    EXPECT_EQ(it.lines.back(), "rest");
    EXPECT_EQ(it.lines.size(), 5u);
    EXPECT_EQ(it.tail.text(), "one\ntwo\n\nthree é\nrest\n");
    EXPECT_EQ(it.tail.left_out(), 0u);
  }
}

TEST(TailBuffer, KeepsTheLastLinesWhole) {
  Recorded it(256);
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = "line " + std::to_string(i) + '\n';
    all += line;
    it.tail.append(line);
    const std::string text = it.tail.text();
    EXPECT_LE(text.size(), 256u);
    EXPECT_TRUE(all.ends_with(text));
    EXPECT_TRUE(text.starts_with("line "));
    EXPECT_EQ(it.tail.left_out() + text.size(), all.size());
    // Not one line less than there is room for.
    if (it.tail.left_out() > 0) {
      EXPECT_GT(text.size() + line.size(), 256u);
    }
  }
  EXPECT_EQ(it.lines.size(), 1000u);
}

TEST(TailBuffer, MakesValidWhatIsNot) {
  Recorded it;
  it.tail.append(
      "a\xFF"
      "b\xE2\x82\n\xE2\x82");
  it.tail.append("\xAC\xC3\n");
  EXPECT_EQ(it.lines, (Lines{"a\uFFFDb\uFFFD\uFFFD", "€\uFFFD"}));
  it.tail.append("\xC3");
  EXPECT_TRUE(is_utf8(it.tail.text()));
  it.tail.append("\xA9");
  EXPECT_TRUE(it.tail.text().ends_with("é"));
}

TEST(TailBuffer, TakesALongLineInPieces) {
  for (const char* const character : {"x", "é", "€", "😀", "\xFF"}) {
    std::string line;
    while (line.size() < 1000000) line += character;
    for (const std::size_t chunk : {std::size_t{1000}, std::size_t{7919}, line.size()}) {
      Recorded it(4096);
      for (std::size_t at = 0; at < line.size(); at += chunk) {
        it.tail.append(std::string_view(line).substr(at, chunk));
        ASSERT_LE(it.tail.text().size(), 4096u);
      }
      it.tail.append("\nend\n");
      EXPECT_EQ(it.lines.back(), "end");
      it.lines.pop_back();
      std::string joined;
      for (const std::string& piece : it.lines) {
        EXPECT_TRUE(is_utf8(piece));
        EXPECT_FALSE(piece.empty());
        EXPECT_LE(piece.size(), 3u * 516);
        joined += piece;
      }
      if (*character != '\xFF') {
        EXPECT_EQ(joined, line);
      }
    }
  }
}

TEST(TailBuffer, ManyEmptyLinesCostNothing) {
  TailBuffer tail(1024);
  for (int i = 0; i < 1000; ++i) tail.append(std::string(1000, '\n'));
  EXPECT_EQ(tail.text(), std::string(1024, '\n'));
  EXPECT_EQ(tail.left_out(), 1000000u - 1024);
}

TEST(TailBuffer, MayBeFedFromItsOwnCallback) {
  TailBuffer* self = nullptr;
  TailBuffer tail(1024, [&](std::string_view line) {
    if (line == "again") self->append("nested\n");
  });
  self = &tail;
  tail.append("again\nlast\n");
  EXPECT_EQ(tail.text(), "again\nnested\nlast\n");
}

}  // namespace
}  // namespace acp::io
