// The keys of model providers: which variables hold them, and what they are, so that other programs
// do not get them and texts do not show them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/io/process/process.h"
#include "settings/keys.h"
#include "settings/settings.h"

namespace acp::settings {

// The variables that hold keys of providers and agents that many people use.
const std::vector<std::string>& well_known_key_variables();
// Those, and the key variables of all providers in the settings. Sorted, each once.
std::vector<std::string> secret_variables(const Settings& settings);
// Edits that remove these variables.
std::vector<io::EnvironmentEdit> without_variables(const std::vector<std::string>& names);

// "${NAME}" in a value is the environment's. Throws SettingsError, which begins with `where`, if
// there is no such variable.
std::string expanded(const std::string& text, const std::string& where,
                     const Environment& environment = process_environment);

// Keys as they were when it was made.
class Secrets {
 public:
  // A shorter value is not looked for in texts: it would be found in other words.
  static constexpr std::size_t shortest = 8;

  Secrets() = default;
  // From the environment and the key file. A key file that cannot be read adds nothing.
  Secrets(const Settings& settings, const Keys& keys,
          const Environment& environment = process_environment);

  // No value is known: nothing is masked.
  bool empty() const { return values_.empty(); }
  // The variables of our environment that hold a key: by their name, or by their value.
  const std::vector<std::string>& variables() const { return variables_; }
  // Edits that take them out of a child's environment.
  std::vector<io::EnvironmentEdit> removals() const { return without_variables(variables_); }

  // What stands in place of every key, instead of "[key of openai]".
  void show_as(const std::string& text);
  // Whether there is a key in the text, which may be JSON.
  bool in(std::string_view text) const;
  // The text with each key replaced by "[key of openai]". Its ends may be cut inside a key: half a
  // key or more there is replaced, too.
  std::string masked(std::string_view text) const;
  // The same in place. False if nothing had to be done.
  bool mask(std::string& text) const;

  // The key whose replacement stands in `now`, and which was in `before` and is gone: to write
  // `now` would destroy it. Empty if there is none. Gives the replacement.
  std::string lost(std::string_view before, std::string_view now) const;

 private:
  friend class SecretStream;
  struct Value {
    std::string text;
    std::string shown;  // in its place
  };

  void add(const std::string& value, const std::string& shown);
  // Appends to `out` and gives how much of the text is done: all of it if that is the `last`, else
  // what cannot become a key with more text.
  std::size_t replace(std::string_view text, bool last, std::string& out) const;

  std::vector<std::string> variables_;
  std::vector<Value> values_;  // the longest first
};

// Text that comes in pieces: what may be the beginning of a key waits for the next one.
class SecretStream {
 public:
  // `secrets` outlives this.
  explicit SecretStream(const Secrets& secrets) : secrets_(secrets) {}

  // What can be shown now.
  std::string add(std::string_view piece);
  // The rest.
  std::string finish();

 private:
  const Secrets& secrets_;
  std::string held_;
};

}  // namespace acp::settings
