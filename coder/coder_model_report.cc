// Which model a session begins with, and why: for people.
#include <algorithm>
#include <future>

#include "acp/http/url.h"
#include "coder/coder_opening.h"

namespace acp::coder {

using namespace settings;

namespace {

constexpr const char* found = "found on this machine";

std::string how_to_get_a_key(const ProviderSettings& provider) {
  return "there is no key: set " + provider.key_variable + ", or run 'acp agent --login " +
         provider.name + "'";
}

// Those of the large providers are known, and not asked.
bool can_be_asked(const ProviderSettings& provider) {
  return provider.api == ProviderSettings::Api::chat_completions &&
         (provider.base_url.source != "built in" || http::is_loopback(provider.base_url.value));
}

// What cannot be read says nothing: a session says why.
bool agreed(const TrustedServers& answers, const LocalServer& server) {
  try {
    return answers.answer(server.base_url, server.owner.id) == true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace

std::string Coder::reason_for(const Models& models, const std::string& id) const {
  const Setting<std::string>& set = models.settings().model;
  if (set.value == id) return "set by " + set.source;
  const ProviderSettings* const provider = models.provider(id);
  const std::string nothing = "no model is set, ";
  if (provider == nullptr)
    return nothing + "no provider has a key, and no model server of yours answers";
  if (provider->base_url.source == found)
    return nothing + "no provider has a key, and " + provider->name + " answers at " +
           provider->base_url.value;
  if (const auto key = keys_.source(*provider))
    return nothing + "and " + provider->name + " has a key (" + *key + ")";
  return nothing + "and " + provider->name + " (" + provider->base_url.value + ") needs no key";
}

std::string Coder::trouble_with(const Models& models, const std::string& id) const {
  const auto missing = models.missing_key(id);
  return missing ? *missing + ": " + how_to_get_a_key(*models.provider(id)) : "";
}

std::vector<ModelReport::Provider> Coder::report_providers(const Models& models) const {
  struct Asked {
    ModelReport::Provider told;
    const ProviderSettings* provider;
    std::future<ServerFacts> facts = {};
  };
  std::vector<Asked> all;
  for (const auto& [name, provider] : models.settings().providers) {
    if (provider.is_usual_server()) continue;  // looked for below
    Asked one{{name, provider.base_url.value}, &provider};
    const std::optional<std::string> key = keys_.find(provider);
    one.told.key = keys_.source(provider).value_or("");
    if (provider.needs_key && !key)
      one.told.trouble = how_to_get_a_key(provider);
    else if (can_be_asked(provider))
      one.facts = std::async(std::launch::async,
                             [url = provider.base_url.value, key] { return probe(url, key, {}); });
    all.push_back(std::move(one));
  }
  std::vector<LocalServer> servers =
      find_local_servers({}, options_.local_ports, options_.local_time);
  std::vector<ModelReport::Provider> result;
  for (Asked& one : all) {
    ServerFacts facts;
    if (one.facts.valid()) facts = one.facts.get();
    std::vector<std::string> names = one.provider->models;
    for (const ServedModel& served : facts.models)
      if (std::find(names.begin(), names.end(), served.id) == names.end())
        names.push_back(served.id);
    for (const std::string& model : names)
      one.told.models.push_back(models.info(one.told.name + "/" + model, &facts));
    if (can_be_asked(*one.provider) && one.told.trouble.empty() && !facts.ready)
      one.told.trouble = facts.problem.empty() ? "it does not answer" : facts.problem;
    result.push_back(std::move(one.told));
  }
  const TrustedServers answers(options_.servers_file);
  for (const LocalServer& server : servers) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Asked& one) {
      return one.provider->name == server.name && one.provider->base_url.source != found;
    });
    if (known || server.models.empty()) continue;
    std::erase_if(result, [&](const auto& one) { return one.name == server.name; });
    ModelReport::Provider told{server.name, server.base_url};
    if (!server.owner.trusted && !agreed(answers, server))
      told.trouble = "it is run by " + server.owner.who + ", and you have not agreed to that";
    Models with = models;
    with.add(server);
    for (const ServedModel& model : server.models)
      told.models.push_back(with.info(server.name + "/" + model.id));
    result.push_back(std::move(told));
  }
  return result;
}

ModelReport Coder::report_models(const std::string& cwd, bool with_providers) {
  const Settings settings = settings_for(cwd);
  const std::shared_ptr<Models> models = models_for(settings);
  ModelReport report;
  Opening opening;
  opening.settings = settings;
  opening.models = models;
  report.chosen = chosen_model(opening);
  report.stands_in = opening.no_model;
  report.why = reason_for(*models, report.chosen);
  report.missing = !settings.model_problem.empty();
  report.trouble = report.missing ? settings.model_problem : trouble_with(*models, report.chosen);
  if (with_providers) report.providers = report_providers(*models);
  for (const ModelInfo& info : models->offered())
    if (info.id.find('/') == std::string::npos) report.own.push_back(info);
  for (const std::string& note : settings.notes) report.notes.push_back(note);
  for (const Note& note : opening.notes)
    if (note.severity != v1::NoticeSeverity::info)
      report.notes.push_back(note.title +
                             (note.description.empty() ? "" : ": " + note.description));
  return report;
}

}  // namespace acp::coder
