// Changes one value in a TOML text: comments, order and everything else are kept.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "acp/json/json.h"

namespace acp::settings {

using TomlPath = std::vector<std::string>;

// "limits.retries", with quotes where a part has other characters: providers."a b".models. Empty if
// this is no key.
TomlPath toml_path(const std::string& written);
// Writes a path back as text.
std::string written_path(const TomlPath& path);
std::string quoted_toml(const std::string& text);

// A value for people: a string without its quotes, a list of strings one a line, all else as it is
// written.
std::string plain_value(const std::string& value);

// Converts a TOML value to JSON: strings, numbers, lists. Text that is not TOML becomes a string.
Json json_of_toml(const std::string& value);

// Why a value cannot be written there.
class TomlEditError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the text with this value, which is TOML. An existing value is replaced. A new one goes
// below a comment with its name ("# retries = 4"), else to the end of its table, else into a new
// table at the end. The text must be TOML. Throws TomlEditError.
std::string with_toml_value(const std::string& text, const TomlPath& path,
                            const std::string& value);

// Returns the text without this value, or without this table and all its values. Nothing if it is
// not there. The text must be TOML. Throws TomlEditError.
std::optional<std::string> without_toml_value(const std::string& text, const TomlPath& path);

// The TOML of `path`, and of its siblings in the tables above, without the rest of the text, which
// must be TOML.
std::string toml_part(const std::string& text, const TomlPath& path);

}  // namespace acp::settings
