// The models that can be chosen, and how one is made.
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

  // A model of our own, chosen by an id without a slash: "offline".
  void add(ModelInfo info, Factory factory);
  // A server that was found, as a provider of its own name, unless the user has
  // configured one so called. Its models are asked as long as the same user runs it.
  void add(const LocalServer& server);
  // The models that a provider's server has told of are offered too.
  void add(const std::string& provider, const ServerFacts& facts);

  // All that can be used now: ours, and those that are configured and miss no key.
  std::vector<ModelInfo> offered() const;
  // What is known of it without asking anybody; by `facts`, what its server told. Throws
  // UnknownModel.
  ModelInfo info(const std::string& id, const ServerFacts* facts = nullptr) const;
  // Throws UnknownModel, KeysError; ModelError (unauthorized) if its key is missing.
  std::shared_ptr<Model> make(const std::string& id, const ServerFacts* facts = nullptr) const;
  // As make(); but a server of somebody's own is asked first what it serves, and what it told is in
  // `facts`. Those of the large providers are known. Throws Cancelled, too.
  std::shared_ptr<Model> make_asking(const std::string& id, ServerFacts& facts,
                                     const std::stop_token& stop = {}) const;
  // What the configuration says of it, if make_asking() would ask its server for more.
  std::optional<settings::ModelFacts> unasked_facts(const std::string& id) const;
  // The provider whose key it misses. Throws as info() and Keys do.
  std::optional<std::string> missing_key(const std::string& id) const;
  // Null for a model of our own. Throws UnknownModel.
  const settings::ProviderSettings* provider(const std::string& id) const;

  const settings::Settings& settings() const { return settings_; }
  const settings::Keys& keys() const { return keys_; }

 private:
  // A server that was found gets none.
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

// For people, what is wrong with a server that was asked; the details are in facts.problem.
std::optional<std::string> trouble_of(const ServerFacts& facts);

}  // namespace acp::coder
