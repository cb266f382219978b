#include "check/agent/turn_version2.h"

#include <utility>

namespace acp::check::version2 {

Json text_blocks(const std::string& text) {
  return Json::array({Json::object({{"type", "text"}, {"text", text}})});
}

Turn::Turn(AgentClient& client, std::string session, const Json& blocks)
    : client_(client),
      session_(std::move(session)),
      first_update_(client.updates.size()),
      first_call_(client.calls.size()) {
  id_ = client.ask("session/prompt", Json::object({{"sessionId", session_}, {"prompt", blocks}}));
}

Turn::Turn(AgentClient& client, std::string session, const std::string& text)
    : Turn(client, std::move(session), text_blocks(text)) {}

bool Turn::answered() {
  if (!answer_ && client_.answered(id_)) answer_ = client_.wait(id_);
  return answer_.has_value();
}

const Reply& Turn::answer() {
  if (!answered()) {
    static const Reply late{Reply::Kind::late, {}}, closed{Reply::Kind::closed, {}};
    return client_.gone() ? closed : late;
  }
  return *answer_;
}

bool Turn::over() {
  if (!answered()) return false;
  if (!answer_->ok()) return true;
  bool ran = false;
  for (std::size_t i = first_update_; i < client_.updates.size() && !end_; ++i) {
    const Update& update = client_.updates[i];
    if (update.session != session_ || update.kind != "state_update") continue;
    if (update.update["state"].as_string() != "idle")
      ran = true;
    else if (ran || update.update["stopReason"].is_string() || update.frame > answer_->frame)
      end_ = i;
  }
  return end_.has_value();
}

bool Turn::wait() { return wait(client_.run().options.timeout); }

bool Turn::wait(std::chrono::milliseconds time) {
  client_.until([&] { return over() || client_.gone(); }, time);
  return over();
}

std::string Turn::stop_reason() {
  if (!over() || !end_) return "";
  return client_.updates[*end_].update["stopReason"].as_string().value_or("");
}

bool Turn::reported() const {
  for (std::size_t i = first_update_; i < client_.updates.size(); ++i) {
    const Update& update = client_.updates[i];
    if (update.session == session_ &&
        (update.kind.starts_with("agent_") || update.kind.starts_with("tool_call")))
      return true;
  }
  return false;
}

std::string Turn::describe() {
  if (!answered() || !answer_->ok()) return "the prompt got " + answer().describe();
  if (!over()) return "the prompt was answered, and no state idle followed";
  return "the turn ended with the state " + client_.updates[*end_].update.text();
}

}  // namespace acp::check::version2
