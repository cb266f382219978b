// What a page says, without how it looks.
#pragma once

#include <string>
#include <string_view>

namespace acp::coder {

// Tags are left out, scripts and styles with what is in them; blocks begin on a line of their own;
// the usual entities are characters. Never fails, whatever comes.
std::string html_text(std::string_view html);

}  // namespace acp::coder
