// The lines of a patch, which have a sign before them: put there, and taken away again. Texts have
// tens of thousands of lines, most of them short: none of them is a call of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace acp::detail::versions {

// Appends each line of the text with the sign before it; returns how many there are. What the last
// line lacks in the text, its end, is said as git says it.
std::size_t append_signed(std::string& out, char sign, std::string_view text);

// Whether the text consists of so many lines with this sign before each, all with their ends.
bool are_signed(std::string_view text, char sign, std::size_t lines);

// Moves these lines without their signs to `to`; returns where they end there. It may be before
// them in the same string, with this gap between.
inline constexpr std::size_t unsigned_gap = 32;
char* move_unsigned(char* to, std::string_view text);

}  // namespace acp::detail::versions
