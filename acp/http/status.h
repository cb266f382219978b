// Describes an unsuccessful answer, for people.
#pragma once

#include <string>
#include <string_view>

namespace acp::http {

// "HTTP 404 Not Found: start of the body", or what the JSON-RPC error in the body says.
std::string describe_status(int status, std::string_view body);
// The beginning of the body, on one line.
std::string beginning_of(std::string_view body);

}  // namespace acp::http
