#include "chat/render/markdown/markdown.h"

#include <algorithm>
#include <string>
#include <utility>

#include "chat/render/markdown/markdown_inline.h"
#include "chat/render/markdown/table.h"
#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

const Style frame{.dim = true};

void add_marker(Line& line, const Container& container, bool first) {
  if (container.quote) return add(line, container.marker, frame);
  const bool shown = first && container.fresh;
  add(line, shown ? container.marker : std::string(width(container.marker), ' '));
}

// Where containers are many and the screen is narrow, the inner ones are shown.
Margin margin_of(const std::vector<Container>& containers, std::size_t columns) {
  std::size_t from = containers.size();
  std::size_t used = 0;
  while (from > 0 && used + width(containers[from - 1].marker) <= columns / 2)
    used += width(containers[--from].marker);
  Margin margin;
  for (; from < containers.size(); ++from) {
    add_marker(margin.first, containers[from], true);
    add_marker(margin.rest, containers[from], false);
  }
  return margin;
}

class Renderer {
 public:
  // `highlight` is that of the code block that has begun, if one has.
  Renderer(std::size_t columns, CodeHighlight& highlight)
      : columns_(std::max<std::size_t>(columns, 1)), highlight_(highlight) {}

  void render(Piece piece) {
    make_task(piece);
    margin_ = margin_of(piece.containers, columns_);
    if (piece.space_before) out_.push_back(space_before(piece));
    switch (piece.kind) {
      case Piece::Kind::nothing:
        return put(chat::wrap({}, columns_, margin_));
      case Piece::Kind::paragraph:
        return text(piece.text, {});
      case Piece::Kind::heading:
        return heading(piece);
      case Piece::Kind::table:
        return table(piece);
      case Piece::Kind::code_begin:
        highlight_ = CodeHighlight(piece.text);
        if (!piece.text.empty() || shows_marker(piece))
          code(line_of(piece.text, {.dim = true, .italic = true}));
        return;
      case Piece::Kind::code_line:
        return code(highlight_.line(piece.text));
      case Piece::Kind::rule:
        return rule();
    }
  }

  Lines take() { return std::move(out_); }

 private:
  // "[x] " at the beginning of an item.
  static void make_task(Piece& piece) {
    if (piece.kind != Piece::Kind::paragraph || piece.containers.empty()) return;
    Container& item = piece.containers.back();
    const std::string_view box = std::string_view(piece.text).substr(0, 4);
    if (item.quote || !item.fresh || item.marker != "• ") return;
    if (box != "[ ] " && box != "[x] " && box != "[X] ") return;
    item.marker = box == "[ ] " ? "☐ " : "☑ ";
    piece.text.erase(0, 4);
  }
  static bool shows_marker(const Piece& piece) {
    return std::any_of(piece.containers.begin(), piece.containers.end(),
                       [](const Container& c) { return c.fresh && !c.quote; });
  }
  // A blank line, inside the quotes that go on.
  Line space_before(const Piece& piece) const {
    std::vector<Container> shared = piece.containers;
    while (!shared.empty() && (shared.back().fresh || !shared.back().quote)) shared.pop_back();
    Line line = margin_of(shared, columns_).rest;
    while (!line.empty() && line.back().text.find_first_not_of(' ') == std::string::npos)
      line.pop_back();
    if (!line.empty()) line.back().text.erase(line.back().text.find_last_not_of(' ') + 1);
    return line;
  }

  void put(Lines lines) {
    for (Line& line : lines) out_.push_back(std::move(line));
  }
  void text(std::string_view source, const Style& style) {
    for (const Line& line : markdown::inline_text(source, style)) {
      put(chat::wrap(line, columns_, margin_));
      margin_.first = margin_.rest;
    }
  }
  void heading(const Piece& piece) {
    Style style{.bold = true};
    style.underline = piece.level == 1;
    const std::string mark = std::string(static_cast<std::size_t>(piece.level), '#') + " ";
    add(margin_.first, mark, {.bold = true, .dim = true});
    add(margin_.rest, std::string(mark.size(), ' '));
    text(piece.text, style);
  }
  void code(const Line& source) {
    if (!source.empty()) add(margin_.first, "  ");
    add(margin_.rest, "  ");
    put(chop(source, columns_, margin_));
  }
  void rule() {
    const std::size_t used = std::min(width(margin_.first), columns_ - 1);
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(columns_ - used, 40); ++i) text += "─";
    put(chop(line_of(text, frame), columns_, margin_));
  }
  static const std::vector<std::size_t>& first_widths(const TableHead& head, std::size_t room) {
    if (head.screen != room) {
      head.widths = markdown::column_widths(markdown::table(head.first), room);
      head.screen = room;
    }
    return head.widths;
  }
  void table(const Piece& piece) {
    const std::size_t room = columns_ - std::min(width(margin_.first), columns_ - 1);
    const markdown::Table table = markdown::table(piece.text);
    if (table.rows.empty()) return text(piece.text, {});  // md4c sees none: never lose it
    const auto widths = piece.continues ? first_widths(*piece.continues, room)
                                        : markdown::column_widths(table, room);
    for (const Line& row : markdown::table_lines(table, widths, room, !piece.continues)) {
      Line line = margin_.first;
      add(line, row);
      out_.push_back(std::move(line));
      margin_.first = margin_.rest;
    }
  }

  std::size_t columns_;
  CodeHighlight& highlight_;
  Margin margin_;
  Lines out_;
};

Lines render(std::vector<Piece> pieces, std::size_t columns, CodeHighlight& highlight) {
  Renderer renderer(columns, highlight);
  for (Piece& piece : pieces) renderer.render(std::move(piece));
  return renderer.take();
}

}  // namespace

void MarkdownStream::append(std::string_view text) {
  parser_.append(text, finished_);
  open_is_current_ = false;
}

void MarkdownStream::finish() {
  parser_.finish(finished_);
  open_is_current_ = false;
}

Lines MarkdownStream::take_finished(std::size_t columns) {
  return render(std::exchange(finished_, {}), columns, code_);
}

const Lines& MarkdownStream::open_lines(std::size_t columns) {
  if (open_is_current_ && open_columns_ == columns) return open_;
  std::vector<Piece> pieces;
  if (!parser_.idle()) {
    BlockParser ahead = parser_;
    ahead.finish(pieces);
  }
  CodeHighlight code = code_;
  open_ = render(std::move(pieces), columns, code);
  open_columns_ = columns;
  open_is_current_ = true;
  return open_;
}

Lines markdown_lines(std::string_view text, std::size_t columns) {
  MarkdownStream stream;
  stream.append(text);
  stream.finish();
  return stream.take_finished(columns);
}

}  // namespace acp::chat
