#include "cli/ssh_options.h"

#include "cli/bad_usage.h"

namespace acp::cli {

void add_ssh_options(const Command& app, std::vector<std::string>& options) {
  app.add_option("--ssh-option", options,
                 "With --ssh: an option of ssh, as 'ssh -o' takes it (Port=2222, "
                 "IdentityFile=~/.ssh/work); any number of them")
      ->type_name("KEY=VALUE")
      ->repeated();
}

void check_ssh(const std::string& host, const std::vector<std::string>& options) {
  if (host.empty() || host.starts_with('-'))
    throw BadUsage("--ssh: expected a host, got '" + host + "'");
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == option.size())
      throw BadUsage("--ssh-option: expected KEY=VALUE, got '" + option + "'");
  }
}

}  // namespace acp::cli
