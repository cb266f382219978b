#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/parser.h"

namespace acp::cli {

/// What the chosen subcommand does, set by the parser's callback and called once parsing is done.
/// Its result is the exit code: 0 for success, 1 for failure. 2 is a usage error.
using Action = std::function<int()>;

// One for each subcommand, each in a file of its own. Main calls them in the order of the help.
void add_agent_command(const Command& app, Action& action);
void add_agents_command(const Command& app, Action& action);
void add_config_command(const Command& app, Action& action);
/// `config get`, `set`, `unset` and `init`, subcommands of that.
void add_config_changes(const Command& config, Action& action);
void add_models_command(const Command& app, Action& action);
void add_log_command(const Command& app, Action& action);
void add_policy_command(const Command& app, Action& action);
void add_schema_command(const Command& app, Action& action);
/// `command` is what stands after `--`: a program to start.
void add_mcp_command(const Command& app, Action& action, std::vector<std::string> command);
void add_chat_command(const Command& app, Action& action, std::vector<std::string> command);
void add_check_command(const Command& app, Action& action, std::vector<std::string> command);
/// `check client`, a subcommand of that.
void add_check_client_command(const Command& check, Action& action,
                              std::vector<std::string> command);
void add_run_command(const Command& app, Action& action, std::vector<std::string> command);
void add_serve_command(const Command& app, Action& action, std::vector<std::string> command);
void add_connect_command(const Command& app, Action& action, std::vector<std::string> command);
void add_tap_command(const Command& app, Action& action, std::vector<std::string> command);
void add_replay_command(const Command& app, Action& action, std::vector<std::string> command);
/// These two look at all the others, so they come last. Here `command` is what was typed so far.
void add_completions_command(const Command& app, Action& action, std::vector<std::string> command);
void add_man_command(const Command& app, Action& action);

}  // namespace acp::cli
