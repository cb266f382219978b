// Checks a client's messages with the rules of the wire, over all scenarios.
#pragma once

#include <mutex>
#include <set>
#include <string_view>

#include "check/client/client_scenario.h"

namespace acp::check {

class ClientWire {
 public:
  // Adds a scenario that has ended.
  void see(ClientScenario& scenario);
  // Reports after the last scenario: rules that were kept are passed, untested ones skipped.
  void judge(Judge& judge) const;

 private:
  void notice(JsonView message, bool from_client);

  std::mutex mutex_;
  // What the client has done at least once: only then a rule about it can pass.
  std::set<std::string_view> tried_;
};

}  // namespace acp::check
