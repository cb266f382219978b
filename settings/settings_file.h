// One file of settings, read on top of what is set already.
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
// Sets it, and whether there is such a model. The providers must be known already.
void choose_model(const std::string& model, const std::string& source, Settings& settings);
// Throws SettingsError if there is no such model.
void require_model(const Settings& settings);
// Gives it back without a slash at its end.
std::string checked_base_url(const std::string& url, const std::string& source);

// OPENAI_API_KEY for openai.
std::string default_key_variable(std::string provider);

}  // namespace acp::settings
