// Prompts under way: version 1 answers them at the end of their turn, version 2 at its beginning.
#include <algorithm>

#include "acp/json/codec.h"
#include "acp/role/client/client_role.h"

namespace acp::detail {

void ClientRole::send_prompt(const std::shared_ptr<PromptState>& prompt,
                             const v1::PromptRequest& request) {
  ++prompts_pending;
  rpc::Engine& engine = connection_->held().engine();
  if (version_2_) {
    const std::string params = version_2_->prompt(request.sessionId, prompt, request);
    engine.request(
        "session/prompt", [&](json::Writer& out) { out.put(params); },
        [prompt, self = self(), id = request.sessionId](const rpc::Engine::Answer& answer) {
          --self->prompts_pending;
          self->version_2_->answered(id, prompt, answer);
        });
    return;
  }
  engine.request(
      "session/prompt", [&](json::Writer& out) { json::write(out, request); },
      [prompt, self = self()](const rpc::Engine::Answer& answer) {
        --self->prompts_pending;
        if (answer.error != nullptr) return self->end_prompt(prompt, *answer.error);
        v1::PromptResponse response;
        if (const auto fault =
                json::decode(answer.result.text(), v1::PromptResponse::json_type, &response))
          return self->end_prompt(prompt,
                                  {rpc::internal_error,
                                   "the answer to session/prompt is not valid: " + fault->message(),
                                   {}});
        self->end_prompt(prompt, std::move(response));
      });
}

void ClientRole::end_prompt(const std::shared_ptr<PromptState>& prompt,
                            v1::PromptResponse response) {
  prompt->response = std::move(response);
  finish_prompt(prompt);
}

void ClientRole::end_prompt(const std::shared_ptr<PromptState>& prompt,
                            const rpc::ErrorObject& error) {
  prompt->error = error.connection_closed
                      ? std::make_exception_ptr(
                            ConnectionClosed(end_reason.empty() ? error.message : end_reason))
                      : std::make_exception_ptr(CallFailed(error.code, error.message, error.data));
  finish_prompt(prompt);
}

void ClientRole::finish_prompt(const std::shared_ptr<PromptState>& prompt) {
  turn_ended();
  std::erase(inserted_, prompt);
  if (ClientSession* const session = prompt->session) {
    std::erase(session->prompts, prompt);
    if (session->state)
      prompt->response ? session->state->turn_ended(prompt->response->stopReason)
                       : session->state->turn_failed();
    state_changed(*session);
  }
  if (prompt->waiter) {
    --prompts_waited;
    prompt->wake();
  }
}

// ---- version 2

void ClientRole::prompt_inserted(const std::string& session_id,
                                 const std::shared_ptr<PromptState>& prompt) {
  if (prompt->ended() || std::exchange(prompt->inserted, true)) return;
  inserted_.push_back(prompt);
  const auto found = sessions_.find(session_id);
  if (found == sessions_.end() || found->second == nullptr || found->second != prompt->session) {
    v1::PromptResponse response;  // closed meanwhile: nothing more comes for it
    response.stopReason = StopReason::cancelled;
    end_prompt(prompt, std::move(response));
  } else if (prompt->early_end && !found->second->works) {
    end_prompt_with(prompt, *prompt->early_end);
  }
}

void ClientRole::end_prompt_with(const std::shared_ptr<PromptState>& prompt, const PromptEnd& end) {
  if (end.error)
    end_prompt(prompt, {end.error->code, end.error->message, end.error->data});
  else
    end_prompt(prompt, end.response);
}

// Of those that wait for an answer, the engine knows.
void ClientRole::on_all_handled() {
  const rpc::ErrorObject closed{
      rpc::internal_error, "the connection closed before the turn ended", {}, true};
  for (const auto& prompt : std::vector(inserted_)) end_prompt(prompt, closed);
}

void ClientRole::end_inserted_prompts(const ClientSession& session) {
  v1::PromptResponse response;
  response.stopReason = StopReason::cancelled;
  for (const auto& prompt : std::deque(session.prompts))
    if (prompt->inserted) end_prompt(prompt, response);
}

void ClientRole::write_result(Call& call, json::Writer& out, const json::Type& type,
                              const void* result) {
  if (!version_2_) return AnsweringRole::write_result(call, out, type, result);
  version_2_->write_result(out, type, result);
}

}  // namespace acp::detail
