#include <utility>

#include "acp/io/printable.h"
#include "chat/chat_ui.h"
#include "chat/text.h"
#include "settings/file.h"

namespace acp::chat {

// A question gets the keys while nothing is typed, and Enter alone answers it: an answer is never
// what was meant as text.
bool ChatUi::to_dialog() const { return !dialogs_.empty() && (editor_.empty() || dialog_focused_); }

void ChatUi::key(const Key& key) {
  if (key.kind == Key::Kind::focus_in || key.kind == Key::Kind::focus_out) {
    focused_ = key.kind == Key::Kind::focus_in;
    return;
  }
  last_key_ = Clock::now();
  if (key.is("C-c")) return interrupt(true);
  if (key.is("C-l")) {
    terminal_.write("\x1b[2J\x1b[H");
    screen_.forget();
    return;
  }
  if (key.is("C-z")) {
    terminal_.write(screen_.clear());
    terminal_.suspend();
    return;
  }
  // A paste is text, whatever is asked.
  const bool pasted = key.kind == Key::Kind::paste && !dialogs_.empty() &&
                      dynamic_cast<FormDialog*>(dialogs_.front().get()) == nullptr;
  if (to_dialog() && !pasted) {
    const std::shared_ptr<Dialog> dialog = dialogs_.front();
    if (key.is("Escape") && dialog->close_view()) return;
    if (key.is("Escape")) {
      // Of a permission question there is no "no answer": the turn ends.
      if (dynamic_cast<ChoiceDialog*>(dialog.get()) != nullptr && dialog->urgent &&
          !static_cast<ChoiceDialog*>(dialog.get())->dismissed)
        return interrupt(false);
      std::erase(dialogs_, dialog);
      dialog->dismiss();
    } else if (key.is("Tab") && dialog_focused_) {
      dialog_focused_ = false;
    } else if (key.kind == Key::Kind::text) {
      const std::string text = dialog->typed(key.text);
      if (text.empty()) return;
      dialog_focused_ = false;
      editor_.insert(text);
    } else if (dialog->key(key)) {
      std::erase(dialogs_, dialog);
      dialog_focused_ = false;
    }
    return;
  }
  if (key.is("Tab") && !dialogs_.empty()) {
    dialog_focused_ = true;
    return;
  }
  edit(key);
}

void ChatUi::edit(const Key& key) {
  using Edit = void (Editor::*)();
  static const std::pair<const char*, Edit> edits[] = {{"Backspace", &Editor::backspace},
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
  if (key.is("Tab")) return complete_word();
  candidates_.clear();
  if (key.kind == Key::Kind::text || key.kind == Key::Kind::paste) return editor_.insert(key.text);
  for (const auto& [name, edit] : edits)
    if (key.is(name)) return (editor_.*edit)();
  if (key.is("Enter")) {
    enter();
  } else if (key.is("M-Enter") || key.is("S-Enter") || key.is("C-j")) {
    editor_.insert("\n");
  } else if (key.is("C-d")) {
    if (editor_.empty())
      leave(0);
    else
      editor_.erase();
  } else if (key.is("Escape")) {
    interrupt(false);
  } else if (key.is("Up") || key.is("C-p")) {
    if (!editor_.up()) editor_.earlier(history_);
  } else if (key.is("Down") || key.is("C-n")) {
    if (!editor_.down()) editor_.later(history_);
  }
}

void ChatUi::complete_word() {
  const Completion found = complete(editor_.text(), editor_.cursor(), commands(), options_.cwd);
  if (found.candidates.empty()) {
    candidates_.clear();
    return;
  }
  std::string text = found.shared();
  if (found.candidates.size() == 1 && !text.ends_with('/')) text += ' ';
  editor_.replace(found.from, text);
  candidates_ =
      found.candidates.size() > 1 ? found.candidates : std::vector<Completion::Candidate>();
}

// Once cancels, twice within two seconds leaves.
void ChatUi::interrupt(bool may_leave) {
  const auto now = Clock::now();
  const bool again = now - last_interrupt_ < std::chrono::seconds(2);
  if (may_leave && again) return leave(130);
  if (may_leave) last_interrupt_ = now;
  candidates_.clear();
  if (working()) {
    if (!cancelled_) {
      cancelled_ = true;
      session_->cancel();
    }
    unsent_ += queue_.size();
    queue_.clear();
  } else if (!dialogs_.empty()) {
    const std::shared_ptr<Dialog> dialog = dialogs_.front();
    dialogs_.pop_front();
    dialog->dismiss();
  } else if (!editor_.empty()) {
    editor_.set("");
  } else if (may_leave) {
    say("Ctrl-C once more, or Ctrl-D, leaves");
  }
  dirty_ = true;
}

void ChatUi::enter() {
  // A backslash at the end of the line is a line end.
  if (editor_.text().ends_with('\\') && editor_.cursor() == editor_.text().size()) {
    editor_.backspace();
    editor_.insert("\n");
    return;
  }
  const std::string text = editor_.take();
  if (text.find_first_not_of(" \t\n") == std::string::npos && attached_.empty()) return;
  history_.add(text);
  if (!history_file_.empty()) {
    try {
      settings::PrivateFileChange(history_file_).write(history_.serialize());
    } catch (const std::runtime_error& error) {
      say_error(std::string("The history is not kept: ") + error.what());
      history_file_.clear();
    }
  }
  submit(text);
}

void ChatUi::entered_line(const std::string& text) {
  dirty_ = true;
  if (!dialogs_.empty()) {
    const std::shared_ptr<Dialog> dialog = dialogs_.front();
    if (dialog->line(text))
      std::erase(dialogs_, dialog);
    else
      print({line_of("That is none of the answers.")});
    if (!dialogs_.empty()) print(dialogs_.front()->shown(screen_.room(), io::whole).lines);
    return;
  }
  if (text.find_first_not_of(" \t\n") != std::string::npos) submit(text);
}

}  // namespace acp::chat
