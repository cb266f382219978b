// Changes the user's file of settings, one value at a time: `acp config set`.
#pragma once

#include <string>
#include <vector>

#include "settings/settings.h"

namespace acp::settings {

struct KnownSetting {
  enum class Kind { text, number, yes_or_no, words };
  std::string name;  // as in the file; parts in capitals are the user's: "providers.NAME.models"
  Kind kind = Kind::text;
};
// All settings.
const std::vector<KnownSetting>& known_settings();
// The setting with this key; null if there is none.
const KnownSetting* known_setting(const std::string& key);
// Whether it is a table of settings: "limits", "mcp.files".
bool is_part(const std::string& key);
// All settings for people, one a line.
std::string listed_settings();

// The message for an unknown setting, with the one that was probably meant.
std::string no_setting(const std::string& key);

// Sets a value in the file, which is made with mode 0600 if it is missing, and written atomically.
// `words` are the value as one types it; a list takes any number. Nothing is written unless the
// file is valid afterwards, or was invalid before in another place. A key of a provider is never
// taken. Throws SettingsError.
void change_setting(const std::string& file, const std::string& key,
                    const std::vector<std::string>& words);
// Removes one value, or a table with all its values ("mcp.files"), from the file; also an unknown
// one. Returns false if the file does not have it. Throws SettingsError.
bool remove_setting(const std::string& file, const std::string& key);

// Makes a first file: every setting as a comment, and its purpose. Throws SettingsError, also if
// the file exists.
void make_settings_file(const std::string& file);
std::string first_settings_text();

}  // namespace acp::settings
