// Reads one file of settings on top of earlier ones.
#pragma once

#include <string>
#include <vector>

#include "settings/settings.h"

namespace acp::settings {

// A limit, its name in the file, and what it may be.
struct LimitSetting {
  const char* name;
  Setting<std::uint64_t> Settings::*value;
  std::uint64_t built_in, least, most;
  bool zero_is_none = false;
};
const std::vector<LimitSetting>& limit_settings();

const std::vector<std::string>& mode_names();  // the most careful one first

enum class Whose { user, project };
// Throws SettingsError.
void read_settings_text(const std::string& text, const std::string& path, Whose whose,
                        Settings& settings);

// Throws SettingsError, which begins with `source`.
void check_mode(const std::string& mode, const std::string& source);
// Sets the model, and its problem if it does not exist. The providers must be known already.
void choose_model(const std::string& model, const std::string& source, Settings& settings);
// Throws SettingsError if there is no such model.
void require_model(const Settings& settings);

}  // namespace acp::settings
