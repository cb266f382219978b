// Functions that the commands of `acp config` share.
#pragma once

#include <string>
#include <vector>

#include "settings/settings.h"

namespace acp::cli {

// The effective settings in this directory. Throws BadUsage if it does not exist, SettingsError. A
// model that does not exist is not an error here.
settings::Settings settings_in(const std::string& directory);
// All values, and which providers have a key, without the key. Throws KeysError.
std::vector<settings::DescribedSetting> described_settings(const settings::Settings& settings);
// The name as `acp config` shows it: without quotes.
std::string plain_name(const std::string& key);
// Prints one line of JSON.
void print_json(const settings::DescribedSetting& line);

}  // namespace acp::cli
