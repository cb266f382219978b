// How many files and sockets this process may have open.
#pragma once

#include <cstddef>

namespace acp::gateway {

// Raises the limit to this number, as far as the system lets us. What it is then.
std::size_t allow_descriptors(std::size_t wanted);

}  // namespace acp::gateway
