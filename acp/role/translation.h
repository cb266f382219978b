// Between a role, whose messages are those of version 1, and a wire that speaks version 2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "acp/error.h"
#include "acp/json/codec.h"
#include "acp/peer.h"

namespace acp::detail {

// Whether this can be a request's id in version 2: a string, or an integer.
inline bool is_plain_id(JsonView id) {
  return id.as_string().has_value() || id.as_int64().has_value();
}

class Translation {
 public:
  virtual ~Translation() = default;

  // The method of version 2 that takes these params; null if there is none.
  virtual const Method* method_of(const json::Type& params) const = 0;

  struct Message {
    std::string method;
    std::string params;         // JSON
    Deliver deliver = nullptr;  // of a request: takes the answer as it is on the wire
  };
  // The same in version 2; `deliver` takes an answer of version 1. Throws Refused if version 2
  // cannot say it. With the connection's lock.
  virtual Message request(const json::Type& type, const void* params, Deliver deliver) = 0;
  virtual Message notification(const json::Type& type, const void* params) = 0;
  // Throws Refused if this notification of version 2 must not be sent now. With the connection's
  // lock.
  virtual void check_notification(const json::Type&, const void* /*params*/) {}

  // Carries out a request here that the other side does not know, as its answer. Returns false for
  // any other. With the connection's lock.
  virtual bool carry_out(const Link&, const json::Type&, const void* /*params*/,
                         const std::shared_ptr<async::CompletionBase>& /*done*/,
                         Deliver& /*deliver*/, Calling) {
    return false;
  }
};

// Takes an answer of version 2, and hands on what `convert` makes of it.
template <class Response2, class Convert>
Deliver deliver_converted(Deliver deliver, Convert convert) {
  return
      [deliver = std::move(deliver), convert](
          std::string_view text, const json::Limits& limits) -> std::optional<json::DecodeFault> {
        Response2 response;
        if (auto fault = decode(text, Response2::json_type, &response, limits)) return fault;
        return deliver(json::encode(convert(std::move(response))), {});
      };
}

// The params of a request of version 2. Throws the error that is its answer if they are invalid.
template <class Params>
Params read_params(JsonView params) {
  Params value;
  const bool none = params.absent() || params.is_null();
  const auto fault = json::decode(none ? "{}" : params.text(), Params::json_type, &value);
  if (!fault) return value;
  throw invalid_params(fault->path.empty() ? "params" : "params." + fault->path, fault->expected,
                       fault->got);
}

}  // namespace acp::detail
