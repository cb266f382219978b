#include "chat/tui/input/editor.h"

#include <algorithm>
#include <utility>

#include "chat/render/text/text.h"

namespace acp::chat {

namespace {

bool in_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte == '_';
}

}  // namespace

std::string typed_text(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r') {
      if (i + 1 < text.size() && text[i + 1] == '\n') continue;
      clean += '\n';
    } else if (c == '\n' || c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)) {
      clean += c;
    }
  }
  return clean;
}

void History::add(std::string text) {
  if (text.find_first_not_of(" \t\n") == std::string::npos) return;
  if (!entries_.empty() && entries_.back() == text) return;
  entries_.push_back(std::move(text));
  if (entries_.size() > most_)
    entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(most_));
}

std::string History::serialize() const {
  std::string out;
  for (const std::string& entry : entries_) {
    for (const char c : entry) {
      if (c == '\n')
        out += "\\n";
      else if (c == '\\')
        out += "\\\\";
      else
        out += c;
    }
    out += '\n';
  }
  return out;
}

void History::parse(std::string_view text) {
  entries_.clear();
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    std::string entry;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\' && i + 1 < line.size())
        entry += line[++i] == 'n' ? '\n' : line[i];
      else
        entry += line[i];
    }
    add(std::move(entry));
  }
}

void Editor::set(std::string text) {
  text_ = typed_text(text);
  cursor_ = text_.size();
  edited();
}

std::string Editor::take() {
  std::string text = std::exchange(text_, {});
  cursor_ = 0;
  edited();
  return text;
}

void Editor::insert(std::string_view text) { replace(cursor_, text); }

void Editor::replace(std::size_t from, std::string_view text) {
  const std::string clean = typed_text(text);
  text_.replace(from, cursor_ - from, clean);
  cursor_ = from + clean.size();
  edited();
}

// Characters are counted from the beginning of their line: where one begins depends on what stands
// before it.
std::size_t Editor::before(std::size_t at) const {
  if (at == 0) return 0;
  std::size_t place = start_of_line(at);
  if (place == at) return at - 1;  // the line end
  while (true) {
    const std::size_t next = after(place);
    if (next >= at) return place;
    place = next;
  }
}

std::size_t Editor::after(std::size_t at) const {
  if (at >= text_.size()) return text_.size();
  if (text_[at] == '\n' || text_[at] == '\t') return at + 1;
  const std::string_view rest = std::string_view(text_).substr(at, end_of_line(at) - at);
  return at + std::max<std::size_t>(first_cluster(rest).text.size(), 1);
}

std::size_t Editor::start_of_line(std::size_t at) const {
  if (at == 0) return 0;
  const std::size_t end = text_.rfind('\n', at - 1);
  return end == std::string::npos ? 0 : end + 1;
}

std::size_t Editor::end_of_line(std::size_t at) const {
  return std::min(text_.find('\n', at), text_.size());
}

void Editor::backspace() {
  const std::size_t from = before(cursor_);
  text_.erase(from, cursor_ - from);
  cursor_ = from;
  edited();
}

void Editor::erase() {
  text_.erase(cursor_, after(cursor_) - cursor_);
  edited();
}

void Editor::left() { cursor_ = before(cursor_); }
void Editor::right() { cursor_ = after(cursor_); }

void Editor::word_left() {
  while (cursor_ > 0 && !in_word(text_[before(cursor_)])) left();
  while (cursor_ > 0 && in_word(text_[before(cursor_)])) left();
}

void Editor::word_right() {
  while (cursor_ < text_.size() && !in_word(text_[cursor_])) right();
  while (cursor_ < text_.size() && in_word(text_[cursor_])) right();
}

void Editor::line_start() { cursor_ = start_of_line(cursor_); }
void Editor::line_end() { cursor_ = end_of_line(cursor_); }

void Editor::go_to_column(std::size_t line_start, std::size_t column) {
  const std::size_t end = end_of_line(line_start);
  cursor_ = line_start;
  for (; column > 0 && cursor_ < end; --column) right();
}

bool Editor::up() {
  const std::size_t start = start_of_line(cursor_);
  if (start == 0) return false;
  std::size_t column = 0;
  for (std::size_t at = start; at < cursor_; at = after(at)) ++column;
  go_to_column(start_of_line(start - 1), column);
  return true;
}

bool Editor::down() {
  const std::size_t end = end_of_line(cursor_);
  if (end == text_.size()) return false;
  std::size_t column = 0;
  for (std::size_t at = start_of_line(cursor_); at < cursor_; at = after(at)) ++column;
  go_to_column(end + 1, column);
  return true;
}

void Editor::kill(std::size_t from, std::size_t to) {
  if (from == to) return;
  killed_ = text_.substr(from, to - from);
  text_.erase(from, to - from);
  cursor_ = from;
  edited();
}

void Editor::kill_to_end() {
  const std::size_t end = end_of_line(cursor_);
  kill(cursor_, end == cursor_ && end < text_.size() ? end + 1 : end);
}
void Editor::kill_to_start() { kill(start_of_line(cursor_), cursor_); }

void Editor::kill_word_left() {
  const std::size_t to = cursor_;
  word_left();
  kill(cursor_, to);
}

void Editor::kill_word_right() {
  const std::size_t from = cursor_;
  word_right();
  kill(from, cursor_);
}

void Editor::earlier(const History& history) {
  const auto& entries = history.entries();
  if (entries.empty() || in_history_ == 0) return;
  if (in_history_ == no_entry) typed_ = text_;
  const std::size_t at = in_history_ == no_entry ? entries.size() - 1 : in_history_ - 1;
  set(entries[at]);
  in_history_ = at;
}

void Editor::later(const History& history) {
  if (in_history_ == no_entry) return;
  const std::size_t at = in_history_ + 1;
  if (at >= history.entries().size()) {
    set(typed_);
    return;
  }
  set(history.entries()[at]);
  in_history_ = at;
}

EditorRows editor_rows(const Editor& editor, const Line& prompt, std::size_t columns,
                       std::size_t most) {
  EditorRows out;
  const std::size_t indent = width(prompt);
  const std::size_t room = columns > indent + 2 ? columns - indent - 1 : 1;
  std::string row;
  std::size_t column = 0;
  const auto end_row = [&] {
    Line line = out.rows.empty() ? prompt : line_of(std::string(indent, ' '));
    add(line, row);
    out.rows.push_back(std::move(line));
    row.clear();
    column = 0;
  };
  const std::string_view text = editor.text();
  for (std::size_t at = 0;;) {
    if (at == editor.cursor()) {
      out.cursor_row = out.rows.size();
      out.cursor_column = indent + column;
    }
    if (at >= text.size()) break;
    if (text[at] == '\n') {
      end_row();
      ++at;
      continue;
    }
    std::string shown;
    std::size_t size = 1;
    if (text[at] == '\t') {
      shown = "  ";
    } else {
      const std::string_view cluster = first_cluster(text.substr(at)).text;
      size = std::max<std::size_t>(cluster.size(), 1);
      shown = safe(text.substr(at, size));
    }
    const std::size_t wide = width(std::string_view(shown));
    if (column + wide > room && column > 0) {
      end_row();
      if (at == editor.cursor()) {
        out.cursor_row = out.rows.size();
        out.cursor_column = indent;
      }
    }
    row += shown;
    column += wide;
    at += size;
  }
  end_row();
  if (most > 0 && out.rows.size() > most) {
    const std::size_t first =
        std::min(out.cursor_row >= most ? out.cursor_row - most + 1 : 0, out.rows.size() - most);
    out.rows.erase(out.rows.begin() + static_cast<std::ptrdiff_t>(first + most), out.rows.end());
    out.rows.erase(out.rows.begin(), out.rows.begin() + static_cast<std::ptrdiff_t>(first));
    out.cursor_row -= first;
  }
  return out;
}

}  // namespace acp::chat
