// Reads the most frequent message of agents without parsing it completely.
#pragma once

#include <string_view>

#include "acp/remote/message.h"

namespace acp::remote {

// Whether the text begins as our own engine writes a `session/update`: then reads the message up to
// its session's id. False: parse it normally.
bool read_update(std::string_view text, Message& message);

}  // namespace acp::remote
