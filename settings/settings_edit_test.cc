#include "settings/settings_edit.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "acp/workspace/testing/scratch.h"
#include "settings/toml_edit.h"

namespace acp::settings {
namespace {

namespace fs = std::filesystem;
using workspace::testing::Scratch;

std::string edited(const std::string& text, const std::string& key, const std::string& value) {
  return with_toml_value(text, toml_path(key), value);
}

TEST(TomlEdit, ReplacesTheValueAndNothingElse) {
  EXPECT_EQ(edited("# mine\nmodel = \"ä/x\"   # why\nmode='ask'\n", "model", "\"b/y\""),
            "# mine\nmodel = \"b/y\"   # why\nmode='ask'\n");
  EXPECT_EQ(edited("[limits]\n retries=4# few\n\n[chat]\n", "limits.retries", "2"),
            "[limits]\n retries=2# few\n\n[chat]\n");
}

TEST(TomlEdit, ReplacesValuesOfSeveralLinesAndInlineTables) {
  EXPECT_EQ(edited("[providers.box]\nmodels = [\n  \"a\", # one\n  \"b\"\n] # end\napi = 'x'\n",
                   "providers.box.models", "[\"c\"]"),
            "[providers.box]\nmodels = [\"c\"] # end\napi = 'x'\n");
  EXPECT_EQ(edited("limits = {retries = 4, max = 1} # c\n", "limits.retries", "2"),
            "limits = {retries = 2, max = 1} # c\n");
  EXPECT_EQ(edited("a = \"\"\"one\n# b = 2\n[c]\n\"\"\"\nb = 1\n", "b", "3"),
            "a = \"\"\"one\n# b = 2\n[c]\n\"\"\"\nb = 3\n");
  EXPECT_EQ(edited("limits.retries = 4\r\nmode = 'a'\r\n", "limits.retries", "2"),
            "limits.retries = 2\r\nmode = 'a'\r\n");
}

TEST(TomlEdit, PutsWhatIsNewIntoItsTable) {
  EXPECT_EQ(edited("", "model", "1"), "model = 1\n");
  EXPECT_EQ(edited("", "limits.retries", "1"), "[limits]\nretries = 1\n");
  EXPECT_EQ(edited("mode = 'a'\n\n# about limits\n[limits]\nx = 1\n\n[chat]\n", "limits.y", "2"),
            "mode = 'a'\n\n# about limits\n[limits]\nx = 1\ny = 2\n\n[chat]\n");
  EXPECT_EQ(edited("mode = 'a' # c\n\n[limits]\n", "model", "2"),
            "mode = 'a' # c\nmodel = 2\n\n[limits]\n");
  // Without an end of line, and with \r\n.
  EXPECT_EQ(edited("mode = 'a'", "model", "2"), "mode = 'a'\nmodel = 2\n");
  EXPECT_EQ(edited("[a]\r\nb = 1\r\n", "a.c", "2"), "[a]\r\nb = 1\r\nc = 2\r\n");
  // A comment directly above a table is the table's.
  EXPECT_EQ(edited("# my file\n\n# about limits\n[limits]\n", "model", "2"),
            "# my file\n\nmodel = 2\n# about limits\n[limits]\n");
  // The table that a longer header implies is another.
  EXPECT_EQ(edited("[a.b]\nx = 1\n", "a.y", "2"), "[a.b]\nx = 1\n\n[a]\ny = 2\n");
  EXPECT_EQ(edited("[a]\n", "a.'x y'.z", "2"), "[a]\n\n[a.\"x y\"]\nz = 2\n");
}

TEST(TomlEdit, PutsItBelowTheCommentThatShowsIt) {
  EXPECT_EQ(
      edited("# Which one.\n# model = \"x\"\n\n# mode = \"a\"\n[limits]\n# retries = 4\n# y = 1\n",
             "model", "2"),
      "# Which one.\n# model = \"x\"\nmodel = 2\n\n# mode = \"a\"\n[limits]\n# retries = 4\n# y = "
      "1\n");
  EXPECT_EQ(edited("[a]\n#retries = 4\n[limits]\n#retries = 4\nx = 1\n", "limits.retries", "2"),
            "[a]\n#retries = 4\n[limits]\n#retries = 4\nretries = 2\nx = 1\n");
}

TEST(TomlEdit, FindsAWayWhereATableIsWrittenOtherwise) {
  EXPECT_EQ(edited("limits.retries = 4\n[chat]\n", "limits.x", "2"),
            "limits.retries = 4\nlimits.x = 2\n[chat]\n");
  EXPECT_THROW(edited("limits = {retries = 4}\n", "limits.x", "2"), TomlEditError);
  EXPECT_THROW(edited("limits = 4\n", "limits.x", "2"), TomlEditError);
}

TEST(TomlEdit, TakesOutValuesAndTables) {
  const auto without = [](const std::string& text, const std::string& key) {
    return without_toml_value(text, toml_path(key)).value_or("not there");
  };
  EXPECT_EQ(without("# mine\nmodel = 'a' # c\nmode = 'b'\n", "model"), "# mine\nmode = 'b'\n");
  EXPECT_EQ(without("[limits]\nx = [\n 1, # one\n 2]\ny = 1\n\n[chat]\n", "limits.x"),
            "[limits]\ny = 1\n\n[chat]\n");
  EXPECT_EQ(without("limits.x = 1\r\nlimits.y = 2\r\n", "limits.x"), "limits.y = 2\r\n");
  EXPECT_EQ(without("[a.b]\nx = 1\n[a.b.c]\ny = 2\n\n[d]\nz = 3\n", "a.b"), "[d]\nz = 3\n");
  EXPECT_EQ(without("m = 1\n\n[a.b]\nx = 1\n\n[d]\nz = 3", "a.b"), "m = 1\n\n[d]\nz = 3");
  EXPECT_EQ(without("[a]\nenv = {X = \"1\", Y = \"2\"} # c\n", "a.env.X"),
            "[a]\nenv = { Y = '2' } # c\n");
  EXPECT_EQ(without("[a]\nenv = {X = \"1\"}\n", "a.env"), "[a]\n");
  for (const char* const key : {"b", "a.x", "a.b.c", ""})
    EXPECT_EQ(without("[a]\nb = 1\n", key), "not there") << key;
}

TEST(TomlEdit, AsJson) {
  EXPECT_EQ(json_of_toml("\"a \\\"b\\\"\"").text(), R"("a \"b\"")");
  EXPECT_EQ(json_of_toml("[\"a\", \"b c\"]").text(), R"(["a","b c"])");
  EXPECT_EQ(json_of_toml("12").text(), "12");
  EXPECT_EQ(json_of_toml("true").text(), "true");
  EXPECT_EQ(json_of_toml("not needed").text(), R"("not needed")") << "a word of ours";
}

TEST(TomlEdit, Paths) {
  EXPECT_EQ(toml_path("a.\"b.c\".d"), (TomlPath{"a", "b.c", "d"}));
  for (const char* const bad : {"", "a..b", "a b", "a = 1 #", "a\nb", "[a]", "a.", "'"})
    EXPECT_EQ(toml_path(bad), TomlPath()) << bad;
  EXPECT_EQ(written_path({"a", "b.c"}), "a.\"b.c\"");
  EXPECT_EQ(plain_value("\"a \\\"b\\\"\""), "a \"b\"");
  EXPECT_EQ(plain_value("[\"a\", \"b c\"]"), "a\nb c");
  EXPECT_EQ(plain_value("12"), "12");
  EXPECT_EQ(plain_value("set"), "set");
}

class SettingsEdit : public ::testing::Test {
 protected:
  void write(const std::string& content) const {
    fs::create_directories(scratch / "acp");
    std::ofstream(file) << content;
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  }
  std::string text() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string error(const std::string& key, const std::vector<std::string>& words) {
    const std::string before = text();
    try {
      change_setting(file, key, words);
    } catch (const SettingsError& error) {
      EXPECT_EQ(text(), before);
      return error.what();
    }
    return "no error";
  }
  Scratch scratch;
  const std::string file = scratch / "acp/config.toml";
};

TEST_F(SettingsEdit, MakesAPrivateFile) {
  change_setting(file, "model", {"openai/gpt-5"});
  change_setting(file, "limits.retries", {"007"});
  change_setting(file, "providers.box.base_url", {"http://127.0.0.1:1/v1"});
  change_setting(file, "providers.box.models", {"a", "b c"});
  EXPECT_EQ(text(),
            "model = \"openai/gpt-5\"\n\n[limits]\nretries = 7\n\n[providers.box]\nbase_url = "
            "\"http://127.0.0.1:1/v1\"\nmodels = [\"a\", \"b c\"]\n");
  struct stat about;
  ASSERT_EQ(stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0600u);
  EXPECT_EQ(load_settings({.user_file = file}).retries.value, 7u);
}

TEST_F(SettingsEdit, WritesNothingThatIsWrong) {
  EXPECT_EQ(error("limits.retries", {"99"}), "limits.retries: expected 0 to 20, got 99");
  EXPECT_EQ(error("limits.retries", {"many"}),
            "limits.retries: expected a whole number that is not negative, got \"many\"");
  EXPECT_EQ(error("limits.retries", {"1", "2"}), "limits.retries: expected one value");
  EXPECT_EQ(error("providers.box.needs_key", {"yes"}),
            "providers.box.needs_key: expected true or false, got \"yes\"");
  EXPECT_EQ(error("providers.box.models", {"a"}), "providers.box: base_url is missing");
  EXPECT_EQ(error("mode", {"wild"}), "there is no mode \"wild\", only architect, ask, code");
  EXPECT_EQ(
      error("model", {"gpt-5"}),
      "model: expected PROVIDER/NAME or offline, got \"gpt-5\"; 'acp models' lists what can be "
      "used");
  EXPECT_TRUE(error("model", {"opnai/gpt-5"}).find("did you mean openai?") != std::string::npos);
  EXPECT_FALSE(fs::exists(scratch / "acp"));  // not even the directory
  EXPECT_TRUE(error("limits.retrys", {"1"})
                  .starts_with("there is no setting limits.retrys; did you mean limits.retries? "
                               "These can be set:\n"));
  for (const char* const key : {"xyz", "limits", "limits.x", "providers.box", "a..b", "", "[x]"}) {
    const std::string told = error(key, {"1"});
    EXPECT_TRUE(told.starts_with(std::string("there is no setting ") + key +
                                 ". These can be set:\n  model\n"))
        << told;
    EXPECT_NE(told.find("\n  providers.NAME.base_url\n"), std::string::npos) << told;
  }
}

TEST_F(SettingsEdit, TakesNoKeys) {
  for (const char* const key : {"providers.openai.key", "providers.openai.api_key",
                                "openai_api_key", "OPENAI_API_KEY", "token"}) {
    const std::string told = error(key, {"something-else"});
    EXPECT_NE(told.find("acp agent --login PROVIDER"), std::string::npos) << told;
    EXPECT_EQ(told.find("something-else"), std::string::npos) << told;
  }
  for (const char* const key :
       {"model", "providers.openai.key_variable", "mcp.web.headers.X", "mcp.web.args"}) {
    const std::string told = error(key, {"sk-12345678"});
    EXPECT_NE(told.find("a key does not belong in this file"), std::string::npos) << told;
    EXPECT_EQ(told.find("sk-1"), std::string::npos) << told;
  }
  // One that is known, whatever it looks like.
  ::setenv("OPENAI_API_KEY", "a-key-of-mine", 1);
  EXPECT_NE(error("mcp.web.env.X", {"x a-key-of-mine"}).find("a key does not belong"),
            std::string::npos);
  ::unsetenv("OPENAI_API_KEY");
  EXPECT_NE(error("mcp.web.headers.Authorization", {"abc"}).find("a key does not belong"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(SettingsEdit, AFileThatIsWrongIsNotMadeWorse) {
  write("model = 'a/b'\n");
  EXPECT_EQ(error("mode", {"wild"}), "there is no mode \"wild\", only architect, ask, code");
  EXPECT_NE(error("limits.retries", {"99"}).find("expected 0 to 20"), std::string::npos);
  EXPECT_EQ(error("providers.x.models", {"m"}), "providers.x: base_url is missing");
  write("model = 'a\n");
  EXPECT_TRUE(error("mode", {"ask"}).starts_with(file + ":1: ")) << "it is no TOML";
  write("model = offline\n");
  EXPECT_TRUE(error("mode", {"ask"}).ends_with("; text needs quotes, as in model = \"offline\""));
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(error("mode", {"ask"}).find("others may write to it"), std::string::npos);
}

TEST_F(SettingsEdit, WhatIsWrongCanBeRepaired) {
  write("model = 'a/b'\nmode = 5\n\n[limits]\nretries = \"x\" # few\n");
  change_setting(file, "limits.retries", {"3"});
  change_setting(file, "mode", {"ask"});
  change_setting(file, "model", {"offline"});
  EXPECT_EQ(text(), "model = \"offline\"\nmode = \"ask\"\n\n[limits]\nretries = 3 # few\n");
  EXPECT_EQ(load_settings({.user_file = file}).retries.value, 3u);
  write("mode = 5\n[providers.box]\nbase_url = 'http://127.0.0.1:1/v1'\n");
  change_setting(file, "model", {"box/a"});
  EXPECT_NE(error("model", {"bix/a"}).find("did you mean box?"), std::string::npos);
  // Also what does not exist.
  write("modle = 1\nmode = 'ask'\n");
  EXPECT_TRUE(remove_setting(file, "modle"));
  EXPECT_EQ(text(), "mode = 'ask'\n");
}

TEST_F(SettingsEdit, TakesSettingsBack) {
  write("mode = 'ask'\n[mcp.files]\ncommand = 'x'\nargs = ['y']\n");
  EXPECT_FALSE(remove_setting(file, "model"));
  EXPECT_TRUE(remove_setting(file, "mcp.files.args"));
  EXPECT_EQ(text(), "mode = 'ask'\n[mcp.files]\ncommand = 'x'\n");
  try {
    remove_setting(file, "mcp.files.command");
    ADD_FAILURE() << "it needs one";
  } catch (const SettingsError& error) {
    EXPECT_NE(std::string(error.what()).find("'acp config unset mcp.files' takes all of it back"),
              std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(remove_setting(file, "mcp.files"));
  EXPECT_EQ(text(), "mode = 'ask'\n");
}

TEST_F(SettingsEdit, TheFirstFileShowsEverySettingOfItsTables) {
  make_settings_file(file);
  EXPECT_EQ(text(), first_settings_text());
  EXPECT_THROW(make_settings_file(file), SettingsError);
  const std::vector<DescribedSetting> before = describe(load_settings({.user_file = file}));
  for (const DescribedSetting& line : before) EXPECT_EQ(line.source, "built in") << line.name;
  // Each goes below the comment that shows it.
  const auto lines = [this] {
    const std::string all = text();
    return std::count(all.begin(), all.end(), '\n');
  };
  const auto lines_before = lines();
  change_setting(file, "model", {"offline"});
  change_setting(file, "mode", {"architect"});
  change_setting(file, "chat.notify", {"none"});
  for (const DescribedSetting& line : before)
    if (line.name.starts_with("limits."))
      change_setting(file, line.name, {plain_value(line.value)});
  EXPECT_NE(text().find("# mode = \"ask\"\nmode = \"architect\"\n"), std::string::npos);
  EXPECT_NE(text().find("# retries = 4\nretries = 4\n"), std::string::npos);
  EXPECT_EQ(lines() - lines_before, 20);
}

// What can be read can be set.
TEST_F(SettingsEdit, EverythingInTheDocumentationIsKnown) {
  std::ifstream in("docs/configuration.md");
  const std::string page((std::istreambuf_iterator<char>(in)), {});
  const std::size_t begin = page.find("```toml\n") + 8;
  scratch.put("shown.toml", page.substr(begin, page.find("```", begin) - begin));
  fs::permissions(scratch / "shown.toml", fs::perms::owner_read);
  std::size_t count = 0;
  for (const DescribedSetting& line :
       describe(load_settings({.user_file = scratch / "shown.toml"}))) {
    EXPECT_NE(known_setting(line.name), nullptr) << line.name;
    ++count;
  }
  EXPECT_GT(count, 40u);
}

}  // namespace
}  // namespace acp::settings
