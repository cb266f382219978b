#include "chat/render/markdown/markdown_blocks.h"

#include <algorithm>
#include <utility>

#include "chat/render/markdown/markdown_lines.h"
#include "chat/render/text/text.h"

namespace acp::chat {

using namespace markdown;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t longest_paragraph = 2048;
constexpr std::size_t longest_line = 1024;
constexpr std::size_t longest_table = 4096;
constexpr std::size_t deepest = 32;
constexpr std::size_t most_columns = 64;

bool in_list(const std::vector<Container>& containers) {
  return std::any_of(containers.begin(), containers.end(),
                     [](const Container& c) { return !c.quote; });
}

// Where to cut a text that is too long: after its last space, or else at a character.
std::size_t cut_at(std::string_view text, std::size_t limit) {
  const auto space = text.find_last_of(" \n", limit - 1);
  return space != text.npos && space > 0 ? space + 1 : character_start(text, limit);
}

std::string_view without_indent(std::string_view text, std::size_t columns) {
  return text.substr(std::min(indent_of(text), columns));
}

}  // namespace

void BlockParser::append(std::string_view text, std::vector<Piece>& out) {
  while (!text.empty()) {
    const std::size_t room = longest_line - pending_.size();
    const std::size_t end = text.substr(0, room).find('\n');
    if (end != text.npos) {
      pending_ += text.substr(0, end);
      text.remove_prefix(end + 1);
      end_line(out);
    } else {
      pending_ += text.substr(0, room);
      text.remove_prefix(std::min(room, text.size()));
      if (pending_.size() == longest_line) cut_pending(out);
    }
  }
}

void BlockParser::finish(std::vector<Piece>& out) {
  if (!pending_.empty()) end_line(out);
  in_line_ = false;
  close_to(0, out);
  sibling_.reset();
}

// The whole of pending_ is one line, or the end of one.
void BlockParser::end_line(std::vector<Piece>& out) {
  std::string_view text = pending_;
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  if (in_line_)
    more(safe(text), out);
  else
    line(safe(text), out);
  in_line_ = false;
  pending_.clear();
}

void BlockParser::cut_pending(std::vector<Piece>& out) {
  const std::size_t size = cut_at(pending_, longest_line - 4);
  const std::string part = safe(std::string_view(pending_).substr(0, size));
  pending_.erase(0, size);
  if (in_line_)
    more(part, out);
  else
    line(part, out);
  in_line_ = true;
}

std::size_t BlockParser::match_containers(std::string_view& rest) const {
  std::size_t matched = 0;
  for (const Container& container : containers_) {
    const std::size_t indent = indent_of(rest);
    if (container.quote) {
      if (indent > 3 || indent == rest.size() || rest[indent] != '>') break;
      rest.remove_prefix(indent + 1);
      if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
    } else if (indent == rest.size()) {
      // An item that begins with a blank line ends with the second.
      if (container.fresh && !leaf_) break;
    } else {
      if (indent < container.indent) break;
      rest.remove_prefix(container.indent);
    }
    ++matched;
  }
  return matched;
}

void BlockParser::line(std::string_view text, std::vector<Piece>& out) {
  std::string_view rest = text;
  std::size_t matched = match_containers(rest);
  const bool code =
      leaf_ && (leaf_->kind == Leaf::Kind::fence || leaf_->kind == Leaf::Kind::indented);
  if (code) {
    if (matched == containers_.size() && in_code(rest, out)) return;
    close_leaf(out);
  }
  if (is_blank(rest)) {
    close_to(matched, out);
    blank_ = true;
    return;
  }
  if (underlines(rest, matched, out)) return;
  if (!begin_block(rest, matched, out)) text_line(rest, matched, out);
}

bool BlockParser::in_code(std::string_view rest, std::vector<Piece>& out) {
  if (leaf_->kind == Leaf::Kind::fence) {
    if (closes(rest, leaf_->fence, leaf_->fence_length))
      close_leaf(out);
    else
      emit({Piece::Kind::code_line, std::string(without_indent(rest, leaf_->fence_indent))}, out);
    return true;
  }
  if (is_blank(rest)) {
    ++leaf_->blank_lines;
    return true;
  }
  if (indent_of(rest) < 4) {
    blank_ = blank_ || leaf_->blank_lines > 0;
    return false;
  }
  for (; leaf_->blank_lines > 0; --leaf_->blank_lines) emit({Piece::Kind::code_line}, out);
  emit({Piece::Kind::code_line, std::string(rest.substr(4))}, out);
  return true;
}

bool BlockParser::underlines(std::string_view rest, std::size_t matched, std::vector<Piece>& out) {
  if (!leaf_ || leaf_->kind != Leaf::Kind::paragraph || matched != containers_.size()) return false;
  const int level = underline_level(rest);
  if (level == 0) return false;
  Piece piece{Piece::Kind::heading, std::move(leaf_->text), level};
  leaf_.reset();
  emit(std::move(piece), out);
  return true;
}

bool BlockParser::begin_block(std::string_view& rest, std::size_t& matched,
                              std::vector<Piece>& out) {
  while (!is_blank(rest)) {
    const std::size_t indent = indent_of(rest);
    if (indent > 3) {
      if (leaf_) return false;  // nothing of this can interrupt a paragraph
      close_to(matched, out);
      leaf_ = Leaf{Leaf::Kind::indented};
      emit({Piece::Kind::code_begin}, out);
      emit({Piece::Kind::code_line, std::string(rest.substr(4))}, out);
      return true;
    }
    if (rest[indent] == '>' && matched < deepest) {
      close_to(matched, out);
      rest.remove_prefix(indent + 1);
      if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
      containers_.push_back({.quote = true, .marker = "│ "});
      ++matched;
    } else if (const auto found = heading(rest)) {
      close_to(matched, out);
      emit({Piece::Kind::heading, std::string(found->text), found->level}, out);
      return true;
    } else if (const auto found = fence(rest)) {
      close_to(matched, out);
      leaf_ = Leaf{Leaf::Kind::fence};
      leaf_->fence = found->mark;
      leaf_->fence_length = found->length;
      leaf_->fence_indent = found->indent;
      emit({Piece::Kind::code_begin, std::string(found->language)}, out);
      return true;
    } else if (is_rule(rest)) {
      close_to(matched, out);
      emit({Piece::Kind::rule}, out);
      return true;
    } else if (!begin_item(rest, matched, out)) {
      return false;
    }
  }
  return true;  // containers without anything in them yet
}

bool BlockParser::begin_item(std::string_view& rest, std::size_t& matched,
                             std::vector<Piece>& out) {
  const auto found = matched < deepest ? bullet(rest) : std::nullopt;
  if (!found) return false;
  // What interrupts a paragraph is no number at the start of a line, and not empty.
  if (leaf_ && matched == containers_.size() &&
      (found->empty || (ordered(found->delimiter) && found->number != 1)))
    return false;
  close_to(matched, out);
  Container item{.indent = found->indent, .delimiter = found->delimiter, .number = found->number};
  const bool next = sibling_ && sibling_depth_ == matched && sibling_->delimiter == item.delimiter;
  if (next) item.number = sibling_->number + 1;
  item.marker = ordered(item.delimiter) ? std::to_string(item.number) + item.delimiter + " " : "• ";
  containers_.push_back(std::move(item));
  ++matched;
  rest = found->rest;
  return true;
}

void BlockParser::text_line(std::string_view rest, std::size_t matched, std::vector<Piece>& out) {
  const bool paragraph = leaf_ && leaf_->kind == Leaf::Kind::paragraph;
  if (matched == containers_.size() ? !leaf_.has_value() : !paragraph) close_to(matched, out);
  if (!leaf_) {
    leaf_ = Leaf{};
  } else {
    if (paragraph && matched == containers_.size() && begin_table(rest, out)) return;
    leaf_->text += '\n';
    if (indent_of(rest) > 3) leaf_->text += "    ";  // lest it begins a block for md4c
  }
  leaf_->text += rest.substr(indent_of(rest));
  give_out_long(out);
}

// Whether this is the line below the head of a table.
bool BlockParser::begin_table(std::string_view row, std::vector<Piece>& out) {
  const std::size_t columns = delimiter_columns(row);
  if (columns == 0 || columns > most_columns) return false;
  const auto last = leaf_->text.rfind('\n');
  std::string head = last == std::string::npos ? leaf_->text : leaf_->text.substr(last + 1);
  if (head.find('|') == std::string::npos || row_columns(head) != columns) return false;
  if (last != std::string::npos) {
    leaf_->text.resize(last);
    close_leaf(out);
    leaf_ = Leaf{};
  }
  leaf_->kind = Leaf::Kind::table;
  leaf_->text = std::move(head) + "\n" + long_delimiters(row);
  leaf_->rows = leaf_->text.size();
  return true;
}

void BlockParser::more(std::string_view text, std::vector<Piece>& out) {
  if (leaf_ && (leaf_->kind == Leaf::Kind::fence || leaf_->kind == Leaf::Kind::indented))
    return emit({Piece::Kind::code_line, std::string(text)}, out);
  if (!leaf_) {
    leaf_ = Leaf{};
    leaf_->cut = true;
  }
  // The row's beginning may be on the screen already.
  if (leaf_->kind == Leaf::Kind::table && leaf_->text.size() == leaf_->rows) leaf_->text += '\n';
  leaf_->text += text;
  give_out_long(out);
}

void BlockParser::give_out_long(std::vector<Piece>& out) {
  while (leaf_->kind == Leaf::Kind::paragraph && leaf_->text.size() > longest_paragraph) {
    const std::size_t size = cut_at(leaf_->text, longest_paragraph);
    Piece piece{Piece::Kind::paragraph, leaf_->text.substr(0, size)};
    leaf_->text.erase(0, size);
    emit(std::move(piece), out);
    leaf_->cut = true;
  }
  // Once the columns have their widths, row by row.
  if (leaf_->kind == Leaf::Kind::table &&
      leaf_->text.size() - leaf_->rows > (leaf_->head ? 0 : longest_table)) {
    Piece piece{Piece::Kind::table, leaf_->text};
    piece.continues = leaf_->head;
    if (!leaf_->head) leaf_->head = std::make_shared<TableHead>(TableHead{leaf_->text});
    leaf_->text.resize(leaf_->rows);
    emit(std::move(piece), out);
    leaf_->cut = true;
  }
}

bool BlockParser::has_fresh() const {
  return std::any_of(containers_.begin(), containers_.end(),
                     [](const Container& c) { return c.fresh; });
}

void BlockParser::close_leaf(std::vector<Piece>& out) {
  if (!leaf_) return;
  Piece piece{leaf_->kind == Leaf::Kind::table ? Piece::Kind::table : Piece::Kind::paragraph,
              std::move(leaf_->text)};
  const bool code = leaf_->kind == Leaf::Kind::fence || leaf_->kind == Leaf::Kind::indented;
  const bool empty = piece.kind == Piece::Kind::table
                         ? leaf_->head && piece.text.size() == leaf_->rows
                         : is_blank(piece.text);
  piece.continues = leaf_->head;
  if (leaf_->kind == Leaf::Kind::indented) blank_ = blank_ || leaf_->blank_lines > 0;
  if (!code && !empty) {
    emit(std::move(piece), out);  // sees leaf_->cut
  }
  leaf_.reset();
}

void BlockParser::close_to(std::size_t depth, std::vector<Piece>& out) {
  close_leaf(out);
  if (containers_.size() <= depth) return;
  if (has_fresh()) emit({}, out);
  if (!containers_[depth].quote) {
    sibling_ = std::move(containers_[depth]);
    sibling_depth_ = depth;
  } else if (sibling_depth_ == depth) {
    sibling_.reset();
  }
  containers_.resize(depth);
}

void BlockParser::emit(Piece piece, std::vector<Piece>& out) {
  const bool list = in_list(containers_);
  const bool follows = piece.kind == Piece::Kind::code_line || (leaf_ && leaf_->cut);
  piece.space_before = any_ && !follows && (blank_ || (!list && !was_in_list_));
  piece.containers = containers_;
  for (Container& container : containers_) container.fresh = false;
  // A list ends with what stands beside it.
  if (sibling_ && containers_.size() <= sibling_depth_) sibling_.reset();
  any_ = true;
  blank_ = false;
  was_in_list_ = list;
  out.push_back(std::move(piece));
}

}  // namespace acp::chat
