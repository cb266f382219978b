// What the commands of `acp config` share.
#pragma once

#include <string>

#include "acp/json/json.h"
#include "settings/settings.h"

namespace CLI {
class App;
}

namespace acp::cli {

// As they hold in this directory. Throws BadUsage if there is none, SettingsError.
settings::Settings settings_in(const std::string& directory);
// As `acp config` shows it: without quotes.
std::string plain_name(const std::string& key);
Json described_json(const settings::DescribedSetting& line);

}  // namespace acp::cli
