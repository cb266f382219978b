// Every setting with its value and where that comes from, as text.
#include "acp/http/url.h"
#include "settings/settings_file.h"
#include "settings/toml_edit.h"

namespace acp::settings {

namespace {

std::string quoted(const std::string& text) { return quoted_toml(text); }
std::string said(bool value) { return value ? "true" : "false"; }

class Description {
 public:
  explicit Description(std::vector<DescribedSetting>& lines) : lines_(lines) {}

  void add(const std::string& name, const std::string& value, const std::string& source) {
    lines_.push_back({name, value, source});
  }

  void add(const ProviderSettings& provider) {
    const std::string prefix = "providers." + provider.name + ".";
    const auto field = [&](const std::string& name, const std::string& value) {
      const auto source = provider.sources.find(name);
      add(prefix + name, value, source == provider.sources.end() ? built_in : source->second);
    };
    if (provider.is_usual_server())
      return add(prefix + "base_url", quoted(provider.base_url.value), provider.base_url.source);
    field("api", quoted(provider.api == ProviderSettings::Api::anthropic ? "anthropic" : "openai"));
    add(prefix + "base_url", quoted(provider.base_url.value), provider.base_url.source);
    field("key_variable", quoted(provider.key_variable));
    field("needs_key", said(provider.needs_key));
    std::string models;
    for (const std::string& model : provider.models)
      models += (models.empty() ? "" : ", ") + quoted(model);
    field("models", "[" + models + "]");
    const auto facts = [&](const ModelFacts& of, const std::string& where) {
      if (of.context_tokens) field(where + "context_tokens", std::to_string(*of.context_tokens));
      if (of.max_output_tokens)
        field(where + "max_output_tokens", std::to_string(*of.max_output_tokens));
      if (of.images) field(where + "images", said(*of.images));
      if (of.audio) field(where + "audio", said(*of.audio));
      if (of.documents) field(where + "documents", said(*of.documents));
      if (of.tools) field(where + "tools", said(*of.tools));
    };
    facts(provider.facts, "");
    for (const auto& [model, of] : provider.model_facts) facts(of, "model." + model + ".");
  }

  void add(const AgentSettings& agent) {
    const std::string prefix = "agents." + agent.name + ".";
    const auto text = [&](const char* field, const std::string& value) {
      if (!value.empty()) add(prefix + field, quoted(value), agent.sources.at(field));
    };
    text("command", agent.command);
    if (!agent.url.empty()) text("url", http::shown_url(agent.url));
    text("token_file", agent.token_file);
    text("ca_file", agent.ca_file);
    std::string args;
    for (const std::string& arg : agent.args) args += (args.empty() ? "" : ", ") + quoted(arg);
    if (!agent.args.empty()) add(prefix + "args", "[" + args + "]", agent.sources.at("args"));
    // Who knows what they hold.
    for (const auto& [name, value] : agent.env)
      add(prefix + "env." + name, "set", agent.sources.at("env." + name));
    for (const auto& [name, value] : agent.headers)
      add(prefix + "headers." + name, "set", agent.sources.at("headers." + name));
  }

  void add(const McpServerSettings& server) {
    const std::string prefix = "mcp." + server.name + ".";
    std::string args;
    for (const std::string& arg : server.args) args += (args.empty() ? "" : ", ") + quoted(arg);
    for (const auto& [field, source] : server.sources) {
      std::string value = "set";  // of env and headers: who knows what they hold
      if (field == "command") value = quoted(server.command);
      if (field == "args") value = "[" + args + "]";
      if (field == "url") value = quoted(server.url);
      if (field == "type")
        value = quoted(server.transport == McpServerSettings::Transport::sse ? "sse" : "http");
      add(prefix + field, value, source);
    }
  }

 private:
  std::vector<DescribedSetting>& lines_;
};

}  // namespace

std::vector<DescribedSetting> describe(const Settings& settings) {
  std::vector<DescribedSetting> lines;
  Description description(lines);
  description.add("model", quoted(settings.model.value), settings.model.source);
  description.add("mode", quoted(settings.mode.value), settings.mode.source);
  description.add("protocol", std::to_string(settings.protocol.value), settings.protocol.source);
  for (const LimitSetting& limit : limit_settings()) {
    const Setting<std::uint64_t>& value = settings.*limit.value;
    description.add(std::string("limits.") + limit.name, std::to_string(value.value), value.source);
  }
  for (const auto& [name, provider] : settings.providers) description.add(provider);
  for (const auto& [name, agent] : settings.agents) description.add(agent);
  for (const auto& [name, server] : settings.mcp) description.add(server);
  description.add("chat.notify", quoted(settings.notify.value), settings.notify.source);
  return lines;
}

}  // namespace acp::settings
