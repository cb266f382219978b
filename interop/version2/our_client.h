// Our client with everything installed, and an agent on the official SDK's draft of version 2. The
// program is the one that it would be for version 1.
#pragma once

#include <acp/client.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "interop/testing/inbox.h"
#include "interop/testing/recording.h"

namespace interop {

namespace v1 = acp::v1;
using acp::Json;
using acp::SessionUpdate;
using acp::StopReason;

struct Told {
  StopReason reason = StopReason::end_turn;
  std::vector<SessionUpdate> updates = {};
  std::string text = {};
};

Told finish(acp::Prompt prompt);
Told turn(const acp::Session& session, const std::string& text);
Told turn(const acp::Session& session, const std::vector<acp::ContentBlock>& content);

template <class T>
std::vector<T> all(const std::vector<SessionUpdate>& updates) {
  std::vector<T> found;
  for (const SessionUpdate& update : updates)
    if (const auto* one = std::get_if<T>(&update)) found.push_back(*one);
  return found;
}

class Version2 : public testing::Test {
 protected:
  Version2();
  // The agent, with these options.
  acp::AgentHandle start(const std::vector<std::string>& options = {});
  acp::Session open() { return start().new_session("/project").wait(); }

  ServerProcess server;
  acp::Client client{"interop", "1.0"};
  Inbox inbox;  // under the name of a method, or of a notification: its params
  Inbox wire;   // under "client" and "agent": the frames
  std::mutex mutex;
  std::vector<v1::RequestPermissionRequest> asked;
  acp::Decision decision = acp::PermissionOptionKind::allow_once;
  std::string logged;

  // What a test may set before it starts the agent: how the agent's requests are answered.
  std::function<acp::Decision(const acp::ClientContext&)> permission;
  std::function<v1::CreateElicitationResponse(const acp::ClientContext&)> elicitation;

 private:
  void install_questions();
  void install_extensions();
};

}  // namespace interop
