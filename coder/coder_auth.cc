// Keys: which are missing, and what can be done about it.
#include "acp/json/codec.h"
#include "coder/coder.h"

namespace acp::coder {

namespace {

std::string method_id(const std::string& provider) { return provider + "-key"; }

}  // namespace

std::vector<v1::AuthMethod> Coder::missing_methods(const Models& models,
                                                   const std::string& model) const {
  std::vector<v1::AuthMethod> methods;
  std::optional<std::string> missing;
  try {
    missing = models.missing_key(model);
  } catch (const UnknownModel&) {
    return methods;  // said when a session begins
  }
  const ProviderSettings* const provider = missing ? models.provider(model) : nullptr;
  if (provider == nullptr) return methods;
  v1::AuthMethodAgent by_environment;
  by_environment.id = method_id(provider->name);
  by_environment.name = "Key for " + provider->name;
  by_environment.description = "Set " + provider->key_variable +
                               " in the agent's environment, or run `acp agent --login " +
                               provider->name + "` in a terminal; then authenticate.";
  methods.emplace_back(std::move(by_environment));
  v1::AuthMethodTerminal by_terminal;
  by_terminal.id = provider->name + "-login";
  by_terminal.name = "Store a key for " + provider->name;
  by_terminal.description = "Asks for the key in a terminal, and stores it for this user alone";
  // Behind the arguments that the agent was configured with: the last option wins.
  by_terminal.args = {"--login", provider->name};
  methods.emplace_back(std::move(by_terminal));
  return methods;
}

void Coder::require_key(const Models& models, const std::string& model) const {
  const std::vector<v1::AuthMethod> methods = missing_methods(models, model);
  if (methods.empty()) return;
  const ProviderSettings* const provider = models.provider(model);
  Json listed = Json::array();
  for (const v1::AuthMethod& method : methods)
    listed.append(Json::parse(json::encode(method)).value());
  throw Error(rpc::auth_required,
              "Authentication required: there is no key for " + provider->name + " (" +
                  provider->key_variable + ", or `acp agent --login " + provider->name + "`)",
              Json::object({{"reason", "auth_required"}, {"authMethods", listed}}));
}

void Coder::add_authentication(Agent& agent) {
  const std::string& model = settings_.model.value;
  if (model.empty()) return;
  const std::shared_ptr<Models> models = models_for(settings_);
  for (v1::AuthMethod& method : missing_methods(*models, model))
    agent.auth_method(std::move(method));
  agent.on_authenticate([this](const Context&, const v1::AuthenticateRequest& request) {
    authenticate(request.methodId);
    return v1::AuthenticateResponse();
  });
  agent.on_logout([this](const Context&, const v1::LogoutRequest&) {
    logout();
    return v1::LogoutResponse();
  });
}

void Coder::authenticate(const std::string& method) {
  // Read anew: the key may have come since.
  Settings settings;
  try {
    settings = settings_for({});
  } catch (const SettingsError& error) {
    throw Error(rpc::internal_error, error.what());
  }
  const std::shared_ptr<Models> models = models_for(settings);
  require_key(*models, settings.model.value);
  for (const auto& [name, provider] : settings.providers)
    if (method_id(name) == method && provider.needs_key && !keys_.find(provider))
      throw Error(rpc::auth_required, "there is still no key for " + name);
}

void Coder::logout() {
  for (const std::string& provider : keys_.all()) keys_.remove(provider);
  for (const auto& [name, provider] : settings_.providers)
    if (const auto source = keys_.source(provider))
      throw Error(rpc::invalid_request,
                  "stored keys are removed, but " + *source +
                      " is set in the agent's environment, which it cannot change");
}

}  // namespace acp::coder
