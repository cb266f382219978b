// The line in which a person types: keys in, and what they ask for out. Knows no terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/completion.h"
#include "chat/editor.h"
#include "chat/keys.h"
#include "chat/styled.h"

namespace acp::chat {

class InputLine {
 public:
  // What the word at the cursor could become.
  using Complete = std::function<Completion(std::string_view text, std::size_t cursor)>;
  // What a key asks of the chat.
  enum class Wish { nothing, send, interrupt, leave };

  explicit InputLine(Complete complete) : complete_(std::move(complete)) {}

  // Reads the file, and keeps the history there from now on. Throws std::runtime_error.
  void open_history(std::string file);
  // Writes the file. Throws std::runtime_error once; then the history is kept no more.
  void keep_history();

  Wish key(const Key& key);
  // Gives the text out, and into the history.
  std::string take();
  void insert(std::string_view text) { editor_.insert(text); }
  void clear();
  void close_list() { candidates_.clear(); }

  const std::string& text() const { return editor_.text(); }
  bool empty() const { return editor_.empty(); }

  // The text in at most so many rows, with the cursor.
  EditorRows rows(std::size_t columns, std::size_t most) const;
  // What it could become, above it.
  Lines list(std::size_t columns) const;

 private:
  void complete_word();

  const Complete complete_;
  Editor editor_;
  History history_;
  std::string history_file_;
  std::vector<Completion::Candidate> candidates_;
};

}  // namespace acp::chat
