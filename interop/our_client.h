// Our client with everything installed, and an agent on the official SDK behind it.
#pragma once

#include <acp/client.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "interop/testing/fake_terminals.h"
#include "interop/testing/inbox.h"
#include "interop/testing/recording.h"

namespace interop {

namespace v1 = acp::v1;
using acp::Json;

// The value as it stands on the wire.
template <class T>
Json as_json(const T& value);

// The text of the agent's message chunks.
std::string text_of(const std::vector<acp::SessionUpdate>& updates);
// Which update it is, by its name on the wire.
std::string kind_of(const acp::SessionUpdate& update);

struct Told {
  acp::StopReason reason;
  std::vector<acp::SessionUpdate> updates;
  std::string text;
};

// The parameter: whether the agent uses the SDK's unstable entry point.
class OurClient : public testing::TestWithParam<bool> {
 protected:
  OurClient();
  bool unstable() const { return GetParam(); }

  // Starts the agent with these options.
  acp::AgentHandle start(std::vector<std::string> options = {});
  acp::Session open_session() { return start().new_session("/project/project").wait(); }

  static Told turn(const acp::Session& session, std::string text);
  static Told finish(acp::Prompt prompt);

  ServerProcess server;
  acp::Client client{"interop", "1.0"};
  Inbox inbox;  // under the name of a method, or of a notification: its params
  Inbox wire;   // under "client" and "agent": the frames
  FakeTerminals terminals;
  std::map<std::string, std::string> files = {
      {"/project/project/notes.txt", "one\ntwo\nthree\nfour\n"}};
  std::mutex mutex;  // guards files

  // What a test may replace before it starts the agent: how the agent's requests are answered.
  std::function<acp::Decision(const acp::ClientContext&, const v1::RequestPermissionRequest&)>
      permission;
  std::function<v1::ReadTextFileResponse(const acp::ClientContext&, const v1::ReadTextFileRequest&)>
      read;
  std::function<v1::CreateElicitationResponse(const acp::ClientContext&)> elicitation;
  std::function<v1::MessageMcpResponse()> mcp;

 private:
  void install_files();
  void install_questions();
  void install_extensions();
};

// Only where the unstable entry point has what is tested.
class OurClientUnstable : public OurClient {};

}  // namespace interop

#include <acp/json/codec.h>

template <class T>
acp::Json interop::as_json(const T& value) {
  return acp::Json::parse(acp::json::encode(value)).value();
}
