#include "chat/agents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "acp/workspace/testing/scratch.h"
#include "chat/last_session.h"
#include "chat/presets.h"
#include "chat/program.h"
#include "settings/secrets.h"

namespace acp::chat {
namespace {

using workspace::testing::Scratch;

TEST(Agents, TheBuiltInOneIsThisProgram) {
  const KnownAgent ours = find_agent(settings::Settings(), built_in_agent);
  EXPECT_EQ(ours.argv, (std::vector<std::string>{own_program(), "agent"}));
  EXPECT_EQ(find_program(ours.argv[0]), ours.argv[0]);
}

TEST(Agents, EveryPresetSaysWhereItIsFrom) {
  std::set<std::string> names;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.command.empty()) << preset.name;
    EXPECT_TRUE(std::string(preset.source).starts_with("https://")) << preset.name;
    EXPECT_EQ(std::string(preset.read).size(), 10u) << preset.name;
    EXPECT_TRUE(*preset.install != '\0' || *preset.without_installing != '\0') << preset.name;
  }
  EXPECT_EQ(names.count(built_in_agent), 0u);
}

TEST(Agents, AdviceIsAWholeCommand) {
  EXPECT_EQ(find_agent({}, "gemini").advice("acp chat --mcp none"),
            "It is installed by: npm install -g @google/gemini-cli\n"
            "Without installing it: acp chat --mcp none -- npx -y @google/gemini-cli --acp");
}

TEST(Agents, TheUsersOwnHidesThePreset) {
  settings::Settings settings;
  settings::AgentSettings own;
  own.name = "gemini";
  own.command = "mine";
  own.args = {"--x"};
  own.env = {{"A", "1"}};
  settings.agents["gemini"] = own;
  const KnownAgent found = find_agent(settings, "gemini");
  EXPECT_EQ(found.argv, (std::vector<std::string>{"mine", "--x"}));
  EXPECT_EQ(found.advice("acp chat"), "");
  const io::ProcessOptions process = found.process();
  ASSERT_FALSE(process.environment.empty());
  EXPECT_EQ(process.environment.back().name, "A");
  EXPECT_EQ(process.environment.back().value, "1");
  int gemini = 0;
  for (const KnownAgent& agent : known_agents(settings)) gemini += agent.name == "gemini" ? 1 : 0;
  EXPECT_EQ(gemini, 1);
}

TEST(Agents, GetNoKeysButThoseThatTheyNeed) {
  settings::Settings settings;
  settings.providers["box"].key_variable = "MY_BOX";
  settings.agents["mine"] = {.name = "mine", .command = "mine"};
  const auto withheld = [&](const std::string& agent, const std::string& variable) {
    const auto edits = find_agent(settings, agent).process().environment;
    return std::any_of(edits.begin(), edits.end(), [&](const io::EnvironmentEdit& edit) {
      return edit.name == variable && !edit.value;
    });
  };
  for (const char* variable : {"MY_BOX", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XAI_API_KEY"}) {
    EXPECT_TRUE(withheld("gemini", variable)) << variable;
    EXPECT_TRUE(withheld("mine", variable)) << variable;
    EXPECT_FALSE(withheld(built_in_agent, variable)) << variable;
  }
  EXPECT_FALSE(withheld("gemini", "GEMINI_API_KEY"));
  EXPECT_FALSE(withheld("claude", "ANTHROPIC_API_KEY"));
  EXPECT_TRUE(withheld("claude", "OPENAI_API_KEY"));
  EXPECT_TRUE(agent_of_command({"x"}).process().environment.empty());
  // What a preset names is a variable that would be withheld otherwise.
  const std::vector<std::string> secrets = settings::secret_variables(settings);
  for (const Preset& preset : presets())
    for (const char* variable : preset.key_variables)
      EXPECT_EQ(std::count(secrets.begin(), secrets.end(), variable), 1) << variable;
}

TEST(Agents, AMisspeltNameIsToldWithAGuess) {
  try {
    find_agent(settings::Settings(), "claud");
    FAIL();
  } catch (const UnknownAgent& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.ends_with("did you mean claude?")) << text;
  }
}

TEST(Agents, ACommandIsTheSameFromAnywhere) {
  EXPECT_EQ(agent_of_command({"gemini", "--acp"}).argv[0], "gemini");
  EXPECT_EQ(agent_of_command({"./x"}).argv[0], (std::filesystem::current_path() / "x").string());
  EXPECT_EQ(agent_of_command({"a b", "c"}).name, "'a b' c");
}

TEST(LastSession, IsKeptForEachAgentAndDirectory) {
  const Scratch scratch;
  const std::string directory = scratch / "state";
  EXPECT_FALSE(LastSession("a", "/x", directory).load());
  LastSession("a", "/x", directory).store("one");
  LastSession("a", "/y", directory).store("two");
  EXPECT_EQ(LastSession("a", "/x", directory).load(), "one");
  EXPECT_EQ(LastSession("a", "/y", directory).load(), "two");
  EXPECT_FALSE(LastSession("b", "/x", directory).load());
  LastSession("a", "/x", directory).store("three");
  EXPECT_EQ(LastSession("a", "/x", directory).load(), "three");
}

TEST(LastSession, AFileOfAnothersIsNotTaken) {
  const Scratch scratch;
  const std::string directory = scratch / "state";
  LastSession("a", "/x", directory).store("one");
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".json") file = entry.path();
  // As if two names had the same file.
  scratch.put("state/" + std::filesystem::path(file).filename().string(),
              R"({"agent":"b","cwd":"/x","sessionId":"theirs"})");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  EXPECT_FALSE(LastSession("a", "/x", directory).load());
  scratch.put("state/" + std::filesystem::path(file).filename().string(), "{");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  EXPECT_THROW(LastSession("a", "/x", directory).load(), std::runtime_error);
}

}  // namespace
}  // namespace acp::chat
