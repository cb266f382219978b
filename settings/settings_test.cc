#include "settings/settings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "acp/workspace/testing/scratch.h"

namespace acp::settings {
namespace {

namespace fs = std::filesystem;
using workspace::testing::Scratch;
using Api = ProviderSettings::Api;

// A user and a project, with what their files say.
class Place {
 public:
  Place() {
    sources.environment = [this](const std::string& name) { return get(name); };
  }
  Scratch scratch;
  std::map<std::string, std::string> environment;
  SettingsSources sources;

  std::string user(const std::string& text) {
    sources.user_file = scratch / "config.toml";
    scratch.put("config.toml", text);
    fs::permissions(sources.user_file, fs::perms::owner_read | fs::perms::owner_write);
    return sources.user_file;
  }
  std::string project(const std::string& text) {
    sources.project_directory = scratch / "project";
    scratch.put("project/.acp/config.toml", text);
    return scratch / "project/.acp/config.toml";
  }
  Settings load() const { return load_settings(sources); }
  // With the files' directory left out.
  std::string error() const {
    try {
      load();
    } catch (const SettingsError& error) {
      std::string text = error.what();
      const std::string directory = scratch / "";
      for (std::size_t at; (at = text.find(directory)) != std::string::npos;)
        text.erase(at, directory.size());
      return text;
    }
    return "no error";
  }
  std::string user_error(const std::string& text) {
    user(text);
    return error();
  }
  std::string project_error(const std::string& text) {
    project(text);
    return error();
  }

 private:
  std::optional<std::string> get(const std::string& name) const {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  }
};

template <class T>
std::string shown(const Setting<T>& setting) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(setting.value) + " from " + setting.source;
  else
    return setting.value + " from " + setting.source;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Settings, BuiltIn) {
  Place place;
  place.sources.user_file = place.scratch / "missing.toml";
  place.sources.project_directory = place.scratch / "nowhere";
  const Settings settings = place.load();
  EXPECT_EQ(shown(settings.model), " from built in");
  EXPECT_EQ(shown(settings.mode), "ask from built in");
  EXPECT_EQ(shown(settings.max_requests), "50 from built in");
  EXPECT_EQ(settings.max_turn_tokens.value, 0u);
  EXPECT_EQ(settings.command_seconds.value, 120u);
  EXPECT_EQ(settings.request_seconds.value, 300u);
  EXPECT_EQ(settings.retries.value, 4u);
  EXPECT_EQ(settings.compact_at_percent.value, 80u);
  EXPECT_EQ(settings.content_seconds.value, 1800u);
  EXPECT_EQ(settings.error_bytes.value, 64u * 1024);
  EXPECT_EQ(settings.answer_bytes.value, 8u * 1024 * 1024);
  EXPECT_EQ(settings.argument_bytes.value, 16u * 1024 * 1024);
  EXPECT_EQ(settings.answer_calls.value, 1000u);
  EXPECT_EQ(settings.edit_bytes.value, 16u * 1024 * 1024);
  EXPECT_EQ(settings.mcp_seconds.value, 600u);
  EXPECT_EQ(settings.command_file_bytes.value, 64u * 1024);
  EXPECT_EQ(settings.command_files_bytes.value, 1024u * 1024);
  EXPECT_EQ(settings.command_files.value, 200u);
  const ProviderSettings& openai = settings.providers.at("openai");
  EXPECT_EQ(shown(openai.base_url), "https://api.openai.com/v1 from built in");
  EXPECT_EQ(openai.key_variable, "OPENAI_API_KEY");
  EXPECT_TRUE(openai.needs_key);
  const ProviderSettings& anthropic = settings.providers.at("anthropic");
  EXPECT_EQ(anthropic.api, Api::anthropic);
  EXPECT_EQ(anthropic.key_variable, "ANTHROPIC_API_KEY");
}

TEST(Settings, TheLaterWordCounts) {
  Place place;
  const std::string user = place.user("model = 'openai/a'\nmode = 'code'\n");
  EXPECT_EQ(shown(place.load().model), "openai/a from " + user + ":1");
  const std::string project = place.project("\nmodel = 'openai/b'\nmode = 'ask'\n");
  EXPECT_EQ(shown(place.load().model), "openai/b from " + project + ":2");
  EXPECT_EQ(shown(place.load().mode), "ask from " + project + ":3");
  place.environment = {{"ACP_MODEL", "anthropic/c"}, {"ACP_MODE", "code"}};
  EXPECT_EQ(shown(place.load().model), "anthropic/c from ACP_MODEL");
  EXPECT_EQ(shown(place.load().mode), "code from ACP_MODE");
  place.sources.model_override = "offline";
  place.sources.mode_override = "architect";
  EXPECT_EQ(shown(place.load().model), "offline from --model");
  EXPECT_EQ(shown(place.load().mode), "architect from --mode");
}

TEST(Settings, Providers) {
  Place place;
  const std::string file = place.user(R"(model = "my.box/qwen/3"
[providers."my.box"]
base_url = "http://localhost:8080/v1//"
models = ["qwen/3", "other"]
context_tokens = 32768
images = false
[providers."my.box".model."qwen/3"]
images = true
max_output_tokens = 4096
[providers.far]
api = "anthropic"
base_url = "https://example.org"
key_variable = "FAR"
[providers.openai]
models = ["gpt-x"]
)");
  const Settings settings = place.load();
  const ProviderSettings& box = settings.providers.at("my.box");
  EXPECT_EQ(box.name, "my.box");
  EXPECT_EQ(box.api, Api::chat_completions);
  EXPECT_EQ(shown(box.base_url), "http://localhost:8080/v1 from " + file + ":3");
  EXPECT_EQ(box.key_variable, "MY_BOX_API_KEY");
  EXPECT_FALSE(box.needs_key);
  EXPECT_EQ(box.models, (std::vector<std::string>{"qwen/3", "other"}));
  EXPECT_EQ(box.facts_of("qwen/3").images, true);
  EXPECT_EQ(box.facts_of("qwen/3").context_tokens, 32768u);
  EXPECT_EQ(box.facts_of("qwen/3").max_output_tokens, 4096u);
  EXPECT_EQ(box.facts_of("other").images, false);
  EXPECT_EQ(box.facts_of("other").audio, std::nullopt);
  const ProviderSettings& far = settings.providers.at("far");
  EXPECT_EQ(far.api, Api::anthropic);
  EXPECT_EQ(far.key_variable, "FAR");
  EXPECT_TRUE(far.needs_key);
  EXPECT_EQ(settings.providers.at("openai").models, std::vector<std::string>{"gpt-x"});
  EXPECT_TRUE(settings.providers.at("openai").needs_key);
}

TEST(Settings, WhoNeedsAKey) {
  Place place;
  const auto needs = [&](const std::string& url) {
    place.environment["OPENAI_BASE_URL"] = url;
    return place.load().providers.at("openai").needs_key;
  };
  for (const char* url : {"http://127.0.0.1:8080/v1", "http://127.3.2.1", "http://localhost/v1",
                          "http://LOCALHOST:1", "http://[::1]:8080/v1"})
    EXPECT_FALSE(needs(url)) << url;
  for (const char* url : {"http://127.evil.org", "http://127.0.0.1.evil.org", "http://10.0.0.1/v1",
                          "https://localhost.evil.org", "http://[::2]"})
    EXPECT_TRUE(needs(url)) << url;
  // Other models are there than at the provider's own.
  EXPECT_TRUE(place.load().providers.at("openai").models.empty());
  EXPECT_EQ(place.load().providers.at("openai").base_url.source, "OPENAI_BASE_URL");
  place.user("[providers.openai]\nneeds_key = true\n");
  EXPECT_TRUE(needs("http://127.0.0.1:8080/v1"));
  place.user("[providers.openai]\nneeds_key = false\n");
  EXPECT_FALSE(needs("http://10.0.0.1/v1"));
}

TEST(Settings, MistakesHaveFileAndLine) {
  Place place;
  EXPECT_EQ(place.user_error("\nmodle = 'x'\n"),
            "config.toml:2: there is no setting modle; did you mean model?");
  EXPECT_EQ(place.user_error("xyzzy = 1\n"), "config.toml:1: there is no setting xyzzy");
  EXPECT_EQ(place.user_error("[limits]\nmax_request = 3\n"),
            "config.toml:2: there is no setting limits.max_request; did you mean max_requests?");
  EXPECT_EQ(
      place.user_error("mode = 'aks'\n"),
      "config.toml:1: there is no mode \"aks\", only architect, ask, code; did you mean ask?");
  EXPECT_EQ(place.user_error("mode = 3\n"), "config.toml:1: mode: expected a string");
  EXPECT_EQ(place.user_error("model = ''\n"), "config.toml:1: model: empty");
  EXPECT_EQ(place.user_error("limits = 3\n"), "config.toml:1: limits: expected a table");
  EXPECT_EQ(place.user_error("[limits]\nretries = 'x'\n"),
            "config.toml:2: limits.retries: expected a whole number");
  EXPECT_EQ(place.user_error("[limits]\nretries = 1.5\n"),
            "config.toml:2: limits.retries: expected a whole number");
  EXPECT_EQ(place.user_error("[limits]\nretries = -1\n"),
            "config.toml:2: limits.retries: expected 0 to 20, got -1");
  EXPECT_EQ(place.user_error("[limits]\ncompact_at_percent = 100\n"),
            "config.toml:2: limits.compact_at_percent: expected 10 to 95, got 100");
  EXPECT_EQ(place.user_error("model = 'opnai/x'\n"),
            "config.toml:1: model \"opnai/x\": there is no provider \"opnai\", only anthropic, "
            "llama-server, lmstudio, ollama, openai, vllm; did you mean openai?");
  EXPECT_EQ(place.user_error("model = 'openai/'\n"),
            "config.toml:1: model \"openai/\": its name is missing");
  EXPECT_EQ(place.user_error("[providers.x]\nmodels = []\n"),
            "config.toml:1: providers.x: base_url is missing");
  EXPECT_EQ(place.user_error("[providers.x]\nbase_url = 'localhost:80'\n"),
            "config.toml:2: providers.x.base_url: expected a URL that begins with http:// or "
            "https://");
  EXPECT_EQ(place.user_error("[providers.x]\nbase_url = 'http://me:secret@host'\n"),
            "config.toml:2: providers.x.base_url: a base URL has no query, no fragment and no "
            "credentials");
  EXPECT_EQ(place.user_error("[providers.x]\napi = 'soap'\n"),
            "config.toml:2: providers.x.api: expected \"openai\" or \"anthropic\", got \"soap\"");
  EXPECT_EQ(place.user_error("[providers.openai]\napi = 'anthropic'\n"),
            "config.toml:2: providers.openai.api: it is known already; use a provider of your own "
            "name");
  EXPECT_TRUE(has(place.user_error("[providers.offline]\n"), "config.toml:1: providers: a name"));
  EXPECT_TRUE(has(place.user_error("[providers.'a/b']\n"), "config.toml:1: providers: a name"));
  EXPECT_EQ(place.user_error("[providers.openai]\nimages = 'yes'\n"),
            "config.toml:2: providers.openai.images: expected true or false");
  EXPECT_EQ(place.user_error("[providers.openai]\nmodels = ['a', 3]\n"),
            "config.toml:2: providers.openai.models: expected a string");
  EXPECT_EQ(place.user_error("[providers.openai.model.x]\nimage = true\n"),
            "config.toml:2: there is no setting providers.openai.model.x.image; did you mean "
            "images?");
  EXPECT_TRUE(place.user_error("mode = \nmodel = 3").starts_with("config.toml:1: "));
}

TEST(Settings, MistakesElsewhere) {
  Place place;
  place.environment = {{"ACP_MODE", "fast"}};
  EXPECT_TRUE(place.error().starts_with("ACP_MODE: there is no mode"));
  place.environment = {{"ACP_MODEL", "nobody/x"}};
  EXPECT_TRUE(place.error().starts_with("ACP_MODEL: model"));
  place.environment = {{"ACP_MODEL", "bogus"}};
  EXPECT_EQ(
      place.error(),
      "ACP_MODEL: there is no model \"bogus\", only offline, PROVIDER/NAME; 'acp models' lists "
      "what can be used");
  // For those who use no model.
  place.sources.any_model = true;
  EXPECT_EQ(shown(place.load().model), "bogus from ACP_MODEL");
  EXPECT_TRUE(place.load().model_problem.starts_with("ACP_MODEL: there is no model \"bogus\""));
  place.sources.any_model = false;
  // A later one that exists counts.
  place.sources.model_override = "offline";
  EXPECT_EQ(place.error(), "no error");
  place.sources.model_override = "";
  place.environment = {{"OPENAI_BASE_URL", "no"}};
  EXPECT_TRUE(place.error().starts_with("OPENAI_BASE_URL: expected a URL"));
  place.environment = {{"ACP_MODE", ""}};
  place.sources.mode_override = "x";
  EXPECT_TRUE(place.error().starts_with("--mode: there is no mode"));
  place.sources.mode_override = "";
  place.sources.model_override = "x/y";
  EXPECT_TRUE(place.error().starts_with("--model: model"));
}

TEST(Settings, AKeyDoesNotBelongInAFile) {
  Place place;
  for (const char* text :
       {"api_key = 'sk-1'\n", "OPENAI_API_KEY = 'sk-1'\n", "[providers.openai]\nkey = 'sk-1'\n",
        "[providers.openai]\napi-key = 'sk-1'\n", "[providers.openai]\ntoken = 'sk-1'\n",
        "[providers]\nkey = 'sk-1'\n"}) {
    const std::string error = place.user_error(text);
    EXPECT_TRUE(has(error, "a key does not belong in this file")) << error;
    EXPECT_FALSE(has(error, "sk-1")) << error;
  }
  const std::string error = place.user_error("[providers.openai]\nkey_variable = 'sk-1'\n");
  EXPECT_EQ(error,
            "config.toml:2: providers.openai.key_variable: expected the name of an environment "
            "variable, such as OPENAI_API_KEY, not the key itself");
}

TEST(Settings, AProjectIsNotTrusted) {
  Place place;
  EXPECT_TRUE(has(place.project_error("[providers.openai]\nbase_url = 'https://evil.org'\n"),
                  "project/.acp/config.toml:1: providers: a project may not"));
  EXPECT_TRUE(
      has(place.project_error("providers.x.base_url = 'https://evil.org'\n"), "a project may not"));
  EXPECT_TRUE(has(place.project_error("mode = 'code'\n"),
                  "project/.acp/config.toml:1: mode: a project may not choose \"code\""));
  place.user("mode = 'code'\n");
  EXPECT_TRUE(has(place.project_error("mode = 'code'\n"), "may not choose"));
}

TEST(Settings, McpServers) {
  Place place;
  const std::string file = place.user(
      "[mcp.files]\ncommand = 'server'\nargs = ['-x', '']\nenv = {A = 'hush'}\n"
      "[mcp.Web-1]\nurl = 'https://x.org/mcp'\nheaders = {Authorization = 'Bearer ${TOKEN}'}\n"
      "[mcp.old]\ntype = 'sse'\nurl = 'http://x.org/sse'\n[chat]\nnotify = 'osc9'\n");
  const Settings settings = place.load();
  using Transport = McpServerSettings::Transport;
  EXPECT_EQ(settings.mcp.at("files").args, (std::vector<std::string>{"-x", ""}));
  EXPECT_EQ(settings.mcp.at("files").env.at("A"), "hush");
  EXPECT_EQ(settings.mcp.at("files").transport, Transport::stdio);
  EXPECT_EQ(settings.mcp.at("Web-1").transport, Transport::http);
  EXPECT_EQ(settings.mcp.at("old").transport, Transport::sse);
  EXPECT_EQ(shown(settings.notify), "osc9 from " + file + ":12");
  std::string text;
  for (const DescribedSetting& line : describe(settings))
    text += line.name + " = " + line.value + " # " + line.source + "\n";
  EXPECT_TRUE(has(text, "mcp.files.env.A = set # " + file + ":4\n")) << text;
  EXPECT_TRUE(has(text, "mcp.old.type = \"sse\" # " + file + ":9\n")) << text;
  EXPECT_FALSE(has(text, "hush"));
  EXPECT_FALSE(has(text, "TOKEN"));
}

TEST(Settings, McpServersAreChecked) {
  Place place;
  for (const auto& [text, told] : std::vector<std::pair<const char*, const char*>>{
           {"[mcp.a]\n", "config.toml:1: mcp.a: either a command or a url is wanted"},
           {"[mcp.a]\ncommand = 'x'\nurl = 'http://x'\n", "either a command or a url"},
           {"[mcp.a]\nurl = 'ftp://x'\n", "config.toml:2: mcp.a.url: expected a URL"},
           {"[mcp.a]\ncommand = 'x'\ntype = 'sse'\n", "type and headers are for"},
           {"[mcp.a]\nurl = 'http://x'\nargs = ['y']\n", "args and env are for"},
           {"[mcp.a]\nurl = 'http://x'\ntype = 'ws'\n", "expected \"http\" or \"sse\""},
           {"[mcp.none]\ncommand = 'x'\n", "is not \"none\""},
           {"[mcp.'a b']\ncommand = 'x'\n", "mcp: a name has letters"},
           {"[mcp.a]\ncomand = 'x'\n", "did you mean command?"},
           {"[mcp.a]\ncommand = 'x'\nenv = {API_KEY = 'sk-1'}\n", "a key does not belong"},
           {"[mcp.a]\nurl = 'http://x'\nheaders = {authorization = 'sk-1'}\n",
            "write ${NAME} here"},
           {"[mcp.a]\nurl = 'http://x'\nheaders = {X-Api-Key = 'sk-1'}\n", "write ${NAME} here"},
           {"[chat]\nnotify = 'loud'\n", "expected one of bell, osc9, both, none"},
           {"[chat]\nring = 'bell'\n", "there is no setting chat.ring"}}) {
    const std::string error = place.user_error(text);
    EXPECT_TRUE(has(error, told)) << error;
    EXPECT_FALSE(has(error, "sk-1")) << error;
  }
  Place other;
  EXPECT_TRUE(has(other.project_error("[mcp.a]\ncommand = 'evil'\n"), "a project may not"));
  EXPECT_TRUE(has(other.project_error("[chat]\nnotify = 'none'\n"), "not for a project"));
}

TEST(Settings, VersionsOfTheProtocol) {
  Place place;
  EXPECT_EQ(place.load().versions(), std::vector<int>{1});
  const std::string file = place.user("protocol = 2\n");
  EXPECT_EQ(place.load().versions(), (std::vector<int>{1, 2}));
  EXPECT_EQ(place.load().protocol.source, file + ":1");
  place.environment["ACP_V2"] = "0";
  EXPECT_EQ(place.load().versions(), std::vector<int>{1});
  EXPECT_EQ(place.load().protocol.source, "ACP_V2");
  place.sources.protocol_override = "2";
  EXPECT_EQ(place.load().versions(), (std::vector<int>{1, 2}));
  EXPECT_EQ(place.load().protocol.source, "--protocol");
  place.environment["ACP_V2"] = "yes";
  EXPECT_EQ(place.error(), "ACP_V2: expected 0 or 1, got \"yes\"");
  place.environment.clear();
  EXPECT_TRUE(has(place.user_error("protocol = 3\n"), "config.toml:1: protocol"));
  place.user("");
  EXPECT_TRUE(has(place.project_error("protocol = 2\n"), "not for a project"));
}

TEST(Settings, NothingIsWrittenToATerminal) {
  Place place;
  EXPECT_EQ(place.project_error("model = \"openai/\\u001B[2J\"\n"),
            "project/.acp/config.toml:1: model: there are control characters in it");
  EXPECT_EQ(place.project_error("\"x\\u001B[2J\" = 1\n"),
            "project/.acp/config.toml:1: there is no setting x?[2J");
}

// A repository's file must not end the program that reads it.
TEST(Settings, AKeyWithManyPartsIsRefused) {
  std::string many = "a";
  for (int i = 0; i < 200'000; ++i) many += " . a";
  for (const std::string& text : {many + " = 1\n", "[" + many + "]\n", "[[" + many + "]]\n",
                                  "x = {" + many + " = 1}\n", "\n# 1\n" + many + "\n"})
    for (const bool project : {false, true}) {
      const Scratch scratch;
      scratch.put(project ? ".acp/config.toml" : "config.toml", text);
      chmod((scratch / "config.toml").c_str(), 0600);
      SettingsSources sources;
      sources.user_file = scratch / "config.toml";
      sources.project_directory = scratch.path();
      try {
        load_settings(sources);
        ADD_FAILURE() << "it was taken";
      } catch (const SettingsError& error) {
        EXPECT_NE(std::string(error.what()).find("too many parts"), std::string::npos)
            << error.what();
      }
    }
}

TEST(Settings, AProjectMayOnlyBeStricter) {
  Place place;
  const std::string user = place.user("mode = 'architect'\n[limits]\nmax_requests = 20\n");
  const std::string project = place.project(
      "mode = 'ask'\n[limits]\nmax_requests = 30\nmax_turn_tokens = 1000\nretries = 1\n");
  const Settings settings = place.load();
  EXPECT_EQ(shown(settings.mode), "architect from " + user + ":1");
  EXPECT_EQ(shown(settings.max_requests), "20 from " + user + ":3");
  EXPECT_EQ(shown(settings.max_turn_tokens), "1000 from " + project + ":4");
  EXPECT_EQ(shown(settings.retries), "1 from " + project + ":5");
  EXPECT_EQ(settings.notes,
            (std::vector<std::string>{
                project +
                    ":1: mode = \"ask\" is not followed: a project may only be stricter than "
                    "\"architect\" (" +
                    user + ":1)",
                project +
                    ":3: limits.max_requests = 30 is not followed: a project may only be "
                    "stricter than 20 (" +
                    user + ":3)"}));
  place.user("[limits]\nmax_turn_tokens = 500\n");
  place.project("[limits]\nmax_turn_tokens = 0\n");
  EXPECT_EQ(place.load().max_turn_tokens.value, 500u);
}

TEST(Settings, AUsersFileIsTheUsersOwn) {
  Place place;
  const std::string file = place.user("mode = 'ask'\n");
  fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
  EXPECT_TRUE(place.error().starts_with("config.toml: others may write to it"));
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(place.error(), "config.toml: not a file");
}

TEST(Settings, Described) {
  Place place;
  const std::string file = place.user(
      "[providers.box]\nbase_url = 'http://127.0.0.1:1/v1'\nmodels = ['a', 'b']\n"
      "[providers.box.model.a]\nimages = true\n");
  place.environment = {{"ACP_MODEL", "box/a"}};
  std::string text;
  for (const DescribedSetting& line : describe(place.load()))
    text += line.name + " = " + line.value + " # " + line.source + "\n";
  EXPECT_TRUE(
      text.starts_with("model = \"box/a\" # ACP_MODEL\nmode = \"ask\" # built in\n"
                       "protocol = 1 # built in\nlimits.max_requests = 50 # built in\n"))
      << text;
  EXPECT_TRUE(has(text,
                  "providers.box.api = \"openai\" # built in\n"
                  "providers.box.base_url = \"http://127.0.0.1:1/v1\" # " +
                      file +
                      ":2\n"
                      "providers.box.key_variable = \"BOX_API_KEY\" # built in\n"
                      "providers.box.needs_key = false # built in\n"
                      "providers.box.models = [\"a\", \"b\"] # " +
                      file +
                      ":3\n"
                      "providers.box.model.a.images = true # " +
                      file + ":5\n"))
      << text;
}

TEST(Settings, ServersOnThisMachineAreBuiltIn) {
  Place place;
  const Settings plain = place.load();
  const std::map<std::string, std::string> urls = {{"llama-server", "http://127.0.0.1:8080/v1"},
                                                   {"lmstudio", "http://127.0.0.1:1234/v1"},
                                                   {"ollama", "http://127.0.0.1:11434/v1"},
                                                   {"vllm", "http://127.0.0.1:8000/v1"}};
  for (const auto& [name, url] : urls) {
    const ProviderSettings& provider = plain.providers.at(name);
    EXPECT_EQ(shown(provider.base_url), url + " from built in");
    EXPECT_FALSE(provider.needs_key);
    EXPECT_TRUE(provider.is_usual_server());
    EXPECT_TRUE(provider.models.empty());
  }
  // By each of the ways to choose a model.
  place.user("model = 'ollama/a'\n");
  EXPECT_EQ(place.load().model.value, "ollama/a");
  place.environment = {{"ACP_MODEL", "vllm/b"}};
  EXPECT_EQ(place.load().model.value, "vllm/b");
  place.sources.model_override = "lmstudio/c";
  EXPECT_EQ(place.load().model.value, "lmstudio/c");
  // What could be written before they were built in can still be written.
  place.user("[providers.ollama]\napi = 'anthropic'\nbase_url = 'https://far.org'\n");
  const ProviderSettings own = place.load().providers.at("ollama");
  EXPECT_EQ(own.api, ProviderSettings::Api::anthropic);
  EXPECT_TRUE(own.needs_key);
  EXPECT_FALSE(own.is_usual_server());
}

// Another user of the machine may listen there: a repository does not lead anybody to it.
TEST(Settings, AProjectChoosesNoServerOnThisMachine) {
  Place place;
  place.project("model = 'ollama/a'\n");
  const Settings settings = place.load();
  EXPECT_EQ(settings.model.value, "");
  ASSERT_EQ(settings.notes.size(), 1u);
  EXPECT_TRUE(has(settings.notes[0], "model = \"ollama/a\" is not followed")) << settings.notes[0];
  place.user("[providers.ollama]\nbase_url = 'http://127.0.0.1:11434/v1'\n");
  EXPECT_EQ(place.load().model.value, "ollama/a");
}

// What the page shows can be used.
TEST(Settings, TheExampleInTheDocumentation) {
  std::ifstream in("docs/configuration.md");
  const std::string page((std::istreambuf_iterator<char>(in)), {});
  const std::size_t begin = page.find("```toml\n");
  ASSERT_NE(begin, std::string::npos);
  Place place;
  place.user(page.substr(begin + 8, page.find("```", begin + 8) - begin - 8));
  const Settings settings = place.load();
  const Settings built_in = load_settings({.environment = place.sources.environment});
  EXPECT_EQ(settings.model.value, "openai/gpt-5");
  EXPECT_EQ(settings.providers.at("box").facts_of("qwen3").images, true);
  const std::vector<DescribedSetting> shown = describe(settings), defaults = describe(built_in);
  std::size_t limits = 0;
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    if (!defaults[i].name.starts_with("limits.")) continue;
    ++limits;
    EXPECT_EQ(shown[i].value, defaults[i].value) << defaults[i].name;
    EXPECT_NE(shown[i].source, "built in") << defaults[i].name;
  }
  EXPECT_EQ(limits, 17u);
}

TEST(Settings, TheUsersOwnAgents) {
  Place place;
  const std::string file = place.user(
      "[agents.mine]\ncommand = \"my-agent\"\nargs = [\"--acp\", \"\"]\n"
      "env = {LEVEL = \"3\"}\n[agents.plain]\ncommand = \"./x\"\n");
  const Settings settings = place.load();
  ASSERT_EQ(settings.agents.size(), 2u);
  const AgentSettings& mine = settings.agents.at("mine");
  EXPECT_EQ(mine.command, "my-agent");
  EXPECT_EQ(mine.args, (std::vector<std::string>{"--acp", ""}));
  EXPECT_EQ(mine.env, (std::map<std::string, std::string>{{"LEVEL", "3"}}));
  EXPECT_EQ(mine.source, file + ":1");
  std::string told;
  for (const DescribedSetting& line : describe(settings))
    if (line.name.starts_with("agents."))
      told += line.name + "=" + line.value + " " + line.source.substr(file.size()) + "\n";
  EXPECT_EQ(told,
            "agents.mine.command=\"my-agent\" :2\nagents.mine.args=[\"--acp\", \"\"] :3\n"
            "agents.mine.env.LEVEL=set :4\nagents.plain.command=\"./x\" :6\n");
}

TEST(Settings, AgentsThatAreWrong) {
  Place place;
  EXPECT_TRUE(
      has(place.user_error("[agents.acp]\ncommand = \"x\"\n"), "config.toml:1: agents: a name"));
  EXPECT_TRUE(has(place.user_error("[agents.\"My Agent\"]\ncommand = \"x\"\n"), "agents: a name"));
  EXPECT_TRUE(
      has(place.user_error("[agents.a]\n"), "agents.a: either a command or a url is wanted"));
  EXPECT_TRUE(has(place.user_error("[agents.a]\ncommand = \"\"\n"), "agents.a.command: empty"));
  EXPECT_TRUE(has(place.user_error("[agents.a]\ncomand = \"x\"\n"), "did you mean command?"));
  EXPECT_TRUE(has(place.user_error("[agents.a]\ncommand = \"x\"\nargs = \"y\"\n"),
                  "config.toml:3: agents.a.args: expected an array"));
  EXPECT_TRUE(has(place.user_error("[agents.a]\ncommand = \"x\"\nargs = [1]\n"),
                  "agents.a.args: expected a string"));
  const std::string key =
      place.user_error("[agents.a]\ncommand = \"x\"\nenv = {SOME_API_KEY = \"hunter2\"}\n");
  EXPECT_TRUE(has(key, "a key does not belong in this file")) << key;
  EXPECT_FALSE(has(key, "hunter2"));
  Place another;
  EXPECT_TRUE(has(another.project_error("[agents.a]\ncommand = \"x\"\n"),
                  "config.toml:1: agents: a project may not"));
}

}  // namespace
}  // namespace acp::settings
