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

struct ClientOptions {
  // Of the client. {agent} is replaced by the command of our agent: by its words where it is a word
  // of its own, by one line for a shell inside a longer word.
  std::vector<std::string> command;
  // "http" or "ws": our agent is at a URL there, which replaces {url} in the command and is in the
  // variable ACP_URL. Empty: the client starts our agent.
  std::string transport = {};
  // The words that start relay(), without its own: "acp check relay".
  std::vector<std::string> relay;
  rpc::Framing framing = rpc::Framing::newline;
  std::chrono::milliseconds time{10'000};  // for each thing that the client is waited for
  int cancel_signal = 2;
  // It does not end by itself when its turn is over: it is ended with SIGTERM.
  bool stays = false;
  // It is started by hand, with the agent that is printed: the socket's path. No command then.
  std::string listen;
  std::size_t jobs = 1;  // scenarios at a time
  std::function<void(const std::string&)> say = nullptr;
};

inline constexpr std::string_view agent_placeholder = "{agent}";

inline constexpr std::string_view url_placeholder = "{url}";

// Whether the command has the placeholder of an agent to start.
bool names_agent(const std::vector<std::string>& command);

// False if an untroubled client did not come to its first prompt: then hardly anything was tried.
// Throws std::system_error if there is no directory or socket to work with.
bool check_client(const ClientOptions& options, Report& report);

}  // namespace acp::check
