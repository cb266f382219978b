// The thread that owns the terminal and everything that is shown. Private to acp chat.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "acp/client.h"
#include "chat/chat.h"
#include "chat/chat_host.h"
#include "chat/completion.h"
#include "chat/editor.h"
#include "chat/inline_screen.h"
#include "chat/keys.h"
#include "chat/last_session.h"
#include "chat/long_session.h"
#include "chat/raw_terminal.h"
#include "chat/transcript.h"

namespace acp::chat {

class ChatUi : public Front {
 public:
  explicit ChatUi(const ChatOptions& options);
  ~ChatUi() override;

  int run();

  // ---- Front
  void ask(std::shared_ptr<Dialog> dialog) override;
  void take_back(std::size_t dialog) override;
  void say(const std::string& text) override;
  std::optional<Session> session() const override { return session_; }
  void disconnected() override;

 private:
  using Clock = std::chrono::steady_clock;

  // ---- the loop (chat_ui.cc)
  void look_at(const RawTerminal::Event& event);
  bool takes_line() const;
  void take_lines();
  void finish_without_input();
  int time_to_wait() const;
  void leave(int code);
  std::string how_to_go_on() const;
  void wants_attention();

  // ---- keys (chat_keys.cc)
  void key(const Key& key);
  void edit(const Key& key);
  void complete_word();
  void interrupt(bool may_leave);
  void entered_line(const std::string& text);
  void enter();
  bool to_dialog() const;

  // ---- what is seen (chat_view.cc)
  void draw();
  void draw_plain();
  Lines news(Frame& frame);
  View view() const;
  void follow_calls(const SessionState& state);
  // Lets go of what was printed long ago.
  void tidy();
  Lines below(std::size_t room, std::size_t& cursor_row, std::size_t& cursor_column);
  Lines plan(std::size_t most) const;
  Line status(std::size_t room) const;
  void print(const Lines& lines);
  void say_error(const std::string& text);

  // ---- the agent (chat_agent.cc)
  void start();
  void opened(Session session, const std::string& how);
  void start_failed(const std::string& what, bool login_wanted, int code);
  void choose_terminal_login();
  void submit(const std::string& text);
  void send(std::vector<v1::ContentBlock> blocks);
  void turn_ended(const std::string& error);
  void agent_gone();
  void next_from_queue();
  bool working() const { return turn_running_; }
  // Runs beside this thread; what it posts comes back here. A failure is said.
  void beside(std::function<void()> work);
  void open_session(const std::string& id, const std::string& how);
  void new_session();

  // ---- commands (chat_commands.cc)
  // What is left for the agent; nothing if it was a command of ours.
  std::optional<std::string> run_command(const std::string& text);
  void run_own(const std::string& name, const std::string& rest, const std::string& typed);
  bool agent_has(const std::string& command) const;
  std::vector<CommandHelp> commands() const;
  std::vector<CommandHelp> agents_commands() const;
  void help();
  void show_changes();
  void show_call(const std::string& wanted);
  void save(const std::string& words);
  void show_servers();
  void logout();
  void show_log();
  void show_policy();
  void export_to(const std::string& file);
  void attach(const std::string& file, bool image);

  // ---- choices (chat_pickers.cc)
  static std::string model_of(const Session& session);  // for people; empty: not known
  void pick_mode(const std::string& wanted);
  void pick_model(const std::string& wanted);
  void pick_config(const std::string& wanted);
  void pick_value(const v1::SessionConfigOption& option);
  void choose(RunChoices choices, const std::string& told);
  void sessions();
  void session_actions(const v1::SessionInfo& info);

  const ChatOptions options_;
  const std::string label_;  // of the agent, for people
  RawTerminal terminal_;
  const bool plain_;
  const bool scripted_;  // nobody types: the lines come from a file or a pipe
  const ColourMode colours_;
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<ChatHost> host_;
  LastSession last_;

  // Shown.
  InlineScreen screen_;
  Transcript transcript_;
  Lines notes_;  // of our own, to be printed
  bool dirty_ = true;
  Clock::time_point last_frame_ = {}, last_key_ = Clock::now(), turn_began_ = {};
  bool focused_ = true;
  struct Times {
    Clock::time_point began, ended;
    bool over = false;
  };
  std::unordered_map<std::string, Times> calls_;
  std::uint64_t calls_revision_ = 0;
  Archive archive_;           // what is gone from the session's state
  std::size_t archived_ = 0;  // prompts at the timeline's beginning that it has already
  std::uint64_t tidied_ = 0;
  bool turn_tidied_ = true;

  // Typed.
  KeyDecoder keys_;
  std::string typed_line_;  // where lines are read
  Editor editor_;
  History history_;
  std::string history_file_;
  std::vector<Completion::Candidate> candidates_;
  bool dialog_focused_ = false;  // though something is in the input line
  std::deque<std::shared_ptr<Dialog>> dialogs_;
  std::deque<std::string> queue_;
  std::vector<v1::ContentBlock> attached_;
  std::vector<std::string> attached_names_;

  // The agent.
  std::string phase_;  // of the start; empty once there is a session
  Clock::time_point phase_began_ = {};
  std::stop_source starting_;
  std::optional<RemoteAgent> agent_;
  std::optional<Session> session_;
  bool turn_running_ = false;
  Lines plan_before_;  // the turn
  bool said_ = false;  // something is in the session
  bool cancelled_ = false;
  std::size_t unsent_ = 0;  // of the queue, since the turn was cancelled
  std::size_t next_work_ = 0;
  std::map<std::size_t, std::jthread> work_;

  Clock::time_point last_interrupt_ = {};
  bool nothing_follows_ = false;  // the input is read to its end
  bool input_ended_ = false;      // and done
  std::optional<int> exit_code_;
};

}  // namespace acp::chat
