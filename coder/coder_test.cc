// Sessions that cannot begin, or cannot be opened, leave nothing behind.
#include "coder/coder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "acp/testing/raw_end.h"
#include "acp/workspace/testing/scratch.h"
#include "coder/session/conversation.h"
#include "coder/testing/full_disk.h"
#include "coder/testing/text.h"

namespace acp::coder {
namespace {

using acp::testing::RawEnd;
using acp::testing::request;
using testing::contains;
using testing::lacks;

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
  // The answer, and all that came before it.
  std::string all_of(const std::string& method, const std::string& id,
                     const std::string& more = {}) {
    raw.line(request("9", method,
                     R"({"sessionId":")" + id + "\"," + (more.empty() ? place() : more) + "}"));
    std::string text;
    while (true) {
      const Json message = raw.read();
      text += std::string(message.text()) + "\n";
      if (message.absent() || message["id"].as_int64() == 9) return text;
    }
  }
  std::string prompt(const std::string& id, const std::string& text) {
    return all_of("session/prompt", id, R"("prompt":[{"type":"text","text":")" + text + "\"}]");
  }
  std::string new_session() {
    raw.line(request("9", "session/new", "{" + place() + "}"));
    return *raw.read_answer("9")["result"]["sessionId"].as_string();
  }
  void set_mode(const std::string& id, const std::string& mode) {
    EXPECT_PRED2(contains, all_of("session/set_mode", id, R"("modeId":")" + mode + "\""),
                 "\"result\"");
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
    // A caller that could repair it can open it.
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

// What the client has seen of a prompt, in mode `code`.
class CoderFilesTest : public CoderTest {
 protected:
  std::string prompt(const std::string& directories, const std::string& block) {
    begin();
    raw.line(request("9", "session/new", "{" + directories + R"(,"mcpServers":[]})"));
    const std::string id = *raw.read_answer("9")["result"]["sessionId"].as_string();
    EXPECT_PRED2(contains,
                 ask("session/set_mode", R"({"sessionId":")" + id + R"(","modeId":"code"})"),
                 "\"result\"");
    EXPECT_PRED2(contains,
                 ask("session/prompt", R"({"sessionId":")" + id + R"(","prompt":[)" + block + "]}"),
                 "end_turn");
    std::string all;
    for (const std::string& line : raw.seen()) all += line + "\n";
    return all;
  }
  static std::string text(const std::string& words) {
    return std::string(Json::object({{"type", "text"}, {"text", words}}).text());
  }
};

// The configuration is in the working directory, as it is where that is the home directory.
TEST_F(CoderFilesTest, WhatBelongsToAcpIsOutOfReach) {
  scratch.put("keys.toml", "openai = 'sk-VERYSECRET'\n");
  std::filesystem::permissions(scratch / "keys.toml", std::filesystem::perms(0600));
  scratch.link("AGENTS.md", "keys.toml");
  scratch.link("project/link", "../keys.toml");
  scratch.put(".acp/commands/fine.md", "a command");
  scratch.link(".acp/commands/stolen.md", "../../keys.toml");
  std::filesystem::create_hard_link(scratch / "keys.toml", scratch / "project/hard");
  const std::string link =
      Json::object(
          {{"type", "resource_link"}, {"name", "k"}, {"uri", "file://" + (scratch / "keys.toml")}})
          .text()
          .data();
  const std::string seen = prompt(
      R"("cwd":")" + (scratch / "") + "\"",
      text("read keys.toml; read project/link; read project/hard; read ./project/../keys.toml; "
           "use grep {\"pattern\":\"sk-[A-Z]+\"}; use write "
           "{\"path\":\"policy.toml\",\"content\":\"x\"}; "
           "use move {\"from\":\"keys.toml\",\"to\":\"free.toml\"}; delete config.toml; "
           "use write {\"path\":\"sessions.db-wal\",\"content\":\"x\"}") +
          "," + link);
  EXPECT_PRED2(contains, seen, "keys.toml: belongs to acp itself: agents have no access");
  EXPECT_PRED2(contains, seen, "policy.toml: belongs to acp itself: agents have no access");
  EXPECT_PRED2(contains, seen, "[what belongs to acp itself was left out");
  EXPECT_PRED2(testing::lacks, seen, "VERYSECRET");
  EXPECT_PRED2(testing::lacks, scratch.get("sessions.db") + scratch.get("sessions.db-wal"),
               "VERYSECRET");
  EXPECT_PRED2(contains, seen, R"("name":"fine")");
  EXPECT_FALSE(std::filesystem::exists(scratch / "policy.toml"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "keys.toml"));
}

// Of nested directories, one is replaced by a link to the outside.
TEST_F(CoderFilesTest, ALinkTakesThePlaceOfNoDirectory) {
  scratch.put("outside/passwd", "root:VERYSECRET");
  std::filesystem::create_directories(scratch / "project/sub");
  scratch.link("project/link", scratch / "outside");
  const std::string seen =
      prompt(R"("cwd":")" + (scratch / "project") + R"(","additionalDirectories":[")" +
                 (scratch / "project/sub") + "\"]",
             text("delete sub; move link to sub; read sub/passwd; use read {\"path\":\"" +
                  (scratch / "outside/passwd") + "\"}"));
  EXPECT_PRED2(contains, seen, "a directory of this session: it cannot be moved or deleted");
  EXPECT_PRED2(testing::lacks, seen, "VERYSECRET");
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
  // First with descriptors: the sanitizer needs one to look at an error of a type that is new to
  // it.
  EXPECT_PRED2(contains, ask("session/new", more + place() + "}"), "-32602");
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

TEST_F(CoderTest, AStricterConfigurationWinsOverASessionsMode) {
  scratch.put("config.toml", "mode = \"code\"\n");
  begin();
  const std::string as_configured = new_session(), chosen = new_session();
  set_mode(chosen, "code");
  end();

  scratch.put("config.toml", "mode = \"ask\"\n");
  begin();
  const std::string loaded = all_of("session/load", as_configured);
  EXPECT_PRED2(contains, loaded, R"("currentModeId":"ask")");
  EXPECT_PRED2(lacks, loaded, R"("currentModeId":"code")");
  EXPECT_PRED2(contains, prompt(as_configured, "/status"), "The mode is ask now, not code");
  EXPECT_PRED2(contains, all_of("session/resume", chosen), R"("currentModeId":"ask")");
  // Chosen under this configuration, it stays.
  set_mode(chosen, "code");
  end();
  begin();
  EXPECT_PRED2(contains, all_of("session/load", chosen), R"("currentModeId":"code")");
  EXPECT_PRED2(lacks, prompt(chosen, "/status"), "The mode is ask now");
  end();

  // A copy is not looser than the original would be.
  scratch.put("config.toml", "mode = \"architect\"\n");
  begin();
  EXPECT_PRED2(contains, all_of("session/fork", chosen), R"("currentModeId":"architect")");
  EXPECT_PRED2(contains, all_of("session/load", chosen), R"("currentModeId":"architect")");
  end();

  // A looser one changes nothing.
  scratch.put("config.toml", "mode = \"code\"\n");
  begin();
  EXPECT_PRED2(contains, all_of("session/load", chosen), R"("currentModeId":"architect")");
}

TEST_F(CoderTest, WhatIsSaidWhileTheDiskIsFullIsStoredLater) {
  begin();
  const std::string id = new_session();
  prompt(id, "/help before");
  {
    const testing::FullDisk full;
    const std::string told = prompt(id, "/status while");
    EXPECT_PRED2(contains, told, "This session cannot be stored at the moment");
    EXPECT_PRED2(lacks, prompt(id, "/status still"), "cannot be stored at the moment") << "once";
    EXPECT_PRED2(contains, all_of("session/load", id), "make room on its disk");
    EXPECT_PRED2(contains, all_of("session/fork", id), "make room on its disk");
  }
  EXPECT_PRED2(contains, prompt(id, "/status after"), "This session is stored again");
  EXPECT_PRED2(lacks, prompt(id, "/status end"), "stored again");
  end();
  begin();
  const std::string loaded = all_of("session/load", id);
  std::size_t at = 0;
  for (const char* text :
       {"/help before", "/status while", "/status still", "/status after", "/status end"}) {
    at = loaded.find(text, at);
    ASSERT_NE(at, std::string::npos) << text << " is missing in " << loaded;
  }
}

// As a full disk left them before: calls without results anywhere.
TEST_F(CoderTest, AConversationThatWasNotStoredCompletelyGoesOn) {
  {
    Store store(options.store_file, nothing);
    StoredSession stored;
    stored.id = "gaps";
    stored.cwd = scratch / "project";
    stored.mode = stored.configured_mode = "ask";
    LiveSession live = store.create(stored);
    const auto message = [&](const Message& one) {
      live.append(EntryKind::message, encode_message(one));
    };
    message({Message::Role::user, {TextPart{"one"}}});
    message({Message::Role::assistant, {ToolCallPart{"a", "list", "{}"}}});
    message({Message::Role::user, {TextPart{"two"}}});
    message({Message::Role::assistant, {TextPart{"done"}}});
  }
  for (int i = 0; i < 2; ++i) {
    begin();
    all_of("session/load", "gaps");
    const std::string told = prompt("gaps", "/status");
    if (i == 0)
      EXPECT_PRED2(contains, told, "1 tool call had no result");
    else
      EXPECT_PRED2(lacks, told, "had no result");
    end();
  }
  Store store(options.store_file, nothing);
  Conversation conversation;
  const LiveSession live = store.open("gaps");
  live.read([&](EntryKind kind, std::string_view body) { conversation.replay(kind, body); });
  ASSERT_GE(conversation.messages().size(), 5u);
  EXPECT_EQ(std::get<ToolResultPart>(conversation.messages()[2].parts[0]).id, "a");
}

}  // namespace
}  // namespace acp::coder
