// What the commands of `acp config` share.
#pragma once

#include <string>
#include <vector>

#include "settings/settings.h"

namespace acp::cli {

// As they hold in this directory. Throws BadUsage if there is none, SettingsError. A model that
// does not exist is no error here.
settings::Settings settings_in(const std::string& directory);
// Every value, and which providers have a key: never the key. Throws KeysError.
std::vector<settings::DescribedSetting> described_settings(const settings::Settings& settings);
// As `acp config` shows it: without quotes.
std::string plain_name(const std::string& key);
// One line, with the value as JSON has it.
void print_json(const settings::DescribedSetting& line);

}  // namespace acp::cli
