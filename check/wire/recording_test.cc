#include "check/wire/recording.h"

#include <gtest/gtest.h>

#include <sstream>

#include "check/wire/log.h"
#include "check/wire/recording_mask.h"
#include "check/wire/replay.h"

namespace acp::check {
namespace {

std::string recorded(std::string_view text, bool mask = true) {
  std::string out;
  Recorder(mask).frame(out, 3, {17, Side::client, text}, Json::parse(text));
  return out;
}

TEST(Recorder, WritesOneLineForEachFrame) {
  EXPECT_EQ(recorded(R"({"jsonrpc":"2.0", "id":1})"),
            R"({"n":3,"time":17,"from":"client","frame":{"jsonrpc":"2.0","id":1}})"
            "\n");
  EXPECT_EQ(recorded("Loading \"x\""), R"({"n":3,"time":17,"from":"client","text":"Loading \"x\""})"
                                       "\n");
  // Not UTF-8: what the line holds is.
  EXPECT_TRUE(Json::parse(recorded("a\xFF")));
}

TEST(Recorder, MasksSecretsUnlessTold) {
  const std::string message =
      R"({"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[)"
      R"({"name":"a","command":"/c","args":["--token","S1","--port=1","--api-key=S2"],)"
      R"("env":[{"name":"KEY","value":"S3"}]},)"
      R"({"type":"http","name":"b","url":"https://u:S4@h/p?token=S5&x=1",)"
      R"("headers":[{"name":"Authorization","value":"S6"}]}],)"
      R"("_meta":{"apiKey":"S7","client_secret":"S8","maxTokens":5,"deep":[{"password":"S9"}]}}})";
  const std::string line = recorded(message);
  for (const char* const secret : {"S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9"})
    EXPECT_EQ(line.find(secret), std::string::npos) << secret << " in " << line;
  for (const char* const kept :
       {"\"KEY\"", "--port=1", "Authorization", "\"maxTokens\":5", "/w", "x=1"})
    EXPECT_NE(line.find(kept), std::string::npos) << kept << " not in " << line;
  EXPECT_NE(recorded(message, false).find("S6"), std::string::npos);
}

TEST(Recorder, MasksWhatAuthenticateBrings) {
  const std::string line = recorded(
      R"({"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"m","code":"S1"}})");
  EXPECT_EQ(line.find("S1"), std::string::npos);
  EXPECT_NE(line.find("\"m\""), std::string::npos);
}

TEST(Recorder, MasksTextThatIsNoMessage) {
  EXPECT_EQ(masked_text("token: S1 and Authorization: Bearer S2 password=S3 end"),
            "token: *** and Authorization: Bearer *** password=*** end");
}

TEST(Recorder, MasksHeadersInArguments) {
  const std::string line = recorded(
      R"({"jsonrpc":"2.0","id":1,"method":"session/new","params":{"mcpServers":[{"name":"a",)"
      R"("command":"/c","args":["--header","Authorization: Bearer S1","-H","X-Api-Key: S2",)"
      R"("--header=Authorization: Bearer S3","https://u:S4@h/p?key=S5&access_token=S6#x",)"
      R"("-c","curl -H 'Authorization: Bearer S7' https://u:S8@h","-u","me:S9",)"
      R"("--port","80","Bearer Sa"]}]}})");
  for (const char* const secret : {"S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "Sa"})
    EXPECT_EQ(line.find(secret), std::string::npos) << secret << " in " << line;
  for (const char* const kept : {"--header", "@h/p?key=", "-c", "curl -H", "\"80\""})
    EXPECT_NE(line.find(kept), std::string::npos) << kept << " not in " << line;
  EXPECT_TRUE(Json::parse(line)) << line;
}

TEST(Recorder, MasksLoginsInEveryText) {
  const std::string line = recorded(
      R"({"jsonrpc":"2.0","method":"session/update","params":{"update":{"title":"git clone )"
      R"(https://me:S1@host/x.git","rawInput":{"command":"curl -H \"Authorization: Bearer S2-x\"",)"
      R"("at":"https://h/?a=1&token=S3&b=2"},"content":[{"text":"the bearer of good news, see )"
      R"(https://h/p@x and a@b.c"}]}}})");
  for (const char* const secret : {"S1", "S2", "S3"})
    EXPECT_EQ(line.find(secret), std::string::npos) << secret << " in " << line;
  for (const char* const kept : {"@host/x.git", "bearer of good news, see https://h/p@x and a@b.c",
                                 "https://h/?a=1&token=***&b=2"})
    EXPECT_NE(line.find(kept), std::string::npos) << kept << " not in " << line;
}

TEST(Recorder, MasksJsonThatIsBroken) {
  const std::string line = recorded(
      R"({"id":1,"method":"session/new","params":{"mcpServers":[{"env":[{"name":"KEEP","value":)"
      R"("S1"},{"value":"S2","name":"B"}],"n":1},{"headers":{"X":"S3","Y": "S4"}}],"apiKey":"S5",)"
      R"("a":{"password" : "S6 with space","client_secret":["S7","S8"]},"url":"https://u:S9@h",)"
      R"("text":"{\"token\":\"Sa\",\"kept\":\"also\"}","maxTokens":5,"accessToken":"Sb)");
  for (const char* const secret :
       {"S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "Sa", "Sb", "space"})
    EXPECT_EQ(line.find(secret), std::string::npos) << secret << " in " << line;
  for (const char* const kept : {"KEEP", "session/new", "also", "maxTokens\\\":5", "@h"})
    EXPECT_NE(line.find(kept), std::string::npos) << kept << " not in " << line;
}

TEST(Recorder, MasksWhatTheCallerKnows) {
  const MaskKnown known = [](std::string& line) {
    const std::size_t at = line.find("sk-known");
    if (at == std::string::npos) return false;
    line.replace(at, 8, "[key]");
    return true;
  };
  for (const char* const text :
       {R"({"id":"sk-known"})", "broken sk-known", R"({"id":"\u0073k-kno\u0077n"})",
        R"({"broken":"sk-\u006Bnown")"}) {
    std::string out = "before sk-known\n";
    Recorder(true, known).frame(out, 3, {17, Side::client, text}, Json::parse(text));
    EXPECT_NE(out.find("[key]"), std::string::npos) << out;
    EXPECT_EQ(out.find("sk-known", 10), std::string::npos) << out;
    EXPECT_TRUE(out.starts_with("before sk-known\n")) << "other lines are not looked at";
    out.clear();
    Recorder(false, known).frame(out, 3, {17, Side::client, text}, Json::parse(text));
    EXPECT_EQ(out.find("[key]"), std::string::npos) << "unmasked on purpose";
  }
}

TEST(Recorder, MasksTheCommand) {
  std::string out;
  RecordedHeader header;
  header.command = {"agent", "--api-key", "S1", "--secret=S2", "--verbose"};
  Recorder(true).header(out, header);
  EXPECT_EQ(out.find("S1"), std::string::npos);
  EXPECT_EQ(out.find("S2"), std::string::npos);
  EXPECT_NE(out.find("--verbose"), std::string::npos);
}

Recording recording_of(const std::string& text) {
  std::istringstream in(text);
  return read_recording(in);
}

TEST(ReadRecording, PassesOverWhatItCannotReadAndNamesTheLine) {
  const Recording recording = recording_of(
      "{\"recording\":1,\"program\":\"p\"}\n"
      "{\"time\":1,\"from\":\"client\",\"frame\":{\"a\":1}}\n"
      "rubbish\n"
      "{\"time\":1,\"from\":\"nobody\",\"frame\":{}}\n"
      "{\"time\":2,\"from\":\"agent\",\"text\":\"x\"}\n"
      "{\"time\":3,\"violation\":\"A-WIRE-1\",\"level\":\"must\",\"from\":\"agent\",\"frame\":1,"
      "\"message\":\"m\"}\n"
      "{\"time\":4,\"fr");
  EXPECT_EQ(recording.header.program, "p");
  ASSERT_EQ(recording.entries.size(), 3U);
  EXPECT_FALSE(std::get<RecordedFrame>(recording.entries[1]).is_json);
  EXPECT_EQ(std::get<RecordedViolation>(recording.entries[2]).frame, 1U);
  ASSERT_EQ(recording.problems.size(), 3U);
  EXPECT_TRUE(recording.problems[0].starts_with("line 3: ")) << recording.problems[0];
  EXPECT_TRUE(recording.problems[1].starts_with("line 4: ")) << recording.problems[1];
  EXPECT_EQ(recording.problems[2], "line 7: the last line is incomplete");
}

// ---- The log

std::string frame_line(int time, const char* from, const std::string& frame) {
  return R"({"time":)" + std::to_string(time) + R"(,"from":")" + from + R"(","frame":)" + frame +
         "}\n";
}

std::string chunk(const std::string& text) {
  return R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":)"
         R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":")" +
         text + R"("}}}})";
}

std::string turn_recording() {
  return "{\"recording\":1,\"time\":1}\n" +
         frame_line(
             1000000, "client",
             R"({"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s",)"
             R"("prompt":[{"type":"text","text":"go"}]}})") +
         frame_line(2000000, "agent", chunk("Hel")) +
         frame_line(3000000, "agent", chunk("lo \\u001b[31mred")) +
         frame_line(4000000, "agent",
                    R"({"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}})");
}

TEST(Log, JoinsChunksAndPairsAnswers) {
  const Recording recording = recording_of(turn_recording());
  const auto entries = tell(recording);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].outcome, "end_turn");
  EXPECT_EQ(*entries[0].answered - entries[0].time, 3000000);
  EXPECT_EQ(entries[1].frames.size(), 2U);
  EXPECT_EQ(entries[1].turn, std::optional<std::size_t>(0));
  std::ostringstream out;
  print_log(out, recording, {});
  EXPECT_NE(out.str().find("says  Hello ␛[31mred  (2 chunks)"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
}

std::string told(const std::string& update) {
  return R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":)"
         R"({"sessionUpdate":)" +
         update + "}}}";
}

// In version 2 the answer to a prompt begins its turn, and the state idle ends it.
TEST(Log, TurnsOfVersion2) {
  const std::string prompt =
      R"("method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"go"}]}})";
  const std::string echo =
      R"("user_message","messageId":"u","content":[{"type":"text","text":"go"}])";
  const Recording recording = recording_of(
      "{\"recording\":1,\"time\":1}\n" +
      frame_line(1000000, "client", R"({"jsonrpc":"2.0","id":2,)" + prompt) +
      frame_line(2000000, "agent", R"({"jsonrpc":"2.0","id":2,"result":{"messageId":"u"}})") +
      frame_line(2000000, "agent", told(echo)) +
      frame_line(2000000, "agent", told(R"("state_update","state":"running")")) +
      frame_line(3000000, "client", R"({"jsonrpc":"2.0","id":3,)" + prompt) +
      frame_line(4000000, "agent", told(R"("terminal_update","terminalId":"t","command":"make")")) +
      frame_line(4000000, "agent", chunk("Hel")) + frame_line(4000000, "agent", chunk("lo")) +
      frame_line(4000000, "agent", told(R"("state_update","state":"requires_action")")) +
      frame_line(5000000, "agent",
                 told(R"("terminal_update","terminalId":"t","exitStatus":{"exitCode":2})")) +
      frame_line(6000000, "agent",
                 told(R"("state_update","state":"idle","stopReason":"end_turn")")) +
      frame_line(7000000, "agent", R"({"jsonrpc":"2.0","id":3,"result":{"messageId":"v"}})") +
      frame_line(7000000, "agent", told(R"("state_update","state":"running")")) +
      frame_line(8000000, "agent", chunk("More")) +
      frame_line(9000000, "agent",
                 told(R"("state_update","state":"idle","stopReason":"error","error":{"code":-1,)"
                      R"("message":"broken"})")));
  const auto entries = tell(recording);
  ASSERT_EQ(entries.size(), 6U);
  EXPECT_EQ(entries[0].outcome, "end_turn");
  EXPECT_EQ(*entries[0].answered - entries[0].time, 5000000);
  EXPECT_EQ(*entries[0].inserted - entries[0].time, 1000000);
  EXPECT_EQ(entries[1].outcome, "error -1 broken");
  EXPECT_TRUE(entries[1].failed);
  EXPECT_EQ(entries[2].method, "terminal");
  EXPECT_EQ(entries[2].what, "make");
  EXPECT_EQ(entries[2].outcome, "exit code 2");
  EXPECT_EQ(entries[3].what, "Hello");
  EXPECT_EQ(entries[3].turn, std::optional<std::size_t>(0));
  EXPECT_EQ(entries[4].what, "requires_action");
  EXPECT_EQ(entries[5].what, "More");
  EXPECT_EQ(entries[5].turn, std::optional<std::size_t>(1));
  std::ostringstream out;
  print_log(out, recording, {});
  EXPECT_NE(out.str().find("= end_turn  (5.0 ms, inserted after 1.0 ms)"), std::string::npos)
      << out.str();
}

TEST(Log, SaysThatATurnOfVersion2IsNotOver) {
  const Recording recording = recording_of(
      "{\"recording\":1,\"time\":1}\n" +
      frame_line(1, "client",
                 R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                 R"({"protocolVersion":2}})") +
      frame_line(2, "agent", R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}})") +
      frame_line(
          3, "client",
          R"({"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s"}})") +
      frame_line(4, "agent", R"({"jsonrpc":"2.0","id":2,"result":{"messageId":"u"}})"));
  EXPECT_EQ(version_of(recording), 2);
  std::ostringstream out;
  print_log(out, recording, {});
  EXPECT_NE(out.str().find("= inserted  (0 µs)  NOT OVER"), std::string::npos) << out.str();
}

TEST(Log, CountsAndTimesEachMethod) {
  const auto rows = statistics_of(recording_of(turn_recording()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].method, "session/prompt");
  EXPECT_EQ(rows[0].count, 1U);
  EXPECT_EQ(rows[0].percentile(99), std::optional<std::int64_t>(3000000));
  EXPECT_EQ(rows[1].count, 2U);
}

TEST(Log, APageHoldsNoMarkupOfTheWire) {
  std::ostringstream out;
  write_html(out,
             recording_of("{\"recording\":1}\n" +
                          frame_line(1, "agent", chunk("</script><img src=x onerror=alert(1)>"))),
             {}, "</title><b>");
  EXPECT_EQ(out.str().find("<img"), std::string::npos);
  EXPECT_EQ(out.str().find("<b>"), std::string::npos);
}

// ---- The replay

TEST(Replay, MapsIdsAndTakesTextHoweverItIsCut) {
  const Recording recording = recording_of(
      "{\"recording\":1}\n" +
      frame_line(1, "client", R"({"jsonrpc":"2.0","id":1,"method":"session/new","params":{}})") +
      frame_line(2, "agent", R"({"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}})") +
      frame_line(
          3, "client",
          R"({"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s"}})") +
      frame_line(4, "agent", chunk("Hel")) + frame_line(5, "agent", chunk("lo")) +
      frame_line(6, "agent",
                 R"({"jsonrpc":"2.0","id":7,"method":"_ask","params":{"sessionId":"s"}})") +
      frame_line(7, "client", R"({"jsonrpc":"2.0","id":7,"result":{}})"));
  Replay replay(recording, Side::client);
  EXPECT_EQ(replay.outgoing().size(), 1U);
  replay.receive(R"({"jsonrpc":"2.0","id":1,"result":{"sessionId":"real"}})");
  const auto prompt = replay.outgoing();
  ASSERT_EQ(prompt.size(), 1U);
  EXPECT_NE(prompt[0].find(R"("sessionId":"real")"), std::string::npos) << prompt[0];
  const auto real = [](std::string text) {
    return text.replace(text.find(R"("s")"), 3, R"("real")");
  };
  replay.receive(real(chunk("H")));
  replay.receive(real(chunk("ello")));
  replay.receive(R"({"jsonrpc":"2.0","id":"x","method":"_ask","params":{"sessionId":"real"}})");
  const auto answer = replay.outgoing();
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_NE(answer[0].find(R"("id":"x")"), std::string::npos) << answer[0];
  EXPECT_TRUE(replay.done());
  EXPECT_FALSE(replay.departure());
}

TEST(Replay, ToolCallsSideBySideMayBeToldInAnotherOrder) {
  const auto tool = [](const std::string& id, const std::string& status) {
    return R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":)"
           R"({"sessionUpdate":"tool_call_update","toolCallId":")" +
           id + R"(","status":")" + status + R"("}}})";
  };
  const Recording recording = recording_of(
      "{\"recording\":1}\n" + frame_line(1, "agent", tool("a", "in_progress")) +
      frame_line(2, "agent", tool("b", "in_progress")) +
      frame_line(3, "agent", tool("a", "completed")) + frame_line(4, "agent", tool("b", "failed")));
  const auto departs = [&](const std::vector<std::string>& frames) {
    Replay replay(recording, Side::client);
    for (const std::string& each : frames) replay.receive(each);
    replay.ended();
    return replay.departure().has_value();
  };
  EXPECT_FALSE(departs({tool("x", "in_progress"), tool("y", "in_progress"), tool("y", "failed"),
                        tool("x", "completed")}));
  EXPECT_TRUE(departs({tool("x", "completed"), tool("x", "in_progress"), tool("y", "in_progress"),
                       tool("y", "failed")}));
}

TEST(Replay, WhatWasMaskedInsideOfATextMayBeAnything) {
  const auto call = [](const std::string& command) {
    return R"({"jsonrpc":"2.0","method":"_x","params":{"command":")" + command + R"("}})";
  };
  const Recording recording = recording_of(
      "{\"recording\":1}\n" + frame_line(1, "agent", call("curl https://***@h -H 'Bearer ***' x")));
  const auto departs = [&](const std::string& command) {
    Replay replay(recording, Side::client);
    replay.receive(call(command));
    return replay.departure().has_value();
  };
  EXPECT_FALSE(departs("curl https://me:word@h -H 'Bearer T1' x"));
  EXPECT_TRUE(departs("curl https://me:word@h -H 'Bearer T1' y"));
  EXPECT_TRUE(departs("curl https://me:word@other -H 'Bearer T1' x"));
}

TEST(Replay, SaysWhereItDeparts) {
  const Recording recording = recording_of(turn_recording());
  const auto departure = [&](const std::vector<std::string>& frames) {
    Replay replay(recording, Side::client);
    replay.outgoing();
    for (const std::string& each : frames) replay.receive(each);
    replay.ended();
    return replay.departure()
               ? std::to_string(replay.departure()->frame) + " " + replay.departure()->what
               : "";
  };
  const std::string all = chunk("Hello \\u001b[31mred");
  const std::string end = R"({"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}})";
  EXPECT_EQ(departure({all, end}), "");
  EXPECT_TRUE(departure({chunk("Help")}).starts_with("1 agent_message_chunk: after 3 bytes"))
      << departure({chunk("Help")});
  EXPECT_EQ(departure({all, R"({"jsonrpc":"2.0","id":2,"result":{"stopReason":"refusal"}})"}),
            "3 an answer to 2: result.stopReason: recorded \"end_turn\", got \"refusal\"");
  EXPECT_EQ(departure({all}), "3 recorded an answer to 2, but the other side has ended");
  EXPECT_EQ(departure({all, end, end}), "3 more than was recorded: an answer to 2");
}

}  // namespace
}  // namespace acp::check
