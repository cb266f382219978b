#include "acp/workspace/output_buffer.h"

#include <gtest/gtest.h>

namespace acp::workspace {
namespace {

const std::string replaced = "\xEF\xBF\xBD";

TEST(OutputBuffer, JoinsCharactersThatComeInPieces) {
  const std::string text = "a\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80 \xED\x9F\xBF \xF4\x8F\xBF\xBF";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    OutputBuffer buffer(1000);
    std::string seen = buffer.append(text.substr(0, cut));
    seen += buffer.append(text.substr(cut));
    EXPECT_EQ(seen, text) << cut;
    EXPECT_EQ(buffer.finish(), "");
    EXPECT_EQ(buffer.text(), text);
  }
  OutputBuffer buffer(1000);
  for (const char byte : text) buffer.append({&byte, 1});
  EXPECT_EQ(buffer.text(), text);
}

TEST(OutputBuffer, ReplacesWhatIsNoCharacter) {
  const auto as_text = [](const std::string& bytes) {
    OutputBuffer buffer(1000);
    std::string seen = buffer.append(bytes);
    return seen + buffer.finish();
  };
  EXPECT_EQ(as_text("a\xFFz"), "a" + replaced + "z");
  EXPECT_EQ(as_text("a\x80"), "a" + replaced);
  EXPECT_EQ(as_text("\xC3"), replaced) << "it never came to its end";
  EXPECT_EQ(as_text("\xE2\x82"), replaced + replaced);
  EXPECT_EQ(as_text("\xED\xA0\x80"), replaced + replaced + replaced) << "a surrogate";
  EXPECT_EQ(as_text("\xC0\x80"), replaced + replaced) << "overlong";
  EXPECT_EQ(as_text("\xF5\x80"), replaced + replaced);
}

// What cannot become a character does not wait for more.
TEST(OutputBuffer, HoldsNothingBackThatIsHopeless) {
  for (const char* bytes : {"\xE0\x80", "\xED\xA0", "\xF4\x90", "\xF0\x80\x80", "\xC1", "\xF8"}) {
    OutputBuffer buffer(1000);
    EXPECT_NE(buffer.append(bytes), "") << bytes;
    EXPECT_EQ(buffer.finish(), "");
  }
}

TEST(OutputBuffer, KeepsTheEndBetweenCharacters) {
  OutputBuffer buffer(10);
  EXPECT_FALSE(buffer.truncated());
  buffer.append("0123456789");
  EXPECT_EQ(buffer.text(), "0123456789");
  EXPECT_FALSE(buffer.truncated());
  buffer.append("\xE2\x82\xAC");
  EXPECT_EQ(buffer.text(), "3456789\xE2\x82\xAC");
  EXPECT_TRUE(buffer.truncated());
  buffer.append("12345678");
  EXPECT_EQ(buffer.text(), "12345678") << "half a character is none";
  EXPECT_EQ(buffer.total_bytes(), 21u);
  for (int i = 0; i < 1000; ++i) buffer.append("\xE2\x82\xAC");
  EXPECT_EQ(buffer.text(), "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC");
  EXPECT_EQ(buffer.total_bytes(), 3021u);
  OutputBuffer nothing(0);
  nothing.append("x");
  EXPECT_EQ(nothing.text(), "");
  EXPECT_TRUE(nothing.truncated());
}

}  // namespace
}  // namespace acp::workspace
