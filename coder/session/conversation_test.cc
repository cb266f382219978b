// The conversation as it is kept; and what else a turn begins with: commands and instructions.
#include "coder/session/conversation.h"

#include <gtest/gtest.h>

#include "acp/workspace/testing/scratch.h"
#include "coder/session/commands.h"
#include "coder/testing/text.h"
#include "coder/turn/instructions.h"

namespace acp::coder {
namespace {

using testing::contains;
using workspace::testing::Scratch;

Message user(const std::string& text) { return {Message::Role::user, {TextPart{text}}}; }
Message calling(const std::vector<std::string>& ids) {
  Message message{Message::Role::assistant, {}};
  for (const std::string& id : ids) message.parts.push_back(ToolCallPart{id, "list", "{}"});
  return message;
}
Message results(const std::vector<std::string>& ids) {
  Message message{Message::Role::user, {}};
  for (const std::string& id : ids) message.parts.push_back(ToolResultPart{id, "fine"});
  return message;
}

// All of it, as it is kept.
std::string all(const Conversation& conversation) {
  std::string text;
  for (const Message& message : conversation.messages()) text += encode_message(message) + "\n";
  return text;
}

TEST(Conversation, MessagesComeBackAsTheyWere) {
  const std::string odd = "q\"\\/\b\n\t\x01 \xC3\xA4\xF0\x9F\x98\x80 </resource>";
  Message message{Message::Role::assistant, {}};
  message.parts = {TextPart{odd},
                   TextPart{""},
                   ThoughtPart{odd, "seal"},
                   ThoughtPart{"unsealed"},
                   ThoughtPart{"", "redacted"},
                   MediaPart{"image/png", "AAAA", odd},
                   ToolCallPart{"id", odd, "{broken"},
                   ToolCallPart{"", "", ""},
                   ToolResultPart{"id", odd, true, {{"image/png", "BBBB"}, {"audio/wav", "CC"}}},
                   ToolResultPart{}};
  const std::string kept = encode_message(message);
  const Message again = decode_message(kept);
  EXPECT_EQ(again.role, Message::Role::assistant);
  ASSERT_EQ(again.parts.size(), message.parts.size());
  EXPECT_EQ(encode_message(again), kept);
  EXPECT_EQ(std::get<TextPart>(again.parts[0]).text, odd);
  EXPECT_EQ(std::get<ThoughtPart>(again.parts[2]).signature, "seal");
  EXPECT_EQ(std::get<ThoughtPart>(again.parts[4]).signature, "redacted");
  EXPECT_EQ(std::get<MediaPart>(again.parts[5]).name, odd);
  EXPECT_EQ(std::get<ToolCallPart>(again.parts[6]).arguments, "{broken");
  const auto& result = std::get<ToolResultPart>(again.parts[8]);
  EXPECT_TRUE(result.failed);
  ASSERT_EQ(result.media.size(), 2u);
  EXPECT_EQ(result.media[1].data, "CC");
  EXPECT_FALSE(std::get<ToolResultPart>(again.parts[9]).failed);
}

TEST(Conversation, WhatIsNoMessageIsSaid) {
  for (const char* text : {"", "7", "[]", "{}", R"({"role":"system","parts":[]})", R"({"role":7})",
                           R"({"role":"user","parts":[{"type":"odd"}]})",
                           R"({"role":"user","parts":[7]})", R"({"role":"user")"})
    EXPECT_THROW(decode_message(text), StoreError) << text;
  EXPECT_TRUE(decode_message(R"({"role":"user"})").parts.empty());
}

TEST(Conversation, IsWhatItsEntriesComeTo) {
  Conversation conversation;
  std::vector<LiveSession::Entry> kept;
  const auto same = [&] {
    Conversation again;
    for (const auto& entry : kept) again.replay(entry.kind, entry.body);
    EXPECT_EQ(all(again), all(conversation));
  };
  kept.push_back(conversation.add(user("one")));
  kept.push_back(conversation.add(calling({"a"})));
  kept.push_back(conversation.add(results({"a"})));
  same();
  EXPECT_TRUE(conversation.call_ids().contains("a"));
  EXPECT_FALSE(conversation.call_ids().contains("b"));
  kept.push_back(conversation.drop_last(2));
  same();
  EXPECT_EQ(conversation.messages().size(), 1u);
  EXPECT_FALSE(conversation.call_ids().contains("a"));
  kept.push_back(conversation.compact("in short"));
  same();
  ASSERT_EQ(conversation.messages().size(), 1u);
  EXPECT_PRED2(contains, all(conversation), "in short");
  kept.push_back(conversation.drop_last(100));
  same();
  EXPECT_TRUE(conversation.messages().empty());
  kept.push_back(conversation.drop_last(0));
  kept.push_back({EntryKind::update, "not ours"});
  same();
}

TEST(Conversation, RepairsWhatWasInterrupted) {
  Conversation conversation;
  EXPECT_TRUE(conversation.repair_interrupted("").empty());
  conversation.add(user("one"));
  EXPECT_TRUE(conversation.repair_interrupted("").empty()) << "a prompt without an answer is whole";
  conversation.add(calling({"a", "b"}));
  conversation.add(results({"a", "b"}));
  EXPECT_TRUE(conversation.repair_interrupted("").empty());
  conversation.add(calling({"c", "d"}));
  const std::vector<LiveSession::Entry> entries = conversation.repair_interrupted("");
  ASSERT_EQ(entries.size(), 1u);
  const Message& last = conversation.messages().back();
  ASSERT_EQ(last.parts.size(), 2u);
  EXPECT_EQ(std::get<ToolResultPart>(last.parts[1]).id, "d");
  EXPECT_TRUE(std::get<ToolResultPart>(last.parts[1]).failed);
  EXPECT_EQ(entries[0].body, encode_message(last));
  EXPECT_TRUE(conversation.repair_interrupted("").empty()) << "once";
  const auto said = conversation.repair_interrupted("half an ans");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(conversation.messages().back().role, Message::Role::assistant);
}

TEST(Conversation, TokensAreEstimated) {
  EXPECT_EQ(estimated_tokens({}), 0u);
  EXPECT_EQ(estimated_tokens({user(std::string(400, 'x'))}), 100u);
  // A picture is no text, however large it is.
  const Message picture{Message::Role::user, {MediaPart{"image/png", std::string(1 << 20, 'A')}}};
  EXPECT_LT(estimated_tokens({picture}), 5000u);
  EXPECT_GT(estimated_tokens({picture}), 0u);
}

// ---- commands

std::optional<TypedCommand> typed(const std::string& text) {
  return typed_command({v1::ContentBlock(text)});
}

TEST(Commands, AreWhatBeginsWithASlashAndAWord) {
  EXPECT_EQ(typed("/help")->name, "help");
  EXPECT_EQ(typed(" \n/plan  do this \n")->input, "do this");
  EXPECT_EQ(typed("/plan\tthis\nand that")->input, "this\nand that");
  EXPECT_EQ(typed("/\xC3\xA4nder x")->name, "\xC3\xA4nder");
  EXPECT_EQ(typed("/team:review")->name, "team:review");
  for (const char* text : {"", "/", "/ help", "help", "//help", "/etc/passwd is what?", "/a.b",
                           "/a\"b", "x /help", "/$HOME"})
    EXPECT_FALSE(typed(text)) << text;
  EXPECT_FALSE(typed_command({}));
  v1::ResourceLink link;
  link.uri = "file:///a";
  EXPECT_EQ(typed_command({v1::ContentBlock(link), v1::ContentBlock("/help")})->name, "help");
  EXPECT_FALSE(typed_command({v1::ContentBlock("hello"), v1::ContentBlock("/help")}));
}

TEST(Commands, OfFilesHaveADescriptionAndAPrompt) {
  const auto whole = parse_command(
      "x",
      "---\r\ndescription: \"What it does\"\nargument-hint: a file\nodd\n---\n\nDo $ARGUMENTS.\n");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->description, "What it does");
  EXPECT_EQ(whole->hint, "a file");
  EXPECT_EQ(whole->prompt, "Do $ARGUMENTS.");
  const auto bare = parse_command("x", "## Look at it\nand more $ARGUMENTS");
  EXPECT_EQ(bare->description, "Look at it");
  EXPECT_EQ(bare->hint, "arguments");
  for (const char* text : {"", " \n", "---", "---\ndescription: x\n---\n", "---\nnever closed"})
    EXPECT_FALSE(parse_command("x", text)) << text;
  // Cut between characters.
  std::string long_one(99, 'x');
  long_one += "\xC3\xA4\xC3\xA4";
  EXPECT_EQ(parse_command("x", long_one)->description, std::string(99, 'x'));
}

TEST(Commands, AreExpanded) {
  FileCommand command;
  command.prompt = "a $ARGUMENTS b $ARGUMENTS";
  EXPECT_EQ(expand(command, "x"), "a x b x");
  EXPECT_EQ(expand(command, ""), "a  b ");
  EXPECT_EQ(expand(command, "$ARGUMENTS"), "a $ARGUMENTS b $ARGUMENTS") << "and not for ever";
  command.prompt = "a";
  EXPECT_EQ(expand(command, "x"), "a\n\nx");
  EXPECT_EQ(expand(command, ""), "a");
}

TEST(Commands, OfAProjectComeAndGo) {
  Scratch scratch;
  CommandFiles files(scratch.path());
  EXPECT_FALSE(files.reload()) << "there are none";
  const std::size_t ours = files.all().size();
  EXPECT_EQ(ours, 7u);
  scratch.put(".acp/commands/review.md", "Review it.");
  scratch.put(".acp/commands/help.md", "Not ours.");
  scratch.put(".acp/commands/bad name.md", "x");
  scratch.put(".acp/commands/note.txt", "x");
  scratch.put(".acp/commands/empty.md", "\n");
  scratch.put(".acp/commands/binary.md", std::string("\0\0", 2));
  EXPECT_TRUE(files.reload());
  EXPECT_FALSE(files.reload());
  EXPECT_EQ(files.all().size(), ours + 1);
  EXPECT_EQ(files.find("review")->prompt, "Review it.");
  EXPECT_FALSE(files.find("help")) << "a name of ours stays ours";
  scratch.put(".acp/commands/review.md", "Review it well.");
  EXPECT_TRUE(files.reload());
  std::filesystem::remove_all(scratch.path() / ".acp");
  EXPECT_TRUE(files.reload());
  EXPECT_FALSE(files.find("review"));
}

TEST(Commands, OutsideTheProjectAreNotRead) {
  Scratch scratch, outside;
  outside.put("evil.md", "Send all.");
  scratch.put(".acp/x", "");
  scratch.link(".acp/commands", outside.path());
  CommandFiles files(scratch.path());
  EXPECT_FALSE(files.reload());
  std::filesystem::remove(scratch.path() / ".acp/commands");
  scratch.put(".acp/commands/good.md", "Do.");
  scratch.link(".acp/commands/evil.md", outside / "evil.md");
  EXPECT_TRUE(files.reload());
  EXPECT_TRUE(files.find("good"));
  EXPECT_FALSE(files.find("evil"));
}

std::string limits_in(const CommandFileLimits& limits, const Scratch& scratch,
                      std::size_t commands) {
  CommandFiles files(scratch.path(), limits);
  files.reload();
  EXPECT_EQ(files.all().size() - own_commands().size(), commands);
  const std::string told = files.take_left_out();
  EXPECT_EQ(files.take_left_out(), "") << "told once";
  files.reload();
  EXPECT_EQ(files.take_left_out(), "") << "nothing has changed";
  return told;
}

TEST(Commands, OfAProjectHaveLimits) {
  Scratch scratch;
  scratch.put(".acp/commands/a.md", std::string(64 * 1024, 'x'));
  scratch.put(".acp/commands/b.md", std::string(64 * 1024 + 1, 'x'));
  // So large that memory would not hold it.
  scratch.put(".acp/commands/c.md", "x");
  std::filesystem::resize_file(scratch.path() / ".acp/commands/c.md", 1'000'000'000'000);
  EXPECT_EQ(limits_in({}, scratch, 1),
            "b.md: more than 65536 bytes (limits.command_file_bytes)\n"
            "c.md: more than 65536 bytes (limits.command_file_bytes)");
  for (int i = 0; i < 20; ++i)
    scratch.put(".acp/commands/d" + std::to_string(i) + ".md", std::string(60'000, 'x'));
  const std::string all = limits_in({}, scratch, 17);
  EXPECT_NE(all.find("d8.md: more than 1048576 bytes in all (limits.command_files_bytes)"),
            std::string::npos)
      << all;
  CommandFileLimits few;
  few.files = 2;
  const std::string told = limits_in(few, scratch, 2);
  EXPECT_NE(told.find("d1.md: more than 2 commands (limits.command_files)"), std::string::npos)
      << told;
  EXPECT_TRUE(told.ends_with("\nand 11 more")) << told;
}

TEST(Commands, WhatIsNoCommandHasALimitToo) {
  Scratch scratch;
  for (int i = 10; i < 30; ++i)
    scratch.put(".acp/commands/a" + std::to_string(i) + ".md", std::string(1000, '\0'));
  scratch.put(".acp/commands/z.md", "text");
  CommandFileLimits few;
  few.files = 2;
  EXPECT_PRED2(contains, limits_in(few, scratch, 0),
               "a18.md: more than 8 files, most of them no commands");
  few.files = 6;
  EXPECT_EQ(limits_in(few, scratch, 1), "");
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_THROW(CommandFiles(scratch.path()).reload(stopped.get_token()), Cancelled);
}

// ---- instructions

std::vector<std::string> texts(const std::string& cwd) {
  std::vector<std::string> found;
  for (const ProjectFile& file : project_instructions(cwd).files) found.push_back(file.text);
  return found;
}
using Texts = std::vector<std::string>;

TEST(Instructions, NearestFirstUpToTheRootOfTheProject) {
  Scratch scratch;
  scratch.put("AGENTS.md", "above");
  scratch.put("root/.git/HEAD", "");
  scratch.put("root/AGENTS.md", "root");
  scratch.put("root/a/b/AGENTS.md", "near");
  scratch.put("root/a/x", "");
  EXPECT_EQ(texts(scratch / "root/a/b"), (Texts{"near", "root"}));
  EXPECT_EQ(texts(scratch / "root/a"), (Texts{"root"}));
  EXPECT_EQ(texts(scratch / "root"), (Texts{"root"}));
  EXPECT_EQ(texts(scratch / "root/a/b/"), (Texts{"near", "root"})) << "each once";
  EXPECT_EQ(texts(scratch / "root//"), (Texts{"root"}));
  // Without a repository the working directory is the project.
  EXPECT_EQ(texts(scratch.path()), (Texts{"above"}));
  EXPECT_EQ(texts(scratch / "nowhere"), Texts());
}

TEST(Instructions, NotFromOutsideTheProject) {
  Scratch scratch;
  scratch.put("secret", "secret");
  scratch.put("root/.git/HEAD", "");
  scratch.put("root/a/x", "");
  scratch.put("root/docs/agents.txt", "inner");
  scratch.link("root/a/AGENTS.md", scratch / "secret");
  EXPECT_EQ(texts(scratch / "root/a"), Texts());
  std::filesystem::remove(scratch.path() / "root/a/AGENTS.md");
  scratch.link("root/a/AGENTS.md", "../../secret");
  EXPECT_EQ(texts(scratch / "root/a"), Texts());
  scratch.link("root/AGENTS.md", "docs/agents.txt");
  EXPECT_EQ(texts(scratch / "root/a"), Texts{"inner"}) << "a link inside is followed";
  scratch.put("root/b/AGENTS.md", std::string("\0", 1));
  EXPECT_EQ(texts(scratch / "root/b"), Texts{"inner"}) << "what is no text is left out";
  std::filesystem::create_directories(scratch.path() / "root/c/AGENTS.md");
  EXPECT_EQ(texts(scratch / "root/c"), Texts{"inner"});
  scratch.put("root/d/AGENTS.md", std::string(200'000, 'x'));
  EXPECT_LT(texts(scratch / "root/d").at(0).size(), 70'000u);
}

TEST(Instructions, SayWhatIsNotFollowed) {
  Scratch scratch;
  scratch.put("root/.git/HEAD", "");
  scratch.put("root/.env", "a secret of the project's own");
  scratch.put("root/a/x", "");
  scratch.link("root/a/AGENTS.md", "../.env");
  scratch.put("root/AGENTS.md", std::string(200'000, 'x'));
  const ProjectInstructions found = project_instructions(scratch / "root/a");
  ASSERT_EQ(found.problems.size(), 2u);
  EXPECT_PRED2(contains, found.problems[0], "/root/a/AGENTS.md is not read: it is a link");
  EXPECT_PRED2(contains, found.problems[1], "65536 of its 200000 bytes");
  ASSERT_EQ(found.files.size(), 1u);
  EXPECT_PRED2(contains, found.files[0].text, "134464 more bytes are left out");
}

// A part of a key is one, too.
TEST(Instructions, AreMaskedBeforeTheyAreCut) {
  Scratch scratch;
  const std::string key = "sk-" + std::string(105, 'k');
  const auto mask = [&](std::string& text) {
    if (const std::size_t at = text.find(key); at != std::string::npos)
      text.replace(at, key.size(), "[key]");
  };
  for (const std::size_t before :
       {std::size_t(0), std::size_t(65'536 - 40), std::size_t(65'536 - 90)}) {
    scratch.put("AGENTS.md", std::string(before, 'x') + key + std::string(70'000, 'x'));
    const std::string text = project_instructions(scratch.path(), {}, mask).files.at(0).text;
    EXPECT_EQ(text.find("sk-k"), std::string::npos) << before;
    EXPECT_LT(text.size(), 66'000u);
    EXPECT_PRED2(contains, text, "more bytes are left out");
  }
}

TEST(Instructions, HaveALimitInAll) {
  Scratch scratch;
  scratch.put("r/.git/HEAD", "");
  std::string at = "r";
  for (int i = 0; i < 8; ++i, at += "/d") scratch.put(at + "/AGENTS.md", std::string(60'000, 'x'));
  std::size_t size = 0;
  for (const ProjectFile& file : project_instructions(scratch / at).files) size += file.text.size();
  EXPECT_LT(size, 270'000u);
}

TEST(Instructions, OfManyDirectoriesTheNearestAreRead) {
  Scratch scratch;
  scratch.put("r/.git/HEAD", "");
  std::string at = "r";
  for (int i = 0; i < 100; ++i, at += "/d") scratch.put(at + "/AGENTS.md", std::to_string(i));
  const ProjectInstructions found = project_instructions(scratch / at);
  ASSERT_EQ(found.files.size(), 32u);
  EXPECT_EQ(found.files.front().text, "99");
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_PRED2(contains, found.problems[0], "and above it is not looked for");
}

TEST(Instructions, SayWhereWhenAndHow) {
  InstructionsWanted wanted;
  wanted.cwd = "/project";
  wanted.additional_directories = {"/other"};
  wanted.mode = "architect";
  wanted.date = "2026-11-15";
  wanted.system_prompt = "Be brief.";
  const std::string text = instructions(wanted, {{"/project/AGENTS.md", "Use tabs."}});
  for (const char* part :
       {"You are a coding agent", "Be brief.", "Working directory: /project", "/other",
        "2026-11-15", "\"architect\"", "# From /project/AGENTS.md", "Use tabs."})
    EXPECT_PRED2(contains, text, part);
  wanted.override_ours = true;
  EXPECT_PRED2(testing::lacks, instructions(wanted, {}), "You are a coding agent");
}

}  // namespace
}  // namespace acp::coder
