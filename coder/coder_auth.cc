// Keys: which are missing, and what can be done about it.
#include <algorithm>

#include "acp/json/codec.h"
#include "coder/coder.h"
#include "coder/turn/turn.h"

namespace acp::coder {

using namespace settings;

namespace {

std::string method_id(const std::string& provider) { return provider + "-key"; }

}  // namespace

std::vector<v1::AuthMethod> Coder::login_methods(const ProviderSettings& provider) const {
  std::vector<v1::AuthMethod> methods;
  const bool in_environment = keys_.source(provider) == provider.key_variable;
  v1::AuthMethodAgent by_environment;
  by_environment.id = method_id(provider.name);
  by_environment.name = "Key for " + provider.name;
  by_environment.description =
      in_environment ? "The key is in " + provider.key_variable +
                           ", in the agent's environment: for another one, change it there and "
                           "start the agent again."
                     : "Set " + provider.key_variable +
                           " in the agent's environment, or run `acp agent --login " +
                           provider.name + "` in a terminal; then authenticate.";
  methods.emplace_back(std::move(by_environment));
  if (in_environment) return methods;  // a stored key would not be used
  v1::AuthMethodTerminal by_terminal;
  by_terminal.id = provider.name + "-login";
  by_terminal.name = "Store a key for " + provider.name;
  by_terminal.description = "Asks for the key in a terminal, and stores it for this user alone";
  // After the arguments that the agent was configured with: the last option wins.
  by_terminal.args = {"--login", provider.name};
  methods.emplace_back(std::move(by_terminal));
  return methods;
}

KeySource Coder::key_source(const ProviderSettings& provider) const {
  try {
    const auto place = keys_.source(provider);
    if (!place) return {};
    return {*place, *place == provider.key_variable
                        ? "set another one there, and start the agent again"
                        : "`acp agent --login " + provider.name + "` stores another one"};
  } catch (const KeysError&) {
    return {};
  }
}

void Coder::require_key(const Models& models, const std::string& model) const {
  try {
    if (!models.missing_key(model)) return;
  } catch (const UnknownModel&) {
    return;  // said when the model is made
  }
  const ProviderSettings* const provider = models.provider(model);
  Json listed = Json::array();
  for (const v1::AuthMethod& method : login_methods(*provider))
    listed.append(Json::parse(json::encode(method)).value());
  throw Error(rpc::auth_required,
              "Authentication required: there is no key for " + provider->name + " (" +
                  provider->key_variable + ", or `acp agent --login " + provider->name + "`)",
              Json::object({{"reason", "auth_required"}, {"authMethods", listed}}));
}

std::vector<const ProviderSettings*> Coder::key_providers(const Settings& settings) const {
  std::vector<const ProviderSettings*> providers;
  const std::string& model = settings.model.value;
  for (const auto& [name, provider] : settings.providers) {
    const bool chosen = model.starts_with(name + "/");
    if (!chosen && !model.empty()) continue;
    if ((chosen && provider.needs_key) || keys_.find(provider)) providers.push_back(&provider);
  }
  return providers;
}

void Coder::add_authentication(Agent& agent) {
  std::vector<const ProviderSettings*> providers;
  try {
    providers = key_providers(settings_);
    for (const ProviderSettings* const provider : providers)
      for (v1::AuthMethod& method : login_methods(*provider)) agent.auth_method(std::move(method));
  } catch (const KeysError&) {  // said when a session begins
  }
  if (providers.empty()) return;
  agent.on_authenticate(blocking([this](const Context&, const v1::AuthenticateRequest& request) {
    authenticate(request.methodId);
    return v1::AuthenticateResponse();
  }));
  agent.on_logout(blocking([this](const Context&, const v1::LogoutRequest&) {
    logout();
    return v1::LogoutResponse();
  }));
}

void Coder::note_rejected_key(const ProviderSettings& provider) {
  try {
    const auto key = keys_.find(provider);
    const std::lock_guard lock(mutex_);
    if (key) rejected_keys_[provider.name] = *key;
  } catch (const KeysError&) {  // said when the next model is made
  }
}

void Coder::refuse_rejected_key(const ProviderSettings& provider) const {
  const auto key = keys_.find(provider);
  {
    const std::lock_guard lock(mutex_);
    const auto rejected = rejected_keys_.find(provider.name);
    if (!key || rejected == rejected_keys_.end() || rejected->second != *key) return;
  }
  const KeySource from = key_source(provider);
  throw Error(rpc::auth_required, "The key for " + provider.name +
                                      " is still the one that was rejected. It comes from " +
                                      from.place + ": " + from.advice);
}

void Coder::authenticate(const std::string& method) {
  // Read anew: the key may have come since.
  try {
    const Settings settings = settings_for({});
    const std::shared_ptr<Models> models = models_for(settings);
    for (const auto& [name, provider] : settings.providers)
      if (method_id(name) == method) {
        require_key(*models, name + "/any");
        refuse_rejected_key(provider);
      }
  } catch (const SettingsError& error) {
    throw Error(rpc::internal_error, error.what());
  } catch (const KeysError& error) {
    throw Error(rpc::internal_error, error.what());
  }
}

// Stored keys are removed. One of the environment cannot be: this connection does without it.
void Coder::logout() {
  keys_.forget_environment();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, session] : sessions_) session->set_key_rejected();
  }
  try {
    for (const std::string& provider : keys_.all()) keys_.remove(provider);
  } catch (const KeysError& error) {
    throw Error(rpc::internal_error, error.what());
  }
}

}  // namespace acp::coder
