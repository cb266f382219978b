#include "settings/secrets.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <map>

#include "acp/workspace/testing/scratch.h"

namespace acp::settings {
namespace {

using workspace::testing::Scratch;

Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

Settings settings_with(const std::string& text, const Scratch& scratch) {
  scratch.put("config.toml", text);
  SettingsSources sources;
  sources.user_file = scratch / "config.toml";
  sources.environment = environment_of({});
  return load_settings(sources);
}

TEST(Secrets, NamesOfAllProvidersAndWellKnownOnes) {
  const Scratch scratch;
  const std::vector<std::string> names = secret_variables(
      settings_with("[providers.box]\nbase_url = \"http://127.0.0.1:1/v1\"\n"
                    "key_variable = \"MY_BOX\"\n[providers.other]\nbase_url = \"https://o\"\n",
                    scratch));
  for (const char* name : {"MY_BOX", "OTHER_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY",
                           "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

class Masking : public ::testing::Test {
 protected:
  Secrets secrets_of(std::map<std::string, std::string> variables) const {
    return Secrets(settings, Keys(scratch / "keys.toml"), environment_of(std::move(variables)));
  }
  Scratch scratch;
  Settings settings = settings_with("", scratch);
};

TEST_F(Masking, ReplacesWholeValues) {
  Keys(scratch / "keys.toml", environment_of({})).store("anthropic", "stored-key-2");
  const Secrets secrets =
      secrets_of({{"OPENAI_API_KEY", " sk-12345678\n"}, {"GEMINI_API_KEY", "gem-12345678"}});
  EXPECT_EQ(secrets.masked("a sk-12345678b gem-12345678 stored-key-2 sk-1234567 c"),
            "a [key of openai]b [key in GEMINI_API_KEY] [key of anthropic] sk-1234567 c");
  EXPECT_EQ(secrets.masked("nothing here"), "nothing here");
  EXPECT_TRUE(Secrets().empty());
  EXPECT_EQ(Secrets().masked("sk-12345678"), "sk-12345678");
}

TEST_F(Masking, AShortValueIsNoKey) {
  EXPECT_TRUE(secrets_of({{"OPENAI_API_KEY", "key"}}).empty());
}

TEST_F(Masking, EndsWhenTheReplacementHoldsTheKey) {
  const Secrets secrets = secrets_of({{"OPENAI_API_KEY", "key of openai"}});
  EXPECT_EQ(secrets.masked("<key of openai>"), "<[key of openai]>");
}

TEST_F(Masking, FindsAKeyThatJsonEscapes) {
  const Secrets secrets = secrets_of({{"OPENAI_API_KEY", "quo\"te\\key"}});
  EXPECT_EQ(secrets.masked(R"({"a":"quo\"te\\key"})"), R"({"a":"[key of openai]"})");
}

TEST_F(Masking, HalfAKeyAtTheEndsOfACutText) {
  const Secrets secrets = secrets_of({{"OPENAI_API_KEY", "0123456789abcdefghij"}});
  EXPECT_EQ(secrets.masked("456789abcdefghij rest 0123456789abc"),
            "[key of openai] rest [key of openai]");
  EXPECT_EQ(secrets.masked("ghij 0123"), "ghij 0123") << "as much could be anything";
}

TEST_F(Masking, AKeyInPieces) {
  const std::string key = "sk-sk-sk-0123456789";
  const Secrets secrets = secrets_of({{"OPENAI_API_KEY", key},
                                      {"GEMINI_API_KEY", key + "-longer"},
                                      {"XAI_API_KEY", "plain-9876"}});
  const std::string text = "sk-" + key + " sk- " + key + "-longer," + key + "-long " + key;
  const std::string wanted =
      "sk-[key of openai] sk- [key in GEMINI_API_KEY],[key of openai]-long [key of openai]";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    SecretStream stream(secrets);
    std::string shown;
    for (std::size_t at = 0; at < text.size(); at += size)
      shown += stream.add(std::string_view(text).substr(at, size));
    shown += stream.finish();
    EXPECT_EQ(shown, wanted) << size;
  }
  SecretStream stream(secrets);
  EXPECT_EQ(stream.add("ready> "), "ready> ") << "what cannot become a key does not wait";
}

TEST_F(Masking, TellsWhenTheReplacementWouldDestroyAKey) {
  const Secrets secrets = secrets_of({{"OPENAI_API_KEY", "sk-12345678"}});
  EXPECT_EQ(secrets.lost("K=sk-12345678", "K=[key of openai]\n"), "[key of openai]");
  EXPECT_EQ(secrets.lost("K=none", "K=[key of openai]\n"), "");
  EXPECT_EQ(secrets.lost("K=sk-12345678", "K=other"), "");
}

TEST_F(Masking, RemovesVariablesByNameAndByValue) {
  setenv("ACP_TEST_COPY_OF_KEY", "Bearer sk-12345678", 1);
  setenv("MISTRAL_API_KEY", "x", 1);
  const Secrets secrets = secrets_of({{"OPENAI_API_KEY", "sk-12345678"}});
  unsetenv("ACP_TEST_COPY_OF_KEY");
  unsetenv("MISTRAL_API_KEY");
  const auto& names = secrets.variables();
  EXPECT_EQ(std::count(names.begin(), names.end(), "ACP_TEST_COPY_OF_KEY"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "MISTRAL_API_KEY"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "PATH"), 0);
  for (const io::EnvironmentEdit& edit : secrets.removals()) EXPECT_FALSE(edit.value);
}

TEST(Expanded, TakesVariablesFromTheEnvironment) {
  const Environment environment = environment_of({{"A", "1"}});
  EXPECT_EQ(expanded("x${A}y${A}", "f:1", environment), "x1y1");
  EXPECT_EQ(expanded("${A", "f:1", environment), "${A");
  EXPECT_THROW(expanded("${B}", "f:1", environment), SettingsError);
}

}  // namespace
}  // namespace acp::settings
