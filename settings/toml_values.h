// The values of a file of settings, each checked; what is wrong is reported with its line.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace acp::settings {

// Whether the name looks like that of a key (a secret).
bool names_a_key(std::string name);
// Whether it is a control character, which could change a terminal that shows it.
bool is_control(char c);

std::string joined(const std::vector<std::string>& words);

// All functions throw SettingsError. `name` is what the value is called in it: "mcp.files.args".
class TomlValues {
 public:
  explicit TomlValues(std::string path) : path_(std::move(path)) {}

  // "FILE:LINE"
  std::string at(const toml::node& node) const { return at(node.source()); }
  std::string at(const toml::source_region& source) const {
    return path_ + ":" + std::to_string(source.begin.line);
  }
  [[noreturn]] void refuse(const toml::node& node, const std::string& why) const;
  void must_be_known(const toml::key& key, const toml::node& node, const std::string& where,
                     const std::vector<std::string>& known) const;

  const toml::table& table(const toml::node& node, const std::string& name) const;
  // A string that is not empty.
  std::string text(const toml::node& node, const std::string& name) const;
  // A string that may be empty.
  std::string word(const toml::node& node, const std::string& name) const;
  std::vector<std::string> words(const toml::node& node, const std::string& name) const;
  bool yes_or_no(const toml::node& node, const std::string& name) const;
  std::uint64_t number(const toml::node& node, const std::string& name, std::uint64_t least,
                       std::uint64_t most) const;
  // Names and values: of the environment, or headers. Their places go to `sources`.
  std::map<std::string, std::string> variables(const toml::node& node, const std::string& full,
                                               std::map<std::string, std::string>& sources) const;

 private:
  std::string path_;
};

}  // namespace acp::settings
