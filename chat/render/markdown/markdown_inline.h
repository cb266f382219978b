// Markdown inside a block: emphasis, code, links; and the cells of a table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "chat/render/text/styled.h"

namespace acp::chat::markdown {

// Reads the text of one paragraph. Each hard break ends a line; there is at least one.
Lines inline_text(std::string_view text, const Style& style = {});

struct Table {
  enum class Align : std::uint8_t { left, centre, right };

  std::vector<Align> columns;
  std::vector<std::vector<Line>> rows;  // the first is the head; all have that many cells
};
// Reads a table from its lines, the head's two first.
Table table(std::string_view text);

}  // namespace acp::chat::markdown
