// One turn: the model is asked, its tools are run, and again, until it has nothing more to do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "acp/context.h"
#include "acp/log.h"
#include "coder/session/session.h"
#include "coder/session/turn_report.h"
#include "coder/turn/answer_meter.h"
#include "coder/turn/instructions.h"
#include "coder/turn/session_tool_host.h"
#include "coder/turn/tool_calls.h"

namespace acp::coder {

// What the model has said in one answer.
struct ModelAnswer {
  Message message{Message::Role::assistant, {}};
  std::vector<ToolCallPart> calls = {};
  std::vector<acp::ToolCall> announced = {};                      // the same, for the user
  std::optional<std::unordered_set<std::string>> taken_ids = {};  // see TurnLoop::take_id()
  Stop stop{Stop::Reason::unknown};
  bool said = false;     // anything to the user
  std::string cut = {};  // which limit ended it; empty: none
};

// The source of a key, and how to replace it. Empty if there is none.
struct KeySource {
  std::string place, advice;
};

// What a turn needs from the program.
struct TurnHost {
  LogHook log = nullptr;
  // How to log in at the provider of this model.
  std::function<std::vector<v1::AuthMethod>(const std::string& model)> login_methods = nullptr;
  std::function<KeySource(const std::string& model)> key_source = nullptr;
  // The provider of this model has rejected the key.
  std::function<void(const std::string& model)> key_rejected = nullptr;
  bool require_model = false;  // fail where the offline one would stand in
};

class TurnLoop {
 public:
  TurnLoop(acp::Turn turn, Session& session, TurnHost host = {});

  // Runs the turn. Throws Error, which is the answer to the client.
  v1::PromptResponse run();

 private:
  using Answer = ModelAnswer;

  void tell_notes();
  void title_from_prompt();
  // The user's words, with commands of the project expanded and linked files read.
  std::vector<Part> user_parts();
  std::optional<std::string> linked_text(const v1::ResourceLink& link);
  // Runs a command of ours; nothing if it was none. Otherwise the turn has ended.
  std::optional<v1::StopReason> run_command();

  // ---- errors
  // Throws the error again; details go to the log, and their id becomes part of its text.
  [[noreturn]] void throw_logged(const ModelError& error);
  // Logs the details, and returns the text with their id.
  std::string logged(const ModelError& error);
  // Throws what the client gets when the provider fails for good.
  [[noreturn]] void fail(const ModelError& error);
  // Throws Error where a model is required and none is configured.
  void check_model() const;

  // Asks about a model server of another user's, and takes its model if the user says so.
  void decide_about_server();
  bool ask_about_server(const LocalServer& server);

  v1::StopReason loop();
  void take_back_turn();
  void offer_tools();
  ModelRequest request();
  // Each problem with them is reported once in a session.
  std::vector<ProjectFile> project_files();
  Answer ask_model();
  // Notifies the user of each retry.
  void ask(const ModelRequest& request, const OnModelEvent& on_event);
  void take_event(const ModelEvent& event, Answer& answer);
  // Returns false if a call has this id already: providers refuse a conversation with duplicate
  // ids.
  bool take_id(const std::string& id, Answer& answer) const;
  void take_usage(const Usage& usage);
  void keep_answer(Answer& answer);
  // Keeps the beginning of an answer that was cut off by our limits, without its calls.
  void keep_cut(const Answer& answer);
  // Keeps the text of an interrupted answer.
  void keep_interrupted();
  bool context_is_full() const;
  void compact(const std::string& wish);
  // Returns false, and notifies the user, on failure.
  bool try_to_compact();
  // Summarizes so many messages.
  std::string summary(std::size_t messages, const std::string& wish);

  // ---- commands
  std::string help_text() const;
  std::string status_text();
  void choose_model(const std::string& id);
  void choose_mode(const std::string& mode);

  acp::Turn turn_;
  Session& session_;
  const TurnHost host_;
  const std::shared_ptr<const settings::Secrets> known_secrets_;
  const settings::Secrets& secrets_;
  TurnReport report_;
  SessionToolHost tool_host_;
  ToolCalls calls_;
  std::string plan_wish_;       // of /plan
  std::string prompt_instead_;  // of /init and the project's own commands
  std::size_t messages_before_ = 0;
  // Messages from before the prompt that compaction has replaced.
  std::optional<std::vector<Message>> before_compaction_;
  std::optional<Answer> current_;  // while the model speaks
  std::optional<Usage> last_usage_;
  v1::Usage usage_;
  bool has_usage_ = false;
};

}  // namespace acp::coder
