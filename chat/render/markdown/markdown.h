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

// Feed it what arrives; print what take_finished() gives, once, and below it open_lines(), again
// and again. However the text is cut into chunks, what is finished in the end is the same. Memory
// is that of the last block and of what nobody has taken.
class MarkdownStream {
 public:
  void append(std::string_view text);
  // Nothing is open any more. What is appended later begins a new block.
  void finish();

  // Lines that will never change. Each is given once.
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
