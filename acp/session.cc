// Session and Prompt: the conversation as a client has it.
#include "acp/async/when_any.h"
#include "acp/io/sleep.h"
#include "acp/json/codec.h"
#include "acp/role/client/agent_process.h"

namespace acp {

using Lock = io::Connection::Lock;

namespace {

// Throws Refused for a block that the agent did not say it takes.
void check_prompt(const std::vector<ContentBlock>& prompt, const v1::PromptCapabilities& can) {
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    const char* missing =
        std::holds_alternative<v1::ImageContent>(prompt[i]) && !can.image   ? "images"
        : std::holds_alternative<v1::AudioContent>(prompt[i]) && !can.audio ? "audio"
        : std::holds_alternative<v1::EmbeddedResource>(prompt[i]) && !can.embeddedContext
            ? "embedded resources"
            : nullptr;
    if (missing != nullptr)
      throw Refused("prompt[" + std::to_string(i) + "]: the agent takes no " + missing);
  }
}

}  // namespace

// ---- Prompt

Prompt::Prompt(std::shared_ptr<detail::ClientSession> session,
               std::shared_ptr<detail::PromptState> state)
    : session_(std::move(session)), state_(std::move(state)) {}
Prompt::Prompt(Prompt&&) noexcept = default;
Prompt& Prompt::operator=(Prompt&& other) noexcept {
  if (this == &other) return *this;
  const Prompt old(std::move(*this));
  session_ = std::move(other.session_);
  state_ = std::move(other.state_);
  batch_ = std::move(other.batch_);
  given_ = other.given_;
  ended_ = other.ended_;
  return *this;
}

Prompt::~Prompt() {
  if (!state_) return;
  const auto& agent = session_->agent;
  Lock lock(*agent->connection);
  state_->abandoned = true;
  agent->role->event_bytes -= state_->bytes;
  state_->bytes = 0;
  state_->ready.clear();
  lock.input_wanted();
}

// False if there is nothing yet.
bool Prompt::take_ready(PromptEvent*& event) {
  event = nullptr;
  if (given_ == batch_.size() && !ended_) {
    batch_.clear();
    given_ = 0;
    const auto& agent = session_->agent;
    Lock lock(*agent->connection);
    if (!state_->ready.empty()) {
      batch_.swap(state_->ready);
      agent->role->event_bytes -= std::exchange(state_->bytes, 0);
      lock.input_wanted();
    } else if (state_->ended()) {
      ended_ = true;
      if (state_->error) std::rethrow_exception(state_->error);
      batch_.emplace_back(state_->response->stopReason);
    } else {
      return false;
    }
  }
  if (given_ < batch_.size()) event = &batch_[given_++];
  return true;
}

Task<void> Prompt::more() {
  const auto& agent = session_->agent;
  Lock lock(*agent->connection);
  const auto waiter = agent->connection->completion<void>();
  if (!state_->ready.empty() || state_->ended()) {
    waiter->settle();
    return Task<void>(waiter);
  }
  state_->waiter = waiter;
  ++agent->role->prompts_waited;
  waiter->on_drop = [state = state_, role = agent->role, weak = std::weak_ptr(agent->connection),
                     waiting = std::weak_ptr(waiter)] {
    const auto connection = weak.lock();
    if (!connection) return;
    Lock lock(*connection);
    if (state->waiter != waiting.lock()) return;
    state->waiter = nullptr;
    --role->prompts_waited;
  };
  lock.input_wanted();
  return Task<void>(waiter);
}

PromptEvent* Prompt::take() {
  PromptEvent* event;
  while (!take_ready(event)) more().wait();
  return event;
}

Task<std::optional<PromptEvent>> Prompt::next() {
  PromptEvent* event;
  while (!take_ready(event)) co_await more();
  if (event == nullptr) co_return std::nullopt;
  co_return std::move(*event);
}

Task<v1::PromptResponse> Prompt::finish() {
  {
    const auto& agent = session_->agent;
    Lock lock(*agent->connection);
    state_->unread = true;
    state_->ready.clear();
    agent->role->event_bytes -= std::exchange(state_->bytes, 0);
    lock.input_wanted();
  }
  while (true) {
    std::optional<PromptEvent> event = co_await next();
    if (!event || std::holds_alternative<StopReason>(*event)) break;
  }
  co_return response();
}

const v1::PromptResponse& Prompt::response() const {
  const auto& agent = session_->agent;
  Lock lock(*agent->connection);
  if (state_->error) std::rethrow_exception(state_->error);
  if (!state_->response) throw std::logic_error("the prompt has not ended");
  return *state_->response;
}

// ---- Session

const std::string& Session::id() const { return session_->id; }
const std::string& Session::cwd() const { return session_->cwd; }

Prompt Session::prompt(std::string text) const {
  std::vector<ContentBlock> content;
  content.emplace_back(std::move(text));
  return prompt(std::move(content));
}

Prompt Session::prompt(PromptContent content) const {
  v1::PromptRequest request;
  request.prompt = std::move(content).blocks();
  return begin_prompt(std::move(request));
}

Prompt Session::prompt(const v1::PromptRequest& request) const { return begin_prompt(request); }

Prompt Session::begin_prompt(v1::PromptRequest request) const {
  const std::shared_ptr<detail::AgentProcess>& agent = session_->agent;
  check_prompt(request.prompt, agent->info.agentCapabilities.promptCapabilities);
  const auto state = std::make_shared<detail::PromptState>();
  state->session = session_.get();
  request.sessionId = session_->id;
  Lock lock(*agent->connection);
  session_->prompts.push_back(state);
  agent->role->send_prompt(state, request);
  if (session_->state && !state->ended()) {
    session_->state->prompt_sent(std::move(request.prompt));
    agent->role->state_changed(*session_);
  }
  lock.sent_something();
  return Prompt(session_, state);
}

Task<Answer> Session::ask(std::string text) const {
  return [](Session session, std::string text) -> Task<Answer> {
    struct CancelUnlessEnded {
      const Session& session;
      bool ended = false;
      ~CancelUnlessEnded() {
        if (!ended) session.cancel();
      }
    };
    Prompt prompt = session.prompt(std::move(text));
    CancelUnlessEnded turn{session};
    Answer answer;
    while (true) {
      std::optional<PromptEvent> event;
      try {
        event = co_await prompt.next();
      } catch (...) {
        turn.ended = true;
        throw;
      }
      if (!event) break;
      if (const auto* reason = std::get_if<StopReason>(&*event)) answer.stop_reason = *reason;
      const auto* const update = std::get_if<SessionUpdate>(&*event);
      const auto* const chunk = update ? std::get_if<v1::AgentMessageChunk>(update) : nullptr;
      const auto* const said = chunk ? std::get_if<v1::TextContent>(&chunk->content) : nullptr;
      if (said != nullptr) answer.text += said->text;
    }
    turn.ended = true;
    co_return answer;
  }(*this, std::move(text));
}

Task<Answer> Session::ask(std::string text, std::chrono::milliseconds time) const {
  return [](Session session, std::string text, std::chrono::milliseconds time) -> Task<Answer> {
    Task<Answer> answer = session.ask(std::move(text));
    Task<async::Nothing> over = io::deadline(session.session_->agent->connection, time);
    std::variant<Answer, async::Nothing> first =
        co_await when_any(std::move(answer), std::move(over));
    if (auto* in_time = std::get_if<0>(&first)) co_return std::move(*in_time);
    throw TimedOut("the turn did not end within " + std::to_string(time.count()) + " ms");
  }(*this, std::move(text), time);
}

void Session::cancel(v1::CancelNotification notification) const {
  const std::shared_ptr<detail::AgentProcess>& agent = session_->agent;
  notification.sessionId = session_->id;
  Lock lock(*agent->connection);
  if (lock.ended()) return;
  lock.engine().notify("session/cancel",
                       [&](json::Writer& out) { json::write(out, notification); });
  if (session_->state) session_->state->cancel_requested();
  agent->role->state_changed(*session_);
  for (const auto& prompt : session_->prompts) prompt->cancelled = true;
  agent->role->cancel_turn_permissions(*session_);
  lock.sent_something();
}

Task<void> Session::set_mode_by_id(std::string id) const {
  v1::SetSessionModeRequest request;
  request.modeId = std::move(id);
  return set_mode(request);
}

Task<void> Session::set_mode(const v1::SetSessionModeRequest& request) const {
  return [](std::shared_ptr<detail::ClientSession> session,
            v1::SetSessionModeRequest request) -> Task<void> {
    const std::string id = request.modeId;
    {
      Lock lock(*session->agent->connection);
      bool listed = !session->modes;
      if (session->modes)
        for (const v1::SessionMode& mode : session->modes->availableModes)
          listed = listed || mode.id == id;
      if (!listed) throw Refused("modeId: the session has no mode \"" + id + "\"");
      if (!session->modes) throw Refused("modeId: the session has no modes");
    }
    request.sessionId = session->id;
    const Peer peer({session->agent->connection, nullptr, 0});
    co_await peer.request(request);
    Lock lock(*session->agent->connection);
    if (!session->modes) co_return;  // they have gone meanwhile
    session->modes->currentModeId = id;
    if (session->state) {
      v1::CurrentModeUpdate update;
      update.currentModeId = id;
      session->state->apply(std::move(update));
    }
    session->agent->role->state_changed(*session);
  }(session_, request);
}

Task<void> Session::set_config_option(const v1::SetSessionConfigOptionRequest& request) const {
  return [](std::shared_ptr<detail::ClientSession> session,
            v1::SetSessionConfigOptionRequest request) -> Task<void> {
    request.sessionId = session->id;
    {
      Lock lock(*session->agent->connection);
      bool listed = false;
      for (const std::string& id : session->config_ids) listed = listed || id == request.configId;
      if (!listed)
        throw Refused("configId: the session has no option \"" + request.configId + "\"");
    }
    const Peer peer({session->agent->connection, nullptr, 0});
    v1::SetSessionConfigOptionResponse response = co_await peer.request(request);
    Lock lock(*session->agent->connection);
    session->remember_options(response.configOptions);
    if (session->state) {
      v1::ConfigOptionUpdate update;
      update.configOptions = std::move(response.configOptions);
      session->state->apply(std::move(update));
    }
    session->agent->role->state_changed(*session);
  }(session_, request);
}

Task<void> Session::set_config_option(std::string id, const char* value) const {
  return set_config_option(std::move(id), std::string(value));
}

Task<void> Session::set_config_option(std::string id, std::string value) const {
  v1::SetSessionConfigOptionRequest request;
  request.configId = std::move(id);
  v1::SetSessionConfigValueId choice;
  choice.value = std::move(value);
  request.value = std::move(choice);
  return set_config_option(request);
}

Task<void> Session::set_config_option(std::string id, bool value) const {
  v1::SetSessionConfigOptionRequest request;
  request.configId = std::move(id);
  v1::SetSessionConfigBoolean choice;
  choice.value = value;
  request.value = std::move(choice);
  return set_config_option(request);
}

Task<void> Session::close() const {
  return [](std::shared_ptr<detail::ClientSession> session) -> Task<void> {
    if (!session->agent->info.agentCapabilities.sessionCapabilities.close.has_value())
      throw Refused("the agent does not offer session/close");
    v1::CloseSessionRequest request;
    request.sessionId = session->id;
    const Peer peer({session->agent->connection, nullptr, 0});
    try {
      co_await peer.request(request);
    } catch (const CallFailed& failed) {
      if (failed.code() != rpc::not_found) throw;  // it is closed already
    }
    Lock lock(*session->agent->connection);
    session->agent->role->cancel_permissions(session->id);
    session->agent->role->end_inserted_prompts(*session);
    session->agent->role->remove_session(session->id);
  }(session_);
}

std::vector<SessionUpdate> Session::take_updates() const {
  Lock lock(*session_->agent->connection);
  return session_->outside.take();
}

SessionState Session::state() const {
  Lock lock(*session_->agent->connection);
  return session_->state ? *session_->state : SessionState();
}

void Session::with_state(const std::function<void(const SessionState&)>& look) const {
  Lock lock(*session_->agent->connection);
  if (session_->state) look(*session_->state);
}

void Session::change_state(const std::function<void(SessionState&)>& change) const {
  Lock lock(*session_->agent->connection);
  if (session_->state) change(*session_->state);
}

}  // namespace acp
