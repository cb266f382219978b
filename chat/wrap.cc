// How a line becomes rows.
#include <algorithm>
#include <utility>

#include "chat/styled.h"
#include "chat/text.h"

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
  void put(std::string_view text, std::size_t columns, const Style& style) {
    // The text is safe: add() would look at each character again.
    if (fresh_ || row_.empty() || row_.back().style != style)
      row_.push_back({style, std::string(text)});
    else
      row_.back().text += text;
    fresh_ = false;
    used_ += columns;
  }
  void next() {
    rows_.push_back(std::exchange(row_, margin_.rest));
    start_ = used_ = rest_width_;
    fresh_ = true;
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
  bool fresh_ = true;  // nothing behind the margin yet
};

void put_chopped(Rows& rows, std::string_view text, const Style& style) {
  while (!text.empty()) {
    const Cluster next = first_cluster(text);
    if (!rows.fits(next.width) && !rows.empty()) rows.next();
    rows.put(next.text, next.width, style);
    text.remove_prefix(next.text.size());
  }
}

// Pieces of one word, which may change its style on the way.
struct Word {
  std::vector<std::pair<std::string_view, const Style*>> pieces;
  std::size_t columns = 0;

  void add(const Cluster& cluster, const Style& style) {
    if (!pieces.empty() && pieces.back().second == &style) {
      auto& text = pieces.back().first;
      text = {text.data(), text.size() + cluster.text.size()};  // they are neighbours
    } else {
      pieces.emplace_back(cluster.text, &style);
    }
    columns += cluster.width;
  }
};

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
      for (const auto& [piece, style] : spaces.pieces) rows.put(piece, piece.size(), *style);
    if (rows.fits(word.columns))
      for (const auto& [piece, style] : word.pieces) rows.put(piece, width(piece), *style);
    else
      for (const auto& [piece, style] : word.pieces) put_chopped(rows, piece, *style);
    word = {};
    spaces = {};
  };
  for (const Span& span : text) {
    std::string_view rest = span.text;
    while (!rest.empty()) {
      const Cluster next = first_cluster(rest);
      rest.remove_prefix(next.text.size());
      if (next.text == " ") {
        end_word();
        spaces.add(next, span.style);
      } else if (next.width == 2) {
        end_word();  // a break is allowed before and behind it
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
