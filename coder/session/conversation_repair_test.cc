// Whatever part of a conversation was stored: what becomes of it is one that both providers accept.
#include "coder/session/conversation_repair.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "coder/model/anthropic_messages.h"
#include "coder/model/chat_completions.h"
#include "coder/session/conversation.h"

namespace acp::coder {
namespace {

using Entry = LiveSession::Entry;

Message user(const std::string& text) { return {Message::Role::user, {TextPart{text}}}; }
Message answer(const std::string& text) { return {Message::Role::assistant, {TextPart{text}}}; }
Message calling(const std::vector<std::string>& ids) {
  Message message{Message::Role::assistant, {TextPart{"I look."}}};
  for (const std::string& id : ids) message.parts.push_back(ToolCallPart{id, "list", "{}"});
  return message;
}
Message results(const std::vector<std::string>& ids) {
  Message message{Message::Role::user, {}};
  for (const std::string& id : ids) message.parts.push_back(ToolResultPart{id, "result of " + id});
  return message;
}

// What is wrong with the request for Anthropic: every tool_use is answered by the next message,
// tool_results first, and nothing else is a tool_result. Empty: nothing.
std::string wrong_for_anthropic(const std::vector<Message>& messages) {
  ModelRequest request;
  request.messages = messages;
  const auto parsed = Json::parse(anthropic_request(request));
  std::set<std::string> open, used;
  bool first = true;
  for (const JsonView message : (*parsed)["messages"].elements()) {
    const std::string role = *message["role"].as_string();
    if (first && role != "user") return "the first message is not the user's";
    first = false;
    if (role == "assistant" && !open.empty()) return "a call is not answered at once";
    bool others = false;
    std::size_t parts = 0;
    for (const JsonView part : message["content"].elements()) {
      ++parts;
      const std::string type = *part["type"].as_string();
      if (type == "tool_use") {
        const std::string id = *part["id"].as_string();
        if (role != "assistant") return "a call of the user's";
        if (id.empty() || !used.insert(id).second) return "an id twice: " + id;
        open.insert(id);
      } else if (type == "tool_result") {
        if (others) return "a result after something else";
        const std::string id = *part["tool_use_id"].as_string();
        if (role != "user" || open.erase(id) == 0) return "a result without a call: " + id;
      } else {
        others = true;
      }
    }
    if (parts == 0) return "an empty message";
    if (role == "user" && !open.empty()) return "a call without a result: " + *open.begin();
  }
  return open.empty() ? "" : "a call without a result at the end";
}

// The same for chat completions: the messages of role `tool` follow the calls at once.
std::string wrong_for_chat_completions(const std::vector<Message>& messages) {
  ModelRequest request;
  request.messages = messages;
  const auto parsed = Json::parse(chat_completions_request(request));
  std::set<std::string> open, used;
  for (const JsonView message : (*parsed)["messages"].elements()) {
    const std::string role = *message["role"].as_string();
    if (role == "tool") {
      const std::string id = *message["tool_call_id"].as_string();
      if (open.erase(id) == 0) return "a result without a call: " + id;
      continue;
    }
    if (!open.empty()) return "a call without a result: " + *open.begin();
    for (const JsonView call : message["tool_calls"].elements()) {
      const std::string id = *call["id"].as_string();
      if (id.empty() || !used.insert(id).second) return "an id twice: " + id;
      open.insert(id);
    }
  }
  return open.empty() ? "" : "a call without a result at the end";
}

std::string encoded(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) text += encode_message(message) + "\n";
  return text;
}

// Stored so, loaded, repaired, stored, loaded again.
void expect_usable(const std::vector<Entry>& stored) {
  Conversation conversation;
  for (const Entry& entry : stored) conversation.replay(entry.kind, entry.body);
  const std::string given = encoded(conversation.messages());
  std::string told;
  const std::vector<Entry> repaired = conversation.repair_interrupted("", &told);
  ASSERT_EQ(wrong_for_anthropic(conversation.messages()), "") << given;
  ASSERT_EQ(wrong_for_chat_completions(conversation.messages()), "") << given;

  Conversation again;
  for (const Entry& entry : stored) again.replay(entry.kind, entry.body);
  for (const Entry& entry : repaired) again.replay(entry.kind, entry.body);
  ASSERT_EQ(encoded(again.messages()), encoded(conversation.messages())) << given;
  ASSERT_TRUE(again.repair_interrupted("").empty()) << "once is enough: " << given;
  if (repaired.empty()) {
    ASSERT_EQ(told, "");
    ASSERT_EQ(encoded(conversation.messages()), given);
  }
}

// Two prompts with calls, one of them several at a time; a turn that was refused; a summary.
std::vector<Entry> a_session(bool with_summary) {
  Conversation conversation;
  std::vector<Entry> entries = {
      conversation.add(user("one")),
      conversation.add(calling({"a"})),
      conversation.add(results({"a"})),
      conversation.add(calling({"b", "c", "d"})),
      conversation.add(results({"b", "c", "d"})),
      conversation.add(answer("done")),
      conversation.add(user("refused")),
      conversation.drop_last(1),
  };
  if (with_summary) entries.push_back(conversation.compact("we looked"));
  entries.push_back(conversation.add(user("two")));
  entries.push_back(conversation.add(calling({"e"})));
  entries.push_back(conversation.add(results({"e"})));
  entries.push_back(conversation.add(answer("done again")));
  return entries;
}

TEST(ConversationRepair, LeavesAWholeConversationAlone) {
  for (const bool with_summary : {false, true}) {
    Conversation conversation;
    for (const Entry& entry : a_session(with_summary)) conversation.replay(entry.kind, entry.body);
    std::string told = "?";
    EXPECT_TRUE(conversation.repair_interrupted("", &told).empty());
    EXPECT_EQ(told, "");
  }
}

TEST(ConversationRepair, WhateverEntriesAreMissing) {
  for (const bool with_summary : {false, true}) {
    const std::vector<Entry> entries = a_session(with_summary);
    for (std::size_t chosen = 0; chosen < (std::size_t{1} << entries.size()); ++chosen) {
      std::vector<Entry> stored;
      for (std::size_t i = 0; i < entries.size(); ++i)
        if ((chosen >> i & 1) != 0) stored.push_back(entries[i]);
      expect_usable(stored);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ConversationRepair, WhateverStandsTwiceOrInTheWrongOrder) {
  std::mt19937 random(16);
  const std::vector<Entry> entries = a_session(false);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Entry> stored;
    for (std::size_t i = random() % 20; i > 0; --i)
      stored.push_back(entries[random() % entries.size()]);
    expect_usable(stored);
    if (HasFatalFailure()) return;
  }
}

// Parts at any place, as no version of ours writes them.
TEST(ConversationRepair, WhateverPartsAMessageHas) {
  std::mt19937 random(17);
  const std::vector<std::function<Part(std::string)>> kinds = {
      [](std::string id) {
        return ToolCallPart{std::move(id), "list", "{}"};
      },
      [](std::string id) {
        return ToolResultPart{std::move(id), "x"};
      },
      [](const std::string& id) { return TextPart{"text " + id}; },
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<Entry> stored;
    for (std::size_t i = random() % 8; i > 0; --i) {
      Message message{random() % 2 == 0 ? Message::Role::user : Message::Role::assistant, {}};
      for (std::size_t k = random() % 5; k > 0; --k)
        message.parts.push_back(
            kinds[random() % kinds.size()](random() % 9 == 0 ? "" : std::to_string(random() % 4)));
      stored.push_back({EntryKind::message, encode_message(message)});
    }
    expect_usable(stored);
    if (HasFatalFailure()) return;
  }
}

TEST(ConversationRepair, SaysWhatItDid) {
  const auto text = [](std::vector<Message> messages) {
    return repair(std::move(messages)).text();
  };
  EXPECT_EQ(text({user("x"), calling({"a", "b"}), user("y")}),
            "2 tool calls had no result: the model sees that their outcome is not known");
  EXPECT_EQ(text({user("x"), results({"a"})}), "1 result without a call was left out");
  EXPECT_EQ(text({calling({"a"}), results({"a"}), calling({"a"}), results({"a"})}),
            "1 result without a call was left out; 1 tool call with an id that was used before was "
            "left out; the beginning is missing");
  // What is known is not thrown away.
  const Repaired repaired = repair({user("x"), calling({"a", "b"}), results({"b"}), user("y")});
  ASSERT_EQ(repaired.messages.size(), 4u);
  EXPECT_EQ(repaired.unchanged, 2u);
  EXPECT_TRUE(std::get<ToolResultPart>(repaired.messages[2].parts[0]).failed);
  EXPECT_EQ(std::get<ToolResultPart>(repaired.messages[2].parts[1]).text, "result of b");
}

}  // namespace
}  // namespace acp::coder
