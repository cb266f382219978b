#include "chat/permission.h"

#include <gtest/gtest.h>

namespace acp::chat {
namespace {

using Kind = PermissionOptionKind;
using By = PermissionAnswer::By;

PermissionPrompt question(std::vector<Kind> kinds) {
  PermissionPrompt result;
  result.call.id = "c";
  result.call.title = "Run the tests";
  result.call.kind = ToolKind::execute;
  result.call.raw_input = Json::object({{"command", "npm test"}});
  result.agent = "a";
  result.cwd = "/project";
  for (const Kind kind : kinds) {
    PermissionOption option;
    option.optionId = "o" + std::to_string(result.options.size());
    option.kind = kind;
    result.options.push_back(option);
  }
  return result;
}

std::string chosen(const PermissionAnswer& answer) {
  return answer.option ? answer.option->optionId : "cancelled";
}

TEST(Permission, ChosenByKindTheLeastFirst) {
  Permissions allow(Permissions::Kind::allow), deny(Permissions::Kind::deny);
  const auto all =
      question({Kind::reject_always, Kind::allow_always, Kind::reject_once, Kind::allow_once});
  EXPECT_EQ(chosen(allow.answer(all, {})), "o3");
  EXPECT_EQ(chosen(deny.answer(all, {})), "o2");
  const auto always = question({Kind::reject_always, Kind::allow_always});
  EXPECT_EQ(chosen(allow.answer(always, {})), "o1");
  EXPECT_EQ(chosen(deny.answer(always, {})), "o0");
}

TEST(Permission, WhatIsNotOfferedIsNotAllowed) {
  Permissions allow(Permissions::Kind::allow);
  const PermissionAnswer answer = allow.answer(question({Kind::reject_once}), {});
  EXPECT_FALSE(answer.allowed);
  EXPECT_EQ(chosen(answer), "cancelled");
  EXPECT_TRUE(answer.reason.find("no way to allow") != std::string::npos) << answer.reason;
}

// What a diff of version 2 does, where it has no texts to show it.
PermissionPrompt changing(const std::string& kept) {
  PermissionPrompt asked = question({Kind::allow_once, Kind::reject_once});
  asked.call.kind = ToolKind::edit;
  asked.call.raw_input = Json();
  v1::Content said;
  said.content = std::string("a change");
  said._meta = *Json::parse(R"({"libacp/v2":)" + kept + "}");
  asked.call.content.emplace_back(said);
  return asked;
}

TEST(Permission, RulesSeeAllThatADiffOfVersion2Does) {
  workspace::Rule edits, secret, deletes;
  edits.decision = workspace::Effect::allow;
  edits.kind = "edit";
  edits.paths = {"/project/**"};
  secret.decision = deletes.decision = workspace::Effect::reject;
  secret.paths = {"/project/.env"};
  deletes.kind = "delete";
  Permissions rules(Permissions::Kind::rules, {{secret, "rules.toml:1"}, {edits, "rules.toml:2"}});
  const auto change = [](const std::string& members) {
    return R"({"change":{"path":"/project/a",)" + members + "}}";
  };
  EXPECT_TRUE(rules.answer(changing(change(R"("operation":"modify")")), {}).allowed);
  EXPECT_TRUE(
      rules.answer(changing(change(R"("operation":"copy","oldPath":"/project/b")")), {}).allowed);
  EXPECT_FALSE(rules.answer(changing(change(R"("operation":"copy","oldPath":"/project/.env")")), {})
                   .allowed);
  // More than an edit, and what nobody can read, is no edit.
  EXPECT_FALSE(rules.answer(changing(change(R"("operation":"delete")")), {}).allowed);
  EXPECT_FALSE(rules.answer(changing(change(R"("operation":"_odd")")), {}).allowed);
  EXPECT_FALSE(rules.answer(changing(R"({"unread":true})"), {}).allowed);
  EXPECT_FALSE(rules.answer(changing(R"({"patch":{"format":"x","text":""}})"), {}).allowed);
  Permissions allow(Permissions::Kind::allow,
                    {{secret, "rules.toml:1"}, {deletes, "rules.toml:2"}});
  EXPECT_TRUE(
      allow.answer(changing(change(R"("operation":"move","oldPath":"/project/b")")), {}).allowed);
  EXPECT_FALSE(allow.answer(changing(change(R"("operation":"move","oldPath":"/project/.env")")), {})
                   .allowed);
  EXPECT_FALSE(allow.answer(changing(change(R"("operation":"delete")")), {}).allowed);
  EXPECT_FALSE(allow.answer(changing(R"({"unread":true})"), {}).allowed);
}

TEST(Permission, RulesDecideAndTheRestIsNobodys) {
  workspace::Rule rule;
  rule.decision = workspace::Effect::allow;
  rule.kind = "execute";
  rule.command = "npm *";
  Permissions rules(Permissions::Kind::rules, {{rule, "rules.toml:1"}});
  PermissionPrompt asked = question({Kind::allow_once, Kind::reject_once});
  PermissionAnswer answer = rules.answer(asked, {});
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.by, By::rule);
  EXPECT_TRUE(answer.reason.ends_with("(rules.toml:1)")) << answer.reason;
  asked.call.raw_input = Json::object({{"command", "npm test; rm -rf ~"}});
  answer = rules.answer(asked, {});
  EXPECT_FALSE(answer.allowed);
  EXPECT_EQ(answer.by, By::nobody);
  EXPECT_EQ(chosen(answer), "o1");
}

TEST(Permission, TheQuestionAsRulesSeeIt) {
  PermissionPrompt asked = question({});
  EXPECT_EQ(as_question(asked).command, "npm test");
  asked.call.raw_input = Json::object({{"command", "npm"}, {"args", Json::array({"a b", "c"})}});
  EXPECT_EQ(as_question(asked).command, "npm 'a b' c");
  asked.call.raw_input = Json::object({{"command", Json::array({"npm", "a b"})}});
  EXPECT_EQ(as_question(asked).command, "npm 'a b'");
  // Of what is no command, a member of that name says nothing.
  asked.call.kind = ToolKind::edit;
  v1::ToolCallLocation location;
  location.path = "src/../a.txt";
  asked.call.locations = {location};
  v1::Diff diff;
  diff.path = "/project/b.txt";
  asked.call.content.emplace_back(diff);
  const workspace::Question seen = as_question(asked);
  EXPECT_EQ(seen.command, "");
  EXPECT_EQ(seen.kind, "edit");
  ASSERT_EQ(seen.paths.size(), 2u);
  EXPECT_EQ(seen.paths[0].written, "/project/a.txt");
  EXPECT_EQ(seen.paths[1].written, "/project/b.txt");
}

TEST(Permission, WhereACommandRunsAndWhatIsFetched) {
  PermissionPrompt asked = question({});
  EXPECT_EQ(as_question(asked).directory.written, "/project") << "unless the agent says another";
  asked.call.raw_input = Json::object({{"command", "npm test"}, {"cwd", "vendor/"}});
  EXPECT_EQ(as_question(asked).directory.written, "/project/vendor");
  asked.call.kind = ToolKind::fetch;
  asked.call.raw_input = Json::object({{"url", "http://trusted@evil/"}});
  EXPECT_EQ(as_question(asked).origin, "http://evil:80");
  EXPECT_EQ(as_question(asked).command, "");
  // Who does not say what kind of call it is may still run a command.
  asked.call.kind = ToolKind::other;
  asked.call.raw_input = Json::object({{"command", "ls"}});
  EXPECT_EQ(as_question(asked).command, "ls");
}

TEST(Permission, TheQuestionItselfCountsBeforeWhatWasSaidEarlier) {
  ToolCallState known;
  known.title = "List";
  known.kind = ToolKind::execute;
  known.raw_input = Json::object({{"command", "ls"}});
  v1::ToolCallUpdate said;
  said.toolCallId = "c";
  said.rawInput = Json::object({{"command", "rm -rf /"}});
  const ToolCallState call = call_in_question(said, known);
  EXPECT_EQ(call.title, "List");
  EXPECT_EQ(call.raw_input["command"].as_string(), "rm -rf /");
}

TEST(Permission, DescribedOnOneSafeLine) {
  PermissionPrompt asked = question({});
  EXPECT_EQ(describe(asked.call), "execute `npm test`");
  asked.call.raw_input = Json::object({{"command", "a\n\x1b[1mb"}});
  EXPECT_EQ(describe(asked.call), "execute `a␊␛[1mb`");
  asked.call.kind = ToolKind::edit;
  EXPECT_EQ(describe(asked.call), "edit: Run the tests");
  asked.call.title.clear();
  EXPECT_EQ(describe(asked.call), "edit: c");
}

}  // namespace
}  // namespace acp::chat
