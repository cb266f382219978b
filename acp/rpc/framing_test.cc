#include "acp/rpc/framing.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace acp::rpc {
namespace {

using Kind = FrameReader::Framed::Kind;

std::string label(const FrameReader::Framed& frame) {
  switch (frame.kind) {
    case Kind::message:
      return std::string(frame.text);
    case Kind::too_large:
      return "too large: " + std::to_string(frame.size);
    case Kind::no_header:
      return "no header: " + std::string(frame.text);
  }
  return "";
}

// Feeds the text in pieces of the given size; a size of 0 is the whole.
std::vector<std::string> frames(std::string_view text, Framing framing, std::size_t piece,
                                std::size_t limit = 1000) {
  FrameReader reader(framing, limit);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size(); i += piece) {
    if (piece == 0) piece = text.size();
    // A copy that goes away, so that nothing may look at it later.
    const std::string chunk(text.substr(i, piece));
    reader.feed(chunk);
    while (const auto frame = reader.next()) out.push_back(label(*frame));
  }
  if (const auto frame = reader.end()) out.push_back(label(*frame));
  return out;
}

void expect_frames(std::string_view text, Framing framing, const std::vector<std::string>& expected,
                   std::size_t limit = 1000) {
  for (std::size_t piece = 0; piece <= text.size(); ++piece)
    ASSERT_EQ(frames(text, framing, piece, limit), expected) << "in pieces of " << piece;
}

TEST(Framing, LinesHoweverTheyAreSplit) {
  expect_frames("{\"a\":1}\n{\"é\":2}\n", Framing::newline, {"{\"a\":1}", "{\"é\":2}"});
  expect_frames("{}\r\n\r\n\n  \n[1]\n", Framing::newline, {"{}", "[1]"});
  expect_frames("\xEF\xBB\xBF{}\n \xEF\xBB\xBF[]\n", Framing::newline, {"{}", "[]"});
  expect_frames("{}\n{\"last\":1}", Framing::newline, {"{}", "{\"last\":1}"});
  expect_frames("", Framing::newline, {});
  expect_frames("\n\n", Framing::newline, {});
}

TEST(Framing, ALineOverTheLimitIsPassedOverAndTheNextIsRead) {
  const std::string large(50, 'x'), fits(20, 'y');
  expect_frames(large + "\n" + fits + "\n" + large + "\r\n" + fits + "\r\n", Framing::newline,
                {"too large: 50", fits, "too large: 50", fits}, 20);
  expect_frames(large, Framing::newline, {"too large: 50"}, 20);
}

// The carriage return of a line's end counts for nothing, in however many pieces the line comes.
TEST(Framing, ALineMayBeAsLongAsTheLimitAndHaveItsEnd) {
  expect_frames(std::string(20, 'x') + "\r\n{}\n", Framing::newline, {std::string(20, 'x'), "{}"},
                20);
  expect_frames(std::string(21, 'x') + "\r\n{}\n", Framing::newline, {"too large: 21", "{}"}, 20);
  const std::string large(3000, 'x');
  for (const std::size_t limit : {20, 2000, 2999})
    for (const std::size_t piece : {0, 1, 7, 1024, 3000, 3001, 3002})
      ASSERT_EQ(frames(large + "\r\n{}\n" + large + "\r", Framing::newline, piece, limit),
                (std::vector<std::string>{"too large: 3000", "{}", "too large: 3000"}))
          << "in pieces of " << piece << ", limit " << limit;
}

TEST(Framing, ALargeLineIsKeptOnlyInPart) {
  FrameReader reader(Framing::newline, 1000);
  const std::string chunk(10'000, 'x');
  for (int i = 0; i < 1000; ++i) {
    reader.feed(chunk);
    ASSERT_FALSE(reader.next());
  }
  reader.feed("\n{}\n");
  const auto large = reader.next();
  ASSERT_TRUE(large);
  EXPECT_EQ(large->kind, Kind::too_large);
  EXPECT_EQ(large->size, 10'000'000u);
  EXPECT_LE(large->text.size(), 1024u);
  EXPECT_EQ(reader.next()->text, "{}");
}

TEST(Framing, ContentLengthHoweverItIsSplitAndSpelled) {
  expect_frames("Content-Length: 7\r\n\r\n{\"a\":1}Content-Length:8\r\n\r\n{\"é\":2}",
                Framing::content_length, {"{\"a\":1}", "{\"é\":2}"});
  expect_frames(
      "CONTENT-LENGTH: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}"
      "content-type: x\ncontent-length:  2 \n\n[]",
      Framing::content_length, {"{}", "[]"});
  expect_frames(
      "\r\n\r\nContent-Length: 2\r\n\r\n{}\r\nContent-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}",
      Framing::content_length, {"{}", "{}"});
  // Newlines in a body are its own.
  expect_frames("Content-Length: 6\r\n\r\n{\n\n \n}Content-Length: 2\r\n\r\n[]",
                Framing::content_length, {"{\n\n \n}", "[]"});
}

TEST(Framing, ABodyOverTheLimitIsPassedOver) {
  expect_frames("Content-Length: 50\r\n\r\n" + std::string(50, 'x') + "Content-Length: 2\r\n\r\n{}",
                Framing::content_length, {"too large: 50", "{}"}, 20);
}

TEST(Framing, WhatIsNoHeaderIsSaid) {
  expect_frames("{\"a\":1}\nContent-Length: 2\r\n\r\n{}", Framing::content_length,
                {"no header: {\"a\":1}", "{}"});
  expect_frames("X-Other: 1\r\n\r\nContent-Length: 2\r\n\r\n{}", Framing::content_length,
                {"no header: ", "{}"});
  expect_frames("Content-Length: abc\r\n\r\nContent-Length: 2\r\n\r\n{}", Framing::content_length,
                {"no header: ", "{}"});
}

TEST(Framing, ALongLineWithoutAHeaderIsOneHoweverItIsSplit) {
  const std::string line(1024, 'x');
  const std::string text = line + "yyy: 1\r\nContent-Length: 2\r\n\r\n{}";
  for (const std::size_t piece : {0, 1, 7, 1024, 1025, 1500})
    ASSERT_EQ(frames(text, Framing::content_length, piece, 16),
              (std::vector<std::string>{"no header: " + line, "{}"}))
        << "in pieces of " << piece;
}

TEST(Framing, IsFoundOutFromTheFirstBytes) {
  expect_frames("content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]", Framing::automatic,
                {"{}", "[]"});
  expect_frames("{}\n[]\n", Framing::automatic, {"{}", "[]"});
  expect_frames("\n\r\n  Content-Length: 2\r\n\r\n{}", Framing::automatic, {"{}"});
  expect_frames("Contents of a banner\n{}\n", Framing::automatic, {"Contents of a banner", "{}"});
  expect_frames("Cont", Framing::automatic, {"Cont"});
}

// Random splits of a long stream give the same frames as no split at all.
TEST(Framing, RandomSplits) {
  std::mt19937 random(1);
  std::string lines, bodies;
  for (int i = 0; i < 200; ++i) {
    const std::string text =
        "{\"n\":" + std::to_string(i) + ",\"t\":\"" + std::string(random() % 90, 'a') + "\"}";
    lines += text + (i % 3 == 0 ? "\r\n" : "\n");
    bodies += "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
  }
  for (const auto& [text, framing] :
       {std::pair{lines, Framing::newline}, std::pair{bodies, Framing::content_length}}) {
    const auto expected = frames(text, framing, 0, 60);
    for (int round = 0; round < 200; ++round) {
      FrameReader reader(framing, 60);
      std::vector<std::string> out;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t count =
            std::min<std::size_t>(1 + random() % (round % 2 ? 300 : 7), text.size() - at);
        const std::string chunk = text.substr(at, count);
        at += count;
        reader.feed(chunk);
        while (const auto frame = reader.next()) out.push_back(label(*frame));
      }
      ASSERT_EQ(out, expected);
    }
  }
}

}  // namespace
}  // namespace acp::rpc
