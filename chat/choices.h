// Modes and options of a session, as one names them on a command line.
#pragma once

#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "acp/client.h"

namespace acp::chat {

struct RunChoices {
  std::string mode, model;                               // empty: the agent's own
  std::vector<std::pair<std::string, std::string>> set;  // of options, by their ids
  // Also sends models that the agent does not list: it decides.
  bool any_model = false;
};

// The mode and the model that a session has now, by their ids; empty where it tells none.
RunChoices current_choices(const SessionState& state);

// Their names for people.
std::string mode_name(const SessionState& state);
std::string model_name(const SessionState& state);

// The session has no such mode, option or value; what() lists the known ones.
class NoSuchChoice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Sets mode, model and options. Throws NoSuchChoice, Cancelled, and what the agent's answers throw.
void make_choices(const Session& session, const RunChoices& choices, std::stop_token stop);

}  // namespace acp::chat
