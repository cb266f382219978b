#include "chat/prompt_content.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace acp::chat {
namespace {

namespace fs = std::filesystem;

struct PromptContentTest : ::testing::Test {
  PromptContentTest() {
    std::string name = fs::temp_directory_path() / "acp-prompt-XXXXXX";
    folder = mkdtemp(name.data());
    fs::create_directory(folder / "project");
    write(folder / "project/notes.md", "of the project");
    write(folder / "secret.md", "of the user");
    can.embeddedContext = can.image = true;
  }
  ~PromptContentTest() override { fs::remove_all(folder); }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  // What is sent of files, and why not.
  std::string sent(const std::string& text, const fs::path& cwd) const {
    std::string all;
    const PromptContent content = prompt_content(text, cwd.string(), can);
    for (const v1::ContentBlock& block : content.blocks)
      if (const auto* file = std::get_if<v1::EmbeddedResource>(&block))
        all += std::get<v1::TextResourceContents>(file->resource).text + ";";
    for (const std::string& note : content.notes) all += note + ";";
    return all;
  }
  fs::path folder;
  v1::PromptCapabilities can;
};

// A link of the project must not choose what of the user's other files is sent.
TEST_F(PromptContentTest, LinksThatLeadOutOfTheProjectAreNotFollowed) {
  const fs::path project = folder / "project";
  fs::create_symlink("../secret.md", project / "link.md");
  fs::create_directory_symlink("..", project / "up");
  fs::create_symlink("notes.md", project / "same.md");
  fs::create_directory_symlink(project, folder / "alias");
  EXPECT_EQ(sent("see @notes.md", project), "of the project;");
  EXPECT_EQ(sent("see @same.md", project), "of the project;");
  for (const fs::path& cwd : {project, folder / "alias", project / ""})
    for (const char* name : {"@link.md", "@up/secret.md"}) {
      const std::string all = sent(name, cwd);
      EXPECT_EQ(all.find("of the user"), std::string::npos) << all;
      EXPECT_NE(all.find("a link leads out of the project"), std::string::npos) << all;
    }
  // What the user names is meant.
  EXPECT_EQ(sent("see @../secret.md", project), "of the user;");
  EXPECT_EQ(sent("see @" + (folder / "secret.md").string(), project), "of the user;");
  fs::create_symlink("../secret.md", project / "picture.png");
  EXPECT_THROW(media_block("picture.png", project.string(), true, can), std::runtime_error);
}

}  // namespace
}  // namespace acp::chat
