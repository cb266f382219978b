// How deep a TOML text goes. toml++ reads dotted keys by recursion: thousands of parts in one key
// would overflow the stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace acp::settings {

// The first line, from 1, with a key of more parts than this; nothing if there is none. In text
// that is not TOML it may count too many parts, never too few.
std::optional<std::size_t> line_with_long_key(std::string_view text, std::size_t most_parts = 64);

}  // namespace acp::settings
