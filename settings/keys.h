// The keys of providers: from the environment, else from a file that only its owner can read.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "settings/settings.h"

namespace acp::settings {

// Its message never contains a key.
class KeysError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The file is read anew each time: several programs may use it. All functions throw KeysError.
class Keys {
 public:
  explicit Keys(std::string path = default_path(), Environment environment = process_environment)
      : path_(std::move(path)), environment_(std::move(environment)) {}
  // $XDG_CONFIG_HOME/acp/keys.toml, or ~/.config/acp/keys.toml. Empty if there is neither.
  static std::string default_path();

  const std::string& path() const { return path_; }

  // Finds a provider's key: the environment's before the file's.
  std::optional<std::string> find(const ProviderSettings& provider) const;
  // Where find() finds it: the variable, or the file. Nothing if there is no key.
  std::optional<std::string> source(const ProviderSettings& provider) const;
  // Stores a key in the file, without space around it.
  void store(const std::string& provider, const std::string& key) const;
  // Removes a key from the file. Returns false if there was none.
  bool remove(const std::string& provider) const;
  // This and all its copies find no key in the environment from now on.
  void forget_environment() { *environment_forgotten_ = true; }
  // The providers that have a key in the file.
  std::vector<std::string> all() const;
  // Providers and keys of the file; none if it cannot be read. Throws nothing.
  std::map<std::string, std::string> stored() const;

 private:
  std::optional<std::string> in_environment(const ProviderSettings& provider) const;

  std::string path_;
  Environment environment_;
  std::shared_ptr<std::atomic<bool>> environment_forgotten_ =
      std::make_shared<std::atomic<bool>>(false);
};

}  // namespace acp::settings
