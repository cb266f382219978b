#include "settings/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "acp/workspace/testing/scratch.h"

namespace acp::settings {
namespace {

namespace fs = std::filesystem;
using workspace::testing::Scratch;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class KeysTest : public ::testing::Test {
 protected:
  ProviderSettings provider(const std::string& name) {
    ProviderSettings made{.name = name};
    made.key_variable = "SOME_KEY";
    return made;
  }
  // The error's text, which has no key in it.
  std::string error(const std::function<void()>& action) {
    try {
      action();
    } catch (const KeysError& error) {
      EXPECT_FALSE(has(error.what(), "sk-")) << error.what();
      return error.what();
    }
    return "no error";
  }
  Scratch scratch;
  std::string variable;
  std::string file = scratch / "acp/keys.toml";
  Keys keys{file, [this](const std::string& name) {
              return name == "SOME_KEY" && !variable.empty() ? std::optional(variable)
                                                             : std::nullopt;
            }};
};

TEST_F(KeysTest, StoredFoundAndRemoved) {
  EXPECT_EQ(keys.find(provider("openai")), std::nullopt);
  EXPECT_EQ(keys.source(provider("openai")), std::nullopt);
  EXPECT_FALSE(keys.remove("openai"));
  EXPECT_FALSE(fs::exists(scratch / "acp"));
  keys.store("openai", " sk-1\n");
  keys.store("my.box", R"(sk-"\x)");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(scratch / "acp").permissions(), fs::perms::owner_all);
  EXPECT_EQ(keys.find(provider("openai")), "sk-1");
  EXPECT_EQ(keys.find(provider("my.box")), R"(sk-"\x)");
  EXPECT_EQ(keys.source(provider("openai")), file);
  EXPECT_EQ(keys.all(), (std::vector<std::string>{"my.box", "openai"}));
  keys.store("openai", "sk-2");
  EXPECT_EQ(keys.find(provider("openai")), "sk-2");
  EXPECT_TRUE(keys.remove("openai"));
  EXPECT_FALSE(keys.remove("openai"));
  EXPECT_EQ(keys.all(), std::vector<std::string>{"my.box"});
  // Nothing is left beside it but the lock.
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(scratch / "acp"))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"keys.toml", "keys.toml.lock"}));
}

TEST_F(KeysTest, TheEnvironmentCanBeForgottenByAllCopies) {
  variable = "sk-variable";
  const Keys copy = keys;
  EXPECT_EQ(copy.find(provider("openai")), "sk-variable");
  keys.forget_environment();
  EXPECT_EQ(copy.find(provider("openai")), std::nullopt);
  EXPECT_EQ(copy.source(provider("openai")), std::nullopt);
  keys.store("openai", "sk-file");
  EXPECT_EQ(copy.find(provider("openai")), "sk-file");
}

TEST_F(KeysTest, TheEnvironmentCountsMore) {
  keys.store("openai", "sk-file");
  variable = "sk-variable\n";
  EXPECT_EQ(keys.find(provider("openai")), "sk-variable");
  EXPECT_EQ(keys.source(provider("openai")), "SOME_KEY");
  variable = "sk-two\r\nX-Header: lines";
  EXPECT_TRUE(has(error([&] { keys.find(provider("openai")); }), "SOME_KEY: not a key"));
}

TEST_F(KeysTest, AFileThatOthersCanRead) {
  keys.store("openai", "sk-1");
  for (const fs::perms more : {fs::perms::group_read, fs::perms::others_read}) {
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | more);
    EXPECT_TRUE(has(error([&] { keys.find(provider("openai")); }), "others may read it"));
    EXPECT_TRUE(has(error([&] { keys.store("openai", "sk-2"); }), "others may read it"));
    EXPECT_TRUE(has(error([&] { keys.remove("openai"); }), "others may read it"));
  }
}

// What a process that was killed had written holds keys.
TEST_F(KeysTest, WhatIsLeftOfAKilledProcessIsRemoved) {
  fs::create_directories(scratch / "acp");
  const std::string left = file + ".aB3xYz", other = file + ".backup", longer = left + ".old";
  for (const std::string& name : {left, other, longer}) {
    std::ofstream(name) << "keys";
    fs::permissions(name, fs::perms::owner_read | fs::perms::owner_write);
  }
  fs::create_symlink(other, file + ".Li1nk9");
  fs::permissions(other, fs::perms(0644));  // it is not ours, though its name might be
  keys.store("openai", "sk-1");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_TRUE(fs::exists(longer));
  EXPECT_TRUE(fs::is_symlink(file + ".Li1nk9"));
}

TEST_F(KeysTest, NoKeyIsInAnError) {
  EXPECT_EQ(error([&] { keys.store("openai", "sk-1 sk-2"); }),
            "not a key: it is empty, or has characters that no key has");
  EXPECT_EQ(error([&] { keys.store("openai", " "); }),
            "not a key: it is empty, or has characters that no key has");
  for (const char* text : {"openai = sk-1\n", "openai = \"sk-1\n", "sk-1\n", "openai = ['sk-1']\n",
                           "openai = 'sk-1 2'\n", "[sk-1]\nx = 'sk-1'\n"}) {
    scratch.put("acp/keys.toml", text);
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_TRUE(error([&] { keys.all(); }).starts_with(file + ":1: ")) << text;
    EXPECT_TRUE(error([&] { keys.store("x", "sk-3"); }).starts_with(file + ":1: ")) << text;
    EXPECT_EQ(scratch.get("acp/keys.toml"), text);
  }
}

TEST_F(KeysTest, ALinkIsFollowed) {
  scratch.put("elsewhere/keys.toml", "openai = 'sk-1'\n");
  fs::permissions(scratch / "elsewhere/keys.toml", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_directory(scratch / "acp");
  scratch.link("acp/keys.toml", scratch / "elsewhere/keys.toml");
  keys.store("openai", "sk-2");
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_TRUE(has(scratch.get("elsewhere/keys.toml"), "sk-2"));
}

}  // namespace
}  // namespace acp::settings
