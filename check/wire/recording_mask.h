// Secrets out of recordings.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"

namespace acp::check {

inline constexpr std::string_view mask_text = "***";

// Of ASCII alone.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Replaces secrets that the caller knows, in a line of JSON. False if there are none.
using MaskKnown = std::function<bool(std::string& line)>;

// Whether a field, a header or an option of this name holds a secret.
bool names_secret(std::string_view name);

// Whether the text may hold any: no more than a quick look.
bool may_hold_secrets(std::string_view json);
// The message with the values of env and headers, and all that names_secret(), masked; the params
// of authenticate but for the method; and in every text what masked_words() masks.
Json masked(JsonView message);
// `--token X`, `--api-key=X`, `TOKEN=X` and `-u X` without X; and each word as masked_text().
std::vector<std::string> masked_arguments(std::vector<std::string> arguments);
// Whether masked_words() may find something: no more than a quick look.
bool has_marks(std::string_view text);
// Any text: what follows `Bearer` and `Basic`, and in URLs the login and the values of `token=`,
// `key=` and others that name a secret.
std::string masked_words(std::string_view text);
// Text that holds settings: a header, a line of a shell, JSON that is broken. As masked_words(),
// and what follows `token:`, `password=`, `"apiKey":`, and the values of `"env"` and `"headers"`.
std::string masked_text(std::string_view text);

}  // namespace acp::check
