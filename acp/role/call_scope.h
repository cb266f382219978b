// The calls that one handler has under way, so that they end when it is cancelled.
#pragma once

#include <chrono>
#include <map>
#include <memory>

#include "acp/async/completion.h"
#include "acp/peer.h"
#include "acp/rpc/engine.h"

namespace acp::detail {

class Call;

// How long a cancelled handler may wait for all its clean-up calls together: see docs/agents.md.
inline constexpr std::chrono::milliseconds clean_up_time{2000};

// Guarded by the connection's lock.
class CallScope {
 public:
  // The handler's, which this is a part of; null for one that is not a Call.
  explicit CallScope(Call* owner = nullptr) : owner_(owner) {}
  Call* owner() const { return owner_; }

  // Fails pending calls at once, except clean-up; the other side is notified that nobody waits any
  // more.
  void cancel(rpc::Engine& engine);
  bool cancelled() const { return cancelled_; }
  // After clean_up_time: fails clean-up calls, too. From now on they are sent, and not waited for.
  void end_clean_up(rpc::Engine& engine);
  bool out_of_time() const { return out_of_time_; }

  void add(rpc::Engine::CallId id, std::shared_ptr<async::CompletionBase> call, Calling how) {
    (how == Calling::while_wanted ? calls_ : clean_up_).emplace(id, std::move(call));
  }
  void remove(rpc::Engine::CallId id) {
    if (calls_.erase(id) == 0) clean_up_.erase(id);
  }

 private:
  using Calls = std::map<rpc::Engine::CallId, std::shared_ptr<async::CompletionBase>>;

  Call* const owner_;
  Calls calls_;
  Calls clean_up_;
  bool cancelled_ = false;
  bool out_of_time_ = false;
};

}  // namespace acp::detail
