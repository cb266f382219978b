#include "chat/tui/host.h"

#include <algorithm>

#include "acp/workspace/permission_options.h"
#include "chat/agents.h"
#include "chat/render/entries.h"
#include "chat/render/question_view.h"
#include "chat/render/text/text.h"
#include "settings/own_places.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_log_lines = 2000;
constexpr std::size_t most_change_bytes = 4 * 1024 * 1024;

// In any case of letters, and not in the middle of a word.
bool begins_with(std::string_view text, std::string_view words) {
  const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  return text.size() >= words.size() &&
         std::equal(words.begin(), words.end(), text.begin(), same) &&
         (text.size() == words.size() || text[words.size()] == ' ');
}

// "edit: Edit a.txt" says it twice.
std::string without_kind(const ToolCallState& call) {
  const std::string text = describe(call);
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) return text;
  const std::string_view kind = std::string_view(text).substr(0, colon);
  const std::string_view title = std::string_view(text).substr(colon + 2);
  return begins_with(title, kind) ? std::string(title) : text;
}

// What is asked above the choices: who asks in one line, and all of it in a frame. `reason`: why we
// ask, though the agent did not.
void show_question(ChoiceDialog& dialog, const std::string& agent, const ToolCallState& call,
                   const std::string& cwd, const std::string& reason) {
  Line head = line_of("? ", {.bold = true, .colour = Colour::yellow});
  if (!reason.empty()) {
    add(head, agent + " did not ask for this, and " + reason, {.bold = true});
  } else {
    add(head, agent + " asks for permission", {.bold = true});
  }
  dialog.title = question_title(call, cwd);
  // The frame below says that it is an edit.
  const bool edits =
      call.kind == v1::ToolKind::edit && !call.title.empty() && !change_counts(call).empty();
  const std::string what = edits ? call.title : without_kind(call), command = command_of(call);
  const bool said = begins_with(to_plain(dialog.title), what) ||
                    (call.kind == v1::ToolKind::execute && !command.empty() &&
                     names_command(call.title, command));
  if (!said && reason.empty()) {
    add(head, ": ", {.bold = true});
    add(head, what);
  }
  dialog.head = {head};
  dialog.about_call = call.id;
  dialog.short_head = true;
  dialog.body = [call, cwd](std::size_t columns) { return question_body(call, cwd, columns); };
}

}  // namespace

ChatHost::ChatHost(std::shared_ptr<Mailbox> mailbox, Front& front, std::string agent,
                   std::string label, std::string policy_file,
                   std::vector<io::EnvironmentEdit> command_environment, bool offers)
    : mailbox_(std::move(mailbox)),
      front_(front),
      agent_(std::move(agent)),
      label_(std::move(label)),
      offers_(offers),
      workspace_(
          [all = printed_, mailbox = mailbox_](const std::string& id, std::string_view text) {
            {
              const std::lock_guard lock(all->mutex);
              Printed& printed = all->terminals[id];
              printed.output.append(text);
              printed.news = true;
            }
            mailbox->wake();
          },
          [all = printed_, mailbox = mailbox_](const std::string& id,
                                               const std::optional<io::ExitStatus>& exit) {
            {
              const std::lock_guard lock(all->mutex);
              Printed& printed = all->terminals[id];
              printed.news = true;
              if (exit)
                printed.exit = workspace::to_exit_status(*exit);
              else
                printed.released = true;
              if (!exit) all->released.push_back(id);
            }
            mailbox->wake();
          },
          {.forbidden = settings::own_places({policy_file}),
           .environment = std::move(command_environment)}),
      decisions_(std::move(policy_file)) {}

void ChatHost::install(Client& client) {
  const std::shared_ptr<ChatHost> self = shared_from_this();
  if (offers_) {
    workspace_.install(
        client,
        [self](const ClientContext& context, workspace::Question call) {
          self->judge(context, std::move(call));
        },
        [self](const std::string& path, std::optional<std::string> before,
               const std::string& after) { self->written(path, std::move(before), after); });
    client.terminal_authentication();
  }
  client
      .on_permission(blocking([self](ClientContext context, v1::RequestPermissionRequest request) {
        return self->permission(context, request);
      }))
      .on_elicitation_form(
          blocking([self](ClientContext context, v1::CreateElicitationRequest request) {
            return self->elicitation(context, request);
          }))
      .on_elicitation_url(
          blocking([self](ClientContext context, v1::CreateElicitationRequest request) {
            return self->elicitation(context, request);
          }))
      .on_auth_required(
          blocking([self](ClientContext context, std::vector<v1::AuthMethod> methods) {
            return self->login(context, methods);
          }))
      .on_state_changed([mailbox = mailbox_, pace = pace_](ClientContext) -> Task<void> {
        Task<bool> drawn(pace->next_drawn());
        mailbox->wake();
        co_await std::move(drawn);
      })
      .on_disconnected([self](const AgentId&, std::string_view) {
        self->mailbox_->post([self] { self->front_.disconnected(); });
      })
      .on_log([self](const LogEntry& entry) { self->log(entry.message); })
      .on_stderr([self](const AgentId&, std::string_view line) {
        self->log("stderr: " + std::string(line));
      })
      .takes_boolean_options()
      .takes_notices()
      .takes_compactions()
      .takes_plans()
      .takes_subagents();
}

void ChatHost::close() {
  closed_.request_stop();
  pace_->close();
}

void ChatHost::turn_begins() {
  const std::lock_guard lock(mutex_);
  answers_.begin_turn();
  turn_ = std::stop_source();
}

void ChatHost::turn_cancelled() {
  std::stop_source turn;
  {
    const std::lock_guard lock(mutex_);
    turn = turn_;
  }
  turn.request_stop();
}

void ChatHost::say(std::string text) {
  mailbox_->post([&front = front_, text = std::move(text)] { front.say(text); });
}

void ChatHost::log(std::string line) {
  const std::lock_guard lock(mutex_);
  if (line.size() > 4096) line.resize(character_start(line, 4096));
  log_.push_back(std::move(line));
  if (log_.size() > most_log_lines) log_.pop_front();
}

std::vector<std::string> ChatHost::log() const {
  const std::lock_guard lock(mutex_);
  return {log_.begin(), log_.end()};
}

std::map<std::string, FileChange> ChatHost::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

std::vector<std::string> ChatHost::rules() const {
  std::vector<std::string> out;
  for (const auto& placed : decisions_.all())
    out.push_back(placed.rule.describe() + " (" + placed.source + ")");
  return out;
}

void ChatHost::tell_terminals(const Session& session) {
  struct News {
    std::string id, text;
    bool truncated, released;
    std::optional<v1::TerminalExitStatus> exit;
  };
  std::vector<News> news;
  {
    const std::lock_guard lock(printed_->mutex);
    auto& terminals = printed_->terminals;
    for (auto& [id, printed] : terminals) {
      if (!std::exchange(printed.news, false)) continue;
      news.push_back({id, std::string(printed.output.text()), printed.output.truncated(),
                      printed.released, printed.exit});
    }
    // What nobody prints into any more is in the state by now.
    for (auto& released = printed_->released; released.size() > 4; released.pop_front())
      terminals.erase(released.front());
  }
  for (News& one : news)
    session.change_state([&](SessionState& state) {
      if (state.terminal(one.id) == nullptr) state.terminal_created(one.id);
      state.terminal_output(one.id, std::move(one.text), one.truncated);
      if (one.exit) state.terminal_exited(one.id, std::move(*one.exit));
      if (one.released) state.terminal_released(one.id);
      // What no call shows, or shows no more, is nothing to keep.
      if (one.released && ++released_ % 8 == 0) state.forget(0);
    });
}

template <class T>
std::optional<T> ChatHost::ask(const ClientContext& context, std::shared_ptr<Dialog> dialog,
                               const std::shared_ptr<Awaited<T>>& answer,
                               const std::stop_token& also) {
  {
    const std::lock_guard lock(mutex_);
    dialog->id = ++questions_;
  }
  dialog->urgent = true;
  const std::size_t id = dialog->id;
  mailbox_->post([&front = front_, dialog = std::move(dialog)] { front.ask(dialog); });
  std::stop_source either;
  const std::stop_callback first(context.stop_token(), [&either] { either.request_stop(); });
  const std::stop_callback second(closed_.get_token(), [&either] { either.request_stop(); });
  const std::stop_callback third(also, [&either] { either.request_stop(); });
  std::optional<T> given = answer->wait(either.get_token());
  if (!given) mailbox_->post([&front = front_, id] { front.take_back(id); });
  return given;
}

void ChatHost::remember(const workspace::Question& question, const PermissionAnswerChoice& answer) {
  using Kind = PermissionAnswerChoice::Kind;
  if (answer.kind != Kind::session && answer.kind != Kind::project) return;
  const auto scope =
      answer.kind == Kind::session ? workspace::Scope::session : workspace::Scope::project;
  const auto remembered = decisions_.remember(question, workspace::Effect::allow, scope);
  if (remembered)
    say("Remembered: allow " + workspace::reach_of(remembered->rule, question) + ", for " + label_ +
        " (" + remembered->where + ")");
}

void ChatHost::judge(const ClientContext& context, workspace::Question call) {
  using workspace::Answered;
  using workspace::Effect;
  call.agent = agent_;
  std::string why;
  Answered known = Answered::nothing;
  const workspace::Judgement judged = decisions_.judge(call);
  if (judged.decision == Effect::reject) {
    why = "rejected by a rule: " + judged.rule->describe() + " (" + judged.source + ")";
  } else {
    const std::lock_guard lock(mutex_);
    known = answers_.take(call);
    if (known == Answered::rejected) why = "it was rejected when the agent asked";
  }
  if (const auto problem = decisions_.take_problem())
    say("No rule is followed, everything is asked: " + *problem);
  if (known == Answered::allowed) return;
  // A rule that nobody can read may reject it.
  if (decisions_.is_broken() && why.empty())
    why = "the rules cannot be read, and you were not asked";
  // Our own agent shows what it does, and asks for what its mode does not allow.
  if (why.empty() && agent_ == built_in_agent) return;
  if (why.empty() && judged.decision != Effect::allow) {
    if (!call.always_ask.empty()) return require_consent(context, call, call.always_ask);
    if (known == Answered::otherwise)
      return require_consent(context, call, "what it asked about was another content");
  }
  if (why.empty()) {
    if (call.kind != "read") say("Without a question: " + describe(call));
    return;
  }
  refuse(call, why);
}

void ChatHost::refuse(const workspace::Question& call, const std::string& why) {
  say("Not carried out: " + describe(call) + " — " + why);
  throw permission_denied("acp chat does not carry this out: " + why);
}

void ChatHost::require_consent(const ClientContext& context, const workspace::Question& call,
                               const std::string& reason) {
  const auto given = ask_person(context, prompt_for(call), call, reason);
  if (!given) refuse(call, "the question was taken back");
  if (given->kind == PermissionAnswerChoice::Kind::reject_why)
    say("Rejected. Type why: it is sent when the turn has ended");
  if (given->allow) return remember(call, *given);
  {
    const std::lock_guard lock(mutex_);
    answers_.add(call, workspace::Effect::reject);
  }
  refuse(call, "you rejected it");
}

Decision ChatHost::permission(const ClientContext& context,
                              const v1::RequestPermissionRequest& request) {
  PermissionPrompt asked;
  asked.options = request.options;
  asked.agent = agent_;
  asked.cwd = context.cwd();
  asked.more_directories = context.additional_directories();
  // The session itself belongs to the other thread.
  const auto known = std::make_shared<Awaited<ToolCallState>>();
  mailbox_->post([&front = front_, known, id = request.toolCall.toolCallId] {
    ToolCallState call;
    if (const auto session = front.session())
      session->with_state([&](const SessionState& state) {
        if (const ToolCallState* told = state.tool_call(id)) call = *told;
      });
    known->give(std::move(call));
  });
  std::stop_source either;
  const std::stop_callback first(context.stop_token(), [&either] { either.request_stop(); });
  const std::stop_callback second(closed_.get_token(), [&either] { either.request_stop(); });
  asked.call =
      call_in_question(request.toolCall, known->wait(either.get_token()).value_or(ToolCallState()));
  const workspace::Question question = as_question(asked);

  const auto answered = [&](bool allow, const std::optional<v1::PermissionOption>& option) {
    const std::lock_guard lock(mutex_);
    if (allow)
      answers_.add(question, workspace::Effect::allow, covered_by(option));
    else
      answers_.add(as_rejected(asked.call, question), workspace::Effect::reject);
  };
  const workspace::Judgement judged = decisions_.judge(question);
  if (const auto problem = decisions_.take_problem())
    say("No rule is followed, everything is asked: " + *problem);
  if (judged.decision) {
    const bool allow = *judged.decision == workspace::Effect::allow;
    if (const auto* option = workspace::least_option(request.options, allow)) {
      say(std::string(allow ? "Allowed" : "Rejected") + " by a rule: " + describe(asked.call) +
          " — " + judged.rule->describe() + " (" + judged.source + ")");
      answered(allow, {});
      return Decision(option->optionId);
    }
  }
  const auto given = ask_person(context, asked, question, "");
  if (!given) {
    answered(false, {});
    return Decision::cancelled();
  }
  if (!given->allow) mailbox_->post([&front = front_, id = asked.call.id] { front.rejected(id); });
  remember(question, *given);
  if (given->kind == PermissionAnswerChoice::Kind::reject_why)
    say("Rejected. Type why: it is sent when the turn has ended");
  answered(given->allow, given->option);
  return given->option ? Decision(given->option->optionId) : Decision::cancelled();
}

std::optional<PermissionAnswerChoice> ChatHost::ask_person(const ClientContext& context,
                                                           const PermissionPrompt& asked,
                                                           const workspace::Question& question,
                                                           const std::string& reason) {
  using Kind = PermissionAnswerChoice::Kind;
  const auto reach = [&](workspace::Scope scope) -> std::optional<std::string> {
    const auto rule = decisions_.offered(question, workspace::Effect::allow, scope);
    if (!rule) return {};
    return workspace::reach_of(*rule, question) + ", for " + label_;
  };
  std::stop_token turn;  // the protocol takes back what the agent asks, not what we do
  if (!reason.empty()) {
    const std::lock_guard lock(mutex_);
    turn = turn_.get_token();
  }
  const auto asked_with = [&](const std::vector<PermissionAnswerChoice>& answers) {
    const auto answer = std::make_shared<Awaited<std::size_t>>();
    const auto dialog = std::make_shared<ChoiceDialog>();
    show_question(*dialog, label_, asked.call, asked.cwd, reason);
    for (const PermissionAnswerChoice& one : answers) {
      dialog->choices.push_back(one.choice);
      dialog->choices.back().allows = one.allow;
    }
    dialog->chosen = [answer](std::size_t index) { answer->give(index); };
    if (answers.back().kind == Kind::back)
      dialog->dismissed = [answer, last = answers.size() - 1] { answer->give(last); };
    const auto index = ask(context, std::shared_ptr<Dialog>(dialog), answer, turn);
    return index ? std::optional(answers[*index]) : std::nullopt;
  };
  const auto usual = permission_answers(asked.options, reach(workspace::Scope::session),
                                        reach(workspace::Scope::project), label_);
  auto given = asked_with(usual);
  while (given && given->kind == Kind::others) {
    given = asked_with(agents_answers(asked.options));
    if (given && given->kind == Kind::back) given = asked_with(usual);
  }
  return given;
}

void ChatHost::written(const std::string& path, std::optional<std::string> before,
                       const std::string& after) {
  const std::lock_guard lock(mutex_);
  const auto [change, first] = changes_.try_emplace(path);
  if (first) change->second.before = std::move(before);
  change->second.after = after;
  change->second.kept = true;
  // Bounded: what is long goes first from what is shown, never from the list.
  std::size_t size = 0;
  const auto bytes = [](const FileChange& one) {
    return one.after.size() + (one.before ? one.before->size() : 0);
  };
  for (const auto& [name, one] : changes_) size += bytes(one);
  for (auto& [name, one] : changes_) {
    if (size <= most_change_bytes) break;
    size -= bytes(one);
    one = {.before = {}, .after = {}, .kept = false};
  }
}

v1::CreateElicitationResponse ChatHost::elicitation(const ClientContext& context,
                                                    const v1::CreateElicitationRequest& request) {
  using Values = FormDialog::Values;
  v1::CreateElicitationResponse response;
  response.action = v1::ElicitationCancelAction();
  if (const auto* form = std::get_if<v1::ElicitationFormMode>(&request.mode)) {
    const auto answer = std::make_shared<Awaited<std::optional<Values>>>();
    const auto dialog = std::make_shared<FormDialog>(
        label_, request.message, form->requestedSchema,
        [answer](std::optional<Values> values) { answer->give(std::move(values)); });
    const auto given = ask(context, std::shared_ptr<Dialog>(dialog), answer);
    if (given && *given) {
      v1::ElicitationAcceptAction accept;
      accept.content = **given;
      response.action = std::move(accept);
    } else if (given) {
      response.action = v1::ElicitationDeclineAction();
    }
  } else if (const auto* page = std::get_if<v1::ElicitationUrlMode>(&request.mode)) {
    const auto answer = std::make_shared<Awaited<std::size_t>>();
    const auto dialog = std::make_shared<ChoiceDialog>();
    Line head = line_of("? ", {.bold = true, .colour = Colour::yellow});
    add(head, label_ + " asks you to visit a page: ", {.bold = true});
    add(head, request.message);
    dialog->head = {head, line_of("  " + page->url, {.underline = true})};
    const UrlOrigin origin = origin_of(page->url);
    Line host = line_of("  host ", {.dim = true});
    add(host, origin.host.empty() ? "unknown" : origin.host, {.bold = true});
    if (!origin.user.empty())
      add(host, "; what stands before the @ is a user name, not the host",
          {.bold = true, .colour = Colour::yellow});
    dialog->head.push_back(std::move(host));
    dialog->head.push_back(
        line_of("  It is not opened for you: look at the address first.", {.dim = true}));
    dialog->choices = {{.label = "I have visited it, or will", .key = 'y'},
                       {.label = "No", .key = 'n'}};
    dialog->chosen = [answer](std::size_t index) { answer->give(index); };
    dialog->dismissed = [answer] { answer->give(1); };
    const auto given = ask(context, std::shared_ptr<Dialog>(dialog), answer);
    if (given && *given == 0)
      response.action = v1::ElicitationAcceptAction();
    else if (given)
      response.action = v1::ElicitationDeclineAction();
  }
  return response;
}

std::string ChatHost::login(const ClientContext& context,
                            const std::vector<v1::AuthMethod>& methods) {
  // A login in this terminal needs a new connection: when the call has failed, the chat offers all
  // methods.
  if (front_.lends_terminal())
    for (const v1::AuthMethod& method : methods)
      if (std::holds_alternative<v1::AuthMethodTerminal>(method)) return {};
  const auto answer = std::make_shared<Awaited<std::string>>();
  const auto dialog = std::make_shared<ChoiceDialog>();
  dialog->head = {
      line_of("? " + label_ + " wants a login", {.bold = true, .colour = Colour::yellow})};
  std::vector<std::string> ids;
  for (const v1::AuthMethod& method : methods)
    if (const auto* own = std::get_if<v1::AuthMethodAgent>(&method)) {
      ids.push_back(own->id);
      dialog->choices.push_back({.label = own->name, .description = own->description.value_or("")});
    }
  if (ids.empty()) return {};
  dialog->choices.push_back({.label = "None of them"});
  dialog->chosen = [answer, ids](std::size_t index) {
    answer->give(index < ids.size() ? ids[index] : "");
  };
  dialog->dismissed = [answer] { answer->give(""); };
  return ask(context, std::shared_ptr<Dialog>(dialog), answer).value_or("");
}

}  // namespace acp::chat
