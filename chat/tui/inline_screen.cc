#include "chat/tui/inline_screen.h"

#include <algorithm>
#include <utility>

namespace acp::chat {

namespace {

// All at once, where the terminal knows how; others ignore it.
constexpr const char* begin_update = "\x1b[?2026h";
constexpr const char* end_update = "\x1b[?2026l";

std::string up(std::size_t rows) { return rows == 0 ? "" : "\x1b[" + std::to_string(rows) + "A"; }
std::string right(std::size_t columns) {
  return columns == 0 ? "" : "\x1b[" + std::to_string(columns) + "C";
}

}  // namespace

std::string InlineScreen::draw(const Lines& finished, const Lines& open, std::size_t cursor_row,
                               std::size_t cursor_column) {
  // What does not fit stays in the making: its last rows are the ones that change.
  const std::size_t most = rows_ > 1 ? rows_ - 1 : 1;
  const std::size_t skip = open.size() > most ? open.size() - most : 0;
  cursor_row = cursor_row >= skip ? cursor_row - skip : 0;
  std::vector<std::string> lines;
  std::vector<std::size_t> widths;
  for (std::size_t i = skip; i < open.size(); ++i) {
    const Line line = fit(open[i], room());
    lines.push_back(to_ansi(line, mode_));
    widths.push_back(width(line));
  }
  if (lines.empty()) {
    lines.emplace_back();
    widths.push_back(0);
  }
  cursor_row = std::min(cursor_row, lines.size() - 1);
  if (finished.empty() && lines == shown_ && cursor_row == cursor_row_ &&
      cursor_column == cursor_column_)
    return {};

  std::string out = begin_update;
  out += "\x1b[?25l\r" + up(cursor_row_);
  for (const Line& line : finished) out += "\x1b[K" + to_ansi(fit(line, room()), mode_) + "\r\n";
  const bool same_place = finished.empty();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += "\r\n";
    if (!same_place || i >= shown_.size() || shown_[i] != lines[i]) out += "\x1b[K" + lines[i];
  }
  out += "\r";
  if (shown_.size() > lines.size() || !same_place) {
    // Below the last line; that one stays.
    out += right(widths.back()) + "\x1b[J\r";
  }
  out += up(lines.size() - 1 - cursor_row) + right(cursor_column) + "\x1b[?25h" + end_update;
  shown_ = std::move(lines);
  widths_ = std::move(widths);
  cursor_row_ = cursor_row;
  cursor_column_ = cursor_column;
  return out;
}

std::string InlineScreen::clear() {
  if (shown_.empty()) return {};
  std::string out = "\r" + up(cursor_row_) + "\x1b[J";
  forget();
  return out;
}

std::string InlineScreen::resize(std::size_t columns, std::size_t rows) {
  if (columns == 0 || rows == 0) return {};
  std::size_t above = 0;
  for (std::size_t i = 0; i < shown_.size() && i < cursor_row_; ++i)
    above += widths_[i] == 0 ? 1 : (widths_[i] + columns - 1) / columns;
  above += cursor_column_ / columns;
  columns_ = columns;
  rows_ = rows;
  if (shown_.empty()) return {};
  cursor_row_ = std::min(above, rows - 1);
  return clear();
}

}  // namespace acp::chat
