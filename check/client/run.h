// `acp check client`: a client is started again and again, each time with an agent of ours that
// plays one scenario, and what it did is checked against the requirements.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "acp/rpc/framing.h"
#include "check/rules/report.h"

namespace acp::check {

struct ClientCheckOptions {
  // The client's command. {agent} is replaced by the command of our agent: as separate words where
  // it is a word of its own, as one shell line inside a longer word.
  std::vector<std::string> command;
  // "http" or "ws": our agent is at a URL there, which replaces {url} in the command and is in the
  // variable ACP_URL. Empty: the client starts our agent.
  std::string transport = {};
  // The words that start relay(), without its own: "acp check relay".
  std::vector<std::string> relay;
  rpc::Framing framing = rpc::Framing::newline;
  int protocol = 1;                        // the version of the protocol that our agent speaks
  std::chrono::milliseconds time{10'000};  // for each thing that the client is waited for
  int cancel_signal = 2;
  // Set if the client does not end by itself after its turn: it is ended with SIGTERM.
  bool stays = false;
  // The socket's path, if the client is started by hand with the agent that is printed. No command
  // then.
  std::string listen;
  std::size_t jobs = 1;  // scenarios at a time
  // For the files of the run, for this user alone, and removed after it; empty: a new one.
  std::string directory = {};
  std::function<void(const std::string&)> say = nullptr;
};

inline constexpr std::string_view agent_placeholder = "{agent}";

inline constexpr std::string_view url_placeholder = "{url}";

// Whether the command has the placeholder of an agent to start.
bool names_agent(const std::vector<std::string>& command);

// Checks a client. Returns false if it did not send a prompt in a normal run: then hardly anything
// was checked. Throws std::system_error if there is no directory or socket to work with.
bool check_client(const ClientCheckOptions& options, Report& report);

}  // namespace acp::check
