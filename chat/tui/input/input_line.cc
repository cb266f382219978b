#include "chat/tui/input/input_line.h"

#include <algorithm>
#include <utility>

#include "acp/json/utf8.h"
#include "settings/file.h"

namespace acp::chat {

namespace {

struct Binding {
  const char* key;
  void (Editor::*edit)();
};
constexpr Binding bindings[] = {{"Backspace", &Editor::backspace},
                                {"C-h", &Editor::backspace},
                                {"Delete", &Editor::erase},
                                {"Left", &Editor::left},
                                {"C-b", &Editor::left},
                                {"Right", &Editor::right},
                                {"C-f", &Editor::right},
                                {"C-Left", &Editor::word_left},
                                {"M-b", &Editor::word_left},
                                {"C-Right", &Editor::word_right},
                                {"M-f", &Editor::word_right},
                                {"Home", &Editor::line_start},
                                {"C-a", &Editor::line_start},
                                {"End", &Editor::line_end},
                                {"C-e", &Editor::line_end},
                                {"C-k", &Editor::kill_to_end},
                                {"C-u", &Editor::kill_to_start},
                                {"C-w", &Editor::kill_word_left},
                                {"M-Backspace", &Editor::kill_word_left},
                                {"M-d", &Editor::kill_word_right},
                                {"C-y", &Editor::yank}};

}  // namespace

void InputLine::open_history(std::string file) {
  if (file.empty()) return;
  if (const auto kept = settings::read_settings_file(file, settings::Trust::owner))
    history_.parse(*kept);
  history_file_ = std::move(file);
}

void InputLine::keep_history() {
  if (history_file_.empty()) return;
  const std::string file = std::exchange(history_file_, {});
  settings::PrivateFileChange(file).write(history_.serialize());
  history_file_ = file;
}

void InputLine::edited() {
  stale_ = true;
  closed_ = false;
  chosen_.reset();
}

const Completion& InputLine::completion() const {
  if (std::exchange(stale_, false)) completion_ = complete_(editor_.text(), editor_.cursor());
  return completion_;
}

InputLine::Wish InputLine::key(const Key& key) {
  if (search_ && search_key(key)) return Wish::nothing;
  if (list_key(key)) return Wish::nothing;
  if (key.kind == Key::Kind::text) {
    editor_.insert(key.text);
    edited();
    return Wish::nothing;
  }
  if (key.kind == Key::Kind::paste) {
    editor_.insert(pasted_.fold(typed_text(key.text)));
    edited();
    return Wish::nothing;
  }
  if (key.is("Backspace") || key.is("C-h")) {
    const std::string_view before = std::string_view(editor_.text()).substr(0, editor_.cursor());
    if (const std::size_t size = pasted_.ends_in(before); size > 0) {
      editor_.replace(editor_.cursor() - size, "");
      edited();
      return Wish::nothing;
    }
  }
  for (const Binding& binding : bindings)
    if (key.is(binding.key)) {
      (editor_.*binding.edit)();
      edited();
      return Wish::nothing;
    }
  if (key.is("Enter")) {
    // A backslash at the end of the text is a line end.
    if (!editor_.text().ends_with('\\') || editor_.cursor() != editor_.text().size())
      return Wish::send;
    editor_.backspace();
    editor_.insert("\n");
    edited();
  } else if (key.is("M-Enter") || key.is("S-Enter") || key.is("C-j")) {
    editor_.insert("\n");
    edited();
  } else if (key.is("C-d")) {
    if (empty()) return Wish::leave;
    editor_.erase();
    edited();
  } else if (key.is("Escape")) {
    return Wish::interrupt;
  } else if (key.is("S-Tab")) {
    return Wish::next_mode;
  } else if (key.is("C-g")) {
    return Wish::edit_outside;
  } else if (key.is("C-r")) {
    search_ = {
        .query = {}, .before = history_.entries().size(), .found = true, .draft = editor_.text()};
  } else if (key.is("Up") || key.is("C-p")) {
    if (!editor_.up()) editor_.earlier(history_);
    close_list();
  } else if (key.is("Down") || key.is("C-n")) {
    if (!editor_.down()) editor_.later(history_);
    close_list();
  }
  return Wish::nothing;
}

// ---- the list

bool InputLine::list_key(const Key& key) {
  const bool moves = key.is("Up") || key.is("Down") || key.is("C-p") || key.is("C-n");
  if (key.is("Tab")) {
    closed_ = false;
    if (!completion().candidates.empty()) take_candidate(chosen_.value_or(0));
    return true;
  }
  if (closed_ || (!moves && !key.is("Enter") && !key.is("Escape"))) return false;
  const std::size_t count = completion().candidates.size();
  if (count == 0) return false;
  if (moves) {
    const std::size_t at = chosen_.value_or(0);
    chosen_ = key.is("Up") || key.is("C-p") ? (at + count - 1) % count : (at + 1) % count;
    return true;
  }
  if (key.is("Escape")) return close_list();
  // Enter sends what is typed, unless a row was chosen, or it is but the beginning of a command or
  // of a file's name.
  const std::string_view typed =
      std::string_view(editor_.text()).substr(0, editor_.cursor()).substr(completion_.from);
  if (chosen_) {
    take_candidate(*chosen_);
    return !completion_.command;
  }
  if (!completion_.command && !completion_.exact && typed.size() > 1) {
    take_candidate(0);
    return true;
  }
  if (completion_.command && !completion_.exact && typed.size() > 1 &&
      completion_.candidates.front().text.starts_with(typed))
    take_candidate(0);
  return false;
}

void InputLine::take_candidate(std::size_t index) {
  const Completion found = completion();
  std::string text = found.candidates[index].text;
  if (!text.ends_with('/')) text += ' ';
  editor_.replace(found.from, text);
  edited();
}

bool InputLine::close_list() {
  if (search_) {
    editor_.set(search_->draft);
    search_.reset();
    return true;
  }
  const bool open = !closed_ && !completion().candidates.empty();
  closed_ = stale_ = true;
  chosen_.reset();
  return open;
}

// ---- the search

bool InputLine::search_key(const Key& key) {
  const auto again = [&] {
    search_->before = history_.entries().size();
    search(false);
  };
  if (key.kind == Key::Kind::text) {
    search_->query += key.text;
    again();
  } else if (key.is("Backspace") || key.is("C-h")) {
    while (!search_->query.empty() && json::utf8_continues(search_->query.back()))
      search_->query.pop_back();
    if (!search_->query.empty()) search_->query.pop_back();
    again();
  } else if (key.is("C-r") || key.is("Up")) {
    if (search_->found) search(true);
  } else if (key.is("Escape") || key.is("C-g")) {
    close_list();
  } else {
    // Anything else goes on with what was found; Enter only takes it.
    search_.reset();
    close_list();
    return key.is("Enter") || key.is("Tab");
  }
  return true;
}

// Going on, the same text again is no other match.
void InputLine::search(bool goes_on) {
  const auto& entries = history_.entries();
  search_->found = search_->query.empty();
  if (search_->query.empty()) return editor_.set(search_->draft);
  for (std::size_t i = search_->before; i-- > 0;)
    if (entries[i].find(search_->query) != std::string::npos &&
        !(goes_on && entries[i] == editor_.text())) {
      search_->before = i;
      search_->found = true;
      return editor_.set(entries[i]);
    }
  search_->found = goes_on;  // what is there stays
}

// ---- the text

std::string InputLine::take() {
  std::string text = this->text();
  set("");
  history_.add(text);
  return text;
}

void InputLine::insert(std::string_view text) {
  editor_.insert(text);
  edited();
}

void InputLine::set(std::string text) {
  search_.reset();
  pasted_.clear();
  editor_.set(std::move(text));
  close_list();
}

void InputLine::put_before(const std::string& text) {
  const std::string typed = editor_.text();
  search_.reset();
  editor_.set(typed.empty() ? text : text + "\n" + typed);
  close_list();
}

EditorRows InputLine::rows(std::size_t columns, std::size_t most) const {
  const Line prompt = line_of("❯ ", {.bold = true, .colour = Colour::cyan});
  return editor_rows(editor_, prompt, columns, most);
}

Lines InputLine::list(std::size_t columns, std::size_t most) const {
  if (search_) {
    Line line = line_of("  search: ", aside);
    add(line, search_->query, {.colour = Colour::cyan});
    add(line,
        search_->found ? "  Enter takes it, Ctrl-R goes on, Esc goes back" : "  nothing found",
        aside);
    return {fit(line, columns)};
  }
  Lines lines;
  if (closed_) return lines;
  const auto& candidates = completion().candidates;
  if (candidates.empty() && !completion_.hint.empty())
    return {fit(line_of("  " + completion_.hint, aside), columns)};
  const std::size_t at = chosen_.value_or(0);
  const std::size_t shown = std::min(candidates.size(), std::max<std::size_t>(most, 1));
  const std::size_t first = at >= shown ? at - shown + 1 : 0;
  for (std::size_t i = first; i < first + shown; ++i) {
    Line line = line_of(i == at ? "▸ " : "  ", {.colour = Colour::cyan});
    add(line, candidates[i].text, {.colour = i == at ? Colour::cyan : Colour::normal});
    if (!candidates[i].description.empty()) add(line, "  " + candidates[i].description, aside);
    lines.push_back(fit(line, columns));
  }
  if (candidates.size() > shown)
    lines.push_back(
        fit(line_of("  " + std::to_string(at + 1) + " of " + std::to_string(candidates.size()) +
                        ": ↑ ↓ choose, Tab takes it",
                    aside),
            columns));
  return lines;
}

}  // namespace acp::chat
