// The commonest of an agent's messages, by its spelling alone.
#pragma once

#include <string_view>

#include "acp/remote/message.h"

namespace acp::remote {

// Whether this begins as our own engine writes a `session/update`: then the message is read, and
// what follows its session's id is not looked at. False: read it as any other.
bool read_update(std::string_view text, Message& message);

}  // namespace acp::remote
