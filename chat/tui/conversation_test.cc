// A conversation with an agent in this process: turns, the queue, sessions.
#include "chat/tui/conversation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "acp/agent.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::chat {
namespace {

// Reads the mailbox, as the loop does, and records the events.
class Talk : public Front, Conversation::Events {
 public:
  Talk() : Talk(ChatOptions()) {}
  explicit Talk(ChatOptions given) : options(std::move(given)) {
    setenv("XDG_STATE_HOME", scratch.path().c_str(), 1);
    options.agent.name = "test";
    options.cwd = scratch.path().string();
    options.version = "1";
    agent.on_prompt([this](Turn turn) -> Task<StopReason> {
      asked(turn.text());
      if (turn.text() == "fail") throw std::runtime_error("no");
      if (turn.text().starts_with("wait")) {
        Task<bool> stopped(stop);
        const std::stop_callback on_stop(turn.stop_token(), [this] { stop->settle(true); });
        co_await std::move(stopped);
        co_return StopReason::cancelled;
      }
      co_await turn.say("said");
      co_return StopReason::end_turn;
    });
    host = std::make_shared<ChatHost>(mailbox, *this, "test", "test", "",
                                      std::vector<io::EnvironmentEdit>());
    conversation.emplace(options, mailbox, host, static_cast<Conversation::Events&>(*this),
                         [this](Client& client) {
                           auto [ours, theirs] = memory_pair();
                           served.emplace(agent.start(std::move(theirs)));
                           return client.connect(std::move(ours));
                         });
  }
  ~Talk() override { conversation.reset(); }

  void until(const std::function<bool()>& done) {
    while (!done()) {
      {
        std::unique_lock lock(mutex);
        ASSERT_TRUE(woken.wait_for(lock, std::chrono::minutes(1),
                                   [this] { return std::exchange(awake, false); }));
      }
      for (const auto& letter : mailbox->take()) letter();
    }
  }
  void begin() {
    conversation->start();
    until([this] { return conversation->session().has_value() && conversation->quiet(); });
  }
  bool told(const std::string& what) const {
    return std::find(log.begin(), log.end(), what) != log.end();
  }
  std::vector<std::string> prompts() {
    const std::lock_guard lock(mutex);
    return prompts_;
  }

  // Front
  void ask(std::shared_ptr<Dialog>) override {}
  void take_back(std::size_t) override {}
  void rejected(const std::string&) override {}
  void disconnected() override { conversation->disconnected(); }
  std::optional<Session> session() const override { return conversation->session(); }
  // Events
  void say(const std::string& text) override { log.push_back(text); }
  void say_error(const std::string& text) override { log.push_back("error: " + text); }
  void changed() override {}
  void closing() override { log.emplace_back("closing"); }
  void opening(const Session&, const std::string& how, bool first) override {
    EXPECT_FALSE(conversation->session());
    log.push_back("opening " + how + (first ? " first" : ""));
  }
  void opened() override { log.emplace_back("opened"); }
  void choose_session() override { log.emplace_back("choose"); }
  bool lends_terminal() const override { return false; }
  void not_resumed(const std::string& id, const std::string&) override {
    log.push_back("not resumed " + id);
  }
  void not_started(const std::string& why, bool, int code) override {
    log.push_back("not started " + std::to_string(code) + " " + why);
  }
  void turn_begins() override { log.emplace_back("turn"); }
  void turn_ends(const std::string& error, bool) override {
    EXPECT_TRUE(conversation->working());
    log.push_back(error.empty() ? "end" : "end: " + error);
  }
  void idle() override { log.emplace_back("idle"); }
  void agent_gone() override { log.emplace_back("gone"); }

  workspace::testing::Scratch scratch;
  ChatOptions options;
  Agent agent{"test", "1"};
  std::shared_ptr<async::Completion<bool>> stop = std::make_shared<async::Completion<bool>>();
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>([this] {
    const std::lock_guard lock(mutex);
    awake = true;
    woken.notify_all();
  });
  std::shared_ptr<ChatHost> host;
  std::optional<AgentConnection> served;
  std::optional<Conversation> conversation;
  std::vector<std::string> log;

 private:
  void asked(std::string text) {
    const std::lock_guard lock(mutex);
    prompts_.push_back(std::move(text));
  }

  std::mutex mutex;
  std::condition_variable woken;
  bool awake = false;
  std::vector<std::string> prompts_;
};

using Texts = std::vector<std::string>;

TEST(Conversation, OpensASessionAndTakesTurns) {
  Talk talk;
  talk.begin();
  EXPECT_EQ(talk.log, (Texts{"opening new first", "opened"}));
  EXPECT_EQ(talk.conversation->phase(), "");
  talk.conversation->submit("hello");
  EXPECT_TRUE(talk.conversation->working());
  talk.until([&] { return !talk.conversation->working(); });
  EXPECT_EQ(talk.prompts(), Texts{"hello"});
  EXPECT_EQ(talk.log.back(), "idle");
}

TEST(Conversation, WhatIsTypedBeforeTheSessionIsSentThen) {
  Talk talk;
  talk.conversation->submit("early");
  EXPECT_EQ(talk.conversation->queue().size(), 1u);
  talk.begin();
  talk.until([&] { return talk.told("idle"); });
  EXPECT_EQ(talk.prompts(), Texts{"early"});
}

TEST(Conversation, TheQueueWaitsForTheTurnsEnd) {
  Talk talk;
  talk.begin();
  talk.conversation->submit("one");
  talk.conversation->submit("two");
  talk.conversation->submit("three");
  EXPECT_EQ(talk.conversation->queue().size(), 2u);
  talk.until([&] { return talk.told("idle"); });
  EXPECT_EQ(talk.prompts(), (Texts{"one", "two", "three"}));
  EXPECT_EQ(std::count(talk.log.begin(), talk.log.end(), "idle"), 1);
}

TEST(Conversation, ACancelledTurnGivesTheQueueBack) {
  Talk talk;
  talk.begin();
  talk.conversation->submit("wait");
  talk.conversation->submit("next");
  talk.conversation->submit("last");
  EXPECT_EQ(talk.conversation->cancel(), (Texts{"next", "last"}));
  EXPECT_TRUE(talk.conversation->cancelled());
  EXPECT_TRUE(talk.conversation->queue().empty());
  talk.until([&] { return !talk.conversation->working(); });
  EXPECT_FALSE(talk.conversation->cancelled());
  EXPECT_EQ(talk.prompts(), Texts{"wait"});
}

TEST(Conversation, TheLastOfTheQueueCanBeTakenOut) {
  Talk talk;
  talk.begin();
  talk.conversation->submit("one");
  talk.conversation->submit("two");
  talk.conversation->submit("three");
  EXPECT_EQ(talk.conversation->take_last_queued(), "three");
  talk.until([&] { return talk.told("idle"); });
  EXPECT_EQ(talk.prompts(), (Texts{"one", "two"}));
}

TEST(Conversation, ThePersonMayChooseTheSession) {
  ChatOptions options;
  options.choose_session = true;
  Talk talk(options);
  talk.conversation->start();
  talk.until([&] { return talk.told("choose"); });
  EXPECT_FALSE(talk.conversation->session());
  EXPECT_EQ(talk.conversation->phase(), "");
  talk.conversation->new_session();
  talk.until([&] { return talk.conversation->session().has_value(); });
  EXPECT_TRUE(talk.told("opening new first"));
}

TEST(Conversation, ASessionThatWasChosenAndCannotBeOpenedIsNoDeadEnd) {
  ChatOptions options;
  options.choose_session = true;
  Talk talk(options);
  talk.conversation->start();
  talk.until([&] { return talk.told("choose"); });
  talk.conversation->open_session("nosuch", "");
  EXPECT_EQ(talk.conversation->phase(), "opening a session");
  talk.until([&] { return talk.told("not resumed nosuch"); });
  EXPECT_EQ(talk.conversation->phase(), "");
  EXPECT_FALSE(talk.conversation->session());
  talk.conversation->new_session();
  talk.until([&] { return talk.conversation->session() && talk.conversation->quiet(); });
  // With one open, it stays.
  talk.conversation->open_session("nosuch", "");
  talk.until([&] { return talk.conversation->quiet(); });
  EXPECT_TRUE(talk.conversation->session());
  EXPECT_EQ(std::count(talk.log.begin(), talk.log.end(), "not resumed nosuch"), 1);
}

TEST(Conversation, RestartedItHasANewAgentAndSession) {
  Talk talk;
  talk.begin();
  talk.conversation->restart();
  EXPECT_FALSE(talk.conversation->has_agent());
  talk.until([&] { return talk.conversation->session() && talk.conversation->quiet(); });
  EXPECT_EQ(talk.log,
            (Texts{"opening new first", "opened", "closing", "opening new first", "opened"}));
}

TEST(Conversation, AFailedTurnIsReportedAndTheNextOneRuns) {
  Talk talk;
  talk.begin();
  talk.conversation->submit("fail");
  talk.conversation->submit("after");
  talk.until([&] { return talk.told("idle"); });
  EXPECT_TRUE(std::any_of(talk.log.begin(), talk.log.end(),
                          [](const std::string& line) { return line.starts_with("end: "); }));
  EXPECT_EQ(talk.prompts(), (Texts{"fail", "after"}));
}

TEST(Conversation, AnotherSessionTakesThePlaceOfTheFirst) {
  Talk talk;
  talk.begin();
  const std::string first = talk.conversation->session()->id();
  talk.conversation->new_session();
  talk.until([&] { return talk.conversation->session() && talk.conversation->quiet(); });
  EXPECT_EQ(talk.log, (Texts{"opening new first", "opened", "closing", "opening new", "opened"}));
  EXPECT_NE(talk.conversation->session()->id(), first);
}

TEST(Conversation, ASessionThatCannotBeResumedIsNotReplaced) {
  ChatOptions options;
  options.session = "nosuch";
  Talk talk(options);
  talk.conversation->start();
  talk.until([&] { return talk.told("not resumed nosuch"); });
  EXPECT_FALSE(talk.conversation->session());
}

TEST(Conversation, AttachmentsGoWithTheNextPromptAlone) {
  Talk talk;
  talk.begin();
  v1::TextContent more;
  more.text = " and more";
  talk.conversation->attach(more, "more");
  EXPECT_EQ(talk.conversation->attached(), Texts{"more"});
  talk.conversation->submit("one");
  EXPECT_TRUE(talk.conversation->attached().empty());
  talk.conversation->submit("two");
  talk.until([&] { return talk.told("idle"); });
  ASSERT_EQ(talk.prompts().size(), 2u);
  EXPECT_NE(talk.prompts()[0].find("and more"), std::string::npos);
  EXPECT_EQ(talk.prompts()[1], "two");
}

TEST(Conversation, TheEndOfTheAgentIsReportedOnce) {
  Talk talk;
  talk.begin();
  talk.served.reset();
  talk.until([&] { return talk.told("gone"); });
  // The connection's end, again, and a new agent before that is looked at.
  talk.conversation->disconnected();
  talk.until([&] { return talk.conversation->quiet(); });
  EXPECT_EQ(std::count(talk.log.begin(), talk.log.end(), "gone"), 1);
  talk.conversation->disconnected();
  talk.conversation->restart();
  talk.until([&] { return talk.conversation->session() && talk.conversation->quiet(); });
  EXPECT_EQ(std::count(talk.log.begin(), talk.log.end(), "gone"), 1);
}

}  // namespace
}  // namespace acp::chat
