// Masks secrets in recordings.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"

namespace acp::check {

inline constexpr std::string_view mask_text = "***";

// Lower case, for ASCII only.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Masks secrets that the caller knows, in a line of JSON. Returns false if there are none.
using MaskKnown = std::function<bool(std::string& line)>;

// Whether a field, a header or an option of this name holds a secret.
bool names_secret(std::string_view name);

// Whether the text may contain secrets: a quick check.
bool may_hold_secrets(std::string_view json);
// The message with masked values of env, headers and fields that names_secret() finds; masked
// params of authenticate, except the method; and masked_words() in every text.
Json masked(JsonView message);
// The arguments with X masked in `--token X`, `--api-key=X`, `TOKEN=X` and `-u X`; and each word as
// masked_text().
std::vector<std::string> masked_arguments(std::vector<std::string> arguments);
// Whether masked_words() may find something: a quick check.
bool has_marks(std::string_view text);
// Masks in any text what follows `Bearer` and `Basic`, and in URLs the login and the values of
// `token=`, `key=` and other secrets.
std::string masked_words(std::string_view text);
// For text with settings: a header, a shell line, broken JSON. Masks as masked_words(), and what
// follows `token:`, `password=`, `"apiKey":`, and the values of `"env"` and `"headers"`.
std::string masked_text(std::string_view text);

}  // namespace acp::check
