// Sessions that cannot begin, or cannot be opened, leave nothing behind.
#include "coder/coder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "acp/testing/raw_end.h"
#include "coder/testing/text.h"
#include "workspace/testing/scratch.h"

namespace acp::coder {
namespace {

using acp::testing::RawEnd;
using acp::testing::request;
using testing::contains;

class CoderTest : public ::testing::Test {
 protected:
  CoderTest() {
    options.settings_file = scratch / "config.toml";
    options.keys_file = scratch / "keys.toml";
    options.policy_file = scratch / "policy.toml";
    options.store_file = scratch / "sessions.db";
    options.model = "offline";
    std::filesystem::create_directories(scratch.path() / "project");
  }
  ~CoderTest() override { end(); }

  void begin() {
    auto [ours, its] = memory_pair();
    raw = RawEnd(std::move(ours));
    agent = std::thread([this, transport = std::move(its)]() mutable {
      Coder coder(options);
      coder.run(std::move(transport));
    });
    raw.initialize();
  }
  void end() {
    raw.close();
    if (agent.joinable()) agent.join();
  }
  // The answer, as it is written.
  std::string ask(const std::string& method, const std::string& params) {
    raw.line(request("9", method, params));
    return std::string(raw.read_answer("9").text());
  }
  std::string place() const {
    return R"("cwd":")" + (scratch / "project") + R"(","mcpServers":[])";
  }
  static void nothing(const std::string& text) { ADD_FAILURE() << text; }

  workspace::testing::Scratch scratch;
  CoderOptions options;
  RawEnd raw;
  std::thread agent;
};

TEST_F(CoderTest, ASessionThatCannotBeReplayedIsNotHeld) {
  {
    Store store(options.store_file, nothing);
    StoredSession stored;
    stored.id = "broken";
    stored.cwd = scratch / "project";
    LiveSession live = store.create(stored);
    live.append(EntryKind::update, "no update");
  }
  begin();
  for (const char* method : {"session/load", "session/resume"}) {
    const std::string answer = ask(method, R"({"sessionId":"broken",)" + place() + "}");
    EXPECT_PRED2(contains, answer, "an update of the session is broken");
    // Who could mend it can have it.
    Store store(options.store_file, nothing);
    EXPECT_NO_THROW(store.open("broken")) << method;
  }
  EXPECT_PRED2(contains, ask("session/fork", R"({"sessionId":"broken",)" + place() + "}"),
               "an update of the session is broken");
  Store store(options.store_file, nothing);
  EXPECT_EQ(store.list({}, "", 10).sessions.size(), 1u) << "a copy that is of no use is not kept";
}

TEST_F(CoderTest, ASessionIsOpenedAgainWhileItIsOpen) {
  begin();
  raw.line(request("9", "session/new", "{" + place() + "}"));
  const std::string id = *raw.read_answer("9")["result"]["sessionId"].as_string();
  for (int i = 0; i < 20; ++i) {
    const char* const method = i % 2 == 0 ? "session/load" : "session/resume";
    EXPECT_PRED2(contains, ask(method, R"({"sessionId":")" + id + "\"," + place() + "}"),
                 "configOptions");
  }
  EXPECT_PRED2(contains,
               ask("session/prompt",
                   R"({"sessionId":")" + id + R"(","prompt":[{"type":"text","text":"/status"}]})"),
               "end_turn");
}

TEST_F(CoderTest, ModesAreKeptWithTheSession) {
  begin();
  raw.line(request("9", "session/new", "{" + place() + "}"));
  const std::string id = *raw.read_answer("9")["result"]["sessionId"].as_string();
  EXPECT_PRED2(contains,
               ask("session/set_mode", R"({"sessionId":")" + id + R"(","modeId":"architect"})"),
               "\"result\"");
  EXPECT_PRED2(contains,
               ask("session/set_mode", R"({"sessionId":")" + id + R"(","modeId":"yolo"})"),
               "-32602");
  end();
  begin();
  const std::string answer = ask("session/load", R"({"sessionId":")" + id + "\"," + place() + "}");
  EXPECT_PRED2(contains, answer, R"("currentModeId":"architect")");
}

// Takes all descriptors of this process but the room that a test needs.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &few);
    for (int fd; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(fd);
  }
  ~NoDescriptors() {
    for (const int fd : taken_) close(fd);
    setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  rlimit before_ = {};
  std::vector<int> taken_;
};

TEST_F(CoderTest, WhatTheSystemLacksIsNotTheClientsMistake) {
  begin();
  const std::string more = R"({"additionalDirectories":[")" + (scratch / "none") + R"("],)";
  {
    const NoDescriptors none;
    for (const std::string& params : {"{" + place() + "}", more + place() + "}"}) {
      const std::string answer = ask("session/new", params);
      EXPECT_PRED2(contains, answer, "-32603");
      EXPECT_PRED2(contains, answer, "Too many open files");
    }
  }
  EXPECT_PRED2(contains, ask("session/new", more + place() + "}"), "-32602");
  EXPECT_PRED2(contains, ask("session/new", "{" + place() + "}"), "sessionId");
}

}  // namespace
}  // namespace acp::coder
