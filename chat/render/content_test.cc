// Content blocks and terminal output as frames of text.
#include "chat/render/content.h"

#include <gtest/gtest.h>

namespace acp::chat {
namespace {

std::string shown(const v1::ContentBlock& block, const View& view = {}) {
  return to_plain(content_lines(block, view, TextAs::markdown));
}

TEST(Content, IsNamedWithKindSizeAndAddress) {
  EXPECT_EQ(
      shown(v1::ImageContent{.data = "AAAA", .mimeType = "image/png", .uri = "file:///a.png"}),
      "▪ image image/png · 3 bytes · file:///a.png\n");
  EXPECT_EQ(
      shown(v1::AudioContent{.data = std::string(16'000, 'A') + "==", .mimeType = "audio/wav"}),
      "▪ audio audio/wav · 12.0 kB\n");
  EXPECT_EQ(shown(v1::ResourceLink{.name = "n", .size = 5, .uri = "http://x/y"}),
            "▪ link · n · 5 bytes · http://x/y\n");
  EXPECT_EQ(shown(v1::EmbeddedResource{
                .resource = v1::BlobResourceContents{.blob = "AAAA", .uri = "file:///b"}}),
            "▪ resource · 3 bytes · file:///b\n");
  const v1::ContentBlock text = v1::EmbeddedResource{
      .resource = v1::TextResourceContents{.text = "one\n*two*", .uri = "file:///t"}};
  EXPECT_EQ(shown(text), "▪ resource · 9 bytes · file:///t\n");
  EXPECT_EQ(shown(text, {.unfolded = true}), "▪ resource · 9 bytes · file:///t\n  one\n  *two*\n");
  EXPECT_EQ(shown(Unknown{.tag = "video\x1b[m", .payload = {}}),
            "▪ content of an unknown kind · video␛[m\n");
}

TEST(Content, ALinkShowsItsDescription) {
  v1::ResourceLink link{.name = "n", .uri = "http://x/y"};
  link.title = std::string("The title");
  link.description = std::string("What it is about\x1b[m");
  EXPECT_EQ(shown(link), "▪ link · The title · http://x/y · What it is about␛[m\n");
}

TEST(Content, ForTheAssistantOnlyIsFolded) {
  v1::TextContent text{.annotations = v1::Annotations{.audience = std::vector{v1::Role::assistant}},
                       .text = "secret plan"};
  EXPECT_EQ(shown(text), "▪ for the assistant only · 11 bytes\n");
  EXPECT_EQ(shown(text, {.unfolded = true}), "secret plan\n");
  text.annotations = v1::Annotations{.audience = std::vector{v1::Role::assistant, v1::Role::user}};
  EXPECT_EQ(shown(text), "secret plan\n");
  text.annotations = v1::Annotations{.audience = std::vector<v1::Role>{}};
  EXPECT_EQ(shown(text), "secret plan\n");
}

TEST(Content, SizesAndPlaces) {
  EXPECT_EQ(size_text(1), "1 byte");
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(1000), "1.0 kB");
  EXPECT_EQ(size_text(123'456), "123 kB");
  EXPECT_EQ(size_text(50'000'000), "50.0 MB");
  const View view{.cwd = "/home/me/"};
  EXPECT_EQ(place_text("/home/me/a.cc", 3, view), "a.cc:3");
  EXPECT_EQ(place_text("/home/meow/a.cc", {}, view), "/home/meow/a.cc");
  EXPECT_EQ(place_text("/home/me", {}, view), "/home/me");
  EXPECT_EQ(place_text("/home/me/\x1b[2J", {}, view), "␛[2J");
}

std::string output(std::string_view text, const View& view, bool truncated = false) {
  return to_plain(output_lines(text, truncated, view));
}

TEST(Output, IsItsLastLines) {
  const View view{.output_lines = 2};
  EXPECT_EQ(output("", view), "");
  EXPECT_EQ(output("a\n", view), "a\n");
  EXPECT_EQ(output("a\nb\n", view), "a\nb\n");
  EXPECT_EQ(output("a\nb\nc", view), "… 1 more line above\nb\nc\n");
  EXPECT_EQ(output("a\nb\nc\n\nd\n", view), "… 3 more lines above\n\nd\n");
  EXPECT_EQ(output("a\nb\nc", {.output_lines = 0}), "a\nb\nc\n");
  EXPECT_EQ(output("a\n", view, true), "… the beginning was cut off\na\n");
  EXPECT_EQ(output("a\nb\nc", view, true), "… 1 more line above, and what was cut off\nb\nc\n");
  EXPECT_EQ(output(std::string(50, 'x') + "yz", {.columns = 20, .output_lines = 2}),
            "… 1 more row above\n" + std::string(20, 'x') + "\n" + std::string(10, 'x') +
                "yz\n");  // fits the rows' count, not their width
}

TEST(Output, IsSafe) {
  EXPECT_EQ(output("\x1b[31mred\x1b[m\r\n50%\r100%\n\x1b]0;t\x07", {}), "red\n100%\n␛]0;t␇\n");
}

TEST(Output, CostsItsLastLinesOnly) {
  std::string huge;
  for (int i = 0; i < 100'000; ++i) huge += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(output(huge, {.output_lines = 2}), "… 1.1 MB more above\nline 99998\nline 99999\n");
  const Lines lines = output_lines(std::string(1'000'000, 'x') + "é", false, {.columns = 20});
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_EQ(to_plain(lines[0]), "… 999 kB more above");
  for (const Line& line : lines) EXPECT_LE(width(line), 20u);
}

}  // namespace
}  // namespace acp::chat
