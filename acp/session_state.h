// What a client shows of a session: all its updates, merged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "acp/schema/v1.h"

namespace acp {

// A tool call with all its updates merged.
struct ToolCallState {
  // `cancelled` is the client's own in version 1 of the protocol, whose wire has no such status;
  // `paused` is version 2's alone.
  enum class Status : std::uint8_t { pending, in_progress, completed, failed, cancelled, paused };

  v1::ToolCallId id = {};
  std::string title = {};
  std::optional<std::string> name = {};
  v1::ToolKind kind = v1::ToolKind::other;
  Status status = Status::pending;
  std::vector<v1::ToolCallContent> content = {};
  std::vector<v1::ToolCallLocation> locations = {};
  Json raw_input = {};
  Json raw_output = {};
  Json meta = {};
  // Version 2: whether the agent takes a v2::CancelToolCallRequest for it.
  bool can_cancel = false;

  // Whether it will not change any more.
  bool finished() const {
    return status != Status::pending && status != Status::in_progress && status != Status::paused;
  }
};
// "pending", "in_progress", "completed", "failed", "cancelled", "paused"
std::string_view to_string(ToolCallState::Status status);

// What a client shows of a terminal, also after the agent has released it.
struct TerminalView {
  v1::TerminalId id = {};
  std::string output = {};
  bool truncated = false;
  std::optional<v1::TerminalExitStatus> exit_status = {};
  bool released = false;
  std::uint64_t revision = 0;

  // Of a terminal that the agent runs (version 2): empty where it has not said it.
  struct Size {
    std::uint16_t columns = 0, rows = 0;
  };
  std::string command = {};
  std::string cwd = {};
  std::optional<Size> size = {};
  // Whether the agent takes a v2::CancelTerminalRequest for it.
  bool can_cancel = false;
};

// Version 2: whether this entry of a plan was given up. Its status is `completed` then, the only
// one of version 1 for what is not to be done any more.
bool is_cancelled(const v1::PlanEntry& entry);
// A plain value: feed it what arrives and what the client does, and draw its content. The cost of
// an update depends on its size, not on the length of the session. One that was moved from can only
// be destroyed or assigned to.
class SessionState {
 public:
  // Prompts that this client sent.
  struct Prompt {
    std::vector<v1::ContentBlock> content = {};
    std::optional<v1::StopReason> stop_reason = {};  // once its turn has ended
  };

  // Chunks that came in a row, joined. Adjacent texts are one block, if their annotations and their
  // _meta are the same.
  struct Message {
    // Who wrote it.
    enum class Kind : std::uint8_t { user, agent, thought };

    Kind kind = Kind::agent;
    std::optional<v1::MessageId> id = {};
    std::vector<v1::ContentBlock> content = {};
    Json meta = {};  // of the last chunk that had any
  };

  // Kinds that the protocol patches (compaction, subagent, message between sessions) are merged:
  // members cleared by null are absent. Unknown is an update of a kind that this version lacks.
  using Content = std::variant<Prompt, Message, ToolCallState, v1::Notice, v1::CompactionUpdate,
                               v1::SubagentUpdate, v1::SessionMessage, acp::Unknown>;

  // One thing on the timeline.
  struct Entry {
    Content content;
    std::uint64_t revision = 0;  // of its last change
    bool left_out = false;       // its turn was refused: the model will not see it again
  };

  // A question of the agent to the user, not answered yet.
  struct Question {
    std::uint64_t number = 0;  // no two of a state have the same
    v1::RequestPermissionRequest request = {};
  };

  // What the agent says that it does: in version 2 of the protocol alone. `other`: a state that
  // this version lacks, which counts as busy.
  enum class Activity : std::uint8_t { not_reported, idle, running, requires_action, other };
  // Work that goes on beside the turns.
  struct BackgroundWork {
    // What works.
    enum class Kind : std::uint8_t { terminal, tool_call, subagent, other };
    Kind kind = Kind::other;
    std::string id = {};  // of the terminal, the call or the subagent's session
  };

  // What stands beside the timeline.
  enum class Part : std::uint8_t {
    modes,
    config_options,
    commands,
    plan,
    usage,
    info,
    questions,
    activity
  };

  SessionState();
  SessionState(const SessionState& other);
  SessionState(SessionState&& other) noexcept;
  SessionState& operator=(const SessionState& other);
  SessionState& operator=(SessionState&& other) noexcept;
  ~SessionState();

  // Takes the answer to session/new, or to session/load, resume and fork. What the answer lacks is
  // kept: a load replays its updates before it.
  void start(const v1::NewSessionResponse& answer);
  void start(const Nullable<v1::SessionModeState>& modes,
             const Nullable<std::vector<v1::SessionConfigOption>>& config_options);

  // Applies an update, also for what the client itself has set:
  // state.apply(v1::CurrentModeUpdate{...}).
  void apply(const v1::SessionUpdate& update);
  void apply(v1::SessionUpdate&& update);
  // Adds the question and returns its number. Its tool call may never have been announced. It
  // revives no call that was cancelled here.
  std::uint64_t on_permission_request(const v1::RequestPermissionRequest& request);
  // Removes a question: the user has answered, or nobody waits for the answer any more.
  void question_closed(std::uint64_t number);

  // The client has sent a prompt.
  void prompt_sent(std::vector<v1::ContentBlock> prompt);
  // session/cancel was sent: unfinished calls of the running turn show cancelled at once, but for
  // those in the background, which go on. An update that brings a status wins over that.
  void cancel_requested();
  // Ends the oldest prompt without an answer: it got one, or an error.
  void turn_ended(v1::StopReason reason);
  void turn_failed();

  // The client's own terminals. Timeline entries that show them change with them.
  void terminal_created(const v1::TerminalId& id);
  // More output of a terminal that the agent runs. Of much, the last part is kept.
  void terminal_printed(const v1::TerminalId& id, std::string_view output);
  // The whole output so far.
  void terminal_output(const v1::TerminalId& id, std::string output, bool truncated);
  void terminal_exited(const v1::TerminalId& id, v1::TerminalExitStatus status);
  void terminal_released(const v1::TerminalId& id);

  // ---- version 2: what no update of version 1 says
  // A message has another content now. Does nothing if the message is not on the timeline.
  void message_replaced(Message::Kind kind, const v1::MessageId& id,
                        std::vector<v1::ContentBlock> content);
  void activity_changed(Activity activity, std::optional<std::vector<BackgroundWork>> background);
  // What the agent says of a terminal that it runs. Absent leaves, null clears.
  struct TerminalDescription {
    Nullable<std::string> command = {}, cwd = {};
    Nullable<TerminalView::Size> size = {};
    std::optional<bool> can_cancel = {};
  };
  // What version 2 says of a terminal besides its output and its exit.
  void terminal_described(const v1::TerminalId& id, TerminalDescription description);

  // For a program that has shown them and limits its memory: lets go of the first `count` entries,
  // and of terminals that nothing shows any more. The others move to the front, and before them
  // stay prompts of the first `count` whose turn is running. Returns their old indices. A later
  // update of a removed call creates a new entry. The cost is that of the whole timeline.
  std::vector<std::size_t> forget(std::size_t count);
  // Drops the first blocks of a message, and so many bytes of the next block, if that is text.
  void forget_content(std::size_t entry, std::size_t blocks, std::size_t bytes);

  // In order of first appearance; nothing is removed or moved but by forget().
  const std::vector<Entry>& timeline() const { return timeline_; }
  // The tool call, or nullptr if there is none. Valid until the next change.
  const ToolCallState* tool_call(const v1::ToolCallId& id) const;
  const TerminalView* terminal(const v1::TerminalId& id) const;
  bool turn_running() const { return !open_prompts_.empty(); }

  // Without modes from the agent, availableModes may be empty.
  const std::optional<v1::SessionModeState>& modes() const { return modes_; }
  const std::vector<v1::SessionConfigOption>& config_options() const { return config_options_; }
  const std::vector<v1::AvailableCommand>& commands() const { return commands_; }
  const std::vector<v1::PlanEntry>& plan() const { return plan_; }
  // plans with an id (unstable)
  const std::map<v1::PlanId, v1::PlanUpdateContent>& plans() const { return plans_; }
  // A reported cost is kept until another comes, or null.
  const std::optional<v1::UsageUpdate>& usage() const { return usage_; }
  // Oldest first.
  const std::vector<Question>& questions() const { return questions_; }
  // Absent members were never reported, or cleared.
  const v1::SessionInfoUpdate& info() const { return info_; }

  // What the agent reported last; and its background work, nothing if it does not report it.
  Activity activity() const { return activity_; }
  const std::optional<std::vector<BackgroundWork>>& background() const { return background_; }

  // Grows with every change.
  std::uint64_t revision() const { return revision_; }
  std::uint64_t revision(Part part) const { return config_[static_cast<std::size_t>(part)]; }
  // Indices into the timeline, ascending, of what was added or changed after that revision. The
  // cost is that of the answer, not of the timeline.
  std::vector<std::size_t> changed_since(std::uint64_t revision) const;

 private:
  class Merge;
  using Index = std::unordered_map<std::string, std::size_t>;
  // All entries in a list by their last change.
  struct Link {
    std::size_t older;
    std::size_t newer;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void add(Content content);
  void touch(std::size_t entry);
  void touch(Part part);
  TerminalView& touch_terminal(const v1::TerminalId& id);
  bool in_background(const v1::ToolCallId& call) const;
  // The prompt whose turn has ended, or none.
  std::size_t close_prompt();

  std::vector<Entry> timeline_;
  std::vector<Link> links_;  // one for each entry
  std::size_t newest_ = none;
  std::uint64_t revision_ = 0;
  std::array<std::uint64_t, 8> config_ = {};

  Index tool_calls_;
  Index compactions_;
  Index subagents_;
  Index session_messages_;
  std::unordered_map<v1::TerminalId, TerminalView> terminals_;
  std::unordered_map<v1::TerminalId, std::set<std::size_t>> shown_in_;  // terminals, in tool calls

  std::vector<std::size_t> open_prompts_;  // not answered yet, oldest first
  std::set<std::size_t> unfinished_;       // calls that the running turn has reported
  bool refused_ = false;                   // the last turn: what still comes of it is left out

  std::optional<v1::SessionModeState> modes_;
  std::vector<v1::SessionConfigOption> config_options_;
  std::vector<v1::AvailableCommand> commands_;
  std::vector<v1::PlanEntry> plan_;
  std::map<v1::PlanId, v1::PlanUpdateContent> plans_;
  std::optional<v1::UsageUpdate> usage_;
  v1::SessionInfoUpdate info_;
  std::vector<Question> questions_;
  std::uint64_t last_question_ = 0;
  Activity activity_ = Activity::not_reported;
  std::optional<std::vector<BackgroundWork>> background_;
};
// "user", "agent", "thought"
std::string_view to_string(SessionState::Message::Kind kind);
// "modes", "config_options" …
std::string_view to_string(SessionState::Part part);
// "not_reported", "idle", "running", "requires_action", "other"
std::string_view to_string(SessionState::Activity activity);
// "terminal", "tool_call", "subagent", "other"
std::string_view to_string(SessionState::BackgroundWork::Kind kind);

}  // namespace acp
