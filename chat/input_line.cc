#include "chat/input_line.h"

#include <algorithm>
#include <utility>

#include "settings/file.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_candidates = 8;

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

InputLine::Wish InputLine::key(const Key& key) {
  if (key.is("Tab")) {
    complete_word();
    return Wish::nothing;
  }
  close_list();
  if (key.kind == Key::Kind::text || key.kind == Key::Kind::paste) {
    editor_.insert(key.text);
    return Wish::nothing;
  }
  for (const Binding& binding : bindings)
    if (key.is(binding.key)) {
      (editor_.*binding.edit)();
      return Wish::nothing;
    }
  if (key.is("Enter")) {
    // A backslash at the end of the text is a line end.
    if (!text().ends_with('\\') || editor_.cursor() != text().size()) return Wish::send;
    editor_.backspace();
    editor_.insert("\n");
  } else if (key.is("M-Enter") || key.is("S-Enter") || key.is("C-j")) {
    editor_.insert("\n");
  } else if (key.is("C-d")) {
    if (empty()) return Wish::leave;
    editor_.erase();
  } else if (key.is("Escape")) {
    return Wish::interrupt;
  } else if (key.is("Up") || key.is("C-p")) {
    if (!editor_.up()) editor_.earlier(history_);
  } else if (key.is("Down") || key.is("C-n")) {
    if (!editor_.down()) editor_.later(history_);
  }
  return Wish::nothing;
}

void InputLine::complete_word() {
  close_list();
  const Completion found = complete_(text(), editor_.cursor());
  if (found.candidates.empty()) return;
  std::string text = found.shared();
  if (found.candidates.size() == 1 && !text.ends_with('/')) text += ' ';
  editor_.replace(found.from, text);
  if (found.candidates.size() > 1) candidates_ = found.candidates;
}

std::string InputLine::take() {
  close_list();
  std::string text = editor_.take();
  history_.add(text);
  return text;
}

void InputLine::clear() {
  close_list();
  editor_.set("");
}

EditorRows InputLine::rows(std::size_t columns, std::size_t most) const {
  const Line prompt = line_of("❯ ", {.bold = true, .colour = Colour::cyan});
  return editor_rows(editor_, prompt, columns, most);
}

Lines InputLine::list(std::size_t columns) const {
  Lines lines;
  for (std::size_t i = 0; i < std::min(candidates_.size(), most_candidates); ++i) {
    Line line = line_of("  " + candidates_[i].text, {.colour = Colour::cyan});
    add(line, "  " + candidates_[i].description, {.dim = true});
    lines.push_back(fit(line, columns));
  }
  if (candidates_.size() > most_candidates)
    lines.push_back(line_of(
        "  and " + std::to_string(candidates_.size() - most_candidates) + " more", {.dim = true}));
  return lines;
}

}  // namespace acp::chat
