// The calls that one handler has under way, so that they end when it is cancelled.
#pragma once

#include <map>
#include <memory>

#include "acp/async/completion.h"
#include "acp/rpc/peer.h"

namespace acp::detail {

// Guarded by the connection's lock.
class CallScope {
 public:
  // What is pending fails at once; the other side is told that nobody waits for it any more.
  void cancel(rpc::Peer& peer);
  bool cancelled() const { return cancelled_; }

  void add(rpc::Peer::CallId id, std::shared_ptr<async::CompletionBase> call) {
    calls_.emplace(id, std::move(call));
  }
  void remove(rpc::Peer::CallId id) { calls_.erase(id); }

 private:
  std::map<rpc::Peer::CallId, std::shared_ptr<async::CompletionBase>> calls_;
  bool cancelled_ = false;
};

}  // namespace acp::detail
