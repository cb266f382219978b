// The user's file of settings, changed one value at a time: what `acp config set` does.
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
// All that can be set.
const std::vector<KnownSetting>& known_settings();
// The one that this key names; null if there is none.
const KnownSetting* known_setting(const std::string& key);
// Whether it is a table of settings: "limits", "mcp.files".
bool is_part(const std::string& key);
// For people: all of them, one a line.
std::string listed_settings();

// Why there is no such setting, with the one that was probably meant.
std::string no_setting(const std::string& key);

// Sets it in the file, which is made if it is missing, with mode 0600, and written all at once.
// `words` are the value as one types it; a list takes any number. Nothing is written unless the
// file is right afterwards, or was wrong before in another place. A key of a provider is never
// taken. Throws SettingsError.
void change_setting(const std::string& file, const std::string& key,
                    const std::vector<std::string>& words);
// Takes it out of the file: one value, or a table with all its values ("mcp.files"). Also one that
// there is not, which somebody has written there. False if the file does not have it. Throws
// SettingsError.
bool remove_setting(const std::string& file, const std::string& key);

// A file to begin with: every setting as a comment, and what it is for. Throws SettingsError; also
// if there is a file.
void make_settings_file(const std::string& file);
std::string first_settings_text();

}  // namespace acp::settings
