// The updates of a client's sessions, from the wire to the prompt that they belong to.
#include "acp/client_role.h"
#include "acp/json/codec.h"

namespace acp::detail {

namespace {

// Updates of a session that nobody took.
constexpr std::size_t max_outside = 100'000;

}  // namespace

// The common case at no cost but the decoding: the next update of the prompt that got the last one
// is read where it will be taken from, and every byte of it checked. False if it is none, or does
// not fit.
bool ClientRole::update_in_place(std::string_view text) {
  constexpr json::Limits limits{.depth = rpc::max_streamed_depth / 2};
  ClientSession* const session = streaming_;
  if (session == nullptr || parts_->update) return false;
  if (session->prompts.empty() || session->prompts.front()->abandoned) return false;
  PromptState& prompt = *session->prompts.front();
  json::Reader in(text, limits);
  bool first = true, ours = false, odd = false;
  SessionUpdate* update = nullptr;
  std::string_view key;
  odd = !in.begin_object();
  while (!odd && in.next_key(first, key)) {
    if (key == "sessionId") {
      ours = in.string(id_) && id_ == session->id;
      odd = !ours;
    } else if (key == "update") {
      odd = update != nullptr;  // twice: the last one counts
      if (odd) break;
      in.peek();  // to where it begins
      update = &std::get<SessionUpdate>(prompt.ready.emplace_back());
      const std::string_view rest = text.substr(static_cast<std::size_t>(in.at() - text.data()));
      // The two change more than what is shown.
      odd = !json::decode_next(in, rest, SessionUpdate::json_type, update, limits) ||
            std::holds_alternative<v1::CurrentModeUpdate>(*update) ||
            std::holds_alternative<v1::ConfigOptionUpdate>(*update);
    } else {
      odd = !in.skip();
    }
  }
  if (odd || !in.finish() || !ours || update == nullptr) {
    if (update != nullptr) prompt.ready.pop_back();
    return false;
  }
  if (session->state) session->state->apply(*update);
  count(prompt, text.size());
  return true;
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
  if (update_in_place(params.text())) return true;
  v1::SessionNotification notification;
  if (const auto error =
          json::decode(params.text(), v1::SessionNotification::json_type, &notification)) {
    log(LogEntry::Level::warning,
        "a session/update that does not fit was ignored: " + error->message());
    return true;
  }
  const std::size_t bytes = params.text().size();
  const auto found = sessions_.find(notification.sessionId);
  ClientSession* const session = found == sessions_.end() ? nullptr : found->second;
  std::optional<v1::SessionNotification> copy;
  if (parts_->update) copy = notification;
  if (session) {
    streaming_ = session->prompts.empty() ? nullptr : session;
    deliver(*session, std::move(notification.update), bytes);
  } else if (found == sessions_.end()) {
    if (early_bytes_ + bytes > max_early_bytes) {
      log(LogEntry::Level::warning,
          "an update of an unknown session was dropped: too many wait for it to become known");
    } else {
      early_bytes_ += bytes;
      early_[notification.sessionId].emplace_back(std::move(notification.update), bytes);
    }
  }
  if (!copy) return true;
  const std::string session_id = copy->sessionId;
  return pass_on(token, parts_->update, std::move(*copy), session_id);
}

void ClientRole::add_session(const std::shared_ptr<ClientSession>& session) {
  sessions_[session->id] = session.get();
  const auto early = early_.find(session->id);
  if (early == early_.end()) return;
  auto updates = std::move(early->second);
  early_.erase(early);
  for (auto& [update, bytes] : updates) {
    early_bytes_ -= bytes;
    deliver(*session, std::move(update), bytes);
  }
}

void ClientRole::forget_session(const ClientSession* session) {
  if (streaming_ == session) streaming_ = nullptr;
  const auto known = sessions_.find(session->id);
  if (known != sessions_.end() && known->second == session) known->second = nullptr;
}

void ClientRole::deliver(ClientSession& session, SessionUpdate update, std::size_t bytes) {
  if (session.state) session.state->apply(update);
  if (const auto* mode = std::get_if<v1::CurrentModeUpdate>(&update); mode && session.modes)
    session.modes->currentModeId = mode->currentModeId;
  if (const auto* options = std::get_if<v1::ConfigOptionUpdate>(&update))
    session.remember_options(options->configOptions);
  if (session.prompts.empty()) {
    session.outside.push_back(std::move(update));
    if (session.outside.size() > max_outside) {
      session.outside.pop_front();
      log(LogEntry::Level::warning, "an update that nobody took was dropped");
    }
    return;
  }
  PromptState& prompt = *session.prompts.front();
  if (prompt.abandoned) return;
  prompt.ready.emplace_back(std::move(update));
  count(prompt, bytes);
}

}  // namespace acp::detail
