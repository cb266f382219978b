// _meta of the program's own, as the other side reads it, and what is checked before it goes out.
#include <gtest/gtest.h>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/testing/gate.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Meta, GoesWithWhatAClientSends) {
  const Within limit("messages with _meta");
  auto [ours, theirs] = memory_pair();
  std::vector<std::string> seen;
  Script script(std::move(theirs), [&](RawEnd& raw) {
    const auto keep = [&](const Json& message) { seen.emplace_back(message.text()); };
    const Json hello = raw.read();
    keep(hello);
    raw.answer(hello, R"({"protocolVersion":1})");
    const Json opening = raw.read();
    raw.answer(opening, R"({"sessionId":"s","modes":{"currentModeId":"a","availableModes":[)"
                        R"({"id":"a","name":"A"},{"id":"b","name":"B"}]}})");
    const Json mode = raw.read();
    keep(mode);
    raw.answer(mode, "{}");
    const Json prompt = raw.read();
    keep(prompt);
    keep(raw.read());
    raw.answer(prompt, R"({"stopReason":"cancelled"})");
    raw.read_to_end();
  });
  Client client("test", "1");
  client.capability_meta("example.com/feature", true)
      .initialize_meta(Json::object({{"example.com/build", 7}}))
      .on_request("_example.com/ask", [](ClientContext, Json params) { return params; });
  {
    const AgentHandle agent = client.connect(std::move(ours)).wait();
    const Session session = agent.new_session("/").wait();
    v1::SetSessionModeRequest mode;
    mode.modeId = "b";
    mode._meta = Json::object({{"example.com/why", "asked"}});
    session.set_mode(mode).wait();
    EXPECT_EQ(session.state().modes()->currentModeId, "b");
    v1::PromptRequest request;
    request.prompt.emplace_back("hello");
    request._meta = Json::object({{"traceparent", "00-1-2-01"}});
    Prompt prompt = session.prompt(request);
    v1::CancelNotification cancel;
    cancel._meta = Json::object({{"example.com/by", "user"}});
    session.cancel(cancel);
    EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::cancelled);
    agent.close();
  }
  script.join();
  ASSERT_EQ(seen.size(), 4u);
  const Json hello = Json::parse(seen[0]).value();
  EXPECT_EQ(Json(hello["params"]["_meta"]).text(), R"({"example.com/build":7})");
  EXPECT_EQ(Json(hello["params"]["clientCapabilities"]["_meta"]).text(),
            R"({"example.com/feature":true,"libacp/extensions":)"
            R"({"requests":["_example.com/ask"],"notifications":[]}})");
  const std::vector<std::string> others = {R"("_meta":{"example.com/why":"asked"})",
                                           R"("_meta":{"traceparent":"00-1-2-01"})",
                                           R"("_meta":{"example.com/by":"user"})"};
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_NE(seen[i + 1].find(others[i]), std::string::npos) << seen[i + 1];
    EXPECT_NE(seen[i + 1].find(R"("sessionId":"s")"), std::string::npos) << seen[i + 1];
  }
}

TEST(Meta, HasKeysWithANamespaceInCapabilities) {
  Agent agent("test", "1");
  Client client("test", "1");
  for (const char* key : {"", "feature", "/feature", ".x", "example.", "libacp/extensions"}) {
    EXPECT_THROW(agent.capability_meta(key, true), std::invalid_argument) << key;
    EXPECT_THROW(client.capability_meta(key, true), std::invalid_argument) << key;
  }
  EXPECT_THROW(agent.initialize_meta(Json(7)), std::invalid_argument);
  EXPECT_THROW(client.initialize_meta(Json("text")), std::invalid_argument);
  EXPECT_NO_THROW(agent.capability_meta("example.com", true));
}

// A client's program must not name a server by what depends on a directory, or on PATH.
TEST(ClientSpec, NamesServersByAbsolutePaths) {
  const Within limit("servers with relative commands");
  auto [ours, theirs] = memory_pair();
  Script script(std::move(theirs), [&](RawEnd& raw) {
    raw.answer(raw.read(), R"({"protocolVersion":1})");
    const std::size_t before = raw.seen().size();
    EXPECT_TRUE(raw.read_to_end());
    EXPECT_EQ(raw.seen().size(), before);
  });
  Client client("test", "1");
  {
    const AgentHandle agent = client.connect(std::move(ours)).wait();
    for (const char* command : {"npx", "./serve", ""}) {
      v1::McpServerStdio server;
      server.name = "one";
      server.command = command;
      v1::NewSessionRequest request;
      request.cwd = "/";
      request.mcpServers.emplace_back(server);
      try {
        agent.new_session(request).wait();
        ADD_FAILURE() << command;
      } catch (const Refused& refused) {
        EXPECT_EQ(std::string(refused.what()),
                  "mcpServers[0].command: expected an absolute path, got \"" +
                      std::string(command) + "\"");
      }
    }
    agent.close();
  }
  script.join();
}

}  // namespace
}  // namespace acp
