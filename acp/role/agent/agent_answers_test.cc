// An agent of version 2: what its answers say of a session, and what it makes of its client's.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "acp/agent.h"
#include "acp/error.h"
#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/version2_client.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

std::vector<AvailableCommand> commands_of(std::initializer_list<const char*> names) {
  std::vector<AvailableCommand> commands;
  for (const char* name : names) {
    commands.emplace_back().name = name;
    commands.back().description = "does it";
  }
  return commands;
}

std::string names_of(JsonView commands) {
  std::string names;
  for (JsonView one : commands.elements()) names += one["name"].as_string().value_or("?") + " ";
  return names;
}

const std::string open_params = R"({"cwd":"/","mcpServers":[]})";

// ---- commands

TEST(Commands, AreInTheAnswersAsTheyAreNow) {
  const Within limit("commands that change");
  Agent agent("test", "1");
  agent.versions({2})
      .commands(commands_of({"a"}))
      .on_resume_session([](SessionContext, v1::ResumeSessionRequest) {})
      .on_prompt([](Turn turn) {
        turn.set_commands(commands_of({"a", "b"})).wait();
        return StopReason::end_turn;
      });
  Version2Client client(agent);
  const std::string other = client.open("/");
  client.prompt();
  client.idle();
  const auto resumed = [&](const std::string& session) {
    const Json answer =
        client.ask("session/resume", "{\"sessionId\":" + Json(session).text() + R"(,"cwd":"/"})");
    return names_of(answer["result"]["availableCommands"]);
  };
  EXPECT_EQ(resumed(client.session), "a b ");
  EXPECT_EQ(resumed(client.session), "a b ");
  EXPECT_EQ(resumed(other), "a ");
}

TEST(Commands, OfAHandlerThatOpensASessionAreInItsAnswer) {
  const Within limit("commands of a session");
  Agent agent = silent_agent();
  agent.versions({1, 2})
      .commands(commands_of({"a"}))
      .on_new_session([](SessionContext session, v1::NewSessionRequest) {
        session.set_commands(commands_of({"n"})).wait();
      })
      .on_load_session([](SessionContext session, v1::LoadSessionRequest) {
        session.set_commands(commands_of({"l"})).wait();
      });
  {
    Version2Client client(agent);
    const Json made = client.ask("session/new", open_params);
    EXPECT_EQ(names_of(made["result"]["availableCommands"]), "n ");
    for (const char* more : {"", R"(,"replayFrom":{"type":"start"})"}) {
      const Json loaded = client.ask(
          "session/resume", "{\"sessionId\":" + Json("x").text() + R"(,"cwd":"/")" + more + "}");
      EXPECT_EQ(names_of(loaded["result"]["availableCommands"]), "l ");
    }
    EXPECT_TRUE(client.updates("available_commands_update").empty());
  }
  // Version 1 has them right after the answer: before it nobody knows the session.
  Served served(agent);
  served.raw.initialize();
  served.raw.line(request("5", "session/new", open_params));
  EXPECT_EQ(served.raw.read()["id"].text(), "5");
  EXPECT_EQ(names_of(served.raw.read()["params"]["update"]["availableCommands"]), "n ");
}

// ---- capabilities

TEST(McpServersOfVersion2, OnStdioAreTakenWhereTheyAreUsed) {
  const Within limit("servers on stdio");
  for (const auto choice : {McpServers::unused, McpServers::refused, McpServers::used}) {
    Agent agent = silent_agent();
    agent.versions({2}).mcp_servers(choice);
    Version2Client client(agent);
    const JsonView mcp = client.seen.front()["result"]["capabilities"]["session"]["mcp"];
    const bool used = choice == McpServers::used;
    EXPECT_EQ(mcp["stdio"].is_object(), used) << to_string(choice);
    const Json answer = client.ask(
        "session/new",
        R"({"cwd":"/","mcpServers":[{"type":"stdio","name":"s","command":"/bin/cat"}]})");
    EXPECT_EQ(Version2Client::code_of(answer), used ? 0 : -32602) << to_string(choice);
  }
}

// ---- permissions

std::vector<PermissionOption> options_of(std::initializer_list<PermissionOptionKind> kinds) {
  std::vector<PermissionOption> options;
  for (const PermissionOptionKind kind : kinds) {
    PermissionOption& option = options.emplace_back();
    option.optionId = to_string(kind);
    option.name = option.optionId;
    option.kind = kind;
  }
  return options;
}

// Nobody cancelled the turn: the question was answered with no.
TEST(PermissionOfVersion2, WhatIsNotApprovedIsRejected) {
  const Within limit("a question that is not approved");
  using Kind = PermissionOptionKind;
  Agent agent("test", "1");
  agent.versions({2}).on_prompt([](Turn turn) {
    for (const auto& options :
         {options_of({Kind::allow_once}), options_of({Kind::allow_once, Kind::reject_always}),
          options_of({Kind::allow_once, Kind::reject_once})}) {
      const ToolCall call = turn.tool_call("Asking", ToolKind::edit);
      PermissionQuestion question;
      question.options = options;
      question.remember_as = "key";
      const Permission permission = call.ask_permission(std::move(question)).wait();
      EXPECT_FALSE(permission.allowed);
      EXPECT_FALSE(permission.remembered);
      EXPECT_EQ(call.status(), ToolCallStatus::failed);
    }
    return StopReason::end_turn;
  });
  for (const char* outcome : {"cancelled", "_later"}) {
    Version2Client client(agent);
    client.prompt();
    for (int i = 0; i < 3; ++i) {
      const Json asked = client.until([](const Json& message) {
        return message["method"].as_string() == "session/request_permission";
      });
      client.served.raw.answer(asked, "{\"outcome\":{\"outcome\":" + Json(outcome).text() + "}}");
    }
    EXPECT_EQ(client.idle()["stopReason"].as_string(), "end_turn") << outcome;
  }
}

// ---- modes and options that were not sent

v1::SessionConfigOption option_of(const std::string& id) {
  v1::SessionConfigSelectOption value;
  value.value = "v";
  value.name = "V";
  v1::SessionConfigSelect select;
  select.currentValue = "v";
  select.options = std::vector{value};
  v1::SessionConfigOption option;
  option.id = id;
  option.name = id;
  option.type = std::move(select);
  return option;
}

// The session is as it was reported to the client.
TEST(ModesAndOptions, StayWhenTheyAreNotSent) {
  const Within limit("a hook that throws");
  std::vector<v1::SessionMode> modes(2);
  modes[0].id = modes[0].name = "first";
  modes[1].id = modes[1].name = "second";
  std::optional<Turn> kept;
  Agent agent("test", "1");
  agent.versions({1, 2})
      .modes(modes, "first")
      .config_options({option_of("o")})
      .on_prompt([&](Turn turn) {
        const Turn hooked =
            turn.before_update([](SessionUpdate&) { throw std::runtime_error("full"); });
        EXPECT_THROW(hooked.set_mode("second").wait(), std::runtime_error);
        EXPECT_THROW(hooked.set_config_options({option_of("p")}).wait(), std::runtime_error);
        EXPECT_THROW(turn.set_mode("third").wait(), Refused);
        kept = turn;
        return StopReason::end_turn;
      });
  const auto too_late = [&] {
    EXPECT_THROW(kept->set_mode("second").wait(), Error);
    EXPECT_THROW(kept->set_config_options({option_of("p")}).wait(), Error);
    kept.reset();
  };
  {
    Version2Client client(agent);
    client.prompt();
    client.idle();
    too_late();
    const Json set =
        client.ask("session/set_config_option", "{\"sessionId\":" + Json(client.session).text() +
                                                    R"(,"configId":"o","type":"id","value":"v"})");
    EXPECT_EQ(set["result"]["configOptions"].size(), 2u) << set.text();
    for (JsonView option : set["result"]["configOptions"].elements())
      EXPECT_NE(option["currentValue"].as_string(), "second");
  }
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  served.raw.read_answer("5");
  too_late();
  served.raw.line(
      request("6", "session/set_config_option",
              "{\"sessionId\":" + Json(session).text() + R"(,"configId":"o","value":"v"})"));
  EXPECT_TRUE(served.raw.read_answer("6")["result"].is_object());
}

}  // namespace
}  // namespace acp
