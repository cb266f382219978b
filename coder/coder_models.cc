// Which model a session begins with.
#include <algorithm>

#include "coder/coder_opening.h"

namespace acp::coder {

using namespace settings;

// Of any model that can be used. What is known without asking a server: nothing may delay
// `initialize`.
v1::PromptCapabilities Coder::prompt_capabilities() {
  v1::PromptCapabilities takes;
  takes.embeddedContext = true;
  const std::shared_ptr<Models> models = models_for(settings_);
  const auto add = [&](const ModelInfo& info) {
    takes.image = takes.image || info.takes_images;
    takes.audio = takes.audio || info.takes_audio;
  };
  // A server that is asked when the session begins may take what is not known yet.
  const auto add_unasked = [&](const ModelFacts& said) {
    takes.image = takes.image || !said.images;
    takes.audio = takes.audio || !said.audio;
  };
  const std::string& chosen = settings_.model.value;
  try {
    if (!chosen.empty()) {
      add(models->info(chosen));
      if (const auto said = models->unasked_facts(chosen)) add_unasked(*said);
    }
    for (const ModelInfo& info : models->offered()) add(info);
    if (!chosen.empty()) return takes;
    for (const auto& [name, provider] : settings_.providers) {
      if (provider.needs_key && !keys_.find(provider)) continue;
      if (!provider.models.empty()) break;
      if (provider.base_url.source == "built in") continue;
      if (const auto said = models->unasked_facts(name + "/any")) add_unasked(*said);
      break;
    }
  } catch (const KeysError&) {  // said when a session begins
  }
  return takes;
}

std::string Coder::chosen_model(Opening& opening) const {
  Models& models = *opening.models;
  const Settings& settings = models.settings();
  if (!settings.model.value.empty()) return settings.model.value;
  const auto usable = [&](const ProviderSettings& provider) {
    return !provider.needs_key || keys_.find(provider).has_value();
  };
  // A provider with a key, or one that needs none.
  for (const auto& [name, provider] : settings.providers) {
    if (!usable(provider)) continue;
    if (!provider.models.empty()) return name + "/" + provider.models.front();
    if (provider.base_url.source == "built in") continue;
    const ServerFacts facts = probe(provider.base_url.value, keys_.find(provider), {});
    if (!facts.models.empty()) return name + "/" + facts.models.front().id;
    opening.notes.push_back(
        {v1::NoticeSeverity::warning,
         name + ": " +
             (facts.problem.empty() ? provider.base_url.value + " has no models" : facts.problem)});
  }
  if (const auto found = found_model(opening, options_.local_ports)) return *found;
  opening.no_model = true;
  return "offline";
}

std::optional<std::string> Coder::found_model(Opening& opening, const std::vector<UsualPort>& ports,
                                              const std::string& wanted) const {
  std::vector<Note>& notes = opening.notes;
  const TrustedServers answers(options_.servers_file);
  // A name that the user has given to another address is not that of what is found.
  const auto& providers = opening.models->settings().providers;
  std::vector<UsualPort> usual = ports;
  std::erase_if(usual, [&](const UsualPort& port) {
    const auto own = providers.find(port.name);
    return own != providers.end() && !own->second.is_usual_server();
  });
  for (const LocalServer& server : find_local_servers({}, usual, options_.local_time)) {
    if (server.models.empty()) continue;
    if (!server.owner.trusted) {
      std::optional<bool> answer;
      try {
        answer = answers.answer(server.base_url, server.owner.id);
      } catch (const std::runtime_error& error) {
        notes.push_back(
            {v1::NoticeSeverity::warning, "Answers about servers cannot be read", error.what()});
      }
      if (!answer && !opening.unasked) opening.unasked = server;
      if (answer == false)
        notes.push_back({v1::NoticeSeverity::info,
                         "The model server at " + server.base_url + " is not used",
                         "You have said so; the answer stands in " + answers.path() + "."});
      if (answer != true) continue;
    }
    opening.unasked.reset();
    opening.models->add(server);
    if (!wanted.empty()) return wanted;
    notes.push_back(
        {v1::NoticeSeverity::info, "Using " + server.models.front().id,
         "Nothing is configured, and " + server.name + " answers at " + server.base_url + "."});
    return server.name + "/" + server.models.front().id;
  }
  return std::nullopt;
}

std::shared_ptr<Model> Coder::make_model(const Models& models, const std::string& id,
                                         std::vector<Note>& notes, ServerFacts* told) const {
  try {
    require_key(models, id);
    ServerFacts facts;
    std::shared_ptr<Model> made = models.make_asking(id, facts);
    if (const auto trouble = trouble_of(facts))
      notes.push_back({v1::NoticeSeverity::warning, *trouble, facts.problem});
    if (told != nullptr) *told = std::move(facts);
    return made;
  } catch (const UnknownModel& error) {
    throw Error(rpc::invalid_params, error.what());
  } catch (const KeysError& error) {
    throw Error(rpc::internal_error, error.what());
  } catch (const ModelError& error) {
    throw Error(rpc::internal_error, error.what());
  }
}

// Before anything is kept or ended: what cannot have a model does not begin.
std::shared_ptr<Model> Coder::first_model(Opening& opening) const {
  const auto make = [&](const std::string& id) {
    ServerFacts facts;
    std::shared_ptr<Model> made = make_model(*opening.models, id, opening.notes, &facts);
    if (const ProviderSettings* const provider = opening.models->provider(id);
        provider != nullptr && !facts.models.empty())
      opening.models->add(std::string(provider->name), facts);
    return made;
  };
  if (!opening.model.empty()) {
    try {
      return make(session_model(opening));
    } catch (const Error& error) {
      if (error.code() == rpc::auth_required) throw;
      opening.notes.push_back({v1::NoticeSeverity::warning,
                               "The session's model " + opening.model + " cannot be used any more",
                               error.what()});
    }
  }
  return make(chosen_model(opening));
}

// A server at a usual port may be another user's by now: looked at as when it was found.
std::string Coder::session_model(Opening& opening) const {
  const std::string& wanted = opening.model;
  const Settings& settings = opening.models->settings();
  const auto provider = settings.providers.find(wanted.substr(0, wanted.find('/')));
  if (provider == settings.providers.end() || !provider->second.is_usual_server() ||
      settings.model.value.starts_with(provider->first + "/"))
    return wanted;
  std::vector<UsualPort> ports = options_.local_ports;
  std::erase_if(ports, [&](const UsualPort& port) { return port.name != provider->first; });
  if (found_model(opening, ports, wanted)) return wanted;
  const bool foreign = opening.unasked.has_value();
  opening.unasked.reset();  // asked about, if nothing else can be used
  throw Error(rpc::internal_error,
              foreign ? "Another user runs the server at its port."
                      : "No server answers at " + provider->second.base_url.value + ".");
}

}  // namespace acp::coder
