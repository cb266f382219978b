// An agent that reads, writes and runs on its own machine, for clients of version 2.
#include "acp/workspace/serve_locally.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/version2_client.h"
#include "acp/workspace/testing/processes.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

using namespace acp::testing;  // NOLINT(google-build-using-namespace)
using testing::lives;
using testing::Scratch;

// The agent's turn is the test's.
class ServeLocallyTest : public ::testing::Test {
 protected:
  using Work = std::function<void(const Turn& turn)>;

  ServeLocallyTest() : agent("test", "1") {
    scratch.put("project/.keep", "");
    agent.versions({1, 2}).additional_directories().on_prompt([this](Turn turn) {
      work(turn);
      return StopReason::end_turn;
    });
    serve_locally(agent);
  }

  void turn(Version2Client& client, Work what) {
    work = std::move(what);
    client.prompt();
    const Json idle = client.idle();
    EXPECT_EQ(idle["stopReason"].as_string(), "end_turn") << idle.text();
  }
  // What the call throws: the error's code, or 0.
  template <class Call>
  static int code_of(Call call) {
    try {
      call();
    } catch (const CallFailed& failed) {
      return failed.code();
    }
    return 0;
  }
  // A command that writes its process id into this file, and goes on for ever.
  static constexpr const char* endless = "echo $$ > pid; echo ready; while :; do sleep 1; done";
  int process() const { return std::stoi("0" + scratch.get("project/pid")); }
  // Waits until the endless command has printed something.
  static void ready(Version2Client& client) {
    if (client.updates("terminal_output_chunk").empty())
      client.update("terminal_output_chunk", "data");
  }

  Scratch scratch;
  Agent agent;
  Work work;
};

TEST_F(ServeLocallyTest, FilesInsideTheDirectoriesAndNowhereElse) {
  const Within limit("files");
  scratch.put("project/a.txt", "one\ntwo\nthree\n");
  scratch.put("more/b.txt", "more");
  scratch.put("outside/secret.txt", "secret");
  scratch.link("project/way-out", "../outside");
  Version2Client client(agent, scratch / "project");
  client.session = client.open(
      scratch / "project", ",\"additionalDirectories\":[" + Json(scratch / "more").text() + "]");
  turn(client, [&](const Turn& turn) {
    EXPECT_TRUE(turn.client_capabilities().fs.readTextFile);
    EXPECT_EQ(turn.read_file(scratch / "project/a.txt", 2, 1).wait(), "two\n");
    EXPECT_EQ(turn.read_file(scratch / "more/b.txt").wait(), "more");
    turn.write_file(scratch / "project/new/c.txt", "written").wait();
    const auto read = [&](const std::string& path) {
      return code_of([&] { turn.read_file(scratch / path).wait(); });
    };
    EXPECT_EQ(read("project/none"), rpc::not_found);
    EXPECT_EQ(read("outside/secret.txt"), rpc::permission_denied);
    EXPECT_EQ(read("project/way-out/secret.txt"), rpc::permission_denied);
    EXPECT_EQ(code_of([&] { turn.write_file(scratch / "project/way-out/d", "x").wait(); }),
              rpc::permission_denied);
    CommandOptions outside;
    outside.cwd = scratch / "project/way-out";
    EXPECT_EQ(code_of([&] { turn.run_command("true", outside).wait(); }), rpc::permission_denied);
  });
  EXPECT_EQ(scratch.get("project/new/c.txt"), "written");
  EXPECT_FALSE(std::filesystem::exists(scratch / "outside/d"));
}

TEST_F(ServeLocallyTest, WithoutTheDirectoryNothingWorks) {
  const Within limit("a directory that is not there");
  Version2Client client(agent, scratch / "none");
  turn(client, [&](const Turn& turn) {
    EXPECT_NE(code_of([&] { turn.read_file(scratch / "none/a").wait(); }), 0);
    EXPECT_NE(code_of([&] { turn.read_file(scratch / "project/.keep").wait(); }), 0);
    EXPECT_NE(code_of([&] { turn.run_command("true").wait(); }), 0);
  });
  EXPECT_FALSE(std::filesystem::exists(scratch / "none"));
}

TEST_F(ServeLocallyTest, ForbiddenPathsAreOutOfReach) {
  const Within limit("forbidden paths");
  scratch.put("project/keys/key", "secret");
  serve_locally(agent, {.forbidden = {scratch / "project/keys"}});
  Version2Client client(agent, scratch / "project");
  turn(client, [&](const Turn& turn) {
    EXPECT_EQ(code_of([&] { turn.read_file(scratch / "project/keys/key").wait(); }),
              rpc::permission_denied);
  });
}

// A client of version 1 is asked, as without the line.
TEST_F(ServeLocallyTest, AClientOfVersion1DoesItItself) {
  const Within limit("a client of version 1");
  scratch.put("project/a.txt", "on the disk");
  std::string text;
  work = [&](const Turn& turn) {
    EXPECT_FALSE(turn.client_capabilities().terminal);
    text = turn.read_file(scratch / "project/a.txt").wait();
    EXPECT_THROW(turn.run_command("true").wait(), Refused);
  };
  Served served(agent);
  served.raw.initialize(R"({"fs":{"readTextFile":true}})");
  served.raw.prompt("5", served.raw.new_session(), "go");
  const Json asked = served.raw.read_call("fs/read_text_file");
  served.raw.answer(asked, R"({"content":"in the editor"})");
  served.raw.read_answer("5");
  EXPECT_EQ(text, "in the editor");
}

TEST_F(ServeLocallyTest, ACommandIsShownAsATerminal) {
  const Within limit("a command");
  Version2Client client(agent, scratch / "project");
  turn(client, [&](const Turn& turn) {
    const ToolCall call = turn.tool_call("Running", ToolKind::execute);
    CommandOptions options;
    options.args = {"-c", "pwd; echo \"$GREETING\"; exit 4"};
    options.env = {{"GREETING", "hello there"}};
    const Terminal terminal = turn.create_terminal("sh", options).wait();
    call.add_terminal(terminal).wait();
    const CommandResult result = terminal.finish().wait();
    EXPECT_EQ(result.exit_code, 4u);
    EXPECT_EQ(result.output, scratch / "project" + "\nhello there\n");
    EXPECT_THROW(terminal.output().wait(), Refused);
    call.complete().wait();
  });
  const std::vector<Json> updates = client.updates("terminal_update");
  ASSERT_EQ(updates.size(), 2u);
  const JsonView begins = updates[0].view(), ends = updates[1].view();
  const std::string id = client.text_of(begins["terminalId"]);
  EXPECT_EQ(begins["command"].as_string(), "sh -c 'pwd; echo \"$GREETING\"; exit 4'");
  EXPECT_EQ(begins["cwd"].as_string(), scratch / "project");
  EXPECT_EQ(begins["size"]["cols"].as_int64(), 80);
  EXPECT_TRUE(begins["capabilities"]["cancel"].is_object());
  EXPECT_EQ(ends["terminalId"].as_string(), id);
  EXPECT_EQ(ends["exitStatus"]["exitCode"].as_int64(), 4);
  EXPECT_TRUE(ends["capabilities"].is_null());
  EXPECT_FALSE(client.updates("terminal_output_chunk").empty());
  for (const Json& chunk : client.updates("terminal_output_chunk"))
    EXPECT_EQ(chunk["terminalId"].as_string(), id);
  bool attached = false;
  for (const Json& piece : client.updates("tool_call_content_chunk"))
    attached |= piece["content"]["terminalId"].as_string() == id;
  EXPECT_TRUE(attached);
}

TEST_F(ServeLocallyTest, OfMuchOutputTheLastIsKept) {
  const Within limit("much output");
  Version2Client client(agent, scratch / "project");
  turn(client, [&](const Turn& turn) {
    CommandOptions options;
    options.output_byte_limit = 8;
    const CommandResult result = turn.run_command("seq 1 20000", options).wait();
    EXPECT_EQ(result.output, "9\n20000\n");
    EXPECT_TRUE(result.truncated);
    EXPECT_EQ(result.exit_code, 0u);
  });
  std::size_t shown = 0;
  for (const Json& chunk : client.updates("terminal_output_chunk"))
    shown += client.text_of(chunk["data"]).size();
  EXPECT_GT(shown, 20000u);
}

// It prints for as long as it lives. The client reads nothing meanwhile, and memory stays bounded.
TEST_F(ServeLocallyTest, ACommandIsNoFasterThanTheClient) {
  const Within limit("a command that prints without end");
  Version2Client client(agent, scratch / "project");
  Gate ready_to_kill;
  work = [&](const Turn& turn) {
    const Terminal terminal = turn.create_terminal("echo begun; yes").wait();
    ready_to_kill.wait("the client has seen the beginning");
    terminal.kill().wait();
    EXPECT_EQ(terminal.wait_for_exit().wait().signal.value_or(""), "SIGKILL");
    turn.say("killed").wait();
  };
  const long before = memory_of("VmRSS");
  client.prompt();
  ready(client);
  ready_to_kill.open();
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "end_turn");
  EXPECT_LT(memory_of("VmRSS") - before, 256 * 1024);
}

TEST_F(ServeLocallyTest, AKilledCommandCanStillBeRead) {
  const Within limit("kill");
  Version2Client client(agent, scratch / "project");
  turn(client, [&](const Turn& turn) {
    CommandOptions options;
    options.time_out = std::chrono::milliseconds(200);
    const CommandResult result = turn.run_command("echo begun; sleep 1000", options).wait();
    EXPECT_TRUE(result.timed_out);
    EXPECT_EQ(result.signal, "SIGKILL");
    EXPECT_FALSE(result.exit_code.has_value());
  });
  const Json last = client.updates("terminal_update").back();
  EXPECT_EQ(last["exitStatus"]["signal"].as_string(), "SIGKILL");
}

TEST_F(ServeLocallyTest, TheClientMayCancelACommand) {
  const Within limit("terminal/cancel");
  Version2Client client(agent, scratch / "project");
  CommandResult result;
  work = [&](const Turn& turn) { result = turn.run_command(endless).wait(); };
  client.prompt();
  const Json begins = client.update("terminal_update", "command");
  const std::string id = client.text_of(begins["terminalId"]);
  ready(client);
  EXPECT_EQ(client.code_of(client.ask_about("terminal/cancel", "terminalId", "x")), -32602);
  const Json accepted = client.ask_about("terminal/cancel", "terminalId", id);
  EXPECT_TRUE(accepted["result"].is_object()) << accepted.text();
  client.idle();
  EXPECT_EQ(result.signal, "SIGKILL");
  EXPECT_FALSE(lives(process()));
  EXPECT_EQ(client.code_of(client.ask_about("terminal/cancel", "terminalId", id)), -32602);
  const std::string other = std::exchange(client.session, client.open(scratch / "project"));
  EXPECT_EQ(client.code_of(client.ask_about("terminal/cancel", "terminalId", id)), -32602);
}

TEST_F(ServeLocallyTest, AReleasedCommandIsGone) {
  const Within limit("release");
  Version2Client client(agent, scratch / "project");
  int pid = 0;
  bool alive = true;
  Gate printed;
  work = [&](const Turn& turn) {
    Terminal terminal = turn.create_terminal(endless).wait();
    printed.wait("the command has begun");
    pid = process();
    EXPECT_TRUE(lives(pid));
    terminal.release().wait();
    alive = lives(pid);
  };
  client.prompt();
  ready(client);
  printed.open();
  client.idle();
  EXPECT_FALSE(alive);
  const Json last = client.updates("terminal_update").back();
  EXPECT_EQ(last["exitStatus"]["signal"].as_string(), "SIGKILL");
}

TEST_F(ServeLocallyTest, ACancelledTurnEndsItsCommand) {
  const Within limit("session/cancel");
  Version2Client client(agent, scratch / "project");
  work = [&](const Turn& turn) { turn.run_command(endless).wait(); };
  client.prompt();
  ready(client);
  client.notify("session/cancel");
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "cancelled");
  EXPECT_FALSE(lives(process()));
}

// A handle that outlives its turn keeps its command: in the background, until the session ends.
TEST_F(ServeLocallyTest, TheEndOfTheSessionEndsItsCommands) {
  const Within limit("session/close");
  Version2Client client(agent, scratch / "project");
  std::optional<Terminal> kept;
  work = [&](const Turn& turn) { kept = turn.create_terminal(endless).wait(); };
  client.prompt();
  const Json begins = client.update("terminal_update", "command");
  const Json idle = client.idle();
  ASSERT_EQ(idle["background"].size(), 1u) << idle.text();
  EXPECT_EQ(idle["background"][0]["terminalId"].text(), begins["terminalId"].text());
  ready(client);
  const int pid = process();
  EXPECT_TRUE(lives(pid));
  const Json closed =
      client.ask("session/close", "{\"sessionId\":" + Json(client.session).text() + "}");
  EXPECT_TRUE(closed["result"].is_object());
  EXPECT_FALSE(lives(pid));
  const Json last = client.updates("terminal_update").back();
  EXPECT_EQ(last["exitStatus"]["signal"].as_string(), "SIGKILL");
  EXPECT_THROW(kept->output().wait(), CallFailed);
}

TEST_F(ServeLocallyTest, TheEndOfTheConnectionEndsItsCommands) {
  const Within limit("the client goes");
  std::optional<Terminal> kept;
  int pid = 0;
  {
    Version2Client client(agent, scratch / "project");
    work = [&](const Turn& turn) { kept = turn.create_terminal(endless).wait(); };
    client.prompt();
    ready(client);
    pid = process();
    EXPECT_TRUE(lives(pid));
    client.served.raw.close();
    EXPECT_TRUE(client.served.connection.wait());
    EXPECT_FALSE(lives(pid));
  }
  EXPECT_THROW(kept->output().wait(), ConnectionClosed);
}

// The turn waits for a command that prints, and the client neither reads nor stays.
TEST_F(ServeLocallyTest, AClientThatGoesWithoutReadingHoldsNothingUp) {
  const Within limit("a client that goes while a command prints");
  Version2Client client(agent, scratch / "project");
  work = [&](const Turn& turn) { turn.run_command("echo $$ > pid; echo begun; yes").wait(); };
  client.prompt();
  ready(client);
  client.served.connection.close();
  client.served.connection.wait();
  EXPECT_FALSE(lives(process()));
}

TEST_F(ServeLocallyTest, ATerminalBelongsToItsSession) {
  const Within limit("another session's terminal");
  Version2Client client(agent, scratch / "project");
  const std::string other = client.open(scratch / "project");
  turn(client, [&](const Turn& turn) {
    const Terminal terminal = turn.create_terminal("true").wait();
    v1::TerminalOutputRequest request;
    request.sessionId = other;
    request.terminalId = terminal.id();
    EXPECT_EQ(code_of([&] { turn.peer().request(request).wait(); }), rpc::not_found);
  });
}

}  // namespace
}  // namespace acp::workspace
