// What counts as one client: an IPv4 address, or all addresses of an IPv6 network, since each of its
// users has 2^64 of them.
#pragma once

#include <string>

namespace acp::gateway {

// "2001:db8:1:2::/64" of "2001:db8:1:2:3::4", "10.0.0.1" of "::ffff:10.0.0.1"; any other text is
// returned as it is.
std::string network_of(const std::string& address);

}  // namespace acp::gateway
