#include <toml++/toml.h>

#include <map>

#include "settings/file.h"
#include "settings/keys.h"

namespace acp::settings {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// It goes into a header, where a line's end would begin another.
bool is_key(const std::string& key) {
  for (const char c : key)
    if (c <= ' ' || c > '~') return false;
  return !key.empty();
}

// Nothing of what the file says goes into an error, whatever it may be: only where it stands.
using Table = std::map<std::string, std::string>;
Table read(const std::string& path) {
  if (path.empty()) return {};
  std::optional<std::string> text;
  try {
    text = read_settings_file(path, Trust::private_);
  } catch (const std::runtime_error& error) {
    throw KeysError(error.what());
  }
  if (!text) return {};
  const auto refuse = [&](const toml::source_region& where, const char* why) {
    throw KeysError(path + ":" + std::to_string(where.begin.line) + ": " + why);
  };
  Table keys;
  try {
    for (const auto& [provider, node] : toml::parse(*text)) {
      const auto key = node.value<std::string>();
      if (!node.is_string() || !key || !is_key(*key))
        refuse(node.source(), "expected PROVIDER = \"KEY\", printable characters without space");
      keys[std::string(provider.str())] = *key;
    }
  } catch (const toml::parse_error& error) {
    refuse(error.source(), "this is no TOML");
  }
  return keys;
}

// Printable, so that these two are all that needs a backslash.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

void write(const PrivateFileChange& change, const Table& keys) {
  std::string text = "# Keys of model providers. Nobody else may read this file.\n";
  for (const auto& [provider, key] : keys) text += quoted(provider) + " = " + quoted(key) + "\n";
  change.write(text);
}

}  // namespace

std::string Keys::default_path() { return configuration_path("keys.toml"); }

std::optional<std::string> Keys::in_environment(const ProviderSettings& provider) const {
  if (provider.key_variable.empty() || *environment_forgotten_) return {};
  std::string key = trimmed(environment_(provider.key_variable).value_or(""));
  if (key.empty()) return {};
  if (!is_key(key))
    throw KeysError(provider.key_variable +
                    ": not a key: it has characters that no key has (spaces, line breaks, …)");
  return key;
}

std::optional<std::string> Keys::find(const ProviderSettings& provider) const {
  if (auto key = in_environment(provider)) return key;
  const Table keys = read(path_);
  const auto found = keys.find(provider.name);
  return found == keys.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Keys::source(const ProviderSettings& provider) const {
  if (in_environment(provider)) return provider.key_variable;
  return read(path_).count(provider.name) != 0 ? std::optional(path_) : std::nullopt;
}

void Keys::store(const std::string& provider, const std::string& key) const {
  if (path_.empty()) throw KeysError("neither XDG_CONFIG_HOME nor HOME is set: no place for keys");
  if (!is_key(provider)) throw KeysError("not a provider's name");
  const std::string clean = trimmed(key);
  if (!is_key(clean)) throw KeysError("not a key: it is empty, or has characters that no key has");
  try {
    const PrivateFileChange change(path_);
    Table keys = read(path_);
    keys[provider] = clean;
    write(change, keys);
  } catch (const KeysError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw KeysError(error.what());
  }
}

bool Keys::remove(const std::string& provider) const {
  // Nothing is made where nothing is.
  if (read(path_).count(provider) == 0) return false;
  try {
    const PrivateFileChange change(path_);
    Table keys = read(path_);
    const bool there = keys.erase(provider) != 0;
    if (there) write(change, keys);
    return there;
  } catch (const KeysError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw KeysError(error.what());
  }
}

std::vector<std::string> Keys::all() const {
  std::vector<std::string> providers;
  for (const auto& [provider, key] : read(path_)) providers.push_back(provider);
  return providers;
}

std::map<std::string, std::string> Keys::stored() const {
  try {
    return read(path_);
  } catch (const KeysError&) {
    return {};
  }
}

}  // namespace acp::settings
