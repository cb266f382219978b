#include "acp/io/printable.h"
#include "chat/chat_ui.h"
#include "chat/text.h"

namespace acp::chat {

// A question gets the keys while nothing is typed, and Enter alone answers it: an answer is never
// what was meant as text.
bool ChatUi::to_dialog() const { return !dialogs_.empty() && (input_.empty() || dialog_focused_); }

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
      input_.insert(text);
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
  to_input(key);
}

void ChatUi::to_input(const Key& key) {
  switch (input_.key(key)) {
    case InputLine::Wish::nothing:
      return;
    case InputLine::Wish::send:
      return enter();
    case InputLine::Wish::interrupt:
      return interrupt(false);
    case InputLine::Wish::leave:
      return leave(0);
  }
}

// Once cancels, twice within two seconds leaves.
void ChatUi::interrupt(bool may_leave) {
  const auto now = Clock::now();
  const bool again = now - last_interrupt_ < std::chrono::seconds(2);
  if (may_leave && again) return leave(130);
  if (may_leave) last_interrupt_ = now;
  input_.close_list();
  if (conversation_.working()) {
    conversation_.cancel();
  } else if (!dialogs_.empty()) {
    const std::shared_ptr<Dialog> dialog = dialogs_.front();
    dialogs_.pop_front();
    dialog->dismiss();
  } else if (!input_.empty()) {
    input_.clear();
  } else if (may_leave) {
    say("Ctrl-C once more, or Ctrl-D, leaves");
  }
  dirty_ = true;
}

void ChatUi::enter() {
  const std::string text = input_.take();
  if (text.find_first_not_of(" \t\n") == std::string::npos && conversation_.attached().empty())
    return;
  try {
    input_.keep_history();
  } catch (const std::runtime_error& error) {
    say_error(std::string("The history is not kept: ") + error.what());
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
