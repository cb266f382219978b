// Text of others, fit for a terminal: what it could steer it with is gone.
#pragma once

#include <string>
#include <string_view>

namespace acp::chat {

// Control characters, except line ends and tabs, become U+FFFD. Bad UTF-8 does, too.
std::string printable(std::string_view text);
// On one line of at most so many characters: line ends become spaces, and what turns the direction
// of writing, and so could show another text than there is, becomes U+FFFD.
std::string one_line(std::string_view text, std::size_t most = 200);
// JSON text that no terminal takes for more than text. The same value.
std::string printable_json(std::string_view json);

}  // namespace acp::chat
