// Edits a text in the person's own editor.
#pragma once

#include <optional>
#include <string>

namespace acp::chat {

// Runs $VISUAL, else $EDITOR, else vi in this terminal, and returns the text. Nothing if the editor
// ended with an error. Throws std::runtime_error.
std::optional<std::string> edited_outside(const std::string& text, const std::string& cwd);

}  // namespace acp::chat
