// A part of many lines, and which part.
#pragma once

#include <cstddef>
#include <string>

#include "chat/render/text/styled.h"

namespace acp::chat {

class Pager {
 public:
  // Scrolls by the name of a key, or a character; returns false for others.
  bool scroll(const std::string& name);
  void to_top() { first_ = 0; }
  // Draws a part in a frame with a title, in so many rows.
  Lines page(const Line& title, const Lines& all, std::size_t columns, std::size_t rows);

 private:
  std::size_t first_ = 0, page_ = 1;
};

}  // namespace acp::chat
