#include "coder/model/provider_error.h"

#include <algorithm>

namespace acp::coder {

namespace {

bool is_name(std::string_view text) {
  constexpr std::size_t longest = 48;
  return !text.empty() && text.size() <= longest &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

// A slash that JSON has escaped would hide a key from those who look for it.
std::string with_plain_slashes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\\' || i + 1 == text.size() || text[i + 1] != '/') plain += text[i];
  return plain;
}

const char* sentence(ModelError::Kind kind, int status, std::string_view code) {
  using Kind = ModelError::Kind;
  switch (kind) {
    case Kind::unauthorized:
      return status == 403 ? "the key may not be used for this" : "the key was rejected";
    case Kind::rate_limited:
      return "too many requests for now";
    case Kind::overloaded:
      return code == "overloaded_error" || status == 503 || status == 529
                 ? "the server is overloaded"
                 : "the server failed";
    case Kind::too_long:
      return "the conversation is longer than the model's context";
    default:
      break;
  }
  if (code == "insufficient_quota") return "the quota is used up";
  return status == 404 ? "there is no such model, or no such address" : "the request was refused";
}

}  // namespace

ModelError provider_error(ModelError::Kind kind, int status, std::string_view code,
                          std::string_view body, std::optional<double> retry_after) {
  std::string said = sentence(kind, status, code), more;
  if (status != 0) more = "HTTP " + std::to_string(status);
  if (is_name(code)) more += (more.empty() ? "" : ", ") + std::string(code);
  if (!more.empty()) said += " (" + more + ")";
  return ModelError(kind, said, retry_after, with_plain_slashes(body));
}

}  // namespace acp::coder
