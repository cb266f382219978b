#include "acp/error.h"

#include <cmath>
#include <cstdio>

#include "acp/async/blocking_wait.h"
#include "acp/json/utf8.h"

namespace acp {

namespace {

constexpr std::size_t most_details = 2000;
constexpr std::size_t most_plain = 500;  // more is a report for a log

std::optional<double> retry_after_of(JsonView data) {
  const auto seconds = data["retryAfter"].as_double();
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0) return std::nullopt;
  return seconds;
}

}  // namespace

std::string with_reason(const std::string& message, JsonView data) {
  std::string reason;
  if (auto details = data["details"].as_string()) {
    reason = json::utf8_shortened(*details, most_details);
  } else if (auto plain = data.as_string(); plain && plain->size() <= most_plain) {
    reason = std::move(*plain);
  }
  std::string text = message;
  const auto says = [&](const std::string& what) { return text.find(what) != std::string::npos; };
  if (!says(reason)) text += (text.empty() ? "" : ": ") + reason;
  if (const auto scope = data["scope"].as_string(); scope && !says(*scope))
    text += " (scope: " + *scope + ")";
  if (const auto seconds = retry_after_of(data)) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.6g", *seconds);
    text += " (try again in " + std::string(number) + " s)";
  }
  // what() would end there.
  for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;)
    text.replace(at, 1, "␀");
  return text;
}

std::optional<double> CallFailed::retry_after() const { return retry_after_of(data()); }

EmptyAnswer::EmptyAnswer(const std::string& method)
    : CallFailed(rpc::internal_error, "the answer to " + method + " is null") {}

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

namespace async {

void throw_cancelled() { throw Cancelled(); }

void throw_timed_out(std::chrono::nanoseconds time) {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%.6g", std::chrono::duration<double>(time).count());
  throw TimedOut("it took longer than " + std::string(seconds) + " s");
}

}  // namespace async
}  // namespace acp
