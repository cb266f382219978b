// A model of a server that was found on this machine, not configured.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "coder/model/listener_owner.h"
#include "coder/model/model.h"

namespace acp::coder {

// Checks before each request which user listens there: anybody can take the port once its server
// has gone. Throws ModelError (refused) unless the owner is trusted, or is `accepted`, the owner's
// id when the user agreed.
class FoundServerModel final : public Model {
 public:
  FoundServerModel(std::shared_ptr<Model> model, std::uint16_t port, std::string accepted)
      : model_(std::move(model)), port_(port), accepted_(std::move(accepted)) {}

  const ModelInfo& info() const override { return model_->info(); }
  void answer(const ModelRequest& request, const OnModelEvent& on_event,
              std::stop_token stop) override;

 private:
  std::shared_ptr<Model> model_;
  std::uint16_t port_;
  std::string accepted_;
};

}  // namespace acp::coder
