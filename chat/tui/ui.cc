#include "chat/tui/ui.h"

#include <algorithm>
#include <cstdlib>

#include "acp/io/printable.h"
#include "chat/render/text/text.h"

namespace acp::chat {

namespace {

constexpr auto frame_time = std::chrono::milliseconds(16);
constexpr auto tick = std::chrono::milliseconds(250);

// Of all terminals, since their keys hardly differ; and libtickit ends the process for a type that
// cannot do all it would like to draw.
constexpr const char* terminal_type = "xterm";

ColourMode colour_mode(bool plain) {
  const char* const no_color = std::getenv("NO_COLOR");
  if (plain) return ColourMode::none;
  return no_color != nullptr && *no_color != '\0' ? ColourMode::plain : ColourMode::ansi;
}

std::string history_path() {
  const std::string directory = LastSession::default_directory();
  if (directory.empty()) return {};
  return directory.substr(0, directory.rfind('/')) + "/history";
}

// Which of two questions comes first: the agent's, what the person has just opened, others.
int rank(const Dialog& dialog) { return dialog.urgent ? 0 : dialog.of_person ? 1 : 2; }

// A command is called by its program alone.
std::string label_of(const KnownAgent& agent) {
  if (agent.kind != KnownAgent::Kind::command || agent.argv.empty()) return agent.name;
  return agent.argv.front().substr(agent.argv.front().rfind('/') + 1);
}

}  // namespace

ChatUi::ChatUi(const ChatOptions& options)
    : options_(options),
      label_(label_of(options.agent)),
      terminal_(RawTerminal::possible()),
      plain_(RawTerminal::possible() == RawTerminal::How::lines),
      scripted_(plain_ && !RawTerminal::typed()),
      mailbox_(std::make_shared<Mailbox>([this] { terminal_.wake(); })),
      host_(std::make_shared<ChatHost>(mailbox_, *this, options.agent.name, label_,
                                       options.policy_file, options.command_environment,
                                       !options.agent.elsewhere)),
      screen_(terminal_.size().columns, terminal_.size().rows, colour_mode(plain_)),
      view_(options.cwd, screen_.room()),
      keys_(terminal_type),
      input_(
          [this](std::string_view text, std::size_t cursor) { return completion(text, cursor); }),
      conversation_(options_, mailbox_, host_, *this) {
  try {
    input_.open_history(history_path());
  } catch (const std::runtime_error& error) {
    say_error(std::string("The history is not used: ") + error.what());
  }
}

int ChatUi::run() {
  conversation_.start();
  if (!options_.prompt.empty()) {
    input_.remember(options_.prompt);
    keep_history();
    conversation_.submit(options_.prompt);
  }
  while (!exit_code_) {
    const RawTerminal::Event event = terminal_.wait(time_to_wait());
    look_at(event);
    for (const auto& letter : mailbox_->take()) letter();
    if (plain_) take_lines();
    dirty_ |= event.woken;
    if (input_ended_) finish_without_input();
    const auto now = Clock::now();
    if (exit_code_) break;
    if (dirty_ && now - last_frame_ >= frame_time) {
      draw();
      last_frame_ = Clock::now();
    } else if ((conversation_.working() || !conversation_.phase().empty() || shell_) &&
               now - last_frame_ >= tick) {
      draw();
      last_frame_ = now;
    }
  }
  put_draft_away();
  std::string how_to_go_on;
  try {
    if (!plain_) {
      Lines last;
      if (const auto& session = conversation_.session()) {
        session->with_state([&](const SessionState& state) { last = view_.finish(state); });
        how_to_go_on = conversation_.how_to_go_on();
        if (!how_to_go_on.empty()) {
          view_.note(Line());
          view_.say("This session goes on with:");
        }
      }
      for (Line& line : view_.take_notes()) last.push_back(std::move(line));
      terminal_.write(screen_.draw(last, {}, 0, 0));
    } else {
      draw_plain();
    }
    if (!plain_) terminal_.write(screen_.clear());
    // A row of it alone would be another command: the terminal breaks it, not we.
    if (!how_to_go_on.empty()) terminal_.write("  " + safe(how_to_go_on) + "\r\n");
  } catch (const std::runtime_error&) {
    if (*exit_code_ < 128) throw;  // after a SIGHUP there may be no terminal any more
  }
  return *exit_code_;
}

int ChatUi::time_to_wait() const {
  int wait = -1;
  const auto at_most = [&](std::chrono::milliseconds time) {
    const int ms = static_cast<int>(std::max<std::int64_t>(time.count(), 0));
    wait = wait < 0 ? ms : std::min(wait, ms);
  };
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - last_frame_);
  if (dirty_) at_most(frame_time - since + std::chrono::milliseconds(1));
  if (conversation_.working() || !conversation_.phase().empty() || shell_) at_most(tick - since);
  if (const int key = keys_.waits(); key >= 0) at_most(std::chrono::milliseconds(key));
  return wait;
}

void ChatUi::look_at(const RawTerminal::Event& event) {
  if (event.end_signal != 0) leave(128 + event.end_signal);
  if (event.resized && !plain_) {
    const RawTerminal::Size size = terminal_.size();
    terminal_.write(screen_.resize(size.columns, size.rows));
    view_.resize(screen_.room());
    dirty_ = true;
  }
  if (event.interrupted) interrupt(true);
  if (plain_) {
    typed_line_ += event.input;
    nothing_follows_ |= event.ended;
    return take_lines();
  }
  if (event.ended) leave(0);
  std::vector<Key> pressed = keys_.feed(event.input);
  if (event.input.empty() && pressed.empty()) pressed = keys_.timed_out();
  for (const Key& one : pressed) {
    if (exit_code_) break;
    key(one);
    dirty_ = true;
  }
}

// A person who types a line may be ahead of the agent; the lines of a script each wait until the
// one before is done, or a question is asked.
bool ChatUi::takes_line() const {
  if (exit_code_) return false;
  if (!scripted_) return true;
  // A question may come before the session is there: about a login.
  return !dialogs_.empty() ||
         (conversation_.phase().empty() && !conversation_.working() && conversation_.quiet());
}

void ChatUi::take_lines() {
  std::string_view rest = typed_line_;
  while (takes_line() &&
         (rest.find('\n') != std::string_view::npos || (nothing_follows_ && !rest.empty())))
    entered_line(std::string(take_line(rest)));
  typed_line_ = std::string(rest);
  if (!nothing_follows_ || !typed_line_.empty() || input_ended_) return;
  input_ended_ = true;
  while (!dialogs_.empty()) {
    dialogs_.front()->dismiss();
    dialogs_.pop_front();
  }
}

// What was asked for is still done; what only a person could answer is not.
void ChatUi::finish_without_input() {
  if (!dialogs_.empty() && conversation_.working()) {
    dialogs_.clear();
    conversation_.cancel_turn();
  }
  for (; !dialogs_.empty() && !exit_code_; dialogs_.pop_front()) dialogs_.front()->dismiss();
  if (!conversation_.phase().empty() || conversation_.working() || !conversation_.quiet()) return;
  if (!conversation_.session()) return leave(1);  // nothing is sent any more
  if (conversation_.queue().empty()) leave(0);
}

void ChatUi::leave(int code) {
  if (exit_code_) return;
  exit_code_ = code;
  conversation_.stop_starting();
}

void ChatUi::wants_attention() {
  if (plain_) return;
  if (focused_ && Clock::now() - last_key_ <= std::chrono::seconds(5)) return;
  const std::string& how = options_.notify;
  if (how == "bell" || how == "both") terminal_.write("\a");
  if (how == "osc9" || how == "both")
    terminal_.write("\x1b]9;" + safe("acp chat: " + label_ + " waits for you") + "\a");
}

void ChatUi::ask(std::shared_ptr<Dialog> dialog) {
  // What an agent waits for is not kept waiting by what is only looked at, nor hidden by a list.
  if (dialog->urgent || dialog->of_person)
    std::erase_if(dialogs_, [&](const auto& other) {
      return other->of_person && (dialog->of_person || other->is_view());
    });
  const auto later = std::find_if(dialogs_.begin(), dialogs_.end(),
                                  [&](const auto& other) { return rank(*dialog) < rank(*other); });
  dialogs_.insert(later, dialog);
  if (dialogs_.front() != dialog) return;
  dialog_focused_ = false;
  wants_attention();
  if (plain_) {
    draw_plain();
    print_question();
  }
}

void ChatUi::print_question() {
  printed_ = dialogs_.front();
  print(printed_->shown(screen_.room(), io::whole).lines);
}

void ChatUi::take_back(std::size_t id) {
  std::erase_if(dialogs_, [&](const auto& dialog) { return dialog->id == id; });
}

int chat(const ChatOptions& options) { return ChatUi(options).run(); }

}  // namespace acp::chat
