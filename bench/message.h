// A whole `session/update` as one struct, so that it is read and written in one pass.
#pragma once

#include <string>

#include "acp/json/type.h"
#include "acp/schema/v1.h"

namespace bench {

struct Message {
  std::string jsonrpc = {};
  std::string method = {};
  acp::v1::SessionNotification params = {};
  static const acp::json::Type json_type;
};

inline constexpr acp::json::Field message_fields[] = {
    ACP_JSON_FIELD(Message, jsonrpc, acp::json::required),
    ACP_JSON_FIELD(Message, method, acp::json::required),
    ACP_JSON_FIELD(Message, params, acp::json::required),
};
inline constexpr acp::json::Object message_object{.fields = message_fields};
inline constinit const acp::json::Type Message::json_type =
    acp::json::make::object<Message>("Message", message_object);

}  // namespace bench
