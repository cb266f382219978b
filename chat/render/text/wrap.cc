// How a line becomes rows.
#include <algorithm>
#include <utility>

#include "chat/render/text/styled.h"
#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

// The rows of one text, filled from left to right.
class Rows {
 public:
  Rows(std::size_t columns, const Margin& margin)
      : columns_(columns), margin_(margin), rest_width_(width(margin.rest)), row_(margin.first) {
    start_ = used_ = width(row_);
  }

  bool empty() const { return used_ == start_; }
  bool fits(std::size_t more) const { return used_ + more <= columns_; }
  std::size_t room() const { return used_ < columns_ ? columns_ - used_ : 0; }
  void put(std::string_view text, std::size_t columns, const Style& style) {
    // The text is safe: add() would look at each character again.
    if (row_.empty() || (style_ != &style && row_.back().style != style))
      row_.push_back({style, std::string(text)});
    else
      row_.back().text += text;
    style_ = &style;
    used_ += columns;
  }
  void next() {
    rows_.push_back(std::exchange(row_, margin_.rest));
    start_ = used_ = rest_width_;
    style_ = nullptr;
  }
  Lines take() {
    rows_.push_back(std::move(row_));
    return std::move(rows_);
  }

 private:
  std::size_t columns_;
  const Margin& margin_;
  std::size_t rest_width_;
  Lines rows_;
  Line row_;
  std::size_t start_ = 0;  // the margin's width
  std::size_t used_ = 0;
  const Style* style_ = nullptr;  // of what stands last after the margin
};

void put_chopped(Rows& rows, std::string_view text, const Style& style) {
  while (!text.empty()) {
    const std::size_t plain = std::min(plain_length(text.substr(0, rows.room() + 1)), rows.room());
    const Cluster next = plain > 0 ? Cluster{text.substr(0, plain), plain} : first_cluster(text);
    if (!rows.fits(next.width) && !rows.empty()) rows.next();
    rows.put(next.text, next.width, style);
    text.remove_prefix(next.text.size());
  }
}

// Pieces of one word, which may change its style on the way.
struct Word {
  struct Piece {
    std::string_view text;
    std::size_t columns;
    const Style* style;
  };
  std::vector<Piece> pieces;
  std::size_t columns = 0;

  void add(const Cluster& cluster, const Style& style) {
    if (!pieces.empty() && pieces.back().style == &style) {
      auto& text = pieces.back().text;
      text = {text.data(), text.size() + cluster.text.size()};  // they are neighbours
      pieces.back().columns += cluster.width;
    } else {
      pieces.push_back({cluster.text, cluster.width, &style});
    }
    columns += cluster.width;
  }
  void put(Rows& rows) const {
    for (const Piece& piece : pieces) rows.put(piece.text, piece.columns, *piece.style);
  }
  void clear() {
    pieces.clear();
    columns = 0;
  }
};

// A space, the letters up to the next one, or something else that is seen as one character.
Cluster next_part(std::string_view text) {
  std::size_t plain = plain_length(text.substr(0, std::min(text.find(' ', 1), text.size())));
  if (plain > 1 && text[0] == ' ') plain = 1;
  return plain > 0 ? Cluster{text.substr(0, plain), plain} : first_cluster(text);
}

}  // namespace

Lines wrap(const Line& text, std::size_t columns, const Margin& margin) {
  Rows rows(columns, margin);
  Word word;
  Word spaces;  // before it
  const auto end_word = [&] {
    if (word.pieces.empty()) return;
    if (!rows.empty() && !rows.fits(spaces.columns + word.columns))
      rows.next();
    else if (!rows.empty() || rows.fits(spaces.columns + word.columns))
      spaces.put(rows);
    if (rows.fits(word.columns))
      word.put(rows);
    else
      for (const Word::Piece& piece : word.pieces) put_chopped(rows, piece.text, *piece.style);
    word.clear();
    spaces.clear();
  };
  for (const Span& span : text) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const Cluster next = next_part(rest);
      rest.remove_prefix(next.text.size());
      if (next.text == " ") {
        end_word();
        spaces.add(next, span.style);
      } else if (next.width == 2 && next.text.size() > 2) {
        end_word();  // a break is allowed before and after it
        word.add(next, span.style);
        end_word();
      } else {
        word.add(next, span.style);
      }
    }
  }
  end_word();
  return rows.take();
}

Lines chop(const Line& text, std::size_t columns, const Margin& margin) {
  Rows rows(columns, margin);
  for (const Span& span : text) put_chopped(rows, span.text, span.style);
  return rows.take();
}

}  // namespace acp::chat
