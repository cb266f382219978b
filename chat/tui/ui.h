// The thread that owns the terminal: waits for keys and messages, passes them on, and draws.
// Private to acp chat.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acp/client.h"
#include "acp/workspace/command.h"
#include "chat/tui/chat.h"
#include "chat/tui/conversation.h"
#include "chat/tui/host.h"
#include "chat/tui/inline_screen.h"
#include "chat/tui/input/input_line.h"
#include "chat/tui/input/keys.h"
#include "chat/tui/input/raw_terminal.h"
#include "chat/tui/session_view.h"

namespace acp::chat {

class ChatUi : public Front, Conversation::Events {
 public:
  explicit ChatUi(const ChatOptions& options);
  int run();

  // ---- Front
  void ask(std::shared_ptr<Dialog> dialog) override;
  void take_back(std::size_t dialog) override;
  void say(const std::string& text) override;
  std::optional<Session> session() const override { return conversation_.session(); }
  bool lends_terminal() const override { return !plain_; }
  void rejected(const std::string& call) override { view_.rejected(call); }
  void disconnected() override { conversation_.disconnected(); }

 private:
  using Clock = std::chrono::steady_clock;

  // ---- the loop (ui.cc)
  void look_at(const RawTerminal::Event& event);
  bool takes_line() const;
  void take_lines();
  void finish_without_input();
  int time_to_wait() const;
  void leave(int code);
  void wants_attention();
  // Where lines are read: prints the question that the next one answers.
  void print_question();

  // ---- keys (ui_keys.cc)
  void key(const Key& key);
  void to_input(const Key& key);
  void interrupt(bool may_leave);
  // Puts the draft into the history, and writes that to its file.
  void put_draft_away();
  void keep_history();
  Completion completion(std::string_view text, std::size_t cursor);
  void edit_outside();
  // Lends the terminal while the function runs.
  void lend_terminal(const std::function<void()>& use);
  void entered_line(const std::string& text);
  void enter();
  bool to_dialog() const;
  // Whether Esc stops the turn now, and does not close what is asked or shown.
  bool escape_stops() const;

  // ---- what is seen (ui_view.cc)
  void draw();
  void draw_plain();
  TranscriptFrame news();
  Lines plan(std::size_t most) const;
  // Prints what `show` notes; in a pager if it is longer than the screen.
  void present(const std::string& title, const std::function<void()>& show);
  // Frees what was printed long ago; the agent may send more.
  void tidy();
  Lines below(std::size_t room, std::size_t& cursor_row, std::size_t& cursor_column);
  Line status(std::size_t room) const;
  // The agent's directory, for people.
  std::string directory_shown() const;
  // Notes the calls that the person is asked about.
  void note_waiting();
  void print(const Lines& lines);

  // ---- what the conversation tells (ui_agent.cc)
  void say_error(const std::string& text) override;
  void changed() override { dirty_ = true; }
  void closing() override;
  void opening(const Session& next, const std::string& how, bool first) override;
  void opened() override;
  void choose_session() override;
  void not_resumed(const std::string& id, const std::string& why) override;
  void not_started(const std::string& why, bool login_wanted, int code) override;
  void turn_begins() override;
  void turn_ends(const std::string& error, bool login_wanted) override;
  void idle() override { wants_attention(); }
  void agent_gone() override;
  // Lets the person choose a login. `from_start`: nothing else can be done.
  void choose_login(bool from_start);
  void log_in(const v1::AuthMethodTerminal& method);
  void submit(const std::string& text);

  // ---- commands (ui_commands.cc)
  // Returns the text for the agent; nothing if it was a command of ours.
  std::optional<std::string> run_command(const std::string& text);
  void run_own(const std::string& name, const std::string& rest);
  bool agent_has(const std::string& command) const;
  // Whether it is a command of ours that works with this agent.
  bool is_ours(const std::string& command) const;
  std::vector<CommandHelp> commands() const;
  std::vector<CommandHelp> agents_commands() const;
  void help();
  void show_changes();
  void show_call(const std::string& wanted);
  void save(const std::string& words);
  void show_servers();
  void logout();
  void show_policy();
  void export_to(const std::string& file);
  void attach(const std::string& file, bool image);

  // ---- commands of the person's own: !ls (ui_shell.cc)
  void run_shell(const std::string& command);
  void shell_ended(const workspace::CommandOutcome& result);
  Lines shell_lines(std::size_t columns) const;

  // ---- choices (ui_pickers.cc)
  void pick_mode(const std::string& wanted);
  void pick_model(const std::string& wanted);
  void pick_config(const std::string& wanted);
  void pick_value(const v1::SessionConfigOption& option);
  void choose(RunChoices choices, const std::string& told);
  // Lists sessions. `from_start`: to choose the first one.
  void sessions(bool from_start = false);
  bool is_open(const std::string& session) const;
  void next_mode();
  void delete_session(const v1::SessionInfo& info);
  void session_actions(const v1::SessionInfo& info);

  const ChatOptions options_;
  const std::string label_;  // of the agent, for people
  RawTerminal terminal_;
  const bool plain_;
  const bool scripted_;  // nobody types: the lines come from a file or a pipe
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<ChatHost> host_;

  // Shown.
  InlineScreen screen_;
  SessionView view_;
  Lines plan_before_;  // the turn
  bool dirty_ = true;
  bool ends_empty_ = false;  // the last line that was printed for good
  Clock::time_point last_frame_ = {}, last_key_ = Clock::now();
  bool focused_ = true;

  // Typed.
  KeyDecoder keys_;
  InputLine input_;
  std::string typed_line_;       // where lines are read
  bool dialog_focused_ = false;  // though something is in the input line
  std::deque<std::shared_ptr<Dialog>> dialogs_;
  std::shared_ptr<Dialog> printed_;  // the last one that was
  std::vector<std::string> files_;   // of the project
  Clock::time_point files_seen_ = {};
  bool looking_for_files_ = false;
  struct Shell {
    std::string command;
    std::string output;  // the last of it
    Clock::time_point began;
    std::stop_source stop;
  };
  std::optional<Shell> shell_;  // that runs
  Clock::time_point last_interrupt_ = {};
  bool nothing_follows_ = false;  // the input is read to its end
  bool input_ended_ = false;      // and done

  std::optional<int> exit_code_;
  Conversation conversation_;  // the last: its threads end first
};

}  // namespace acp::chat
