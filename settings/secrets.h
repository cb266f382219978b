// The keys of model providers: removed from the environment of other programs, and masked in texts.
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
// The well-known variables, and the key variables of all providers in the settings. Sorted, each
// once.
std::vector<std::string> secret_variables(const Settings& settings);
// Edits that remove these variables.
std::vector<io::EnvironmentEdit> without_variables(const std::vector<std::string>& names);

// Replaces "${NAME}" by the environment's value. Throws SettingsError, which begins with `where`,
// if there is no such variable.
std::string expanded(const std::string& text, const std::string& where,
                     const Environment& environment = process_environment);

// The keys at the time of construction.
class Secrets {
 public:
  // Shorter values are not masked: they would be found in other words.
  static constexpr std::size_t shortest = 8;

  Secrets() = default;
  // Takes keys from the environment and the key file. A key file that cannot be read adds nothing.
  Secrets(const Settings& settings, const Keys& keys,
          const Environment& environment = process_environment);

  // Whether no value is known: then nothing is masked.
  bool empty() const { return values_.empty(); }
  // The variables of our environment that hold a key: by their name, or by their value.
  const std::vector<std::string>& variables() const { return variables_; }
  // Edits that remove them from a child's environment.
  std::vector<io::EnvironmentEdit> removals() const { return without_variables(variables_); }

  // Sets the replacement of every key, instead of "[key of openai]".
  void show_as(const std::string& text);
  // Whether there is a key in the text, which may be JSON.
  bool in(std::string_view text) const;
  // The text with each key replaced by "[key of openai]". Its ends may be cut inside a key: half a
  // key or more there is replaced, too.
  std::string masked(std::string_view text) const;
  // Masks the text in place. Returns false if it did not change.
  bool mask(std::string& text) const;

  // The replacement of a key that is in `before`, but masked in `now`: writing `now` would destroy
  // it. Empty if there is none.
  std::string lost(std::string_view before, std::string_view now) const;

 private:
  friend class SecretStream;
  struct Value {
    std::string text;
    std::string shown;  // in its place
  };

  void add(const std::string& value, const std::string& shown);
  // Appends the masked text to `out`, and returns how much of the text is done: all if it is the
  // `last`, otherwise up to a possible beginning of a key.
  std::size_t replace(std::string_view text, bool last, std::string& out) const;

  std::vector<std::string> variables_;
  std::vector<Value> values_;  // the longest first
};

// Masks text that comes in pieces: a possible beginning of a key waits for the next piece.
class SecretStream {
 public:
  // `secrets` outlives this.
  explicit SecretStream(const Secrets& secrets) : secrets_(secrets) {}

  // Returns the text that can be shown now.
  std::string add(std::string_view piece);
  // Returns the rest.
  std::string finish();

 private:
  const Secrets& secrets_;
  std::string held_;
};

}  // namespace acp::settings
