// Content blocks and the output of terminals, as lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "acp/session_state.h"
#include "chat/render/text/styled.h"
#include "chat/render/view.h"

namespace acp::chat {

// "820 bytes", "12.3 kB"
std::string size_text(std::uint64_t bytes);
// A path relative to the view's directory, with the line: "src/a.cc:12".
std::string place_text(std::string_view path, const Nullable<std::uint32_t>& line,
                       const View& view);

bool for_assistant_only(const v1::ContentBlock& block);

enum class TextAs : std::uint8_t { markdown, written };

// Draws a block. Text is Markdown, or shown as it was written. Others are described by kind, size
// and address, and so is content for the assistant alone, unless the view is unfolded.
Lines content_lines(const v1::ContentBlock& block, const View& view, TextAs text);

// The text as it was written, wrapped.
Lines written_lines(std::string_view text, std::size_t columns, const Style& style = {});

// The last lines of an output, and how much is above them. The cost depends on these lines, not on
// the output.
Lines output_lines(std::string_view output, bool truncated, const View& view);
// "exit 1", "killed by SIGTERM", "running"
std::string exit_text(const TerminalView& terminal);

// At most this many lines, and then how many more; 0 is no limit.
Lines first_lines(Lines lines, std::size_t most, std::size_t columns);
// The lines after a margin.
Lines indented(Lines lines, const Line& margin);

}  // namespace acp::chat
