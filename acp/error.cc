#include "acp/error.h"

namespace acp {

Error not_found(std::string_view what, Json data) {
  return Error(rpc::not_found, "Resource not found: " + std::string(what), std::move(data));
}

Error invalid_params(std::string_view path, std::string_view expected, std::string_view got) {
  return Error(rpc::invalid_params,
               "Invalid params: " + std::string(path) + ": expected " + std::string(expected) +
                   ", got " + std::string(got),
               Json::object({{"path", path}, {"expected", expected}, {"got", got}}));
}

Error permission_denied(std::string_view message, std::string_view scope) {
  return Error(rpc::permission_denied, std::string(message),
               Json::object({{"reason", "permission_denied"},
                             {"scope", scope.empty() ? Json() : Json(scope)}}));
}

Error rate_limited(std::string_view message, double retry_after_seconds) {
  return Error(rpc::rate_limited, std::string(message),
               Json::object({{"reason", "rate_limited"}, {"retryAfter", retry_after_seconds}}));
}

}  // namespace acp
