// Answers of a client, for messages.
#pragma once

#include <optional>
#include <string>

#include "acp/json/json.h"
#include "acp/json/utf8.h"

namespace acp::check {

inline bool is_error(const std::optional<Json>& answer) {
  return answer && !(*answer)["error"].absent();
}

// The error's code; 0 if the answer is not an error.
inline std::int64_t error_code(const std::optional<Json>& answer) {
  return answer ? (*answer)["error"]["code"].as_int64().value_or(0) : 0;
}

// The beginning of a text, cut between characters.
inline std::string beginning(std::string_view text, std::size_t most = 300) {
  return json::utf8_shortened(text, most);
}

inline std::string shown(const std::optional<Json>& answer) {
  if (!answer) return "no answer";
  const JsonView error = (*answer)["error"];
  return error.absent() ? beginning((*answer)["result"].text())
                        : "the error " + beginning(error.text());
}

}  // namespace acp::check
