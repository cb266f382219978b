// The models that can be chosen; makes them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coder/model/local_server.h"
#include "coder/model/model.h"
#include "settings/keys.h"
#include "settings/settings.h"

namespace acp::coder {

// There is no such model, and why.
class UnknownModel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Set up by one thread; then several may ask.
class Models {
 public:
  using Factory = std::function<std::shared_ptr<Model>()>;

  Models(settings::Settings settings, settings::Keys keys)
      : settings_(std::move(settings)), keys_(std::move(keys)) {}

  // Adds a model of our own, chosen by an id without a slash: "offline".
  void add(ModelInfo info, Factory factory);
  // Adds a server that was found, as a provider of its own name, unless the user has configured one
  // of this name. Its models are used as long as the same user runs it.
  void add(const LocalServer& server);
  // Offers the models that a provider's server has listed, too.
  void add(const std::string& provider, const ServerFacts& facts);

  // All models that can be used now: ours, and configured ones with a key.
  std::vector<ModelInfo> offered() const;
  // The model's facts without asking a server; `facts` are what its server reported. Throws
  // UnknownModel.
  ModelInfo info(const std::string& id, const ServerFacts* facts = nullptr) const;
  // Makes the model. Throws UnknownModel, KeysError; ModelError (unauthorized) if its key is
  // missing.
  std::shared_ptr<Model> make(const std::string& id, const ServerFacts* facts = nullptr) const;
  // As make(), but first asks a self-hosted server for its facts, which go to `facts`. Those of the
  // large providers are known. Throws Cancelled, too.
  std::shared_ptr<Model> make_asking(const std::string& id, ServerFacts& facts,
                                     const std::stop_token& stop = {}) const;
  // The configured facts, if make_asking() would ask the server for more.
  std::optional<settings::ModelFacts> unasked_facts(const std::string& id) const;
  // The provider whose key is missing. Throws as info() and Keys do.
  std::optional<std::string> missing_key(const std::string& id) const;
  // The model's provider; null for a model of our own. Throws UnknownModel.
  const settings::ProviderSettings* provider(const std::string& id) const;

  const settings::Settings& settings() const { return settings_; }
  const settings::Keys& keys() const { return keys_; }

 private:
  // The provider's key; none for a server that was found.
  std::optional<std::string> key_of(const settings::ProviderSettings& provider) const;

  struct Own {
    ModelInfo info;
    Factory factory;
  };
  settings::Settings settings_;
  settings::Keys keys_;
  std::map<std::string, Own> own_;
  std::map<std::string, LocalServer> found_;  // by provider
};

// What is wrong with a server that was asked, for people; the details are in facts.problem.
std::optional<std::string> trouble_of(const ServerFacts& facts);

}  // namespace acp::coder
