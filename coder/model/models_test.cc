#include "coder/model/models.h"

#include <gtest/gtest.h>

#include "acp/workspace/testing/scratch.h"
#include "coder/model/http_model.h"

namespace acp::coder {

using namespace settings;
namespace {

class Quiet : public Model {
 public:
  const ModelInfo& info() const override { return info_; }
  void answer(const ModelRequest&, const OnModelEvent&, std::stop_token) override {}

 private:
  ModelInfo info_;
};

class ModelsTest : public ::testing::Test {
 protected:
  Models models(const std::string& user_file = {}) {
    const Environment get = [this](const std::string& name) {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    scratch.put("config.toml", user_file);
    std::filesystem::permissions(scratch / "config.toml", std::filesystem::perms::owner_read);
    Models made(load_settings({.user_file = scratch / "config.toml", .environment = get}),
                Keys(scratch / "keys.toml", get));
    std::filesystem::remove(scratch / "config.toml");
    made.add(ModelInfo{.id = "offline", .name = "Offline"},
             [] { return std::make_shared<Quiet>(); });
    return made;
  }
  static std::string ids(const Models& models) {
    std::string text;
    for (const ModelInfo& info : models.offered()) text += info.id + " ";
    return text;
  }
  template <class Error>
  static std::string error(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  workspace::testing::Scratch scratch;
  std::map<std::string, std::string> environment;
};

const std::string box =
    "[providers.box]\nbase_url = 'http://127.0.0.1:1/v1'\nmodels = ['qwen/3']\n"
    "context_tokens = 5000\n";

TEST_F(ModelsTest, OffersWhatCanBeUsed) {
  EXPECT_EQ(ids(models()), "offline ");
  EXPECT_EQ(ids(models(box)), "box/qwen/3 offline ");
  EXPECT_EQ(ids(models("model = 'box/other'\n" + box)), "box/qwen/3 box/other offline ");
  environment = {{"ANTHROPIC_API_KEY", "sk-1"}};
  EXPECT_TRUE(ids(models()).starts_with("anthropic/claude-"));
  Models with_key = models();
  with_key.keys().store("openai", "sk-2");
  EXPECT_NE(ids(with_key).find("openai/gpt-5 "), std::string::npos);
}

TEST_F(ModelsTest, MissingKeys) {
  const Models some = models(box);
  EXPECT_EQ(some.missing_key("openai/gpt-5"), "openai");
  EXPECT_EQ(some.missing_key("box/x"), std::nullopt);
  EXPECT_EQ(some.missing_key("offline"), std::nullopt);
  try {
    some.make("openai/gpt-5");
    ADD_FAILURE() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.kind(), ModelError::Kind::unauthorized);
    EXPECT_STREQ(error.what(), "openai: no key; set OPENAI_API_KEY, or keep one in the key file");
  }
  environment = {{"OPENAI_API_KEY", "sk-1"}};
  EXPECT_EQ(models().missing_key("openai/gpt-5"), std::nullopt);
}

TEST_F(ModelsTest, Made) {
  const Models some = models(box);
  const auto made = some.make("box/qwen/3");
  EXPECT_NE(dynamic_cast<HttpModel*>(made.get()), nullptr);
  EXPECT_EQ(made->info().id, "box/qwen/3");
  EXPECT_EQ(made->info().name, "qwen/3");
  EXPECT_EQ(made->info().context_tokens, 5000u);
  EXPECT_NE(dynamic_cast<Quiet*>(some.make("offline").get()), nullptr);
  EXPECT_EQ(some.provider("offline"), nullptr);
  EXPECT_EQ(some.provider("box/a")->name, "box");
}

TEST_F(ModelsTest, Unknown) {
  const Models some = models(box);
  EXPECT_EQ(error<UnknownModel>([&] { some.make("opnai/gpt-5"); }),
            "model \"opnai/gpt-5\": there is no provider \"opnai\", only anthropic, box, "
            "llama-server, lmstudio, ollama, openai, vllm");
  EXPECT_EQ(error<UnknownModel>([&] { some.make("gpt-5"); }),
            "there is no model \"gpt-5\", only offline, PROVIDER/NAME; 'acp models' lists what can "
            "be used");
  EXPECT_EQ(error<UnknownModel>([&] { some.info("openai/"); }),
            "model \"openai/\": its name is missing");
}

TEST_F(ModelsTest, WhatIsKnownByName) {
  const Models some = models(box);
  EXPECT_EQ(some.info("openai/gpt-5-mini").context_tokens, 400'000u);
  EXPECT_TRUE(some.info("openai/gpt-5-mini").takes_images);
  EXPECT_TRUE(some.info("openai/o3").takes_images);
  EXPECT_FALSE(some.info("openai/o3-mini").takes_images);
  EXPECT_TRUE(some.info("openai/gpt-4o-audio-preview").takes_audio);
  EXPECT_FALSE(some.info("openai/gpt-4o").takes_audio);
  EXPECT_TRUE(some.info("anthropic/claude-sonnet-4-5").takes_documents);
  EXPECT_EQ(some.info("anthropic/claude-3-5-haiku").max_output_tokens, 8'192u);
  EXPECT_TRUE(some.info("box/anthropic/claude-x").takes_images);
  EXPECT_EQ(some.info("box/anthropic/claude-x").context_tokens, 5000u);
  EXPECT_FALSE(some.info("box/something").takes_images);
  EXPECT_EQ(some.info("openai/something").context_tokens, std::nullopt);
}

TEST_F(ModelsTest, TheServersWordAndTheUsers) {
  ServerFacts facts;
  facts.context_tokens = 8192;
  facts.images = true;
  facts.tools = false;
  facts.models = {{"a"}, {"qwen/3"}};
  Models some = models(box + "[providers.box.model.b]\nimages = false\ntools = true\n");
  EXPECT_EQ(some.info("openai/gpt-5", &facts).context_tokens, 8192u);
  EXPECT_FALSE(some.info("openai/gpt-5", &facts).calls_tools);
  EXPECT_EQ(some.info("box/a", &facts).context_tokens, 5000u);
  EXPECT_TRUE(some.info("box/a", &facts).takes_images);
  EXPECT_FALSE(some.info("box/b", &facts).takes_images);
  EXPECT_TRUE(some.info("box/b", &facts).calls_tools);
  some.add("box", facts);
  EXPECT_EQ(ids(some), "box/qwen/3 box/a offline ");
}

TEST_F(ModelsTest, AServerThatWasFound) {
  Models some = models(box);
  some.add(LocalServer{"ollama", "http://127.0.0.1:11434/v1", {{"llama3", 4096}}});
  some.add(LocalServer{"box", "http://127.0.0.1:2/v1", {{"other"}}});
  EXPECT_EQ(ids(some), "box/qwen/3 ollama/llama3 offline ");
  EXPECT_EQ(some.info("ollama/llama3").context_tokens, 4096u);
  EXPECT_EQ(some.provider("box/x")->base_url.value, "http://127.0.0.1:1/v1");
  EXPECT_EQ(some.missing_key("ollama/llama3"), std::nullopt);
}

// They are there for those who name them, and for nobody else.
TEST_F(ModelsTest, ServersAtTheirUsualPorts) {
  const Models some = models();
  EXPECT_EQ(ids(some), "offline ");
  for (const UsualServer& server : usual_servers()) {
    const std::string id = server.name + std::string("/qwen3");
    EXPECT_EQ(some.make(id)->info().id, id);
    EXPECT_EQ(some.missing_key(id), std::nullopt);
    EXPECT_TRUE(some.unasked_facts(id)) << "it is asked what it serves";
  }
  EXPECT_FALSE(some.unasked_facts("openai/gpt-5"));
  EXPECT_EQ(ids(models("model = 'ollama/qwen3'\n")), "ollama/qwen3 offline ");
}

}  // namespace
}  // namespace acp::coder
