// A diff as it is shown.
#include <algorithm>
#include <string>

#include "chat/render/diff.h"
#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

constexpr std::size_t rows_of_a_line = 8;

std::string range(std::size_t line, std::size_t count) {
  return std::to_string(line) + (count == 1 ? "" : "," + std::to_string(count));
}

Style style_of(char mark) {
  if (mark == '+') return {.colour = Colour::green};
  if (mark == '-') return {.colour = Colour::red};
  return {};
}

// Of a long line as much as a few rows hold.
Lines row_lines(const Hunk::Row& row, std::size_t columns, bool whole) {
  const Style style = style_of(row.mark);
  const std::size_t most = rows_of_a_line * std::max<std::size_t>(columns, 2) * 4;
  std::string_view text = row.text;
  if (!whole && text.size() > most) text = text.substr(0, character_start(text, most));
  const Margin margin{line_of(std::string(1, row.mark), style), line_of(" ", style)};
  Lines lines = chop(line_of(text, style), columns, margin);
  const bool cut = !whole && (lines.size() > rows_of_a_line || text.size() < row.text.size());
  if (cut && lines.size() > rows_of_a_line) lines.resize(rows_of_a_line);
  if (cut)
    lines.push_back(fit(
        line_of(" … a line of " + std::to_string(row.text.size()) + " bytes, cut", {.dim = true}),
        columns));
  if (row.no_newline)
    lines.push_back(fit(line_of("\\ No newline at end of file", {.dim = true}), columns));
  return lines;
}

}  // namespace

Line diff_counts(const TextDiff& diff) {
  Line line = line_of("+" + std::to_string(diff.inserted), {.colour = Colour::green});
  add(line, " ");
  add(line, "-" + std::to_string(diff.deleted), {.colour = Colour::red});
  return line;
}

Lines diff_lines(const TextDiff& diff, std::size_t columns, std::size_t most_rows,
                 bool whole_lines) {
  Lines out;
  const auto note = [&](const std::string& text) {
    out.push_back(fit(line_of(text, aside), columns));
  };
  if (diff.binary)
    note("binary: " + std::to_string(diff.old_bytes) + " bytes, now " +
         std::to_string(diff.new_bytes));
  else if (diff.hunks.empty())
    note("no changes");
  if (diff.coarse) note("too many changes to compare line by line: shown as one");
  std::size_t left = 0;  // rows that are not shown
  const auto full = [&] { return most_rows > 0 && out.size() >= most_rows; };
  for (const Hunk& hunk : diff.hunks) {
    if (full()) {
      left += hunk.rows.size();
      continue;
    }
    out.push_back(fit(line_of("@@ -" + range(hunk.old_line, hunk.old_count) + " +" +
                                  range(hunk.new_line, hunk.new_count) + " @@",
                              {.dim = true}),
                      columns));
    for (std::size_t i = 0; i < hunk.rows.size(); ++i) {
      if (full()) {
        left += hunk.rows.size() - i;
        break;
      }
      for (Line& line : row_lines(hunk.rows[i], columns, whole_lines))
        out.push_back(std::move(line));
    }
  }
  if (left > 0) note("… " + counted(left, "more line"));
  return out;
}

}  // namespace acp::chat
