// How a turn fails: what the client gets, and what the log gets.
#include "acp/json/codec.h"
#include "coder/session/random_id.h"
#include "coder/turn/turn.h"

namespace acp::coder {

namespace {

using Kind = ModelError::Kind;

// The model's error, once its details are in the log under an id.
class LoggedError : public ModelError {
 public:
  LoggedError(const ModelError& error, std::string id)
      : ModelError(error.kind(), std::string(error.what()) + "; the agent's log has more: " + id,
                   error.retry_after()),
        id_(std::move(id)) {}
  const std::string& id() const { return id_; }

 private:
  std::string id_;
};

}  // namespace

void TurnLoop::throw_logged(const ModelError& error) {
  if (error.details().empty()) throw error;
  constexpr std::size_t id_size = 12;
  const std::string id = random_id("e_").substr(0, id_size);
  std::string details = error.details();
  secrets_.mask(details);
  if (host_.log)
    host_.log({LogEntry::Level::error, std::string(error.what()) + ": " + details, id});
  throw LoggedError(error, id);
}

std::string TurnLoop::logged(const ModelError& error) {
  try {
    throw_logged(error);
  } catch (const ModelError& logged) {
    return logged.what();
  }
}

void TurnLoop::fail(const ModelError& error) {
  Json data = Json::object({});
  if (const auto* logged = dynamic_cast<const LoggedError*>(&error))
    data.set("correlationId", logged->id());
  if (error.kind() == Kind::rate_limited) {
    constexpr double soon = 60;
    data.set("reason", "rate_limited");
    data.set("retryAfter", error.retry_after().value_or(soon));
    throw Error(rpc::rate_limited, error.what(), data);
  }
  if (error.kind() == Kind::unauthorized) {
    // The next prompt looks for another key.
    session_.set_key_rejected();
    if (host_.key_rejected) host_.key_rejected(session_.model()->info().id);
    Json methods = Json::array();
    if (host_.login_methods)
      for (const v1::AuthMethod& method : host_.login_methods(session_.model()->info().id))
        methods.append(Json::parse(json::encode(method)).value());
    data.set("reason", "auth_required");
    data.set("authMethods", methods);
    std::string told = error.what();
    const KeySource key =
        host_.key_source ? host_.key_source(session_.model()->info().id) : KeySource();
    if (!key.place.empty()) {
      data.set("keySource", key.place);
      told += ". The key comes from " + key.place + ": " + key.advice;
    }
    throw Error(rpc::auth_required, told, data);
  }
  throw Error(rpc::internal_error, error.what(), data);
}

void TurnLoop::check_model() const {
  if (!host_.require_model || session_.has_model()) return;
  throw Error(rpc::internal_error,
              "no model is configured: set OPENAI_API_KEY or ANTHROPIC_API_KEY, log in with 'acp "
              "agent --login PROVIDER', start a local server and name its model (--model "
              "ollama/NAME), or take '--model offline'",
              Json::object({{"reason", "no_model"}}));
}

}  // namespace acp::coder
