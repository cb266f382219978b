// Draws a table in a given width.
#pragma once

#include <cstddef>
#include <vector>

#include "chat/render/markdown/markdown_inline.h"
#include "chat/render/text/styled.h"

namespace acp::chat::markdown {

// How wide each column is; none if not even a few characters of each fit side by side.
std::vector<std::size_t> column_widths(const Table& table, std::size_t columns);

// Draws a table: wraps cells in their columns; without widths, each row is a list of its cells. A
// part that continues a table has no head of its own.
Lines table_lines(const Table& table, const std::vector<std::size_t>& widths, std::size_t columns,
                  bool with_head);

}  // namespace acp::chat::markdown
