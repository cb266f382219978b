#include "settings/toml_values.h"

#include <algorithm>

#include "settings/closest.h"
#include "settings/settings.h"

namespace acp::settings {

namespace {

bool names_a_login(std::string header) {
  std::transform(header.begin(), header.end(), header.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return header == "authorization" || header == "cookie" || header == "proxy-authorization";
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

}  // namespace

bool names_a_key(std::string name) {
  std::erase_if(name, [](char c) { return c == '_' || c == '-'; });
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  static const std::vector<std::string> names = {"key",    "apikey",   "token",     "apitoken",
                                                 "secret", "password", "authtoken", "bearer"};
  return std::find(names.begin(), names.end(), name) != names.end() || name.ends_with("apikey");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void TomlValues::refuse(const toml::node& node, const std::string& why) const {
  throw SettingsError(at(node) + ": " + why);
}

void TomlValues::must_be_known(const toml::key& key, const toml::node& node,
                               const std::string& where,
                               const std::vector<std::string>& known) const {
  const std::string name(key.str());
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  if (names_a_key(name))
    refuse(node, where + name +
                     ": a key does not belong in this file, which is shown and shared; set it "
                     "in the environment, or keep it in keys.toml");
  throw SettingsError(at(key.source()) + ": there is no setting " + where + name +
                      did_you_mean(name, known));
}

const toml::table& TomlValues::table(const toml::node& node, const std::string& name) const {
  if (!node.is_table()) refuse(node, name + ": expected a table");
  return *node.as_table();
}

std::string TomlValues::text(const toml::node& node, const std::string& name) const {
  if (!node.is_string()) refuse(node, name + ": expected a string");
  std::string value = *node.value<std::string>();
  if (value.empty()) refuse(node, name + ": empty");
  if (has_control(value)) refuse(node, name + ": there are control characters in it");
  return value;
}

bool TomlValues::yes_or_no(const toml::node& node, const std::string& name) const {
  if (!node.is_boolean()) refuse(node, name + ": expected true or false");
  return *node.value<bool>();
}

std::uint64_t TomlValues::number(const toml::node& node, const std::string& name,
                                 std::uint64_t least, std::uint64_t most) const {
  if (!node.is_integer()) refuse(node, name + ": expected a whole number");
  const std::int64_t value = *node.value<std::int64_t>();
  if (value < 0 || static_cast<std::uint64_t>(value) < least ||
      static_cast<std::uint64_t>(value) > most)
    refuse(node, name + ": expected " + std::to_string(least) + " to " + std::to_string(most) +
                     ", got " + std::to_string(value));
  return static_cast<std::uint64_t>(value);
}

std::vector<std::string> TomlValues::words(const toml::node& node, const std::string& name) const {
  if (!node.is_array()) refuse(node, name + ": expected an array of strings");
  std::vector<std::string> given;
  for (const toml::node& element : *node.as_array()) given.push_back(word(element, name));
  return given;
}

std::map<std::string, std::string> TomlValues::variables(
    const toml::node& node, const std::string& full,
    std::map<std::string, std::string>& sources) const {
  std::map<std::string, std::string> given;
  const std::string field = full.substr(full.rfind('.') + 1);
  for (const auto& [variable, content] : table(node, full)) {
    const std::string called(variable.str());
    const bool header = field == "headers";
    const bool secret = names_a_key(called) || (header && names_a_login(called));
    if (secret && word(content, full).find("${") == std::string::npos)
      refuse(content, full + "." + called +
                          ": a key does not belong in this file, which is shown and shared; set it "
                          "in the environment, and write ${NAME} here");
    if (called.empty() || called.find('=') != std::string::npos || has_control(called))
      refuse(content, full + ": expected the name of " +
                          (field == "env" ? "an environment variable" : "a header"));
    given[called] = word(content, full + "." + called);
    sources[field + "." + called] = at(content);
  }
  return given;
}

std::string TomlValues::word(const toml::node& node, const std::string& name) const {
  if (!node.is_string()) refuse(node, name + ": expected a string");
  std::string value = *node.value<std::string>();
  if (has_control(value)) refuse(node, name + ": there are control characters in it");
  return value;
}

}  // namespace acp::settings
