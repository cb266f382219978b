#include "chat/tui/input/editor.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "acp/workspace/testing/scratch.h"
#include "chat/prompt_content.h"
#include "chat/tui/dialog.h"
#include "chat/tui/inline_screen.h"
#include "chat/tui/input/completion.h"
#include "chat/tui/input/fuzzy.h"
#include "chat/tui/input/keys.h"
#include "chat/tui/input/known_files.h"

namespace acp::chat {
namespace {

// The text with a bar where the cursor is.
std::string seen(const Editor& editor) {
  std::string text = editor.text();
  return text.insert(editor.cursor(), "|");
}

TEST(Editor, InsertsAndMovesByWholeCharacters) {
  Editor editor;
  editor.insert("ae\u0301👨‍👩‍👧b");
  editor.left();
  editor.left();
  EXPECT_EQ(seen(editor), "ae\u0301|👨‍👩‍👧b");
  editor.backspace();
  EXPECT_EQ(seen(editor), "a|👨‍👩‍👧b");
  editor.erase();
  EXPECT_EQ(seen(editor), "a|b");
  editor.right();
  editor.right();
  EXPECT_EQ(seen(editor), "ab|");
}

TEST(Editor, KnowsWordsAndKillsThem) {
  Editor editor;
  editor.insert("one two, three");
  editor.word_left();
  editor.word_left();
  EXPECT_EQ(seen(editor), "one |two, three");
  editor.kill_word_right();
  EXPECT_EQ(seen(editor), "one |, three");
  editor.kill_to_start();
  EXPECT_EQ(seen(editor), "|, three");
  editor.line_end();
  editor.yank();
  EXPECT_EQ(seen(editor), ", threeone |");
  editor.kill_word_left();
  EXPECT_EQ(seen(editor), ", |");
}

TEST(Editor, HasSeveralLines) {
  Editor editor;
  editor.insert("first\r\nse\rthird");
  EXPECT_EQ(editor.text(), "first\nse\nthird");
  EXPECT_TRUE(editor.up());
  EXPECT_EQ(seen(editor), "first\nse|\nthird");
  EXPECT_TRUE(editor.up());
  EXPECT_EQ(seen(editor), "fi|rst\nse\nthird");
  EXPECT_FALSE(editor.up());
  editor.kill_to_end();
  EXPECT_EQ(seen(editor), "fi|\nse\nthird");
  editor.kill_to_end();
  EXPECT_EQ(seen(editor), "fi|se\nthird");
  EXPECT_TRUE(editor.down());
  EXPECT_FALSE(editor.down());
}

TEST(Editor, TakesNoControlCharacters) {
  Editor editor;
  editor.insert("a\x1b[31mb\a\tc");
  EXPECT_EQ(editor.text(), "a[31mb\tc");
}

TEST(Editor, GoesThroughTheHistoryAndBack) {
  History history;
  history.add("one");
  history.add("two");
  history.add("two");
  Editor editor;
  editor.insert("draft");
  editor.earlier(history);
  EXPECT_EQ(editor.text(), "two");
  editor.earlier(history);
  editor.earlier(history);
  EXPECT_EQ(editor.text(), "one");
  editor.later(history);
  editor.later(history);
  EXPECT_EQ(editor.text(), "draft");
}

TEST(History, IsBoundedAndSurvives) {
  History history(2);
  history.add("gone");
  history.add("a\nb \\n");
  history.add("c");
  History again(2);
  again.parse(history.serialize());
  EXPECT_EQ(again.entries(), (std::vector<std::string>{"a\nb \\n", "c"}));
}

TEST(EditorRows, WrapsAndKeepsTheCursorInView) {
  Editor editor;
  editor.insert("日本語日本語x");
  const EditorRows rows = editor_rows(editor, line_of("> "), 9, 0);
  EXPECT_EQ(to_plain(rows.rows), "> 日本語\n  日本語\n  x\n");
  EXPECT_EQ(rows.cursor_row, 2u);
  EXPECT_EQ(rows.cursor_column, 3u);
  const EditorRows cut = editor_rows(editor, line_of("> "), 9, 2);
  EXPECT_EQ(to_plain(cut.rows), "  日本語\n  x\n");
  EXPECT_EQ(cut.cursor_row, 1u);
}

TEST(Keys, AreNotLostInABurst) {
  KeyDecoder keys("xterm");
  std::string text, typed;
  while (text.size() < 64 * 1024) text += "é漢 word ";
  for (const Key& key : keys.feed(text)) typed += key.text;
  EXPECT_EQ(typed, text);
  // A sequence without an end is no key, and keeps no others out for good.
  std::vector<Key> pressed = keys.feed("\x1b[" + std::string(1000, '1'));
  typed.clear();
  for (const Key& key : keys.feed("after it")) typed += key.text;
  EXPECT_TRUE(typed.ends_with("after it")) << typed;
}

TEST(Keys, ArePastesFocusAndNames) {
  KeyDecoder keys("xterm");
  std::vector<Key> all;
  // However the bytes are cut.
  for (const char c : std::string("a\x1b[200~x\r\x1b[A\n\x1b[201~\x1b[I\x1b[A\r\x1b\r"))
    for (Key& key : keys.feed(std::string_view(&c, 1))) all.push_back(std::move(key));
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].text, "a");
  EXPECT_EQ(all[1].kind, Key::Kind::paste);
  EXPECT_EQ(all[1].text, "x\r\x1b[A\n");
  EXPECT_EQ(all[2].kind, Key::Kind::focus_in);
  EXPECT_TRUE(all[3].is("Up"));
  EXPECT_TRUE(all[4].is("Enter"));
  EXPECT_TRUE(all[5].is("M-Enter"));
}

TEST(Keys, HomeAndEndOfTmuxAndTheConsole) {
  KeyDecoder keys("xterm");
  const std::vector<Key> pressed = keys.feed("\x1b[1~\x1b[4~\x1b[7~\x1b[8~\x1b[H\x1b[F\x1b[1;5~");
  ASSERT_EQ(pressed.size(), 7u);
  for (const std::size_t i : {0u, 2u, 4u}) EXPECT_TRUE(pressed[i].is("Home")) << pressed[i].text;
  for (const std::size_t i : {1u, 3u, 5u}) EXPECT_TRUE(pressed[i].is("End")) << pressed[i].text;
  EXPECT_TRUE(pressed[6].is("C-Home")) << pressed[6].text;
}

// What the word at the end of the text could become.
std::vector<std::string> offered(std::string_view text, const std::vector<CommandHelp>& commands,
                                 const std::string& cwd, const std::vector<std::string>& files) {
  std::vector<std::string> texts;
  for (const auto& one : complete(text, text.size(), commands, cwd, files).candidates)
    texts.push_back(one.text);
  return texts;
}
using Texts = std::vector<std::string>;

TEST(Completion, OfCommands) {
  const std::vector<CommandHelp> commands = {
      {"/plan", "what", "Plans"}, {"/play"}, {"/agent:help"}, {"/explain"}};
  const Completion found = complete("/pl", 3, commands, "/");
  EXPECT_EQ(found.candidates.front().description, "what — Plans");
  EXPECT_TRUE(found.command);
  EXPECT_FALSE(found.exact);
  EXPECT_EQ(offered("/pl", commands, "/", {}), (Texts{"/plan", "/play", "/explain"}));
  EXPECT_EQ(offered("/hlp", commands, "/", {}), Texts{"/agent:help"});
  EXPECT_EQ(offered("/", commands, "/", {}).size(), 4u);
  EXPECT_TRUE(complete("/play", 5, commands, "/").exact);
  EXPECT_TRUE(offered("a /pl", commands, "/", {}).empty());
  EXPECT_EQ(complete("/plan th", 8, commands, "/").hint, "what — Plans");
}

TEST(Completion, OfFilesAnywhereInTheProject) {
  const workspace::testing::Scratch scratch;
  for (const char* name : {"src/lexer.cc", "src/lexer.h", "tests/lexer_test.cc", "lex.md"})
    scratch.put(name, "");
  const std::string folder = scratch.path().string();
  const Texts files = known_files(folder);
  EXPECT_EQ(files, (Texts{"lex.md", "src/", "src/lexer.cc", "src/lexer.h", "tests/",
                          "tests/lexer_test.cc"}));
  EXPECT_EQ(offered("look at @lex", {}, folder, files),
            (Texts{"@lex.md", "@src/lexer.h", "@src/lexer.cc", "@tests/lexer_test.cc"}));
  EXPECT_EQ(offered("@lt", {}, folder, files), Texts{"@tests/lexer_test.cc"});
  EXPECT_EQ(offered("@src/l", {}, folder, files), (Texts{"@src/lexer.cc", "@src/lexer.h"}));
  EXPECT_EQ(offered("@", {}, folder, files), (Texts{"@lex.md", "@src/", "@tests/"}));
  EXPECT_TRUE(complete("@lex.md", 7, {}, folder, files).exact);
  EXPECT_TRUE(complete("@src", 4, {}, folder, files).exact);
  EXPECT_FALSE(complete("@le", 3, {}, folder, files).exact);
}

// In this repository, git would fetch a missing directory of a sparse index, by a program that the
// repository names; as it comes, and as a directory of a clone that poses as a repository.
TEST(Completion, ListingFilesRunsNoProgramOfTheRepository) {
  const workspace::testing::Scratch scratch;
  scratch.put("make.sh", R"(set -e
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
git init -q r; cd r
mkdir -p d/e keep; echo 1 >d/e/f; echo 2 >d/g; echo 3 >keep/k
git add .; git -c user.email=a@b -c user.name=a commit -qm 1
git sparse-checkout init --cone --sparse-index; git sparse-checkout set keep
tree=$(git rev-parse HEAD:d)
rm -f .git/objects/$(echo $tree|cut -c1-2)/$(echo $tree|cut -c3-)
git config core.repositoryformatversion 1
git config extensions.partialClone origin
git config remote.origin.promisor true
git config remote.origin.partialclonefilter blob:none
git config remote.origin.url ssh://x/y
printf '#!/bin/sh\ntouch "%s"\nexit 1\n' "$HOME/ran" >"$HOME/tool"; chmod +x "$HOME/tool"
git config core.sshCommand "sh $HOME/tool"
mkdir ../bare; cp -r .git/HEAD .git/index .git/objects .git/refs .git/config .git/info ../bare
git config -f ../bare/config core.bare false
git config -f ../bare/config core.worktree .
for name in core.sparseCheckout core.sparseCheckoutCone index.sparse; do
  git config -f ../bare/config $name true
done
git -c core.fsmonitor=false ls-files >/dev/null 2>&1 || true
test -e "$HOME/ran"; rm "$HOME/ran")");
  const std::string folder = scratch.path().string();
  // It does run the program where nothing prevents it.
  ASSERT_EQ(std::system(("cd '" + folder + "' && sh make.sh >/dev/null 2>&1").c_str()), 0);
  for (const char* place : {"/r", "/bare"}) {
    known_files(folder + place);
    EXPECT_FALSE(std::filesystem::exists(folder + "/ran")) << place;
    std::filesystem::remove(folder + "/ran");
  }
}

TEST(Completion, OfPathsWithSpaces) {
  const workspace::testing::Scratch scratch;
  for (const char* name : {"with more/inside/x", "with space.md", "without"}) scratch.put(name, "");
  const std::string folder = scratch.path().string();
  EXPECT_EQ(offered("see @wi", {}, folder, {}),
            (Texts{"@\"with more/", "@\"with space.md\"", "@without"}));
  EXPECT_EQ(offered("see @\"with s", {}, folder, {}), Texts{"@\"with space.md\""});
  EXPECT_EQ(offered("@\"with space.md\" @\"with m", {}, folder, {}), Texts{"@\"with more/"});
  EXPECT_EQ(offered("@\"with more/in", {}, folder, {}), Texts{"@\"with more/inside/"});
  EXPECT_EQ(complete("a @\"with s", 10, {}, folder).from, 2u);
}

TEST(Fuzzy, PrefersTheNameOfTheFile) {
  const Texts names = {"main/other.cc", "src/main.cc", "src/domain.cc", "README"};
  const auto best = fuzzy_best("main", names, 10);
  EXPECT_EQ(best, (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_FALSE(fuzzy_score("xyz", "README"));
  EXPECT_TRUE(fuzzy_score("rdm", "README"));
  EXPECT_EQ(fuzzy_best("", names, 2).size(), 2u);
}

TEST(Choice, TakesNothingThatWasNotChosen) {
  ChoiceDialog dialog;
  std::optional<std::size_t> chosen;
  dialog.choices = {{.label = "Allow", .key = 'y'}, {.label = "Reject", .key = 'n'}};
  dialog.chosen = [&](std::size_t index) { chosen = index; };
  const Key enter{Key::Kind::named, "Enter"};
  EXPECT_FALSE(dialog.key(enter));
  EXPECT_FALSE(dialog.key({Key::Kind::paste, "y"}));
  EXPECT_EQ(dialog.typed("3"), "3");
  EXPECT_FALSE(dialog.key(enter));
  EXPECT_EQ(dialog.typed("n"), "");
  EXPECT_EQ(dialog.selected, 1u);
  EXPECT_EQ(chosen, std::nullopt);
  EXPECT_EQ(dialog.typed("o"), "no");  // it was text
  EXPECT_FALSE(dialog.key(enter));
  EXPECT_EQ(chosen, std::nullopt);
  EXPECT_EQ(dialog.typed("n"), "");
  EXPECT_FALSE(dialog.key({Key::Kind::named, "Up"}));
  EXPECT_TRUE(dialog.key(enter));
  EXPECT_EQ(chosen, 0u);
  EXPECT_TRUE(dialog.line("2"));
  EXPECT_EQ(chosen, 1u);
  dialog.choices.resize(12);
  EXPECT_EQ(dialog.typed("1"), "");
  EXPECT_EQ(dialog.typed("2"), "");
  EXPECT_EQ(dialog.selected, 11u);
}

TEST(Form, AsksFieldByField) {
  v1::ElicitationSchema schema;
  v1::StringPropertySchema name;
  v1::IntegerPropertySchema count;
  count.maximum = 5;
  v1::BooleanPropertySchema sure;
  sure.default_ = true;
  schema.properties["name"] = name;
  schema.properties["count"] = count;
  schema.properties["sure"] = sure;
  schema.required = std::vector<std::string>{"name"};
  std::optional<FormDialog::Values> values;
  FormDialog form("agent", "Tell me", schema, [&](auto given) { values = given; });
  EXPECT_FALSE(form.line(""));  // it is required
  EXPECT_FALSE(form.line("Ada"));
  EXPECT_FALSE(form.line("6"));
  EXPECT_NE(to_plain(form.shown(60, 20).lines).find("too large"), std::string::npos);
  EXPECT_FALSE(form.line("5"));
  EXPECT_TRUE(form.line(""));
  ASSERT_TRUE(values);
  EXPECT_EQ(std::get<std::string>(*values->find("name")), "Ada");
  EXPECT_EQ(std::get<std::int64_t>(*values->find("count")), 5);
  EXPECT_TRUE(std::get<bool>(*values->find("sure")));
}

TEST(InlineScreen, WritesOnlyWhatChanges) {
  InlineScreen screen(20, 5, ColourMode::none);
  const Lines open = {line_of("a"), line_of("b")};
  EXPECT_NE(screen.draw({}, open, 1, 0), "");
  EXPECT_EQ(screen.draw({}, open, 1, 0), "");
  const std::string moved = screen.draw({}, {line_of("a"), line_of("c")}, 1, 0);
  EXPECT_EQ(moved.find('a'), std::string::npos);
  EXPECT_NE(moved.find('c'), std::string::npos);
}

TEST(Base64, IsWhatItIs) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("a"), "YQ==");
  EXPECT_EQ(base64("ab"), "YWI=");
  EXPECT_EQ(base64("abc"), "YWJj");
}

}  // namespace
}  // namespace acp::chat
