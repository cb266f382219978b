// A long session in bounds: what is let go of was printed, is reported once, and can be exported.
#include "chat/render/long_session.h"

#include <gtest/gtest.h>

#include "acp/testing/session_updates.h"
#include "chat/mcp_servers.h"
#include "chat/render/media.h"
#include "chat/render/transcript.h"
#include "chat/tui/pace.h"

namespace acp::chat {
namespace {

using namespace acp::testing;  // NOLINT(google-build-using-namespace)

v1::ToolCall call(const std::string& id, v1::ToolCallStatus status) {
  return {.toolCallId = id, .title = id, .status = status};
}

TEST(LongSession, NothingIsToldTwiceOrLost) {
  SessionState state;
  Transcript transcript({});
  Archive archive;
  std::size_t archived = 0;
  std::string shown;
  Bounds bounds;
  bounds.entries = 20;
  state.prompt_sent({"go"});
  for (int i = 0; i < 500; ++i) {
    const std::string id = "call " + std::to_string(i);
    state.apply(call(id, v1::ToolCallStatus::in_progress));
    state.apply(v1::ToolCallUpdate{.toolCallId = id, .status = v1::ToolCallStatus::completed});
    state.apply(said("word " + std::to_string(i) + "\n\n"));
    shown += to_plain(transcript.draw(state).finished);
    const std::size_t count = too_many(state, transcript.printed(), bounds);
    for (std::size_t j = archived; j < count; ++j) archive.add(state.timeline()[j]);
    if (count == 0) continue;
    const auto kept = state.forget(count);
    transcript.forgotten(count, kept);
    archived = kept.size();
    ASSERT_LE(state.timeline().size(), 20u);
  }
  state.turn_ended(v1::StopReason::refusal);
  shown += to_plain(transcript.finish(state).finished);
  std::string exported_text = archive.text(false);
  for (std::size_t i = archived; i < state.timeline().size(); ++i)
    exported_text += exported(state.timeline()[i], false);
  std::size_t at = 0, place = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string line = "✓ • call " + std::to_string(i) + "\n";
    at = shown.find(line, at);
    ASSERT_NE(at, std::string::npos) << line;
    place = exported_text.find("\"call " + std::to_string(i) + "\"", place);
    ASSERT_NE(place, std::string::npos) << i;
  }
  EXPECT_NE(shown.find("it will not be sent again"), std::string::npos);
  EXPECT_EQ(exported_text.find("\"prompt\""), exported_text.rfind("\"prompt\""));
  EXPECT_TRUE(archive.whole());
  EXPECT_GT(archive.calls(), 450u);
}

TEST(LongSession, BytesCountAsWell) {
  SessionState state;
  for (int i = 0; i < 10; ++i) {
    v1::ToolCall one = call(std::to_string(i), v1::ToolCallStatus::completed);
    one.content.emplace_back(v1::Diff{.path = "/a", .newText = std::string(1000, 'x')});
    state.apply(std::move(one));
  }
  Bounds bounds;
  bounds.bytes = 9000;
  const std::size_t count = too_many(state, 10, bounds);
  EXPECT_GE(count, 5u);
  EXPECT_LT(count, 10u);
  EXPECT_EQ(too_many(state, 2, bounds), 2u) << "what is not printed stays";
  bounds.bytes = 1 << 20;
  EXPECT_EQ(too_many(state, 10, bounds), 0u);
}

TEST(LongSession, AMessageBeingWritten) {
  SessionState state;
  Transcript transcript({});
  std::string shown;
  state.prompt_sent({"go"});
  for (int i = 0; i < 200; ++i) {
    state.apply(said("word" + std::to_string(i) + (i % 7 == 6 ? "\n\n" : " ")));
    shown += to_plain(transcript.draw(state).finished);
    const Transcript::Spent spent = transcript.spent(state);
    if (spent.bytes < 50) continue;
    state.forget_content(state.timeline().size() - 1, spent.blocks, spent.bytes);
    transcript.spent_forgotten(spent);
  }
  shown += to_plain(transcript.finish(state).finished);
  std::size_t at = 0;
  for (int i = 0; i < 200; ++i) {
    at = shown.find("word" + std::to_string(i), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST(LongSession, AProgramThatKeepsNothing) {
  SessionState state;
  for (int i = 0; i < 1000; ++i) {
    state.apply(call(std::to_string(i), v1::ToolCallStatus::pending));
    keep_short(state);
  }
  EXPECT_LE(state.timeline().size(), 200u);
  EXPECT_NE(state.tool_call("999"), nullptr);
  state.apply(said(std::string(100'000, 'x')));
  keep_short(state);
  EXPECT_LT(memory_of(state, state.timeline().back()), 2000u);
}

TEST(Pace, WaitsForTheNextDrawing) {
  Pace pace;
  const Pace::Wait first = pace.next_drawn(), second = pace.next_drawn();
  EXPECT_FALSE(first->ready());
  pace.drawn();
  EXPECT_TRUE(first->ready() && second->ready());
  const Pace::Wait third = pace.next_drawn();
  EXPECT_FALSE(third->ready());
  pace.close();
  EXPECT_TRUE(third->ready());
  EXPECT_TRUE(pace.next_drawn()->ready()) << "nothing is drawn any more";
}

TEST(Media, NamesAndBytes) {
  v1::ImageContent image;
  image.mimeType = "image/png";
  image.data = "AAEC/w==";
  EXPECT_EQ(bytes_of(image), std::string("\0\1\2\xff", 4));
  EXPECT_EQ(suggested_name(image, 3), "media-3.png");
  image.uri = "https://x.org/a/dot.png";
  EXPECT_EQ(suggested_name(image, 3), "dot.png");
  for (const char* bad : {"file:///a/..", "x/.bashrc", "x/-rf", "x/a b", "x/\x1b[31m", "x/"}) {
    image.uri = bad;
    EXPECT_EQ(suggested_name(image, 3), "media-3.png") << bad;
  }
  image.data = "A*";
  EXPECT_THROW(bytes_of(image), std::runtime_error);
  v1::ResourceLink link;
  link.uri = "https://x.org";
  EXPECT_THROW(bytes_of(link), std::runtime_error);
}

TEST(McpServers, AreChosenByNameOrWord) {
  settings::Settings settings;
  settings.mcp["a"] = {.name = "a", .command = "/bin/cat", .args = {"-n"}};
  settings.mcp["b"] = {.name = "b",
                       .transport = settings::McpServerSettings::Transport::sse,
                       .url = "https://x.org/sse"};
  EXPECT_EQ(chosen_servers(settings, {}).size(), 2u);
  EXPECT_TRUE(chosen_servers(settings, {"none"}).empty());
  const auto two = chosen_servers(settings, {"b", "c=sh -c true"});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(name_of(two[0]), "b");
  EXPECT_EQ(describe(two[1]).substr(0, 7), "stdio  ");
  EXPECT_TRUE(describe(two[1]).ends_with("/sh -c true"));
  for (const char* bad : {"nosuch", "=x", "x=", "none=", "x= "})
    EXPECT_THROW(chosen_servers(settings, {bad}), NoSuchServer) << bad;
  EXPECT_EQ(not_taken(two[0], false), "the agent takes no MCP servers over sse");
  EXPECT_EQ(not_taken(two[1], false), "the agent takes no MCP servers on stdio");
  for (const v1::McpServer& server : two) EXPECT_FALSE(not_taken(server, true));
}

TEST(McpServers, HeadersTakeTheEnvironment) {
  settings::Settings settings;
  settings.mcp["a"] = {.name = "a",
                       .transport = settings::McpServerSettings::Transport::http,
                       .url = "https://x.org",
                       .headers = {{"X-Home", "at ${HOME}!"}},
                       .sources = {{"headers.X-Home", "config.toml:3"}}};
  const auto servers = chosen_servers(settings, {});
  EXPECT_EQ(std::get<v1::McpServerHttp>(servers[0]).headers[0].value,
            "at " + settings::process_environment("HOME").value() + "!");
  settings.mcp["a"].headers["X-Home"] = "${NO_SUCH_VARIABLE_AT_ALL}";
  EXPECT_THROW(chosen_servers(settings, {}), settings::SettingsError);
}

}  // namespace
}  // namespace acp::chat
