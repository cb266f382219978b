// Agents that break every rule, and our client: see hostile_client_test.cc.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "acp/client.h"
#include "acp/testing/gate.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

using Strings = std::vector<std::string>;
constexpr std::size_t mebibyte = 1024 * 1024;

TEST(HostileAgent, InputIsCutAtEveryByteWithNoiseBetween) {
  const Within limit("the input of a client cut in two at every byte");
  const std::string update =
      "{\"jsonrpc\":\"2.0\",\"method\":\"_note\",\"params\":{\"text\":\"\xC3\xA4\"}}";
  const std::string input =
      "\xEF\xBB\xBF"
      "a banner\r\n\n"
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":"
      "{\"protocolVersion\":1}}\r\n" +
      update + "\n\x1b[0m noise\n" + update + "\r\n";
  for (std::size_t cut = 0; cut <= input.size(); ++cut) {
    auto [left, right] = memory_pair();
    RawEnd raw(std::move(left));
    int notes = 0;
    Client client("test", "1");
    client.on_notification("_note", [&](ClientContext, Json params) -> Task<void> {
      EXPECT_EQ(params["text"].as_string(), "\xC3\xA4");
      ++notes;
      co_return;
    });
    const AgentHandle remote = client.attach(std::move(right));
    remote.dispatch();
    ASSERT_EQ(raw.read()["id"].text(), "0");
    raw.send(input.substr(0, cut));
    remote.dispatch();
    raw.send(input.substr(cut));
    for (int i = 0; i < 4; ++i) remote.dispatch();
    EXPECT_TRUE(remote.ready()) << cut;
    EXPECT_EQ(notes, 2) << cut;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32700);
  }
}

TEST(HostileAgent, WhatAnAgentMayGetWrongInATurn) {
  const Within limit("a turn of an agent without manners");
  const std::string large(31 * mebibyte, 'l');
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [&](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    end.say("s", "first");
    end.line("a stray line");
    end.say("s", large);
    end.say("s", std::string(33 * mebibyte, 'x'));  // passed over
    end.line("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":" +
             std::string(200'000, '['));
    end.line(
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/"
        "update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":"
        "\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"\xC3(\"}}}}");
    end.line(
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/"
        "update\",\"params\":{\"sessionId\":\"s\",\"update\":[]}}");
    end.line("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\"}");
    end.line("{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{}}");
    end.line(request("8", "session/request_permission", "{\"sessionId\":\"s\"}"));
    end.line(request("9", "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/a\"}"));
    end.line(request("10", "terminal/create", "{}"));
    for (const char* id : {"8", "9", "10"})
      EXPECT_TRUE(end.read_answer(id)["error"]["code"].is_number()) << id;
    end.say("s", "last");
    end.answer(prompt, "{\"stopReason\":\"end_turn\"}");
    end.answer(prompt, "{\"stopReason\":\"refusal\"}");  // once more
    end.say("s", "too late");
    end.answer(end.read_call("_sync"), "{}");
    end.read_to_end();
  });
  std::atomic<int> warnings = 0;
  Client client("test", "1");
  client.on_log(
      [&](const LogEntry& entry) { warnings += entry.level == LogEntry::Level::warning; });
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  const Session session = remote.new_session("/").wait();
  Strings texts;
  for (PromptEvent& event : session.prompt("go")) {
    if (const auto* update = std::get_if<SessionUpdate>(&event))
      texts.push_back(
          std::get<v1::TextContent>(std::get<v1::AgentMessageChunk>(*update).content).text);
    else
      EXPECT_EQ(std::get<StopReason>(event), StopReason::end_turn);
  }
  EXPECT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts, (Strings{"first", large, "last"}));
  remote.peer().request("_sync", Json::object()).wait();
  EXPECT_EQ(session.take_updates().size(), 1u);
  remote.close();
  EXPECT_GE(warnings, 7);
}

// Pages of a list: 1, 2, 1, 2, …
TEST(HostileAgent, AListWithoutAnEndIsRefused) {
  const Within limit("pages in a circle");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.answer(end.read_call("initialize"),
               R"({"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}}})");
    for (const std::string next : {"1", "2", "1"})
      end.answer(end.read_call("session/list"),
                 R"({"sessions":[{"sessionId":"s","cwd":"/"}],"nextCursor":")" + next + "\"}");
    end.shut_output();
    end.read_to_end();
  });
  Client client("test", "1");
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  try {
    remote.list_sessions().wait();
    ADD_FAILURE() << "expected an error";
  } catch (const CallFailed& failed) {
    EXPECT_STREQ(failed.what(), "session/list has no end: nextCursor is \"1\" for the second time");
  }
  remote.close();
}

// An update that begins as the last one did is read in one pass.
TEST(HostileAgent, WhatBeginsLikeTheLastUpdateIsReadAsCarefully) {
  const Within limit("updates that look alike");
  const auto chunk = [](const std::string& text) {
    return "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"" +
           text + "\"}}";
  };
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [&](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    const auto update = [&](const std::string& params) {
      end.line("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":" + params + "}");
    };
    update("{\"update\":" + chunk("a") + ",\"sessionId\":\"s\"}");
    update("{\"update\":" + chunk("nobody's") + "}");
    update("{\"sessionId\":\"s\",\"update\":" + chunk("b") + "}");
    update("{\"sessionId\":\"s\",\"update\":" + chunk("c") + "}");
    update("{\"sessionId\":\"s\",\"update\":" + chunk("first") + ",\"update\":" + chunk("d") + "}");
    update("{\"sessionId\":\"s\",\"update\":" + chunk("broken") + "}}");
    update("{\"sessionId\":\"s\",\"update\":" + chunk("other's") + ",\"sessionId\":\"t\"}");
    update("{\"sessionId\":\"s\",\"update\":" + chunk("a call") + "},\"id\":7");
    EXPECT_EQ(end.read_answer("7")["error"]["code"].as_int64(), -32601);
    update("{\"sessionId\":\"s\",\"update\":" + chunk("another method's") +
           "},\"method\":\"_other\"");
    update("{ \"sessionId\": \"s\", \"update\": " + chunk("e") + " }");
    update("{ \"sessionId\": \"s\", \"update\": " + chunk("f") + "}");
    end.answer(prompt, "{\"stopReason\":\"end_turn\"}");
    end.read_to_end();
  });
  Client client("test", "1");
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  std::string texts;
  for (PromptEvent& event : remote.new_session("/").wait().prompt("go"))
    if (const auto* update = std::get_if<SessionUpdate>(&event))
      texts += std::get<v1::TextContent>(std::get<v1::AgentMessageChunk>(*update).content).text;
  EXPECT_EQ(texts, "abcdef");
  remote.close();
}

// A client that runs when the test says so, in a prompt; and its agent, who says much.
class Flood {
 public:
  explicit Flood(Client& client) {
    auto [ours, theirs] = memory_pair();
    agent_.emplace(std::move(theirs), [](RawEnd& end) { end.welcome(); });
    remote.emplace(client.attach(std::move(ours)));
    while (!remote->ready()) remote->dispatch();
    const Session session = remote->new_session("/").wait();
    agent_->join();
    prompt.emplace(session.prompt("go"));
    remote->dispatch();
    asked_ = agent_->end().read_call("session/prompt");
  }
  ~Flood() { remote->close(); }

  // Until the client takes no more. Gives how many were begun.
  std::size_t send() {
    const long before = memory_of("VmRSS");
    std::size_t sent = 0, count = 0;
    for (int idle = 0; idle < 10 && sent < 1'000'000'000;) {
      if (rest_.empty()) {
        rest_ = chunk_;
        ++count;
      }
      const ssize_t size = ::send(agent_->end().descriptor(), rest_.data(), rest_.size(),
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
      if (size > 0) {
        rest_.remove_prefix(static_cast<std::size_t>(size));
        sent += static_cast<std::size_t>(size);
        idle = 0;
      } else {
        remote->dispatch();
        ++idle;
      }
    }
    EXPECT_LT(sent, 100'000'000u);
    EXPECT_LT(memory_of("VmRSS") - before, 300 * 1024) << "kilobytes";
    return count;
  }
  // What is left, and the end of the turn. Gives how many updates the client took.
  std::size_t finish() {
    std::thread remaining([&] {
      agent_->end().send(rest_);
      agent_->end().answer(asked_, "{\"stopReason\":\"end_turn\"}");
    });
    std::size_t taken = 0;
    for (PromptEvent& event : *prompt) taken += std::holds_alternative<SessionUpdate>(event);
    remaining.join();
    return taken;
  }

  std::optional<AgentHandle> remote;
  std::optional<Prompt> prompt;

 private:
  const std::string chunk_ =
      "{\"jsonrpc\":\"2.0\",\"method\":\"session/"
      "update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":"
      "\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"" +
      std::string(20'000, 'x') + "\"}}}}\n";
  std::string_view rest_;
  std::optional<Script> agent_;
  Json asked_;
};

TEST(HostileAgent, EventsThatNobodyTakesFillNoMemory) {
  const Within limit("a prompt whose events nobody takes");
  Client client("test", "1");
  client.keep_state(false);
  Flood flood(client);
  const std::size_t count = flood.send();
  // Once they are taken, it goes on.
  EXPECT_EQ(flood.finish(), count);
}

TEST(HostileAgent, WaitsForAHandlerThatTakesItsTime) {
  const Within limit("updates whose handler takes its time");
  const auto ready = std::make_shared<async::Completion<void>>();
  std::size_t handled = 0;
  Client client("test", "1");
  client.keep_state(false).on_update(
      [&, ready](ClientContext, v1::SessionNotification) -> Task<void> {
        if (++handled == 1) co_await Task<void>(ready);
      });
  Flood flood(client);
  const std::size_t count = flood.send();
  EXPECT_EQ(handled, 1u);
  // Nothing was dropped.
  ready->settle();
  EXPECT_EQ(flood.finish(), count);
  EXPECT_EQ(handled, count);
}

// What it asked for before our output was full waits, too.
TEST(HostileAgent, AnswersThatNobodyReadsAreNotMade) {
  const Within limit("an agent that asks and does not read");
  constexpr std::size_t requests = 600;
  std::atomic<std::size_t> begun = 0, read = 0, most_ahead = 0;
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [&](RawEnd& end) {
    end.welcome();
    const std::string prompt(end.read_call("session/prompt")["id"].text());
    std::string all;
    for (std::size_t i = 0; i < requests; ++i)
      all += request(std::to_string(i + 100), "fs/read_text_file",
                     "{\"sessionId\":\"s\",\"path\":\"/a\"}") +
             "\n";
    end.send(all);
    while (begun < 10) std::this_thread::yield();
    for (; read < requests; ++read) end.read();
    end.line("{\"jsonrpc\":\"2.0\",\"id\":" + prompt +
             ",\"result\":{\"stopReason\":\"end_turn\"}}");
  });
  Client client("test", "1");
  client.on_read_text_file([&](ClientContext, v1::ReadTextFileRequest) {
    const std::size_t ahead = ++begun - read;
    for (std::size_t seen = most_ahead;
         ahead > seen && !most_ahead.compare_exchange_weak(seen, ahead);) {
    }
    v1::ReadTextFileResponse response;
    response.content = std::string(mebibyte, 'x');
    return response;
  });
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  for (PromptEvent& event : remote.new_session("/").wait().prompt("go")) (void)event;
  agent.join();
  remote.close();
  EXPECT_EQ(begun, requests);
  // Those whose answers fill the output, and those that ran at that time.
  EXPECT_LT(most_ahead, 200u);
}

// It did not know of the cancel yet: nobody is asked any more, until the next turn.
TEST(HostileAgent, AQuestionThatCrossesACancelIsAnsweredCancelled) {
  const Within limit("a permission request after session/cancel");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    const auto ask = [&](const char* id) {
      end.line(request(id, "session/request_permission",
                       "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":"
                       "[{\"optionId\":\"y\",\"name\":\"Y\",\"kind\":\"allow_once\"}]}"));
      return end.read_answer(id)["result"]["outcome"]["outcome"].as_string();
    };
    const auto stop = [&](const Json& prompt, const std::string& reason) {
      end.line("{\"jsonrpc\":\"2.0\",\"id\":" + std::string(prompt["id"].text()) +
               ",\"result\":{\"stopReason\":\"" + reason + "\"}}");
    };
    end.welcome();
    const Json first = end.read_call("session/prompt");
    end.read_call("session/cancel");
    EXPECT_EQ(ask("1"), "cancelled");
    stop(first, "cancelled");
    const Json second = end.read_call("session/prompt");
    EXPECT_EQ(ask("2"), "selected");
    stop(second, "end_turn");
  });
  Client client("test", "1");
  client.on_permission([](ClientContext, v1::RequestPermissionRequest) {
    return Decision(PermissionOptionKind::allow_once);
  });
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  const Session session = remote.new_session("/").wait();
  Prompt prompt = session.prompt("one");
  session.cancel();
  EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::cancelled);
  EXPECT_EQ(session.prompt("two").finish().wait().stopReason, StopReason::end_turn);
  agent.join();
  remote.close();
}

TEST(HostileAgent, TheAgentGoesAtEveryMessageOfATurn) {
  const auto play = [](RawEnd& end, int messages) {
    // True while there is something left to send.
    const auto step = [&](const std::string& text) {
      if (messages-- == 0) {
        end.close();
        return false;
      }
      end.line(text);
      return true;
    };
    const auto answer = [](JsonView asked, const std::string& result) {
      return "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(asked["id"].text()) +
             ",\"result\":" + result + "}";
    };
    const std::string session = "{\"sessionId\":\"s\",";
    if (!step(answer(end.read_call("initialize"), "{\"protocolVersion\":1}"))) return;
    if (!step(answer(end.read_call("session/new"), "{\"sessionId\":\"s\"}"))) return;
    const Json prompt = end.read_call("session/prompt");
    if (!step(
            "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":" + session +
            "\"update\":{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"title\":\"T\"}}}"))
      return;
    if (!step(request("1", "session/request_permission",
                      session + "\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[{\"optionId\":"
                                "\"y\",\"name\":\"Y\","
                                "\"kind\":\"allow_once\"}]}")))
      return;
    end.read_answer("1");
    if (!step(request("2", "fs/read_text_file", session + "\"path\":\"/a\"}"))) return;
    end.read_answer("2");
    if (!step(request("3", "terminal/create", session + "\"command\":\"true\"}"))) return;
    end.read_answer("3");
    if (!step(request("4", "terminal/wait_for_exit", session + "\"terminalId\":\"t\"}"))) return;
    // Not waited for: its handler is at work when the end comes.
    if (!step(answer(prompt, "{\"stopReason\":\"end_turn\"}"))) return;
    end.close();
  };
  constexpr int all = 8;
  for (int messages = 0; messages <= all; ++messages) {
    for (const bool plain : {false, true}) {
      const Within limit("the end of a client whose agent went at message " +
                         std::to_string(messages));
      auto [ours, theirs] = memory_pair();
      Script agent(std::move(theirs), [&](RawEnd& end) { play(end, messages); });
      Client client("test", "1");
      client.on_permission([](ClientContext, v1::RequestPermissionRequest) {
        return Decision(PermissionOptionKind::allow_once);
      });
      client.on_read_text_file(
          [](ClientContext, v1::ReadTextFileRequest) { return v1::ReadTextFileResponse(); });
      TerminalHandlers terminals;
      terminals.create = [](ClientContext, v1::CreateTerminalRequest) {
        v1::CreateTerminalResponse response;
        response.terminalId = "t";
        return response;
      };
      terminals.output = [](ClientContext, v1::TerminalOutputRequest) {
        return v1::TerminalOutputResponse();
      };
      if (plain)
        terminals.wait_for_exit = [](ClientContext context, v1::WaitForTerminalExitRequest) {
          while (!context.cancelled()) std::this_thread::yield();
          return v1::WaitForTerminalExitResponse();
        };
      else
        terminals.wait_for_exit =
            [](ClientContext context,
               v1::WaitForTerminalExitRequest) -> Task<v1::WaitForTerminalExitResponse> {
          co_await context.peer().request("_never", Json::object());
          co_return v1::WaitForTerminalExitResponse();
        };
      terminals.kill = [](ClientContext, v1::KillTerminalRequest) {};
      terminals.release = [](ClientContext, v1::ReleaseTerminalRequest) {};
      client.on_terminals(std::move(terminals));
      try {
        const AgentHandle remote = client.connect(std::move(ours)).wait();
        const Session session = remote.new_session("/").wait();
        const v1::PromptResponse response = session.prompt("go").finish().wait();
        EXPECT_EQ(messages, all);
        EXPECT_EQ(response.stopReason, StopReason::end_turn);
      } catch (const StartFailed&) {
        EXPECT_LT(messages, 2);
      } catch (const ConnectionClosed&) {
        EXPECT_GE(messages, 2);
        EXPECT_LT(messages, all);
      }
    }
  }
}

// The answer to the request on the way fails, because the agent is gone; its last words are there.
TEST(HostileAgent, WhatAnAgentSaidBeforeItWentIsReadThoughItCanBeToldNothing) {
  const Within limit("the last words of an agent");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [&](RawEnd& end) { end.welcome(); });
  Client client("test", "1");
  client.on_read_text_file(
      [](ClientContext, v1::ReadTextFileRequest) -> Task<v1::ReadTextFileResponse> {
        co_return v1::ReadTextFileResponse();
      });
  const AgentHandle remote = client.attach(std::move(ours));
  while (!remote.ready()) remote.dispatch();
  const Session session = remote.new_session("/").wait();
  agent.join();
  Prompt prompt = session.prompt("go");
  remote.dispatch();
  RawEnd& end = agent.end();
  const Json asked = end.read_call("session/prompt");
  end.line(request("9", "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/a\"}"));
  // More than is read at once, and less than the socket holds.
  for (int i = 0; i < 5; ++i) end.say("s", std::string(20'000, 'x'));
  end.answer(asked, "{\"stopReason\":\"end_turn\"}");
  end.close();
  EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::end_turn);
  remote.close();
}

}  // namespace
}  // namespace acp
