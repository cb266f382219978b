// The line in which a person types: takes keys, and returns the person's wishes. Independent of the
// terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "chat/render/text/styled.h"
#include "chat/tui/input/completion.h"
#include "chat/tui/input/editor.h"
#include "chat/tui/input/keys.h"
#include "chat/tui/input/pasted.h"

namespace acp::chat {

class InputLine {
 public:
  // Completes the word at the cursor.
  using Complete = std::function<Completion(std::string_view text, std::size_t cursor)>;
  // What a key asks the chat to do.
  enum class Wish {
    nothing,
    send,
    interrupt,
    leave,
    next_mode,
    edit_outside,  // in the person's own editor
  };

  explicit InputLine(Complete complete) : complete_(std::move(complete)) {}

  // Reads the file, and keeps the history there from now on. Throws std::runtime_error.
  void open_history(std::string file);
  // Writes the file. Throws std::runtime_error once; then the history is kept no more.
  void keep_history();

  Wish key(const Key& key);
  // Returns the whole text, with pastes, and adds it to the history.
  std::string take();
  // Puts a draft that is not sent into the history.
  void put_away() { static_cast<void>(take()); }
  // Adds a text to the history that came in another way.
  void remember(const std::string& text) { history_.add(text); }
  void insert(std::string_view text);
  void set(std::string text);
  // Inserts text before the typed text.
  void put_before(const std::string& text);
  // Closes the list, or the search. Returns false if there is neither.
  bool close_list();
  // Makes the list anew, because files were found.
  void refresh_list() { stale_ = true; }

  // The text with pastes.
  std::string text() const { return pasted_.unfold(editor_.text()); }
  bool empty() const { return editor_.empty(); }

  // The text in at most so many rows, with the cursor.
  EditorRows rows(std::size_t columns, std::size_t most) const;
  // The completions, or the search, in at most so many rows.
  Lines list(std::size_t columns, std::size_t most) const;

 private:
  struct Search {
    std::string query;
    std::size_t before;  // entries from here on were passed
    bool found;
    std::string draft;
  };

  bool search_key(const Key& key);
  void search(bool goes_on);
  bool list_key(const Key& key);
  void edited();
  // The completion of the current text.
  const Completion& completion() const;
  void take_candidate(std::size_t index);

  const Complete complete_;
  Editor editor_;
  Pasted pasted_;
  History history_;
  std::string history_file_;
  std::optional<Search> search_;

  // The list while typing.
  mutable Completion completion_;
  mutable bool stale_ = false;
  bool closed_ = true;                 // nothing was typed since it was closed
  std::optional<std::size_t> chosen_;  // by arrows
};

}  // namespace acp::chat
