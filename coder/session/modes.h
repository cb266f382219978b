// The modes of a session: what is allowed without asking, and what is not allowed at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"

namespace acp::coder {

enum class Need { nothing, permission, another_mode };

const std::vector<v1::SessionMode>& session_modes();
bool is_mode(std::string_view mode);
// Whether one mode allows less than the other. From the strictest: architect, ask, code.
bool is_stricter(std::string_view mode, std::string_view than);
Need need_of(std::string_view mode, v1::ToolKind kind);
// The rules of the mode, for the model.
std::string_view mode_rules(std::string_view mode);

}  // namespace acp::coder
