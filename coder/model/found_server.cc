#include "coder/model/found_server.h"

namespace acp::coder {

void FoundServerModel::answer(const ModelRequest& request, const OnModelEvent& on_event,
                              std::stop_token stop) {
  const ListenerOwner owner = listener_owner(port_);
  // Nobody there is the model's own to say.
  if (!owner.trusted && !owner.id.empty() && owner.id != accepted_)
    throw ModelError(ModelError::Kind::refused,
                     "port " + std::to_string(port_) + " of this machine is served by " +
                         owner.who +
                         " now, not by whom it was when the session began; nothing is sent there. "
                         "Begin a new session to decide about it.");
  model_->answer(request, on_event, stop);
}

}  // namespace acp::coder
