// How many files and sockets this process may have open.
#pragma once

#include <cstddef>

namespace acp::gateway {

// Raises the limit to this number, as far as the system allows, and returns the new limit.
std::size_t allow_descriptors(std::size_t wanted);

// What a server with so many clients at a time needs.
std::size_t descriptors_for(std::size_t clients);

// How a server shares out the descriptors that it may have.
struct DescriptorShares {
  std::size_t clients;  // agents for so many clients, at most as many as were asked for
  // What these leave. Sockets need no token: they must not take what agents need.
  std::size_t sockets;
};
DescriptorShares share_descriptors(std::size_t allowed, std::size_t clients);

}  // namespace acp::gateway
