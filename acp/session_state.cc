#include "acp/session_state.h"

#include <algorithm>
#include <utility>

#include "acp/role/versions/kept.h"

namespace acp {
namespace {

using Status = ToolCallState::Status;

Status status_of(v1::ToolCallStatus status) {
  switch (status) {
    case v1::ToolCallStatus::pending:
      return Status::pending;
    case v1::ToolCallStatus::in_progress:
      return Status::in_progress;
    case v1::ToolCallStatus::completed:
      return Status::completed;
    case v1::ToolCallStatus::failed:
      return Status::failed;
  }
  return Status::pending;
}

// Absent leaves, null clears.
template <class T>
void patch(Nullable<T>& kept, Nullable<T>&& news) {
  if (news.has_value())
    kept = std::move(news);
  else if (news.is_null())
    kept.reset();
}
void patch(Json& kept, Json&& news) {
  if (news.absent()) return;
  kept = news.is_null() ? Json() : std::move(news);
}

// Absent and null leave.
template <class T, class U>
void replace(T& kept, Nullable<U>&& news) {
  if (news.has_value()) kept = std::move(*news);
}
void replace(Json& kept, Json&& news) {
  if (!news.absent() && !news.is_null()) kept = std::move(news);
}

// What version 2 says of a call, kept where version 1 has no member for it.
void take_kept(ToolCallState& call, const v1::ToolCallUpdate& update) {
  using detail::versions::kept_key;
  const JsonView kept = update._meta[kept_key];
  if (kept["rawInput"].is_null()) call.raw_input = Json();
  if (kept["rawOutput"].is_null()) call.raw_output = Json();
  if (!kept["capabilities"].absent()) call.can_cancel = kept["capabilities"]["cancel"].is_object();
  if (!update.status) return;
  if (kept["status"].as_string() == "paused") call.status = Status::paused;
  if (kept["status"].as_string() == "cancelled") call.status = Status::cancelled;
}

// What the agent has put there is replaced; what was kept there goes when a later update says it
// anew.
void replace_meta(Json& meta, v1::ToolCallUpdate& update) {
  using detail::versions::kept_key;
  const JsonView news = update._meta[kept_key];
  if (news.absent() && meta[kept_key].absent()) return replace(meta, std::move(update._meta));
  Json kept;
  for (const auto& [key, value] : meta[kept_key].members())
    if (!(key == "status" && update.status) && !(key == "kind" && update.kind))
      kept.set(key, Json(value));
  for (const auto& [key, value] : news.members())
    if (key == "status" || key == "kind" || key == "capabilities") kept.set(key, Json(value));
  const bool says_nothing = news.is_object() && update._meta.size() == 1 && news["_meta"].absent();
  Json result;
  if (!update._meta.is_object() || says_nothing)
    result = std::move(meta);
  else
    result = std::move(update._meta);
  meta = result.is_object() ? Json::object({}) : Json();
  for (const auto& [key, value] : result.members())
    if (key != kept_key) meta.set(key, Json(value));
  if (!kept.absent()) meta.set(kept_key, kept);
}

bool same_but_text(const v1::TextContent& a, const v1::TextContent& b) {
  const bool bare = !a.annotations && !b.annotations;
  return (bare || a.annotations == b.annotations) && a._meta.text() == b._meta.text();
}

// To the last block's own string, if both are text: a copy for each chunk would be quadratic.
void append(std::vector<v1::ContentBlock>& blocks, v1::ContentBlock&& block) {
  auto* last = blocks.empty() ? nullptr : std::get_if<v1::TextContent>(&blocks.back());
  auto* next = std::get_if<v1::TextContent>(&block);
  if (last && next && same_but_text(*last, *next))
    last->text += next->text;
  else
    blocks.push_back(std::move(block));
}

std::optional<v1::PlanId> plan_id(const v1::PlanUpdateContent& plan) {
  return std::visit(
      [](const auto& arm) -> std::optional<v1::PlanId> {
        if constexpr (requires { arm.planId; })
          return arm.planId;
        else
          return arm.payload["planId"].as_string();
      },
      plan);
}

}  // namespace

std::string_view to_string(ToolCallState::Status status) {
  switch (status) {
    case Status::pending:
      return "pending";
    case Status::in_progress:
      return "in_progress";
    case Status::completed:
      return "completed";
    case Status::failed:
      return "failed";
    case Status::cancelled:
      return "cancelled";
    case Status::paused:
      return "paused";
  }
  return "";
}

std::string_view to_string(SessionState::Message::Kind kind) {
  using Kind = SessionState::Message::Kind;
  switch (kind) {
    case Kind::user:
      return "user";
    case Kind::agent:
      return "agent";
    case Kind::thought:
      return "thought";
  }
  return "";
}

std::string_view to_string(SessionState::Part part) {
  using Part = SessionState::Part;
  switch (part) {
    case Part::modes:
      return "modes";
    case Part::config_options:
      return "config_options";
    case Part::commands:
      return "commands";
    case Part::plan:
      return "plan";
    case Part::usage:
      return "usage";
    case Part::info:
      return "info";
    case Part::questions:
      return "questions";
    case Part::activity:
      return "activity";
  }
  return "";
}

// One overload for each kind of update.
class SessionState::Merge {
 public:
  explicit Merge(SessionState& state) : state_(state) {}

  void operator()(v1::UserMessageChunk&& chunk) { join(Message::Kind::user, std::move(chunk)); }
  void operator()(v1::AgentMessageChunk&& chunk) { join(Message::Kind::agent, std::move(chunk)); }
  void operator()(v1::AgentThoughtChunk&& chunk) { join(Message::Kind::thought, std::move(chunk)); }

  // Agents announce a call twice: what the second one leaves empty stays.
  void operator()(v1::ToolCall&& call) {
    v1::ToolCallUpdate update{.toolCallId = std::move(call.toolCallId),
                              .name = std::move(call.name),
                              .rawInput = std::move(call.rawInput),
                              .rawOutput = std::move(call.rawOutput),
                              ._meta = std::move(call._meta)};
    if (call.kind) update.kind = *call.kind;
    if (call.status) update.status = *call.status;
    if (!call.title.empty()) update.title = std::move(call.title);
    if (!call.content.empty()) update.content = std::move(call.content);
    if (!call.locations.empty()) update.locations = std::move(call.locations);
    (*this)(std::move(update));
  }

  void operator()(v1::ToolCallUpdate&& update) {
    const std::size_t entry = find_or_add<ToolCallState>(state_.tool_calls_, update.toolCallId);
    auto& call = std::get<ToolCallState>(state_.timeline_[entry].content);
    if (call.id.empty()) call.id = std::move(update.toolCallId);
    replace(call.kind, std::move(update.kind));
    replace(call.title, std::move(update.title));
    replace(call.name, std::move(update.name));
    replace(call.locations, std::move(update.locations));
    replace(call.raw_input, std::move(update.rawInput));
    replace(call.raw_output, std::move(update.rawOutput));
    if (update.status) call.status = status_of(*update.status);
    take_kept(call, update);
    replace_meta(call.meta, update);
    if (update.content) {
      show_terminals(entry, call.content, false);
      call.content = std::move(*update.content);
      show_terminals(entry, call.content, true);
    }
    if (call.finished())
      state_.unfinished_.erase(entry);
    else if (state_.turn_running())
      state_.unfinished_.insert(entry);
  }

  void operator()(v1::Plan&& plan) {
    state_.plan_ = std::move(plan.entries);
    state_.touch(Part::plan);
  }
  void operator()(v1::PlanUpdate&& update) {
    if (auto id = plan_id(update.plan)) {
      state_.plans_[std::move(*id)] = std::move(update.plan);
      state_.touch(Part::plan);
    } else {  // of a kind that names its id otherwise
      state_.add(std::get<Unknown>(std::move(update.plan)));
    }
  }
  void operator()(v1::PlanRemoved&& removed) {
    if (state_.plans_.erase(removed.planId) != 0) state_.touch(Part::plan);
  }

  void operator()(v1::AvailableCommandsUpdate&& update) {
    state_.commands_ = std::move(update.availableCommands);
    state_.touch(Part::commands);
  }
  void operator()(v1::CurrentModeUpdate&& update) {
    if (!state_.modes_) state_.modes_.emplace();
    state_.modes_->currentModeId = std::move(update.currentModeId);
    state_.touch(Part::modes);
  }
  void operator()(v1::ConfigOptionUpdate&& update) {
    state_.config_options_ = std::move(update.configOptions);
    state_.touch(Part::config_options);
  }
  void operator()(v1::SessionInfoUpdate&& update) {
    patch(state_.info_.title, std::move(update.title));
    patch(state_.info_.updatedAt, std::move(update.updatedAt));
    patch(state_.info_._meta, std::move(update._meta));
    state_.touch(Part::info);
  }
  void operator()(v1::UsageUpdate&& update) {
    if (!state_.usage_) state_.usage_.emplace();
    state_.usage_->used = update.used;
    state_.usage_->size = update.size;
    patch(state_.usage_->cost, std::move(update.cost));
    patch(state_.usage_->_meta, std::move(update._meta));
    state_.touch(Part::usage);
  }

  void operator()(v1::Notice&& notice) { state_.add(std::move(notice)); }
  void operator()(Unknown&& unknown) { state_.add(std::move(unknown)); }

  void operator()(v1::CompactionUpdate&& update) {
    auto& kept = merged<v1::CompactionUpdate>(state_.compactions_, update.compactionId);
    kept.compactionId = std::move(update.compactionId);
    kept.status = std::move(update.status);
    patch(kept.summary, std::move(update.summary));
    patch(kept.error, std::move(update.error));
    patch(kept._meta, std::move(update._meta));
  }
  void operator()(v1::CompactionSummaryChunk&& chunk) {
    auto& kept = merged<v1::CompactionUpdate>(state_.compactions_, chunk.compactionId);
    kept.compactionId = std::move(chunk.compactionId);
    if (!kept.summary) kept.summary.emplace();
    append(*kept.summary, std::move(chunk.content));
  }

  void operator()(v1::SubagentUpdate&& update) {
    auto& kept = merged<v1::SubagentUpdate>(state_.subagents_, update.sessionId);
    kept.sessionId = std::move(update.sessionId);
    patch(kept.title, std::move(update.title));
    patch(kept.description, std::move(update.description));
    patch(kept.capabilities, std::move(update.capabilities));
    patch(kept.state, std::move(update.state));
    patch(kept.cwd, std::move(update.cwd));
    patch(kept.additionalDirectories, std::move(update.additionalDirectories));
    patch(kept._meta, std::move(update._meta));
  }

  void operator()(v1::SessionMessage&& update) {
    auto& kept = merged<v1::SessionMessage>(state_.session_messages_, update.messageId);
    kept.messageId = std::move(update.messageId);
    patch(kept.senderSessionId, std::move(update.senderSessionId));
    patch(kept.recipientSessionId, std::move(update.recipientSessionId));
    patch(kept.senderMessageId, std::move(update.senderMessageId));
    patch(kept.recipientMessageId, std::move(update.recipientMessageId));
    patch(kept.content, std::move(update.content));
    patch(kept._meta, std::move(update._meta));
  }
  void operator()(v1::SessionMessageChunk&& chunk) {
    auto& kept = merged<v1::SessionMessage>(state_.session_messages_, chunk.messageId);
    kept.messageId = std::move(chunk.messageId);
    if (!kept.content) kept.content.emplace();
    append(*kept.content, std::move(chunk.content));
  }

 private:
  // With the timeline's last entry, if that is a message of this kind and id.
  void join(Message::Kind kind, v1::ContentChunk&& chunk) {
    std::optional<v1::MessageId> id;
    if (chunk.messageId) id = std::move(*chunk.messageId);
    auto* last =
        state_.timeline_.empty() ? nullptr : std::get_if<Message>(&state_.timeline_.back().content);
    if (last && last->kind == kind && last->id == id) {
      state_.touch(state_.timeline_.size() - 1);
    } else {
      state_.add(Message{.kind = kind, .id = std::move(id)});
      last = &std::get<Message>(state_.timeline_.back().content);
    }
    append(last->content, std::move(chunk.content));
    replace(last->meta, std::move(chunk._meta));
  }

  template <class T>
  std::size_t find_or_add(Index& index, const std::string& id) {
    if (const auto found = index.find(id); found != index.end()) {
      state_.touch(found->second);
      return found->second;
    }
    state_.add(T());
    return index[id] = state_.timeline_.size() - 1;
  }
  template <class T>
  T& merged(Index& index, const std::string& id) {
    return std::get<T>(state_.timeline_[find_or_add<T>(index, id)].content);
  }

  void show_terminals(std::size_t entry, const std::vector<v1::ToolCallContent>& content,
                      bool shown) {
    for (const v1::ToolCallContent& item : content) {
      const auto* terminal = std::get_if<v1::Terminal>(&item);
      if (!terminal) continue;
      auto& entries = state_.shown_in_[terminal->terminalId];
      if (shown)
        entries.insert(entry);
      else if (entries.erase(entry); entries.empty())
        state_.shown_in_.erase(terminal->terminalId);
    }
  }

  SessionState& state_;
};

// Here, and not in every file that has a state.
SessionState::SessionState() = default;
SessionState::SessionState(const SessionState& other) = default;
SessionState::SessionState(SessionState&& other) noexcept = default;
SessionState& SessionState::operator=(const SessionState& other) = default;
SessionState& SessionState::operator=(SessionState&& other) noexcept = default;
SessionState::~SessionState() = default;

void SessionState::start(const v1::NewSessionResponse& answer) {
  start(answer.modes, answer.configOptions);
}

void SessionState::start(const Nullable<v1::SessionModeState>& modes,
                         const Nullable<std::vector<v1::SessionConfigOption>>& config_options) {
  if (modes) {
    modes_ = modes->availableModes.empty() ? std::nullopt : std::optional(*modes);
    touch(Part::modes);
  }
  if (config_options) {
    config_options_ = *config_options;
    touch(Part::config_options);
  }
}

void SessionState::apply(const v1::SessionUpdate& update) { apply(v1::SessionUpdate(update)); }

void SessionState::apply(v1::SessionUpdate&& update) {
  Merge merge(*this);
  std::visit([&](auto&& arm) { merge(std::move(arm)); }, std::move(update));
}

std::uint64_t SessionState::on_permission_request(const v1::RequestPermissionRequest& request) {
  v1::ToolCallUpdate update = request.toolCall;
  const ToolCallState* call = tool_call(update.toolCallId);
  if (call && call->status == Status::cancelled) update.status.reset();
  Merge (*this)(std::move(update));
  questions_.push_back({++last_question_, request});
  touch(Part::questions);
  return last_question_;
}

void SessionState::question_closed(std::uint64_t number) {
  if (std::erase_if(questions_, [&](const Question& one) { return one.number == number; }) != 0)
    touch(Part::questions);
}

void SessionState::prompt_sent(std::vector<v1::ContentBlock> prompt) {
  refused_ = false;
  add(Prompt{.content = std::move(prompt)});
  open_prompts_.push_back(timeline_.size() - 1);
}

void SessionState::cancel_requested() {
  for (const std::size_t entry : unfinished_) {
    auto& call = std::get<ToolCallState>(timeline_[entry].content);
    if (in_background(call.id)) continue;
    call.status = Status::cancelled;
    touch(entry);
  }
  unfinished_.clear();
}

void SessionState::turn_ended(v1::StopReason reason) {
  if (reason == v1::StopReason::cancelled) cancel_requested();
  const std::size_t prompt = close_prompt();
  if (prompt == none) return;
  std::get<Prompt>(timeline_[prompt].content).stop_reason = reason;
  touch(prompt);
  if (reason != v1::StopReason::refusal) return;
  refused_ = !turn_running();
  const std::size_t end = turn_running() ? open_prompts_.front() : timeline_.size();
  for (std::size_t entry = prompt; entry < end; ++entry) {
    timeline_[entry].left_out = true;
    touch(entry);
  }
}

void SessionState::turn_failed() {
  if (const std::size_t prompt = close_prompt(); prompt != none) touch(prompt);
}

void SessionState::terminal_created(const v1::TerminalId& id) {
  TerminalView& view = touch_terminal(id);
  view = TerminalView{.id = id, .revision = view.revision};
}

void SessionState::terminal_output(const v1::TerminalId& id, std::string output, bool truncated) {
  TerminalView& view = touch_terminal(id);
  view.output = std::move(output);
  view.truncated = truncated;
}

void SessionState::terminal_printed(const v1::TerminalId& id, std::string_view output) {
  constexpr std::size_t most = 1024 * 1024;  // the last of it
  TerminalView& view = touch_terminal(id);
  view.output += output;
  if (view.output.size() <= 2 * most) return;
  view.output.erase(0, view.output.size() - most);
  view.truncated = true;
}

void SessionState::terminal_exited(const v1::TerminalId& id, v1::TerminalExitStatus status) {
  touch_terminal(id).exit_status = std::move(status);
}

void SessionState::terminal_released(const v1::TerminalId& id) {
  touch_terminal(id).released = true;
}

const ToolCallState* SessionState::tool_call(const v1::ToolCallId& id) const {
  const auto found = tool_calls_.find(id);
  return found == tool_calls_.end() ? nullptr
                                    : &std::get<ToolCallState>(timeline_[found->second].content);
}

const TerminalView* SessionState::terminal(const v1::TerminalId& id) const {
  const auto found = terminals_.find(id);
  return found == terminals_.end() ? nullptr : &found->second;
}

std::vector<std::size_t> SessionState::changed_since(std::uint64_t revision) const {
  std::vector<std::size_t> changed;
  for (std::size_t entry = newest_; entry != none && timeline_[entry].revision > revision;
       entry = links_[entry].older)
    changed.push_back(entry);
  std::sort(changed.begin(), changed.end());
  return changed;
}

void SessionState::add(Content content) {
  links_.push_back({none, none});
  timeline_.push_back({.content = std::move(content), .left_out = refused_});
  touch(timeline_.size() - 1);
}

void SessionState::touch(std::size_t entry) {
  timeline_[entry].revision = ++revision_;
  if (entry == newest_) return;
  Link& link = links_[entry];
  if (link.older != none) links_[link.older].newer = link.newer;
  if (link.newer != none) links_[link.newer].older = link.older;
  link = {newest_, none};
  if (newest_ != none) links_[newest_].newer = entry;
  newest_ = entry;
}

void SessionState::touch(Part part) { config_[static_cast<std::size_t>(part)] = ++revision_; }

TerminalView& SessionState::touch_terminal(const v1::TerminalId& id) {
  if (const auto shown = shown_in_.find(id); shown != shown_in_.end())
    for (const std::size_t entry : shown->second) touch(entry);
  TerminalView& view = terminals_[id];
  view.id = id;
  view.revision = ++revision_;
  return view;
}

std::size_t SessionState::close_prompt() {
  if (open_prompts_.empty()) return none;
  const std::size_t prompt = open_prompts_.front();
  open_prompts_.erase(open_prompts_.begin());
  if (open_prompts_.empty()) unfinished_.clear();
  return prompt;
}

}  // namespace acp
