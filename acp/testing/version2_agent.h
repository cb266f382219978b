// An agent of version 2 that keeps to a script, and a client of ours with one session of it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "acp/client.h"
#include "acp/testing/gate.h"

namespace acp::testing {

// ---- what it sends
inline std::string update(const std::string& update) {
  return R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":)" +
         update + "}}";
}
inline std::string state(const std::string& state) {
  return update(R"({"sessionUpdate":"state_update","state":)" + state + "}");
}
inline std::string chunk(const std::string& text) {
  return update(
      R"({"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":")" +
      text + "\"}}");
}
inline std::string echo(const std::string& text) {
  return update(
      R"({"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":")" +
      text + "\"}]}");
}

class WithAgentOfVersion2 : public ::testing::Test {
 protected:
  using Play = std::function<void(RawEnd& end, const Json& prompt)>;
  // What the agent does when it is prompted.
  Session open(Play play) {
    connect([play = std::move(play)](RawEnd& end) {
      end.answer(end.read_call("session/new"), R"({"sessionId":"s"})");
      const Json prompt = end.read_call("session/prompt");
      play(end, prompt);
    });
    return agent->new_session("/").wait();
  }
  // What it does after the handshake.
  void connect(std::function<void(RawEnd& end)> play) {
    auto [ours, theirs] = memory_pair();
    script_ = std::make_unique<Script>(std::move(theirs), [play = std::move(play)](RawEnd& end) {
      const Json first = end.read();
      EXPECT_EQ(first["params"]["protocolVersion"].as_int64(), 2);
      EXPECT_TRUE(first["params"]["clientCapabilities"].is_object());
      end.answer(first, R"({"protocolVersion":2,"info":{"name":"a","version":"1"},)"
                        R"("capabilities":{"session":{}}})");
      play(end);
      end.read_to_end();
    });
    client.versions({1, 2});
    agent.emplace(client.connect(std::move(ours)).wait());
  }
  ~WithAgentOfVersion2() override {
    if (agent) agent->close();
  }

  const Within limit{"a client of version 2"};
  Client client{"test", "1"};
  std::optional<AgentHandle> agent;

 private:
  std::unique_ptr<Script> script_;
};

}  // namespace acp::testing
