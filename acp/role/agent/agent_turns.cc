// The turns of a session, one after the other.
#include <algorithm>

#include "acp/json/codec.h"
#include "acp/role/agent/agent_role.h"
#include "acp/role/agent/agent_updates.h"

namespace acp::detail {

namespace {

// Of RFC 4648; whether the padding is there does not matter, what is there must be right.
bool is_base64(std::string_view text) {
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const std::string_view digits = text.substr(0, text.size() - padding);
  if (digits.size() % 4 == 1 || (padding > 0 && text.size() % 4 != 0)) return false;
  return std::all_of(digits.begin(), digits.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  });
}

// The field whose bytes cannot be read; null if there is none.
const char* broken_bytes(const ContentBlock& block) {
  if (const auto* image = std::get_if<v1::ImageContent>(&block))
    return is_base64(image->data) ? nullptr : "data";
  if (const auto* audio = std::get_if<v1::AudioContent>(&block))
    return is_base64(audio->data) ? nullptr : "data";
  const auto* embedded = std::get_if<v1::EmbeddedResource>(&block);
  const auto* blob =
      embedded == nullptr ? nullptr : std::get_if<v1::BlobResourceContents>(&embedded->resource);
  return blob == nullptr || is_base64(blob->blob) ? nullptr : "resource.blob";
}

}  // namespace

bool AgentRole::check_prompt(const rpc::RequestId& id, const std::vector<ContentBlock>& prompt) {
  const v1::PromptCapabilities& can = config_->prompt_capabilities;
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    const ContentBlock& block = prompt[i];
    const char* missing =
        std::holds_alternative<v1::ImageContent>(block) && !can.image                 ? "image"
        : std::holds_alternative<v1::AudioContent>(block) && !can.audio               ? "audio"
        : std::holds_alternative<v1::EmbeddedResource>(block) && !can.embeddedContext ? "resource"
                                                                                      : nullptr;
    // Version 2 lets an agent refuse what it cannot know, and expects it.
    if (version_2_ && std::holds_alternative<Unknown>(block)) missing = "unknown";
    const std::string place = "params.prompt[" + std::to_string(i) + "].";
    if (missing != nullptr) {
      refuse(id, invalid_params(place + "type", "a kind that promptCapabilities advertise",
                                "\"" + std::string(missing) + "\""));
      return false;
    }
    if (const char* const broken = broken_bytes(block)) {
      refuse(id, invalid_params(place + broken, "base64", "something else"));
      return false;
    }
  }
  return true;
}

void AgentRole::prompt(const rpc::RequestId& id, JsonView params) {
  v1::PromptRequest request;
  if (!decode(id, params, request)) return;
  const auto session = session_of(id, request.sessionId);
  if (!session || !check_prompt(id, request.prompt)) return;
  const bool others = session->turn || !session->waiting.empty();
  if (others && config_->second_prompt == SecondPrompt::refused)
    return refuse(id, rpc::invalid_request, "Invalid request: a turn of the session is at work",
                  Json::object({{"sessionId", session->id}}));
  const CallPtr call = begin(id);
  call->session = session;
  call->prompt = std::move(request);
  // While the session is opened again nobody knows what the turn begins with.
  if (others || is_opening(session->id))
    session->waiting.push_back(call);
  else
    start_turn(call);
}

void AgentRole::start_next_turn(AgentSession& session) {
  if (session.turn || session.waiting.empty()) return;
  const CallPtr next = session.waiting.front();
  session.waiting.erase(session.waiting.begin());
  start_turn(next);
}

void AgentRole::start_turn(const CallPtr& call) {
  call->session->turn = call;
  if (config_->prompt_insertion == PromptInsertion::before_handler) insert_prompt(*call);
  tell_unused_servers(*call->session, true);
  handlers().run(
      config_->prompt,
      [this, call](v1::PromptResponse* response, std::exception_ptr error) {
        handler_ended(call, response, error);
      },
      Turn(call));
}

// In version 2 a message has its id before it is inserted.
const std::string& AgentRole::message_id(AgentCall& call) {
  if (version_2_ && call.message_id.empty()) call.message_id = new_id("msg_");
  return call.message_id;
}

void AgentRole::insert_prompt(AgentCall& call) {
  if (version_2_ && !call.answered && !call.over) version_2_->begin_turn(call);
}

namespace {

// A turn may also be cancelled by the answer to what it asked: a permission request.
bool is_cancellation(const std::exception_ptr& error) {
  if (!error) return false;
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

std::string_view why_left_open(const AgentCall& call, const v1::PromptResponse* response,
                               const std::exception_ptr& error) {
  if (call.cancelled || is_cancellation(error)) return "The turn was cancelled before this ended.";
  return response == nullptr ? "The turn failed before this ended."
                             : "The turn ended before this did.";
}

}  // namespace

void AgentRole::handler_ended(const CallPtr& call, v1::PromptResponse* response,
                              const std::exception_ptr& error) {
  std::string_view why;
  bool cancelled = false;
  {
    const io::Connection::Lock lock(*connection_);
    why = why_left_open(*call, response, error);
    cancelled = call->cancelled || is_cancellation(error);
  }
  close_hooked_tool_calls(call, why, cancelled);
  const io::Connection::Lock lock(*connection_);
  end_turn(call, response, error);
}

void AgentRole::end_turn(const CallPtr& call, v1::PromptResponse* response,
                         std::exception_ptr error) {
  AgentSession& session = *call->session;
  const bool cancelled = call->cancelled || is_cancellation(error);
  close_tool_calls(*call, why_left_open(*call, response, error));
  if (defer_end(call, response, error)) return;
  session.turn = nullptr;
  if (cancelled && version_2_ && !call->answered) {
    cancel_waiting(*call);
  } else if (cancelled) {
    v1::PromptResponse last;
    if (response != nullptr) last = std::move(*response);
    last.stopReason = StopReason::cancelled;
    end_prompt(*call, last);
  } else if (response != nullptr) {
    end_prompt(*call, *response);
  } else {
    fail_prompt(*call, error);
  }
  start_next_turn(session);
  if (session.turn) return;
  for (const auto& action : std::exchange(session.when_idle, {})) action();
}

void AgentRole::end_prompt(AgentCall& call, const v1::PromptResponse& response) {
  if (version_2_ && !call.over) {
    insert_prompt(call);
    version_2_->end_turn(call, response);
  }
  answer(call, response);
}

void AgentRole::fail_prompt(AgentCall& call, std::exception_ptr error) {
  if (call.over) return;
  const rpc::ErrorObject failure = to_error(call, std::move(error));
  if (version_2_ && call.answered) version_2_->end_turn(call, failure);
  fail(call, failure);
}

// In version 2 its message never was part of the conversation.
void AgentRole::cancel_waiting(AgentCall& call) {
  call.cancelled = true;
  if (version_2_)
    return fail(call, rpc::ErrorObject{rpc::request_cancelled, "Request cancelled", {}});
  v1::PromptResponse response;
  response.stopReason = StopReason::cancelled;
  answer(call, response);
}

void AgentRole::cancel_turns(AgentSession& session) {
  for (const CallPtr& call : std::exchange(session.waiting, {})) cancel_waiting(*call);
  if (session.turn) session.turn->cancel();
}

void AgentRole::on_cancel(const rpc::RequestId& id) {
  const auto call = std::static_pointer_cast<AgentCall>(active(id));
  if (!call) return;
  if (!call->session || call->session->turn == call || call->prompt.sessionId.empty())
    return call->cancel();
  // A prompt that waits for its turn.
  std::erase(call->session->waiting, call);
  cancel_waiting(*call);
}

}  // namespace acp::detail
