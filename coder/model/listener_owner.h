// Who runs the server that listens on a port of this machine.
#pragma once

#include <cstdint>
#include <string>

namespace acp::coder {

struct ListenerOwner {
  bool trusted = false;  // us or root, and nobody else
  std::string id = {};   // "998"; empty if nobody can tell
  std::string who = {};  // for people: "user ollama", "users ollama and nobody", "an unknown user"
};

// Of what listens at 127.0.0.1 there.
ListenerOwner listener_owner(std::uint16_t port);

}  // namespace acp::coder
