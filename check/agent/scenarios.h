// The parts of a check of an agent. Each part starts the agent afresh.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/agent/client.h"

namespace acp::check {

// A part of a check, and the requirements that it is about.
struct Scenario {
  void (*play)(AgentRun&);
  std::initializer_list<std::string_view> areas;
};

// What must have happened for a rule of the wire to have said anything by its silence.
struct Precondition {
  std::string_view id;
  std::initializer_list<std::string_view> one_of;
  std::string_view otherwise;
};

// What a check of one version of the protocol consists of.
struct ScenarioPlan {
  std::span<const Scenario> scenarios;
  std::span<const Precondition> preconditions;
  // Rules that a scenario tries, too: it knows whether there was an occasion.
  std::span<const std::string_view> tried_by_scenarios;
  // In a run of its own: the agent may keep the rule in its settings.
  void (*check_standing_rule)(AgentRun&);
};
// Of version 2: check/agent/version2/plan.cc.
const ScenarioPlan& plan_of_version_2();

void check_start(AgentRun& run);
void check_sessions(AgentRun& run);
// Parts of it that are the same for both versions: of a session that has had a turn.
void check_list(AgentClient& client, const std::string& session);
void check_delete(AgentClient& client);
void check_turns(AgentRun& run);
void check_options(AgentRun& run);
void check_permissions(AgentRun& run);
// A-PERM-21, in a run of its own: the agent may keep the rule in its settings.
void check_standing_rule(AgentRun& run);
void check_cancel(AgentRun& run);
void check_bare_client(AgentRun& run);
void check_input(AgentRun& run);
void check_ids(AgentRun& run);
void check_mcp(AgentRun& run);
// A-EXIT-1 and A-EXIT-2.
void check_end(AgentClient& client);
// An MCP server on stdio that writes what it sees into the file.
Json stdio_server(const AgentRun& run, const std::string& record);
// Why it could not be passed on, if the server at the other end takes no such server from a client;
// else empty.
std::string not_taken(const AgentRun& run, const Reply& opened);
bool holds_line(const std::string& record, const std::string& wanted);
// Waits: agents may connect whenever they like.
bool comes_true(AgentClient& client, const std::function<bool()>& condition);
bool seen(AgentClient& client, const std::string& record, const std::string& line);

// Content of prompts: a picture of one point, silence, a text.
Json picture_block();
Json sound_block();
Json resource_block(const std::string& uri);
// The values of a select, also of those that stand in groups.
std::vector<Json> values_of(JsonView option);
// Whether the ids are distinct and the values are among those offered; `fault` says what is wrong.
bool is_sound(JsonView options, std::string_view key, std::string& fault);
// COMMAND-1 and -2, of one list. PLAN-1, of the entries of all plans of a turn.
void expect_commands(AgentRun& run, JsonView commands);
void expect_whole_plans(AgentRun& run, const std::vector<Json>& plans);

// Opens a connection and a session on it. If that fails, skips the ids and returns nothing.
std::optional<std::string> open_session(AgentClient& client,
                                        std::initializer_list<std::string_view> ids);
void skip_all(AgentRun& run, std::initializer_list<std::string_view> ids, const std::string& why);
// The stop reason of a prompt's answer; empty if there is none.
std::string stop_reason(const Reply& reply);

}  // namespace acp::check
