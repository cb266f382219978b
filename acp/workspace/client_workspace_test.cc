// The files and terminals of a client, asked for by an agent.
#include "acp/workspace/client_workspace.h"

#include <gtest/gtest.h>

#include "acp/agent.h"
#include "acp/schema/v1.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

using testing::Scratch;

// An agent whose turn is the test's, and the client that it asks.
class OfferTest : public ::testing::Test {
 protected:
  using Work = std::function<Task<void>(Turn)>;

  void turn(Work work) {
    auto [ours, theirs] = memory_pair();
    Agent agent("test", "1");
    agent.on_prompt([&](Turn turn) -> Task<StopReason> {
      co_await work(turn);
      co_return StopReason::end_turn;
    });
    AgentConnection served = agent.start(std::move(theirs));
    Client client("test", "1");
    workspace.install(client, judge, on_written);
    const AgentHandle remote = client.connect(std::move(ours)).wait();
    const Session session = remote.new_session(scratch / "project").wait();
    scratch.put("project/.keep", "");
    EXPECT_EQ(session.prompt("go").finish().wait().stopReason, StopReason::end_turn);
    remote.close();
  }
  // What a request is answered with: the error's code, or 0.
  template <class Request>
  static Task<int> code_of(Peer peer, Request request) {
    int code = 0;
    try {
      co_await peer.request(request);
    } catch (const CallFailed& failed) {
      code = failed.code();
      last = failed.what();
    }
    co_return code;
  }

  Scratch scratch;
  ClientWorkspace workspace;
  ClientWorkspace::Judge judge;
  ClientWorkspace::OnWritten on_written;
  static inline std::string last;
};

TEST_F(OfferTest, Files) {
  scratch.put("project/a.txt", "one\ntwo\nthree\n");
  scratch.put("outside.txt", "secret");
  turn([&](Turn turn) -> Task<void> {
    v1::ReadTextFileRequest read;
    read.sessionId = turn.session_id();
    read.path = scratch / "project/a.txt";
    read.line = 2;
    read.limit = 1;
    const v1::ReadTextFileResponse response = co_await turn.peer().request(read);
    EXPECT_EQ(response.content, "two\n");
    read.line = 0;
    const v1::ReadTextFileResponse first = co_await turn.peer().request(read);
    EXPECT_EQ(first.content, "one\n");
    read.path = scratch / "project/none";
    const int missing = co_await code_of(turn.peer(), read);
    EXPECT_EQ(missing, rpc::not_found);
    EXPECT_EQ(last, "Resource not found: " + scratch / "project/none");
    read.path = scratch / "outside.txt";
    const int outside = co_await code_of(turn.peer(), read);
    EXPECT_EQ(outside, rpc::permission_denied);
    v1::WriteTextFileRequest write;
    write.sessionId = turn.session_id();
    write.path = scratch / "project/new/b.txt";
    write.content = "written";
    const int written = co_await code_of(turn.peer(), write);
    EXPECT_EQ(written, 0);
    write.path = scratch / "project/../outside.txt";
    const int refused = co_await code_of(turn.peer(), write);
    EXPECT_EQ(refused, rpc::permission_denied);
  });
  EXPECT_EQ(scratch.get("project/new/b.txt"), "written");
  EXPECT_EQ(scratch.get("outside.txt"), "secret");
}

TEST_F(OfferTest, Terminals) {
  turn([&](Turn turn) -> Task<void> {
    const Peer peer = turn.peer();
    v1::CreateTerminalRequest create;
    create.sessionId = turn.session_id();
    create.command = "pwd; echo $GREETING; exit 4";
    v1::EnvVariable variable;
    variable.name = "GREETING";
    variable.value = "hello";
    create.env.push_back(variable);
    const v1::CreateTerminalResponse made = co_await peer.request(create);
    v1::WaitForTerminalExitRequest wait;
    wait.sessionId = turn.session_id();
    wait.terminalId = made.terminalId;
    const v1::WaitForTerminalExitResponse ended = co_await peer.request(wait);
    EXPECT_EQ(ended.exitCode.value_or(99), 4u);
    EXPECT_FALSE(ended.signal.has_value());
    v1::TerminalOutputRequest ask;
    ask.sessionId = turn.session_id();
    ask.terminalId = made.terminalId;
    const v1::TerminalOutputResponse output = co_await peer.request(ask);
    EXPECT_EQ(output.output, scratch / "project" + "\nhello\n");
    EXPECT_EQ(output.exitStatus->exitCode.value_or(99), 4u);
    v1::ReleaseTerminalRequest release;
    release.sessionId = turn.session_id();
    release.terminalId = made.terminalId;
    const int released = co_await code_of(peer, release);
    EXPECT_EQ(released, 0);
    const int again = co_await code_of(peer, release);
    EXPECT_EQ(again, rpc::not_found);
    const int gone = co_await code_of(peer, ask);
    EXPECT_EQ(gone, rpc::not_found);

    create.command = "sleep 1000";
    const v1::CreateTerminalResponse sleeper = co_await peer.request(create);
    v1::KillTerminalRequest kill;
    kill.sessionId = turn.session_id();
    kill.terminalId = sleeper.terminalId;
    const int killed = co_await code_of(peer, kill);
    EXPECT_EQ(killed, 0);
    wait.terminalId = sleeper.terminalId;
    const v1::WaitForTerminalExitResponse stopped = co_await peer.request(wait);
    EXPECT_FALSE(stopped.exitCode.has_value());
    EXPECT_EQ(stopped.signal.value_or(""), "SIGKILL");

    create.cwd = scratch / "";
    const int outside = co_await code_of(peer, create);
    EXPECT_EQ(outside, rpc::permission_denied);
    create.cwd = scratch / "project/none";
    const int missing = co_await code_of(peer, create);
    EXPECT_EQ(missing, rpc::not_found);
  });
}

TEST_F(OfferTest, AJudgeSeesEachCallAndMayRefuseIt) {
  scratch.put("project/.env", "KEY=1");
  scratch.put("project/sub/.keep", "");
  scratch.link("project/notes.txt", ".env");
  std::vector<Question> seen;
  bool refuses = false;
  judge = [&](const ClientContext&, Question call) {
    seen.push_back(std::move(call));
    if (refuses) throw permission_denied("no");
  };
  std::optional<std::string> before = "none";
  on_written = [&](const std::string&, std::optional<std::string> was, const std::string&) {
    before = was;
  };
  turn([&](Turn turn) -> Task<void> {
    v1::ReadTextFileRequest read;
    read.sessionId = turn.session_id();
    read.path = scratch / "project/notes.txt";
    v1::WriteTextFileRequest write;
    write.sessionId = turn.session_id();
    write.path = scratch / "project/.env";
    write.content = "KEY=2";
    v1::CreateTerminalRequest create;
    create.sessionId = turn.session_id();
    create.command = "touch";
    create.args = {"a b"};
    create.cwd = scratch / "project/sub";
    for (const bool refused : {true, false}) {
      refuses = refused;
      const int expected = refused ? rpc::permission_denied : 0;
      EXPECT_EQ(co_await code_of(turn.peer(), read), expected);
      EXPECT_EQ(co_await code_of(turn.peer(), write), expected);
      EXPECT_EQ(co_await code_of(turn.peer(), create), expected);
      EXPECT_EQ(scratch.get("project/.env"), refused ? "KEY=1" : "KEY=2");
      EXPECT_EQ(before, refused ? "none" : "KEY=1");
    }
  });
  ASSERT_EQ(seen.size(), 6u);
  EXPECT_EQ(seen[0].kind, "read");
  EXPECT_EQ(seen[0].paths[0].written, scratch / "project/notes.txt");
  EXPECT_EQ(seen[0].paths[0].resolved.at(0), scratch / "project/.env");
  EXPECT_EQ(seen[1].kind, "edit");
  ASSERT_TRUE(seen[1].change);
  EXPECT_EQ(seen[1].change->before, "KEY=1");
  EXPECT_EQ(seen[1].change->after, "KEY=2");
  EXPECT_EQ(seen[2].kind, "execute");
  EXPECT_EQ(seen[2].command, "touch 'a b'");
  EXPECT_EQ(seen[2].directory.written, scratch / "project/sub");
  EXPECT_EQ(seen[2].project, scratch / "project");
}

TEST_F(OfferTest, AFileThatIsNoTextIsNoNewFile) {
  scratch.put("project/data", std::string("\0\1", 2));
  std::vector<Question> seen;
  judge = [&](const ClientContext&, Question call) { seen.push_back(std::move(call)); };
  turn([&](Turn turn) -> Task<void> {
    v1::WriteTextFileRequest write;
    write.sessionId = turn.session_id();
    write.content = "text";
    for (const char* name : {"project/data", "project/none/new"}) {
      write.path = scratch / name;
      const int written = co_await code_of(turn.peer(), write);
      EXPECT_EQ(written, 0);
    }
  });
  ASSERT_EQ(seen.size(), 2u);
  for (const Question& call : seen) EXPECT_FALSE(call.change->before);
  EXPECT_TRUE(seen[0].change->over_other);
  EXPECT_FALSE(seen[1].change->over_other);
}

// While a person reads the question, a command exchanges a link.
TEST_F(OfferTest, WhatLeadsElsewhereAfterTheQuestionIsNotDone) {
  scratch.put("project/safe/a", "harmless");
  scratch.put("project/other/a", "secret");
  scratch.link("project/link", "safe");
  bool exchanges = false;
  judge = [&](const ClientContext&, const Question&) {
    if (!exchanges) return;
    std::filesystem::remove(scratch / "project/link");
    scratch.link("project/link", "other");
  };
  turn([&](Turn turn) -> Task<void> {
    v1::WriteTextFileRequest write;
    write.sessionId = turn.session_id();
    write.path = scratch / "project/link/a";
    write.content = "changed";
    v1::ReadTextFileRequest read;
    read.sessionId = turn.session_id();
    read.path = write.path;
    v1::CreateTerminalRequest create;
    create.sessionId = turn.session_id();
    create.command = "touch made";
    create.cwd = scratch / "project/link";
    const auto again = [&](bool exchanged) {
      std::filesystem::remove(scratch / "project/link");
      scratch.link("project/link", "safe");
      exchanges = exchanged;
    };
    again(true);
    EXPECT_EQ(co_await code_of(turn.peer(), write), rpc::permission_denied);
    EXPECT_NE(last.find("has changed since it was asked about"), std::string::npos) << last;
    again(true);
    EXPECT_EQ(co_await code_of(turn.peer(), read), rpc::permission_denied);
    again(true);
    EXPECT_EQ(co_await code_of(turn.peer(), create), rpc::permission_denied);
    again(false);
    EXPECT_EQ(co_await code_of(turn.peer(), write), 0);
    EXPECT_EQ(co_await code_of(turn.peer(), read), 0);
    EXPECT_EQ(co_await code_of(turn.peer(), create), 0);
  });
  EXPECT_EQ(scratch.get("project/safe/a"), "changed");
  EXPECT_EQ(scratch.get("project/other/a"), "secret");
  EXPECT_FALSE(std::filesystem::exists(scratch / "project/other/made"));
}

// A command has put a link where the session's directory was.
// "echo x" = "1" and the command "touch a" look like the command `echo x=1 touch a`.
TEST_F(OfferTest, AVariableIsNoPartOfACommand) {
  std::vector<Question> seen;
  judge = [&](const ClientContext&, Question call) { seen.push_back(std::move(call)); };
  turn([&](Turn turn) -> Task<void> {
    v1::CreateTerminalRequest create;
    create.sessionId = turn.session_id();
    create.command = "true";
    for (const char* name : {"echo x", "", "1A", "A\nB", "A;B", "$A", "é"}) {
      v1::EnvVariable variable;
      variable.name = name;
      variable.value = "1";
      create.env = {variable};
      EXPECT_EQ(co_await code_of(turn.peer(), create), rpc::invalid_params) << name;
    }
    create.env.front().name = "_A1";
    EXPECT_EQ(co_await code_of(turn.peer(), create), 0);
  });
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].command, "_A1=1 true");
}

TEST_F(OfferTest, ASessionKeepsItsDirectory) {
  scratch.put("project/a.txt", "inside");
  scratch.put("outside/a.txt", "secret");
  turn([&](Turn turn) -> Task<void> {
    v1::ReadTextFileRequest read;
    read.sessionId = turn.session_id();
    read.path = scratch / "project/a.txt";
    const v1::ReadTextFileResponse first = co_await turn.peer().request(read);
    EXPECT_EQ(first.content, "inside");
    std::filesystem::rename(scratch / "project", scratch / "moved");
    scratch.link("project", "outside");
    const v1::ReadTextFileResponse second = co_await turn.peer().request(read);
    EXPECT_EQ(second.content, "inside");
    v1::WriteTextFileRequest write;
    write.sessionId = turn.session_id();
    write.path = scratch / "project/a.txt";
    write.content = "changed";
    co_await turn.peer().request(write);
    read.path = scratch / "outside/a.txt";
    const int outside = co_await code_of(turn.peer(), read);
    EXPECT_NE(outside, 0);
  });
  EXPECT_EQ(scratch.get("moved/a.txt"), "changed");
  EXPECT_EQ(scratch.get("outside/a.txt"), "secret");
}

TEST_F(OfferTest, WhatIsForbiddenIsOutOfReach) {
  scratch.put("project/.config/acp/keys.toml", "secret");
  scratch.link("project/link", ".config/acp/keys.toml");
  workspace = ClientWorkspace({}, {}, {.forbidden = {scratch / "project/.config/acp"}});
  turn([&](Turn turn) -> Task<void> {
    v1::ReadTextFileRequest read;
    read.sessionId = turn.session_id();
    for (const char* name : {"project/.config/acp/keys.toml", "project/link"}) {
      read.path = scratch / name;
      const int code = co_await code_of(turn.peer(), read);
      EXPECT_NE(code, 0) << name;
      EXPECT_NE(last.find("belongs to acp itself"), std::string::npos) << last;
    }
    v1::WriteTextFileRequest write;
    write.sessionId = turn.session_id();
    write.path = scratch / "project/.config/acp/policy.toml";
    write.content = "x";
    const int code = co_await code_of(turn.peer(), write);
    EXPECT_NE(code, 0);
  });
  EXPECT_FALSE(std::filesystem::exists(scratch / "project/.config/acp/policy.toml"));
}

}  // namespace
}  // namespace acp::workspace
