// Our client over HTTP or WebSocket, at a server that says what a test likes.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>

#include "acp/client.h"
#include "acp/remote/client.h"
#include "acp/remote/testing/scripted_server.h"
#include "acp/testing/raw_end.h"

namespace acp::remote::testing {

struct Conversation : ::testing::Test {
  Conversation() {
    options.answer_time = options.connect_time = std::chrono::milliseconds(300);
    options.vanish_time = std::chrono::milliseconds(1'000);
    options.max_message_bytes = 1024 * 1024;
    options.bearer_token = "very-secret";
    options.log = [this](const LogEntry& entry) {
      std::lock_guard lock(mutex);
      log += entry.message + "\n";
    };
  }
  // A whole conversation: how its turn ended, or what went wrong.
  std::string converse(const std::string& url, bool loads = false) {
    Client client("test", "1");
    client.on_update([this](const ClientContext&, const v1::SessionNotification&) { ++updates; });
    try {
      const AgentHandle handle = client.connect(remote::url(url, options)).wait();
      const Session session =
          loads ? handle.load_session("s", "/").wait() : handle.new_session("/").wait();
      updates_before_answer = updates.load();
      const auto stop = session.prompt("hello").finish().wait().stopReason;
      return stop == StopReason::end_turn ? "end_turn" : "another stop reason";
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  std::string logged() {
    std::lock_guard lock(mutex);
    return log;
  }

  const acp::testing::Within limit{"a client"};
  UrlOptions options;
  std::mutex mutex;
  std::string log;
  std::string last_answer;
  std::atomic<int> updates = 0, updates_before_answer = 0;
};

inline bool is(const RawRequest& request, const char* method) {
  return request.rpc_method() == method;
}
inline const std::string update =
    R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}})";

}  // namespace acp::remote::testing
