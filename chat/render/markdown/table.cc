#include "chat/render/markdown/table.h"

#include <algorithm>

#include "chat/render/text/text.h"

namespace acp::chat::markdown {
namespace {

constexpr std::size_t narrowest = 4;
constexpr std::size_t gap = 3;  // " │ "

const Style frame{.dim = true};

Line in_bold(Line line) {
  for (Span& span : line) span.style.bold = true;
  return line;
}

void add_aligned(Line& row, const Line& cell, std::size_t columns, Table::Align align, bool last) {
  const std::size_t used = width(cell);
  const std::size_t space = columns > used ? columns - used : 0;
  const std::size_t left = align == Table::Align::right    ? space
                           : align == Table::Align::centre ? space / 2
                                                           : 0;
  add(row, std::string(left, ' '));
  add(row, cell);
  if (!last) add(row, std::string(space - left, ' '));
}

Line ruler(const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) text += "─┼─";
    for (std::size_t n = 0; n < widths[i]; ++n) text += "─";
  }
  return line_of(text, frame);
}

void add_row(Lines& out, const Table& table, const std::vector<Line>& cells,
             const std::vector<std::size_t>& widths, bool head) {
  std::vector<Lines> wrapped;
  std::size_t height = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    wrapped.push_back(wrap(head ? in_bold(cells[i]) : cells[i], widths[i]));
    height = std::max(height, wrapped.back().size());
  }
  for (std::size_t y = 0; y < height; ++y) {
    Line row;
    for (std::size_t i = 0; i < wrapped.size(); ++i) {
      if (i > 0) add(row, " │ ", frame);
      add_aligned(row, y < wrapped[i].size() ? wrapped[i][y] : Line(), widths[i], table.columns[i],
                  i + 1 == wrapped.size());
    }
    out.push_back(std::move(row));
  }
}

// "Name: value", a row's cells one below the other.
void add_record(Lines& out, const Table& table, const std::vector<Line>& cells,
                std::size_t columns) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Line text = in_bold(table.rows[0][i]);
    if (!text.empty()) add(text, ": ", {.bold = true});
    add(text, cells[i]);
    Margin margin{line_of(i == 0 ? "• " : "  "), line_of("    ")};
    for (Line& row : wrap(text, columns, margin)) out.push_back(std::move(row));
  }
}

}  // namespace

std::vector<std::size_t> column_widths(const Table& table, std::size_t columns) {
  std::vector<std::size_t> widths(table.columns.size(), 1);
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  const std::size_t gaps = gap * (widths.size() - 1);
  std::size_t least = gaps;
  std::size_t sum = gaps;
  for (const std::size_t column : widths) {
    least += std::min(column, narrowest);
    sum += column;
  }
  if (least > columns) return {};
  // The widest give way, down to one width that all of them have.
  while (sum > columns) {
    const std::size_t widest = *std::max_element(widths.begin(), widths.end());
    std::size_t second = narrowest;
    std::size_t count = 0;
    for (const std::size_t column : widths) {
      if (column == widest)
        ++count;
      else
        second = std::max(second, column);
    }
    const std::size_t step =
        std::max<std::size_t>(1, std::min(widest - second, (sum - columns) / count));
    for (std::size_t& column : widths) {
      if (column != widest || sum <= columns) continue;
      column -= step;
      sum -= step;
    }
  }
  return widths;
}

Lines table_lines(const Table& table, const std::vector<std::size_t>& widths, std::size_t columns,
                  bool with_head) {
  Lines out;
  if (table.rows.empty()) return out;
  if (widths.empty()) {
    if (with_head && table.rows.size() == 1) add_record(out, table, table.rows[0], columns);
    for (std::size_t i = 1; i < table.rows.size(); ++i)
      add_record(out, table, table.rows[i], columns);
    return out;
  }
  if (with_head) {
    add_row(out, table, table.rows[0], widths, true);
    out.push_back(ruler(widths));
  }
  for (std::size_t i = 1; i < table.rows.size(); ++i)
    add_row(out, table, table.rows[i], widths, false);
  return out;
}

}  // namespace acp::chat::markdown
