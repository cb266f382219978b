// A JSON-RPC error, and the codes to which ACP gives a meaning.
#pragma once

#include <cstdint>
#include <string>

#include "acp/json/json.h"

namespace acp::rpc {

// Codes of JSON-RPC and of ACP.
enum Code : std::int32_t {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  request_cancelled = -32800,
  auth_required = -32000,
  rate_limited = -32001,
  not_found = -32002,
  permission_denied = -32003,
  unsupported_version = -32022,
};
// "parse_error", "invalid_request" …; empty for other codes
constexpr const char* to_string(Code value) {
  switch (value) {
    case parse_error:
      return "parse_error";
    case invalid_request:
      return "invalid_request";
    case method_not_found:
      return "method_not_found";
    case invalid_params:
      return "invalid_params";
    case internal_error:
      return "internal_error";
    case request_cancelled:
      return "request_cancelled";
    case auth_required:
      return "auth_required";
    case rate_limited:
      return "rate_limited";
    case not_found:
      return "not_found";
    case permission_denied:
      return "permission_denied";
    case unsupported_version:
      return "unsupported_version";
  }
  return "";
}

// An error as it is on the wire.
struct ErrorObject {
  std::int32_t code = internal_error;
  std::string message;
  Json data;  // absent unless there is any

  // Not a peer's answer: the connection closed before one came. Never written to the wire.
  bool connection_closed = false;
};

}  // namespace acp::rpc
