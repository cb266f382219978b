// What the echo agent does for each word that a prompt may begin with.
#pragma once

#include <acp/agent.h>
#include <acp/schema/v1.h>

#include <sstream>
#include <string>
#include <vector>

namespace echo {

extern const char* const help_text;

// Does what the text says. `spoken` collects what was echoed.
acp::Task<acp::StopReason> answer(acp::Turn turn, std::string text,
                                  std::shared_ptr<std::string> spoken);

// Words that make the agent ask something of the client. False if this is none of them.
acp::Task<bool> ask_client(acp::Turn turn, std::string word, std::string rest);

// Every kind of content; every stable update; every unstable one that the client takes.
acp::Task<void> send_content(acp::Turn turn);
acp::Task<void> send_updates(acp::Turn turn);
acp::Task<void> send_unstable(acp::Turn turn);
// What only version 2 of the protocol has; and a question that only it can ask.
acp::Task<void> send_version_2(acp::Turn turn);
acp::Task<void> ask_about_command(acp::Turn turn);

// What each session begins with.
std::vector<acp::v1::SessionMode> modes();
std::vector<acp::v1::SessionConfigOption> options(const std::string& model);

// Until the stop token is set; then throws acp::Cancelled.
acp::Task<void> until_cancelled(std::stop_token stop);

}  // namespace echo
