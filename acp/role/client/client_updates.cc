// The updates of a client's sessions, from the wire to the prompt that they belong to.
#include "acp/json/codec.h"
#include "acp/role/client/client_role.h"

namespace acp::detail {

namespace {

// Of an update's params, up to the update itself.
constexpr std::size_t longest_prefix = 4096;

}  // namespace

// The next update of this prompt will begin as this one does.
void ClientRole::expect_more(const std::string& session_id, std::string_view params) {
  const auto found = sessions_.find(session_id);
  if (found == sessions_.end() || found->second == nullptr) return;
  ClientSession* const session = found->second;
  streaming_ = nullptr;
  if (session->prompts.empty()) return;
  json::Reader in(params);
  bool first = true, named = false;
  std::string_view key;
  in.begin_object();
  while (in.next_key(first, key) && key != "update") {
    named |= key == "sessionId";
    in.skip();
  }
  in.peek();  // to where it begins
  const bool usual = named && !in.failed() && in.offset() <= longest_prefix;
  streaming_ = usual ? session : nullptr;
  if (usual) stream_prefix_ = params.substr(0, in.offset());
}

// The common case at no cost but the decoding: the next update of the prompt that got the last one
// is read where it will be taken from, and every byte of it checked. False if it is none, or does
// not fit.
bool ClientRole::update_in_place(std::string_view params) {
  constexpr json::Limits limits{.depth = rpc::max_streamed_depth / 2};
  ClientSession* const session = streaming_;
  if (session == nullptr || config_->update) return false;
  if (session->prompts.empty() || session->prompts.front()->abandoned) return false;
  if (!params.starts_with(stream_prefix_)) return false;
  const std::string_view text = params.substr(stream_prefix_.size());
  if (version_2_ && !version_2_->may_be_same(text)) return false;
  PromptState& prompt = *session->prompts.front();
  SessionUpdate& update =
      prompt.unread ? unkept_ : std::get<SessionUpdate>(prompt.ready.emplace_back());
  if (prompt.unread) unkept_ = SessionUpdate();
  const char* const end = json::decode_prefix(text, SessionUpdate::json_type, &update, limits);
  // The two change more than what is shown.
  if (end == nullptr || text.substr(static_cast<std::size_t>(end - text.data())) != "}" ||
      std::holds_alternative<v1::CurrentModeUpdate>(update) ||
      std::holds_alternative<v1::ConfigOptionUpdate>(update) ||
      (version_2_ && !version_2_->take_same(session->id, update))) {
    if (!prompt.unread) prompt.ready.pop_back();
    return false;
  }
  if (session->state)
    prompt.unread ? session->state->apply(std::move(update)) : session->state->apply(update);
  state_changed(*session, params.size());
  if (!prompt.unread) count(prompt, params.size());
  return true;
}

void ClientRole::state_changed(ClientSession& session, std::size_t bytes) {
  if (!config_->state_changed || !session.state) return;
  session.report->unseen_bytes += bytes;
  unseen_bytes_ += bytes;
  if (session.report->runs)
    session.report->wanted = true;
  else
    report_state(session);
}

void ClientRole::report_state(ClientSession& session) {
  const std::shared_ptr<StateReport> report = session.report;
  report->runs = true;
  report->wanted = false;
  report->shown_bytes = std::exchange(report->unseen_bytes, 0);
  const auto call = std::make_shared<ClientCall>(self());
  call->session_id = session.id;
  run_beside(
      call, config_->state_changed,
      [this, report, id = session.id] {
        unseen_bytes_ -= std::exchange(report->shown_bytes, 0);
        report->runs = false;
        const auto found = sessions_.find(id);
        ClientSession* const again = found == sessions_.end() ? nullptr : found->second;
        if (report->wanted && again != nullptr && again->report == report) report_state(*again);
      },
      ClientContext(call));
}

void ClientRole::count(PromptState& prompt, std::size_t bytes) {
  bytes += sizeof(PromptEvent);  // a chunk of a few bytes is larger than its line
  prompt.bytes += bytes;
  event_bytes += bytes;
  if (prompt.waiter) {
    --prompts_waited;
    prompt.wake();
  }
}

bool ClientRole::update(rpc::NotificationToken token, JsonView params) {
  if (version_2_) return version_2_->on_update(token, params);
  if (update_in_place(params.text())) return true;
  v1::SessionNotification notification;
  if (const auto error =
          json::decode(params.text(), v1::SessionNotification::json_type, &notification)) {
    log(LogEntry::Level::warning, "an invalid session/update was ignored: " + error->message());
    return true;
  }
  std::optional<v1::SessionNotification> copy;
  if (config_->update) copy = notification;
  expect_more(notification.sessionId, params.text());
  take_update(notification.sessionId, std::move(notification.update), params.text().size());
  if (!copy) return true;
  const std::string session_id = copy->sessionId;
  return pass_on(token, config_->update, std::move(*copy), session_id);
}

void ClientRole::take_update(const std::string& session_id, SessionUpdate update,
                             std::size_t bytes) {
  const auto found = sessions_.find(session_id);
  if (found != sessions_.end()) {
    if (found->second != nullptr) deliver(*found->second, std::move(update), bytes);
    return;
  }
  apply_early(
      session_id,
      [this, update = std::move(update), bytes](ClientSession& session) mutable {
        deliver(session, std::move(update), bytes);
      },
      bytes);
}

void ClientRole::apply_early(const std::string& session_id,
                             std::function<void(ClientSession&)> apply, std::size_t bytes) {
  if (early_bytes_ + bytes > max_early_bytes) {
    log(LogEntry::Level::warning,
        "an update of an unknown session was dropped: too many wait for it to become known");
  } else {
    early_bytes_ += bytes;
    early_[session_id].push_back({std::move(apply), bytes});
  }
}

void ClientRole::give_update(const std::string& session_id, SessionUpdate update) {
  if (config_->update) {
    v1::SessionNotification copy;
    copy.sessionId = session_id;
    copy.update = update;
    pass_on(0, config_->update, std::move(copy), session_id);
  }
  take_update(session_id, std::move(update), sizeof(SessionUpdate));
}

void ClientRole::add_session(const std::shared_ptr<ClientSession>& session) {
  if (version_2_)
    if (const auto before = sessions_.find(session->id);
        before != sessions_.end() && before->second != nullptr && before->second != session.get())
      end_inserted_prompts(*before->second);
  sessions_[session->id] = session.get();
  if (version_2_) version_2_->session_added(*session);
  const auto early = early_.find(session->id);
  if (early == early_.end()) return;
  auto updates = std::move(early->second);
  early_.erase(early);
  for (const Early& one : updates) {
    early_bytes_ -= one.bytes;
    one.apply(*session);
  }
}

void ClientRole::forget_session(const ClientSession* session) {
  if (streaming_ == session) streaming_ = nullptr;
  unseen_bytes_ -= std::exchange(session->report->unseen_bytes, 0);
  const auto known = sessions_.find(session->id);
  if (known != sessions_.end() && known->second == session) known->second = nullptr;
}

void ClientRole::deliver(ClientSession& session, SessionUpdate update, std::size_t bytes) {
  const bool kept = session.prompts.empty() || !session.prompts.front()->unread;
  if (const auto* mode = std::get_if<v1::CurrentModeUpdate>(&update); mode && session.modes)
    session.modes->currentModeId = mode->currentModeId;
  if (const auto* options = std::get_if<v1::ConfigOptionUpdate>(&update))
    session.remember_options(options->configOptions);
  if (session.state) kept ? session.state->apply(update) : session.state->apply(std::move(update));
  state_changed(session, bytes);
  if (!kept) return;
  if (session.prompts.empty()) {
    if (session.outside.add(std::move(update), bytes, version_2_ != nullptr))
      log(LogEntry::Level::warning,
          "updates of session " + session.id + " were dropped: nobody took them, and more than " +
              std::to_string(OutsideUpdates::max_bytes) + " bytes wait (Session::take_updates)");
    return;
  }
  PromptState& prompt = *session.prompts.front();
  if (prompt.abandoned) return;
  prompt.ready.emplace_back(std::move(update));
  count(prompt, bytes);
}

}  // namespace acp::detail
