// Who runs the server that listens on a port of this machine.
#pragma once

#include <cstdint>
#include <string>

namespace acp::coder {

struct ListenerOwner {
  bool trusted = false;  // us or root, and nobody else
  std::string id = {};   // "998"; empty if not known
  std::string who = {};  // for people: "user ollama", "users ollama and nobody", "an unknown user"
};

// The owner of what listens at this port of 127.0.0.1.
ListenerOwner listener_owner(std::uint16_t port);

}  // namespace acp::coder
