// The message for a server that was never reached: one sentence, and what may help.
#pragma once

#include <string>

namespace acp::gateway {

// `reason` is the transport's. `token_source`: "the file X", "the variable ACP_TOKEN"; empty if no
// token was sent.
std::string not_reached(const std::string& url, const std::string& reason,
                        const std::string& token_source);

}  // namespace acp::gateway
