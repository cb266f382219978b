// The WebSocket that a client's Transport uses to reach a server.
#pragma once

#include <memory>
#include <string>

#include "acp/io/descriptor.h"
#include "acp/remote/client.h"

namespace acp::remote {

// `url` begins with ws: or wss:. The other end of `local` is the client's.
std::shared_ptr<TransportLink> open_websocket(const std::string& url, const UrlOptions& options,
                                              io::Descriptor local);

}  // namespace acp::remote
