// What looking on tells about a client: the rules of the wire, over all scenarios.
#pragma once

#include <mutex>
#include <set>
#include <string_view>

#include "check/client/client_scenario.h"

namespace acp::check {

class ClientWire {
 public:
  // A scenario that is over.
  void see(ClientScenario& scenario);
  // After the last one: what held is passed, what nothing was said about is skipped.
  void judge(Judge& judge) const;

 private:
  void notice(JsonView message, bool from_client);

  std::mutex mutex_;
  // What the client has done at least once: only then a rule about it can have held.
  std::set<std::string_view> tried_;
};

}  // namespace acp::check
