// A region at the end of the terminal's scrollback that is drawn again and again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chat/render/text/styled.h"

namespace acp::chat {

// Makes the bytes for a terminal, and remembers what it shows. Lines are never wider than the
// terminal; the open ones never more than its rows.
class InlineScreen {
 public:
  InlineScreen(std::size_t columns, std::size_t rows, ColourMode mode)
      : columns_(columns), rows_(rows), mode_(mode) {}

  // The width for lines: the last column stays free, since terminals differ in how they wrap.
  std::size_t room() const { return columns_ > 1 ? columns_ - 1 : 1; }
  std::size_t rows() const { return rows_; }

  // Draws: `finished` goes into the scrollback, `open` below it. Empty if nothing changes.
  std::string draw(const Lines& finished, const Lines& open, std::size_t cursor_row,
                   std::size_t cursor_column);
  // Removes the region after a change of size, at which the terminal has wrapped its lines anew.
  std::string resize(std::size_t columns, std::size_t rows);
  // Removes the region; the cursor is then where it began.
  std::string clear();
  // Forgets what is shown: the terminal was used by another program.
  void forget() { shown_.clear(), cursor_row_ = cursor_column_ = 0; }

 private:
  std::size_t columns_, rows_;
  ColourMode mode_;
  std::vector<std::string> shown_;
  std::vector<std::size_t> widths_;
  std::size_t cursor_row_ = 0, cursor_column_ = 0;
};

}  // namespace acp::chat
