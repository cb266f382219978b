#include "coder/model/models.h"

#include <algorithm>
#include <chrono>

#include "coder/model/found_server.h"
#include "coder/model/http_model.h"

namespace acp::coder {

using namespace settings;

namespace {

// What is known of models by the beginning of their names: defaults, for those who configure
// nothing. The first that matches counts. How much they may say is given for those that must be
// asked for an amount.
struct Family {
  std::string_view prefix;
  std::uint64_t context_tokens;
  std::optional<std::uint64_t> max_output_tokens;
  bool images, audio, documents;
};
constexpr Family families[] = {
    {"gpt-oss", 131'072, {}, false, false, false},
    {"gpt-5", 400'000, {}, true, false, true},
    {"gpt-4.1", 1'000'000, {}, true, false, true},
    {"gpt-4o-audio", 128'000, {}, false, true, false},
    {"gpt-4o", 128'000, {}, true, false, true},
    {"o3-mini", 200'000, {}, false, false, false},
    {"o3", 200'000, {}, true, false, true},
    {"o4", 200'000, {}, true, false, true},
    {"claude-3-7", 200'000, 64'000, true, false, true},
    {"claude-3-5", 200'000, 8'192, true, false, true},
    {"claude-3-", 200'000, 4'096, true, false, false},
    {"claude-opus-4-5", 200'000, 64'000, true, false, true},
    {"claude-sonnet-4", 200'000, 64'000, true, false, true},
    {"claude-haiku-4", 200'000, 64'000, true, false, true},
    {"claude-", 200'000, 32'000, true, false, true},
};

const Family* family_of(const std::string& model) {
  // Behind a gateway they have the name of their maker before their own.
  const std::string_view name = std::string_view(model).substr(model.rfind('/') + 1);
  for (const Family& family : families)
    if (name.starts_with(family.prefix)) return &family;
  return nullptr;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string name_in(const std::string& id) { return id.substr(id.find('/') + 1); }

}  // namespace

void Models::add(ModelInfo info, Factory factory) {
  const std::string id = info.id;
  own_[id] = Own{std::move(info), std::move(factory)};
}

void Models::add(const LocalServer& server) {
  const auto [found, added] = settings_.providers.try_emplace(server.name);
  ProviderSettings& provider = found->second;
  if (!added && !provider.is_usual_server()) return;
  found_[server.name] = server;
  provider.name = server.name;
  provider.base_url = {server.base_url, "found on this machine"};
  provider.needs_key = false;
  for (const ServedModel& model : server.models) {
    provider.models.push_back(model.id);
    provider.model_facts[model.id].context_tokens = model.context_tokens;
  }
}

void Models::add(const std::string& provider, const ServerFacts& facts) {
  const auto found = settings_.providers.find(provider);
  if (found == settings_.providers.end()) return;
  std::vector<std::string>& models = found->second.models;
  for (const ServedModel& model : facts.models)
    if (std::find(models.begin(), models.end(), model.id) == models.end())
      models.push_back(model.id);
}

const ProviderSettings* Models::provider(const std::string& id) const {
  std::vector<std::string> known;
  if (const std::size_t slash = id.find('/'); slash != std::string::npos) {
    const std::string name = id.substr(0, slash);
    const auto found = settings_.providers.find(name);
    if (found != settings_.providers.end() && slash + 1 < id.size()) return &found->second;
    for (const auto& [one, settings] : settings_.providers) known.push_back(one);
    if (found == settings_.providers.end())
      throw UnknownModel("model \"" + id + "\": there is no provider \"" + name + "\", only " +
                         listed(known));
    throw UnknownModel("model \"" + id + "\": its name is missing");
  }
  if (own_.count(id) != 0) return nullptr;
  for (const auto& [one, own] : own_) known.push_back(one);
  known.push_back("PROVIDER/NAME");
  throw UnknownModel("there is no model \"" + id + "\", only " + listed(known) +
                     "; 'acp models' lists what can be used");
}

ModelInfo Models::info(const std::string& id, const ServerFacts* server) const {
  const ProviderSettings* const from = provider(id);
  if (from == nullptr) return own_.at(id).info;
  const std::string name = name_in(id);
  ModelInfo info{.id = id, .name = name};
  if (const Family* family = family_of(name)) {
    info.context_tokens = family->context_tokens;
    info.max_output_tokens = family->max_output_tokens;
    info.takes_images = family->images;
    info.takes_audio = family->audio;
    info.takes_documents = family->documents;
  }
  if (server != nullptr) {
    if (const auto context = server->context_of(name)) info.context_tokens = context;
    info.takes_images = server->images.value_or(info.takes_images);
    info.takes_audio = server->audio.value_or(info.takes_audio);
    info.calls_tools = server->tools.value_or(info.calls_tools);
  }
  // The user's word counts most.
  const ModelFacts said = from->facts_of(name);
  if (said.context_tokens) info.context_tokens = said.context_tokens;
  if (said.max_output_tokens) info.max_output_tokens = said.max_output_tokens;
  info.takes_images = said.images.value_or(info.takes_images);
  info.takes_audio = said.audio.value_or(info.takes_audio);
  info.takes_documents = said.documents.value_or(info.takes_documents);
  info.calls_tools = said.tools.value_or(info.calls_tools);
  return info;
}

std::vector<ModelInfo> Models::offered() const {
  std::vector<ModelInfo> models;
  for (const auto& [name, provider] : settings_.providers) {
    if (provider.needs_key && !keys_.find(provider)) continue;
    for (const std::string& model : provider.models) models.push_back(info(name + "/" + model));
    // The one that is chosen, though nobody has listed it.
    const std::string& chosen = settings_.model.value;
    if (chosen.starts_with(name + "/") && std::find(provider.models.begin(), provider.models.end(),
                                                    name_in(chosen)) == provider.models.end())
      models.push_back(info(chosen));
  }
  for (const auto& [id, own] : own_) models.push_back(own.info);
  return models;
}

std::optional<std::string> Models::missing_key(const std::string& id) const {
  const ProviderSettings* const from = provider(id);
  if (from == nullptr || !from->needs_key || keys_.find(*from)) return {};
  return from->name;
}

std::optional<std::string> Models::key_of(const ProviderSettings& provider) const {
  if (found_.count(provider.name) != 0) return {};
  return keys_.find(provider);
}

std::shared_ptr<Model> Models::make(const std::string& id, const ServerFacts* facts) const {
  const ProviderSettings* const from = provider(id);
  if (from == nullptr) return own_.at(id).factory();
  std::optional<std::string> key = key_of(*from);
  if (!key && from->needs_key)
    throw ModelError(
        ModelError::Kind::unauthorized,
        from->name + ": no key; set " + from->key_variable + ", or keep one in the key file");
  HttpModelLimits limits;
  limits.silence = std::chrono::seconds(settings_.request_seconds.value);
  limits.content = std::chrono::seconds(settings_.content_seconds.value);
  limits.error_bytes = settings_.error_bytes.value;
  std::shared_ptr<Model> made =
      std::make_shared<HttpModel>(*from, name_in(id), std::move(key), info(id, facts), limits);
  if (const auto found = found_.find(from->name); found != found_.end())
    made = std::make_shared<FoundServerModel>(std::move(made), found->second.port,
                                              found->second.owner.id);
  return made;
}

std::optional<ModelFacts> Models::unasked_facts(const std::string& id) const {
  const ProviderSettings* const from = provider(id);
  if (from == nullptr || from->api != ProviderSettings::Api::chat_completions ||
      (from->base_url.source == "built in" && !from->local_server))
    return std::nullopt;
  return from->facts_of(name_in(id));
}

std::shared_ptr<Model> Models::make_asking(const std::string& id, ServerFacts& facts,
                                           const std::stop_token& stop) const {
  if (!unasked_facts(id)) return make(id);
  const ProviderSettings* const from = provider(id);
  facts = probe(from->base_url.value, key_of(*from), stop);
  return make(id, &facts);
}

std::optional<std::string> trouble_of(const ServerFacts& facts) {
  if (facts.ready || facts.problem.empty()) return std::nullopt;
  return "The model's server " +
         std::string(facts.loading ? "is not ready yet" : "does not answer as it should");
}

}  // namespace acp::coder
