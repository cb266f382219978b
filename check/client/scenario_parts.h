// Scenarios, and parts of them, that are played in both versions of the protocol.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "check/client/client_scenario.h"

namespace acp::check {

// ---- start.cc
// Starts the client, and expects a prompt, and that the client ends well.
void expect_prompt(ClientScenario& scenario, std::string_view id, const std::string& what);
// The client has been refused something that it cannot do without.
void expect_failure(ClientScenario& scenario, std::string_view id, const std::string& what);
// Whether it has asked for more than initialize.
bool went_on(const ClientScenario& scenario);
void play_authenticate(ClientScenario& scenario);
void play_authenticate_fails(ClientScenario& scenario);
void play_session_error(ClientScenario& scenario);
void play_early_update(ClientScenario& scenario);

// ---- turns.cc
// The turn is over: the client must have noticed.
void expect_over(ClientScenario& scenario, std::string_view id, const std::string& what);
// The turn has failed: the client must not end with success.
void expect_failed_turn(ClientScenario& scenario, std::string_view id, const std::string& what);
void play_stop(ClientScenario& scenario, std::string_view reason, std::string_view id);
void play_slow(ClientScenario& scenario, std::string_view id);

// ---- updates.cc
void play_updates(ClientScenario& scenario, std::initializer_list<std::string_view> updates,
                  std::string_view id, const std::string& what);
void play_foreign(ClientScenario& scenario);
void play_huge(ClientScenario& scenario);
void play_many(ClientScenario& scenario);

// ---- questions.cc
void play_permission(ClientScenario& scenario);
void play_two_permissions(ClientScenario& scenario);
void play_elicitation(ClientScenario& scenario);
// Makes the client cancel its turn. True if it has sent session/cancel; otherwise all is skipped.
bool make_cancel(ClientScenario& scenario);

}  // namespace acp::check
