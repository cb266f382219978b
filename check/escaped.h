// Text of others, for people to read.
#pragma once

#include <string>
#include <string_view>

namespace acp::check {

// On one line, and nothing in it steers a terminal: control characters, what turns the direction of
// writing and what is not UTF-8 stand as \n, \x1b, \u202e. Cut behind `most` characters.
std::string escaped(std::string_view text, std::size_t most = static_cast<std::size_t>(-1));

}  // namespace acp::check
