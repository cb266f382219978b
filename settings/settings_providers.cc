#include <toml++/toml.h>

#include "acp/http/url.h"
#include "settings/settings_tables.h"

namespace acp::settings {

namespace {

using Api = ProviderSettings::Api;

bool is_variable(const std::string& name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string::npos;
}

bool is_provider_name(const std::string& name) {
  return !name.empty() && name != "offline" &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == std::string::npos;
}

void read_fact(const TomlValues& values, const std::string& field, const toml::node& node,
               const std::string& full, ModelFacts& facts) {
  constexpr std::uint64_t most = 1'000'000'000;
  if (field == "context_tokens") facts.context_tokens = values.number(node, full, 1'000, most);
  if (field == "max_output_tokens") facts.max_output_tokens = values.number(node, full, 1, most);
  if (field == "images") facts.images = values.yes_or_no(node, full);
  if (field == "audio") facts.audio = values.yes_or_no(node, full);
  if (field == "documents") facts.documents = values.yes_or_no(node, full);
  if (field == "tools") facts.tools = values.yes_or_no(node, full);
}

void read_facts(const TomlValues& values, const toml::table& given, const std::string& prefix,
                ModelFacts& facts, const std::string& source_prefix, ProviderSettings& provider) {
  static const std::vector<std::string> known = {"context_tokens", "max_output_tokens", "images",
                                                 "audio",          "documents",         "tools"};
  for (const auto& [key, value] : given) {
    values.must_be_known(key, value, prefix, known);
    const std::string field(key.str());
    provider.sources[source_prefix + field] = values.at(value);
    read_fact(values, field, value, prefix + field, facts);
  }
}

void read_provider(const TomlValues& values, const std::string& name, const toml::table& given,
                   Settings& settings) {
  const std::string prefix = "providers." + name + ".";
  const auto [found, added] = settings.providers.try_emplace(name);
  ProviderSettings& provider = found->second;
  if (added) {
    provider.name = name;
    provider.key_variable = default_key_variable(name);
  }
  static const std::vector<std::string> known = {
      "api",    "base_url", "key_variable",   "needs_key",
      "models", "model",    "context_tokens", "max_output_tokens",
      "images", "audio",    "documents",      "tools"};
  for (const auto& [key, value] : given) {
    values.must_be_known(key, value, prefix, known);
    const std::string field(key.str());
    const std::string full = prefix + field;
    provider.sources[field] = values.at(value);
    if (field == "api") {
      const std::string api = values.text(value, full);
      if (!added && !provider.local_server)
        values.refuse(value, full + ": it is known already; use a provider of your own name");
      if (api != "openai" && api != "anthropic")
        values.refuse(value, full + ": expected \"openai\" or \"anthropic\", got \"" + api + "\"");
      provider.api = api == "openai" ? Api::chat_completions : Api::anthropic;
    } else if (field == "base_url") {
      provider.base_url = {
          checked_base_url(values.text(value, full), values.at(value) + ": " + full),
          values.at(value)};
    } else if (field == "key_variable") {
      // Not repeated: it may be the key itself.
      provider.key_variable = values.text(value, full);
      if (!is_variable(provider.key_variable))
        values.refuse(value, full + ": expected the name of an environment variable, such as " +
                                 default_key_variable(name) + ", not the key itself");
    } else if (field == "needs_key") {
      provider.needs_key = values.yes_or_no(value, full);
    } else if (field == "models") {
      provider.models.clear();
      if (!value.is_array()) values.refuse(value, full + ": expected an array of strings");
      for (const toml::node& element : *value.as_array())
        provider.models.push_back(values.text(element, full));
    } else if (field == "model") {
      provider.sources.erase(field);
      for (const auto& [model, facts] : values.table(value, full)) {
        const std::string one(model.str());
        read_facts(values, values.table(facts, full + "." + one), full + "." + one + ".",
                   provider.model_facts[one], "model." + one + ".", provider);
      }
    } else {
      read_fact(values, field, value, full, provider.facts);
    }
  }
  if (provider.base_url.value.empty())
    values.refuse(given, "providers." + name + ": base_url is missing");
}

}  // namespace

std::string checked_base_url(const std::string& url, const std::string& source) {
  // Not repeated: who knows what it holds.
  if (http::origin_of(url).empty())
    throw SettingsError(source + ": expected a URL that begins with http:// or https://");
  if (url.find_first_of("?#@ ") != std::string::npos)
    throw SettingsError(source + ": a base URL has no query, no fragment and no credentials");
  std::string trimmed = url;
  while (trimmed.ends_with('/')) trimmed.pop_back();
  return trimmed;
}

std::string default_key_variable(std::string provider) {
  for (char& c : provider)
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c >= '0' && c <= '9' ? c : '_';
  return (provider[0] >= '0' && provider[0] <= '9' ? "_" : "") + provider + "_API_KEY";
}

void read_providers(const TomlValues& values, const toml::node& node, Settings& settings) {
  for (const auto& [key, value] : values.table(node, "providers")) {
    const std::string name(key.str());
    if (names_a_key(name)) values.must_be_known(key, value, "providers.", {});
    if (!is_provider_name(name))
      values.refuse(value,
                    "providers: a name has small letters, digits, '-', '_' and '.', and is not "
                    "\"offline\"; got \"" +
                        name + "\"");
    read_provider(values, name, values.table(value, "providers." + name), settings);
  }
}

}  // namespace acp::settings
