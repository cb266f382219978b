// The text that is being typed: a pure model, without a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chat/render/text/styled.h"

namespace acp::chat {

// Earlier entries, oldest first, at most `most`.
class History {
 public:
  explicit History(std::size_t most = 1000) : most_(most) {}
  // Adds an entry, unless it is empty or the same as the last.
  void add(std::string text);
  const std::vector<std::string>& entries() const { return entries_; }

  // One entry a line, line ends and backslashes escaped.
  std::string serialize() const;
  void parse(std::string_view text);

 private:
  std::size_t most_;
  std::vector<std::string> entries_;
};

// Cleans typed or pasted text: line ends are kept; \r\n and \r become \n, other control characters
// but tabs are left out.
std::string typed_text(std::string_view bytes);

// The cursor is always between characters as people see them.
class Editor {
 public:
  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }  // in bytes
  bool empty() const { return text_.empty(); }
  void set(std::string text);
  // Returns the text, and clears it.
  std::string take();

  // Inserts text, cleaned by typed_text().
  void insert(std::string_view text);
  // Replaces the text between `from` and the cursor.
  void replace(std::size_t from, std::string_view text);
  void backspace();
  void erase();
  void left();
  void right();
  void word_left();
  void word_right();
  void line_start();
  void line_end();
  // Return false if there is no line above, or below.
  bool up();
  bool down();
  // Cut text, which can be yanked.
  void kill_to_end();
  void kill_to_start();
  void kill_word_left();
  void kill_word_right();
  void yank() { insert(killed_); }

  // Show earlier and later entries; the typed text comes back after the last.
  void earlier(const History& history);
  void later(const History& history);

 private:
  std::size_t before(std::size_t at) const;
  std::size_t after(std::size_t at) const;
  std::size_t start_of_line(std::size_t at) const;
  std::size_t end_of_line(std::size_t at) const;
  void kill(std::size_t from, std::size_t to);
  void go_to_column(std::size_t line_start, std::size_t column);
  void edited() { in_history_ = no_entry; }

  static constexpr std::size_t no_entry = static_cast<std::size_t>(-1);
  std::string text_;
  std::size_t cursor_ = 0;
  std::string killed_;
  std::size_t in_history_ = no_entry;
  std::string typed_;  // before the history was looked at
};

// The text in rows, and the cursor's place in them.
struct EditorRows {
  Lines rows;
  std::size_t cursor_row = 0;
  std::size_t cursor_column = 0;
};
// Draws the text, with `prompt` before the first row, blanks before the others, in at most `most`
// rows around the cursor.
EditorRows editor_rows(const Editor& editor, const Line& prompt, std::size_t columns,
                       std::size_t most);

}  // namespace acp::chat
