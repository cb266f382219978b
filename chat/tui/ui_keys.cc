#include "acp/io/printable.h"
#include "chat/render/text/text.h"
#include "chat/tui/input/known_files.h"
#include "chat/tui/input/outside_editor.h"
#include "chat/tui/ui.h"

namespace acp::chat {

// A question gets the keys while nothing is typed, and Enter alone answers it: an answer is never
// what was meant as text.
bool ChatUi::to_dialog() const { return !dialogs_.empty() && (input_.empty() || dialog_focused_); }

// Of a permission question there is no "no answer": the turn ends.
bool ChatUi::escape_stops() const {
  if (!to_dialog()) return true;
  const Dialog& front = *dialogs_.front();
  const auto* const question = dynamic_cast<const ChoiceDialog*>(&front);
  return question != nullptr && front.urgent && !front.is_view() && !question->dismissed;
}

void ChatUi::key(const Key& key) {
  if (key.kind == Key::Kind::focus_in || key.kind == Key::Kind::focus_out) {
    focused_ = key.kind == Key::Kind::focus_in;
    return;
  }
  last_key_ = Clock::now();
  if (key.is("C-c")) return interrupt(true);
  last_interrupt_ = {};
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
    if (key.is("Escape") || (key.is("C-d") && !dialog->urgent)) {
      if (escape_stops()) return interrupt(false);
      std::erase(dialogs_, dialog);
      dialog->dismiss();
    } else if (key.is("Tab") && dialog_focused_) {
      dialog_focused_ = false;
    } else if (key.kind == Key::Kind::text) {
      const std::string text = dialog->typed(key.text);
      if (dialog->closed()) std::erase(dialogs_, dialog);
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
  if (key.is("Up") && input_.empty() && !conversation_.queue().empty())
    return input_.set(conversation_.take_last_queued());
  if ((key.is("Backspace") || key.is("C-h")) && input_.empty() && !conversation_.attached().empty())
    return conversation_.detach_last();
  switch (input_.key(key)) {
    case InputLine::Wish::nothing:
      return;
    case InputLine::Wish::send:
      return enter();
    case InputLine::Wish::interrupt:
      return interrupt(false);
    case InputLine::Wish::leave:
      return leave(0);
    case InputLine::Wish::next_mode:
      return next_mode();
    case InputLine::Wish::edit_outside:
      return edit_outside();
  }
}

Completion ChatUi::completion(std::string_view text, std::size_t cursor) {
  constexpr auto still_new = std::chrono::seconds(5);
  if (text.find('@') != text.npos && !looking_for_files_ &&
      Clock::now() - files_seen_ > still_new) {
    looking_for_files_ = true;
    conversation_.beside_until(
        [this, mailbox = mailbox_, cwd = options_.cwd,
         environment = options_.command_environment](const std::stop_token& stop) {
          mailbox->post([this, files = known_files(cwd, environment, stop)]() mutable {
            files_ = std::move(files);
            files_seen_ = Clock::now();
            looking_for_files_ = false;
            input_.refresh_list();
            dirty_ = true;
          });
        });
  }
  return complete(text, cursor, commands(), options_.cwd, files_);
}

void ChatUi::lend_terminal(const std::function<void()>& use) {
  terminal_.write(screen_.clear());
  terminal_.leave();
  use();
  terminal_.enter();
  screen_.forget();
  dirty_ = true;
}

void ChatUi::edit_outside() {
  std::optional<std::string> text;
  std::string problem = "The editor ended with an error: the text is as it was";
  lend_terminal([&] {
    try {
      text = edited_outside(input_.text(), options_.cwd);
    } catch (const std::runtime_error& failed) {
      problem = failed.what();
    }
  });
  if (text)
    input_.set(*text);
  else
    say_error(problem);
}

// Once cancels. Once more within two seconds leaves, where nothing is left to stop or to clear.
void ChatUi::interrupt(bool may_leave) {
  const auto now = Clock::now();
  const bool runs = (shell_ && !shell_->stop.stop_requested()) ||
                    (conversation_.working() && !conversation_.cancelled());
  const bool again = now - last_interrupt_ < std::chrono::seconds(2) && input_.empty() && !runs;
  if (may_leave && again) return leave(130);
  if (may_leave) last_interrupt_ = now;
  if (input_.close_list()) return;
  if (shell_) {
    shell_->stop.request_stop();
  } else if (conversation_.working()) {
    // What was not sent is there to be sent, or not.
    std::string unsent;
    for (const std::string& text : conversation_.cancel())
      unsent += (unsent.empty() ? "" : "\n") + text;
    if (plain_ && !unsent.empty()) say_error("Not sent: " + unsent);
    if (!plain_ && !unsent.empty()) input_.put_before(unsent);
  } else if (!dialogs_.empty()) {
    const std::shared_ptr<Dialog> dialog = dialogs_.front();
    dialogs_.pop_front();
    dialog->dismiss();
  } else if (!input_.empty()) {
    put_draft_away();
    if (may_leave) say("The text is in the history: ↑ brings it back");
  } else if (may_leave) {
    say("Ctrl-C once more, or Ctrl-D, leaves");
  }
  dirty_ = true;
}

void ChatUi::keep_history() {
  try {
    input_.keep_history();
  } catch (const std::runtime_error& error) {
    say_error(std::string("The history is not kept: ") + error.what());
  }
}

void ChatUi::put_draft_away() {
  if (input_.empty()) return;
  input_.put_away();
  keep_history();
}

void ChatUi::enter() {
  const std::string text = input_.take();
  if (text.find_first_not_of(" \t\n") == std::string::npos && conversation_.attached().empty())
    return;
  keep_history();
  submit(text);
}

void ChatUi::entered_line(const std::string& text) {
  dirty_ = true;
  if (!dialogs_.empty()) {
    const std::shared_ptr<Dialog> dialog = dialogs_.front();
    const bool answered = dialog->line(text);
    if (answered)
      std::erase(dialogs_, dialog);
    else
      print({line_of("That is none of the answers.")});
    // The answer may have led to another question, which is printed by now.
    if (!dialogs_.empty() && (!answered || dialogs_.front() != printed_)) print_question();
    return;
  }
  if (text.find_first_not_of(" \t\n") != std::string::npos) submit(text);
}

}  // namespace acp::chat
