#include "acp/role/versions/state.h"

#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

using State = SessionActivity::State;

v2::IdleStopReason reason_to_v2(v1::StopReason reason) {
  switch (reason) {
    case v1::StopReason::end_turn:
      return v2::EndTurnStopReason();
    case v1::StopReason::max_tokens:
      return v2::MaxTokensStopReason();
    case v1::StopReason::max_turn_requests:
      return v2::MaxTurnRequestsStopReason();
    case v1::StopReason::refusal:
      return v2::RefusalStopReason();
    case v1::StopReason::cancelled:
      return v2::CancelledStopReason();
  }
  return v2::EndTurnStopReason();
}

void end_turn(v2::IdleStateUpdate& idle, SessionActivity& activity) {
  const auto answer = [&](v1::StopReason reason) {
    v1::PromptResponse& response = activity.answer.emplace();
    response.stopReason = reason;
    response.usage = recoded<v1::Usage>(idle.usage);
    response._meta = idle._meta;
  };
  std::visit(
      Overloaded{[](v2::NoStopReason&) {},
                 [&](v2::EndTurnStopReason&) { answer(v1::StopReason::end_turn); },
                 [&](v2::MaxTokensStopReason&) { answer(v1::StopReason::max_tokens); },
                 [&](v2::MaxTurnRequestsStopReason&) { answer(v1::StopReason::max_turn_requests); },
                 [&](v2::RefusalStopReason&) { answer(v1::StopReason::refusal); },
                 [&](v2::CancelledStopReason&) { answer(v1::StopReason::cancelled); },
                 [&](v2::ErrorStopReason& failed) {
                   v1::Error& error = activity.error.emplace();
                   if (failed.error) {
                     error = to_v1(std::move(*failed.error));
                   } else {
                     error.code = v1::error_code::internal_error;
                     error.message = "the turn failed";
                   }
                 },
                 [&](Unknown& other) {
                   activity.stop_reason = std::move(other.tag);
                   answer(v1::StopReason::end_turn);
                 }},
      idle.stopReason);
}

}  // namespace

v2::StateUpdate running_state() { return v2::RunningStateUpdate(); }
v2::StateUpdate idle_state() { return v2::IdleStateUpdate(); }

void set_background(v2::StateUpdate& state, std::vector<v2::BackgroundWork> work) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.background; }) one.background = std::move(work);
      },
      state);
}

v2::StateUpdate idle_state(v1::PromptResponse response) {
  v2::IdleStateUpdate idle;
  idle.stopReason = reason_to_v2(response.stopReason);
  idle.usage = recoded<v2::Usage>(response.usage);
  idle._meta = std::move(response._meta);
  return idle;
}

v2::StateUpdate failed_state(v1::Error error) {
  v2::ErrorStopReason failed;
  failed.error = to_v2(std::move(error));
  v2::IdleStateUpdate idle;
  idle.stopReason = std::move(failed);
  return idle;
}

const char* to_string(State state) {
  switch (state) {
    case State::running:
      return "running";
    case State::idle:
      return "idle";
    case State::requires_action:
      return "requires_action";
    case State::unknown:
      return "unknown";
  }
  return "";
}

SessionActivity to_v1(v2::StateUpdate update) {
  SessionActivity activity;
  const auto common = [&](State state, auto& from) {
    activity.state = state;
    if (from.background) activity.background = std::move(*from.background);
    activity.meta = std::move(from._meta);
  };
  std::visit(
      Overloaded{[&](v2::RunningStateUpdate& from) { common(State::running, from); },
                 [&](v2::IdleStateUpdate& from) {
                   end_turn(from, activity);
                   common(State::idle, from);
                 },
                 [&](v2::RequiresActionStateUpdate& from) { common(State::requires_action, from); },
                 [&](v2::UnknownStateUpdate& from) { common(State::unknown, from); },
                 [&](Unknown& other) {
                   activity.unlisted = std::move(other.tag);
                   activity.meta = Json(other.payload["_meta"]);
                   const Json background(other.payload["background"]);
                   activity.background = recode<std::vector<v2::BackgroundWork>>(background);
                 }},
      update);
  return activity;
}

v1::Error to_v1(v2::Error error) {
  v1::Error to;
  to.code = error.code;
  if (error.data.is_null()) to.data = nullptr;
  if (error.data) to.data = Json::from_valid(json::encode(*error.data));
  to.message = std::move(error.message);
  return to;
}

v2::Error to_v2(v1::Error error) {
  v2::Error to;
  to.code = error.code;
  to.message = std::move(error.message);
  if (error.data.is_null())
    to.data = nullptr;
  else if (!error.data.absent())
    to.data = v2::ErrorData(std::move(error.data));
  return to;
}

}  // namespace acp::detail::versions
