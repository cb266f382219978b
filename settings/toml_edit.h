// One value of a TOML text, changed in the text: comments, order and everything else stay as they
// are.
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
// The same, back.
std::string written_path(const TomlPath& path);
std::string quoted_toml(const std::string& text);

// A text without its quotes, a list of texts one a line, all else as it is written.
std::string plain_value(const std::string& value);

// A value of TOML as JSON has it: texts, numbers, lists. What is no TOML is a text.
Json json_of_toml(const std::string& value);

// It cannot be written there, and why.
class TomlEditError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `value` is TOML. A value that is there is replaced. One that is not goes below a comment with its
// name ("# retries = 4"), else to the end of its table, else into a new table at the end. The text
// must be TOML. Throws TomlEditError.
std::string with_toml_value(const std::string& text, const TomlPath& path,
                            const std::string& value);

// Without this value, or without this table and all that is in it: their lines are taken out.
// Nothing if it is not there. The text must be TOML. Throws TomlEditError.
std::optional<std::string> without_toml_value(const std::string& text, const TomlPath& path);

// The TOML of `path` alone, and of what stands beside it in the tables above: not of what is
// elsewhere in the text, which must be TOML.
std::string toml_part(const std::string& text, const TomlPath& path);

}  // namespace acp::settings
