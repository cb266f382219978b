#include "settings/settings.h"

#include <cstdlib>

#include "settings/file.h"

namespace acp::settings {

const std::vector<UsualServer>& usual_servers() {
  static const std::vector<UsualServer> servers = {
      {"llama-server", 8080}, {"ollama", 11434}, {"lmstudio", 1234}, {"vllm", 8000}};
  return servers;
}

bool ProviderSettings::is_usual_server() const {
  return local_server && base_url.source == built_in && sources.empty();
}

ModelFacts ProviderSettings::facts_of(const std::string& model) const {
  ModelFacts result = facts;
  const auto found = model_facts.find(model);
  if (found == model_facts.end()) return result;
  const auto take = [](auto& into, const auto& from) {
    if (from) into = from;
  };
  take(result.context_tokens, found->second.context_tokens);
  take(result.max_output_tokens, found->second.max_output_tokens);
  take(result.images, found->second.images);
  take(result.audio, found->second.audio);
  take(result.documents, found->second.documents);
  take(result.tools, found->second.tools);
  return result;
}

std::optional<std::string> process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return {};
  return std::string(value);
}

std::string user_settings_path() { return configuration_path("config.toml"); }

std::string project_settings_path(const std::string& directory) {
  return directory + (directory.ends_with('/') ? "" : "/") + ".acp/config.toml";
}

}  // namespace acp::settings
