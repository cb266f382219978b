// Finds names by a few typed letters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace acp::chat {

// How well `typed` fits `name`: its letters in their order, whatever their case. More is better;
// nothing if it does not fit. Letters after the last slash count more.
std::optional<int> fuzzy_score(std::string_view typed, std::string_view name);

// The indices of the best names, the best first; ties by length and name. All in their own order if
// nothing is typed.
std::vector<std::size_t> fuzzy_best(std::string_view typed, const std::vector<std::string>& names,
                                    std::size_t most);

}  // namespace acp::chat
