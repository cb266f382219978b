// Markdown as lines of styled text, while it arrives.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "chat/render/markdown/code_highlight.h"
#include "chat/render/markdown/markdown_blocks.h"
#include "chat/render/text/styled.h"

namespace acp::chat {

// Feed it what arrives; print the result of take_finished() once, and below it open_lines() again
// and again. The result does not depend on how the text is cut into chunks. It keeps only the last
// block and lines that were not taken.
class MarkdownStream {
 public:
  void append(std::string_view text);
  // Closes the last block. What is appended later begins a new one.
  void finish();

  // Takes lines that will never change. Each is returned once.
  Lines take_finished(std::size_t columns);
  // The last block, as if the text ended here; take what is finished first.
  const Lines& open_lines(std::size_t columns);

 private:
  BlockParser parser_;
  std::vector<Piece> finished_;
  CodeHighlight code_;  // as far as take_finished() has come
  Lines open_;          // at this width:
  std::size_t open_columns_ = 0;
  bool open_is_current_ = false;
};

Lines markdown_lines(std::string_view text, std::size_t columns);

}  // namespace acp::chat
