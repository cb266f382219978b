// Turns with a model that does what a test wants, and a client that is read line by line.
#include "coder/turn/turn.h"

#include <gtest/gtest.h>

#include <ctime>
#include <deque>
#include <memory>

#include "acp/json/codec.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"
#include "acp/workspace/testing/scratch.h"
#include "coder/model/compaction_prompt.h"
#include "coder/testing/text.h"

namespace acp::coder {

using namespace settings;
namespace {

using testing::contains;
using testing::lacks;
using Kind = ModelError::Kind;
using Reason = Stop::Reason;

using Play = std::function<void(const OnModelEvent&, std::stop_token)>;

Play says(const std::string& text, Reason reason = Reason::end, std::uint64_t used = 0) {
  return [=](const OnModelEvent& on_event, std::stop_token) {
    if (!text.empty()) on_event(TextDelta{text});
    if (used != 0) on_event(Usage{used, 1, {}, {}, {}});
    on_event(Stop{reason});
    on_event(Pause{});
  };
}
Play calls(const std::vector<std::string>& ids, Reason reason = Reason::tool_calls) {
  return [=](const OnModelEvent& on_event, std::stop_token) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      on_event(ToolCallBegins{i, ids[i], "list"});
      on_event(ToolCallDelta{i, "{}"});
    }
    on_event(ToolCallDelta{ids.size() + 7, "{\"stray\":1}"});
    on_event(Stop{reason});
  };
}
Play fails(Kind kind, const std::string& said = {}) {
  return [=](const OnModelEvent& on_event, std::stop_token) {
    if (!said.empty()) on_event(TextDelta{said});
    throw ModelError(kind, "the provider's reason", 7.0);
  };
}

class PlayedModel final : public Model {
 public:
  explicit PlayedModel(ModelInfo info) : info_(std::move(info)) {}
  const ModelInfo& info() const override { return info_; }
  void answer(const ModelRequest& request, const OnModelEvent& on_event,
              std::stop_token stop) override {
    requests.push_back(request);
    if (plays.empty()) throw ModelError(Kind::broken, "the test has no answer");
    const Play play = plays.front();
    plays.pop_front();
    play(on_event, stop);
  }

  std::deque<Play> plays;
  std::vector<ModelRequest> requests;

 private:
  ModelInfo info_;
};

class TurnTest : public ::testing::Test {
 protected:
  TurnTest() : store("", [](const std::string& text) { ADD_FAILURE() << text; }) {
    info.id = info.name = "played";
    info.context_tokens = 1000;
  }
  ~TurnTest() override {
    served.reset();
    if (session) kept_as_it_is();
  }

  void begin(const std::string& capabilities = R"({"session":{"notices":{}}})") {
    model = std::make_shared<PlayedModel>(info);
    Session::Wanted wanted;
    wanted.cwd = scratch.path();
    SettingsSources sources;
    sources.environment = [](const std::string&) { return std::nullopt; };
    wanted.settings = load_settings(sources);
    wanted.settings.max_requests.value = max_requests;
    wanted.settings.retries.value = 0;
    if (adjust) adjust(wanted.settings);
    wanted.mode = "code";
    auto models = std::make_shared<Models>(wanted.settings, Keys(scratch / "keys"));
    StoredSession stored;
    stored.id = "s";
    stored.cwd = wanted.cwd;
    session = std::make_shared<Session>(wanted, model, models, store.create(stored));
    session->servers =
        std::make_unique<McpTools>(std::vector<v1::McpServer>(), std::vector{wanted.cwd});
    Agent agent("test", "1");
    v1::PromptCapabilities takes;
    takes.image = takes.embeddedContext = true;
    agent.prompt_capabilities(takes);
    agent.on_prompt([this](const Turn& turn) {
      TurnLoop loop(turn, *session);
      return loop.run();
    });
    served = std::make_unique<acp::testing::Served>(agent);
    served->raw.initialize(capabilities);
    id = served->raw.new_session();
  }

  // The stop reason, or the error's code. What was sent is in `updates`.
  std::string turn(const std::string& text) {
    served->raw.prompt("7", id, text);
    return answer();
  }
  std::string answer() {
    updates.clear();
    while (true) {
      const Json message = served->raw.read();
      if (message.absent()) return "(the connection has ended)";
      if (!message["error"].absent())
        return std::to_string(message["error"]["code"].as_int64().value_or(0));
      if (!message["result"].absent())
        return message["result"]["stopReason"].as_string().value_or("(none)");
      updates += std::string(message.text()) + "\n";
    }
  }
  // The last request's conversation, a line for each message.
  std::string sent() const { return lines(model->requests.back().messages); }
  static std::string lines(const std::vector<Message>& messages) {
    std::string text;
    for (const Message& message : messages) {
      text += message.role == Message::Role::user ? "U" : "A";
      for (const Part& part : message.parts) {
        if (const auto* said = std::get_if<TextPart>(&part)) text += " " + said->text;
        if (std::holds_alternative<ToolCallPart>(part)) text += " call";
        if (const auto* result = std::get_if<ToolResultPart>(&part))
          text += result->failed ? " failure" : " result";
        if (std::holds_alternative<MediaPart>(part)) text += " media";
      }
      text += "\n";
    }
    return text;
  }
  std::string conversation() const { return lines(session->conversation.messages()); }

  // Opened later, it has the same conversation.
  void kept_as_it_is() {
    Conversation again;
    session->kept.read([&](EntryKind kind, std::string_view body) { again.replay(kind, body); });
    ASSERT_EQ(again.messages().size(), session->conversation.messages().size());
    for (std::size_t i = 0; i < again.messages().size(); ++i)
      EXPECT_EQ(encode_message(again.messages()[i]),
                encode_message(session->conversation.messages()[i]));
  }

  workspace::testing::Scratch scratch;
  Store store;
  ModelInfo info;
  std::uint64_t max_requests = 20;
  std::function<void(Settings&)> adjust;
  std::shared_ptr<PlayedModel> model;
  std::shared_ptr<Session> session;
  std::unique_ptr<acp::testing::Served> served;
  std::string id, updates;
};

TEST_F(TurnTest, CallsAreRunWhateverTheModelSaysWhyItStopped) {
  begin();
  for (const Reason reason : {Reason::tool_calls, Reason::end, Reason::unknown}) {
    model->plays = {calls({"x", "y"}, reason), says("done")};
    EXPECT_EQ(turn("go"), "end_turn");
    EXPECT_PRED2(contains, sent(), "U go\nA call call\nU result result\n");
  }
}

TEST_F(TurnTest, AnAnswerOfNothingIsSaid) {
  begin();
  model->plays = {says("")};
  EXPECT_EQ(turn("go"), "end_turn");
  EXPECT_PRED2(contains, updates, "answered with nothing");
  model->plays = {says("fine")};
  EXPECT_EQ(turn("go"), "end_turn");
  EXPECT_PRED2(lacks, updates, "answered with nothing");
  EXPECT_EQ(conversation(), "U go\nU go\nA fine\n");
}

TEST_F(TurnTest, EachCallHasAnIdOfItsOwn) {
  begin();
  model->plays = {calls({"same", "same", ""}), calls({"same"}), says("done")};
  EXPECT_EQ(turn("go"), "end_turn");
  std::set<std::string> called, answered;
  for (const Message& message : session->conversation.messages())
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCallPart>(&part)) {
        EXPECT_TRUE(called.insert(call->id).second) << call->id;
        EXPECT_NE(call->id, "");
      }
      if (const auto* result = std::get_if<ToolResultPart>(&part)) answered.insert(result->id);
    }
  EXPECT_EQ(called.size(), 4u);
  EXPECT_TRUE(called.contains("same")) << "an id that is good stays";
  EXPECT_EQ(answered, called);
}

TEST_F(TurnTest, ARefusalTakesBackThePromptAndWhatFollowed) {
  begin();
  model->plays = {says("first")};
  EXPECT_EQ(turn("one"), "end_turn");
  model->plays = {calls({"x"}), says("I will not.", Reason::refusal)};
  EXPECT_EQ(turn("two"), "refusal");
  EXPECT_PRED2(contains, updates, "I will not.");
  EXPECT_EQ(conversation(), "U one\nA first\n");
  model->plays = {says("third")};
  EXPECT_EQ(turn("three"), "end_turn");
  EXPECT_EQ(sent(), "U one\nA first\nU three\n");
}

TEST_F(TurnTest, CompactionKeepsThePromptAsItWasWritten) {
  begin();
  model->plays = {says("first", Reason::end, 950)};
  EXPECT_EQ(turn("one"), "end_turn");
  model->plays = {says("in short"), says("second")};
  EXPECT_EQ(turn("two, word by word"), "end_turn");
  ASSERT_EQ(model->requests.size(), 3u);
  EXPECT_PRED2(contains, lines(model->requests[1].messages), compaction_prompt);
  EXPECT_PRED2(lacks, lines(model->requests[1].messages), "two, word by word");
  EXPECT_FALSE(model->requests[1].tools.empty());  // Anthropic takes no calls without them
  EXPECT_PRED2(contains, sent(), "in short\nU two, word by word\n");
  EXPECT_PRED2(lacks, sent(), "U one");
}

TEST_F(TurnTest, ATurnGoesOnWhereCompactionFails) {
  begin();
  model->plays = {says("first", Reason::end, 950)};
  EXPECT_EQ(turn("one"), "end_turn");
  model->plays = {says(""), calls({"x"}), says("second")};
  EXPECT_EQ(turn("two"), "end_turn");
  EXPECT_PRED2(contains, updates, "could not be compacted");
  EXPECT_PRED2(contains, sent(), "U one\nA first\nU two\n");
  EXPECT_EQ(model->requests.size(), 4u) << "it is not tried again in the same turn";
}

TEST_F(TurnTest, CompactionBetweenCallsLeavesNoneWithoutItsResult) {
  begin();
  model->plays = {[](const OnModelEvent& on_event, std::stop_token stop) {
                    on_event(Usage{950, 1, {}, {}, {}});
                    calls({"x"})(on_event, stop);
                  },
                  says("in short"), says("done")};
  EXPECT_EQ(turn("one"), "end_turn");
  EXPECT_PRED2(lacks, sent(), "call");
  EXPECT_PRED2(lacks, sent(), "result");
  EXPECT_PRED2(contains, sent(), "in short");
}

TEST_F(TurnTest, ARefusalAfterACompactionLosesNothingThatWasBefore) {
  begin();
  model->plays = {says("first", Reason::end, 950)};
  EXPECT_EQ(turn("one"), "end_turn");
  model->plays = {says("in short"), says("No.", Reason::refusal)};
  EXPECT_EQ(turn("two"), "refusal");
  EXPECT_EQ(conversation(), "U one\nA first\n");
  // Also if the prompt itself has become a part of the summary.
  model->plays = {[](const OnModelEvent& on_event, std::stop_token stop) {
                    on_event(Usage{950, 1, {}, {}, {}});
                    calls({"x"})(on_event, stop);
                  },
                  says("in short"), says("No.", Reason::refusal)};
  EXPECT_EQ(turn("three"), "refusal");
  EXPECT_EQ(conversation(), "U one\nA first\n");
}

TEST_F(TurnTest, AContextThatIsSmallerThanThoughtCostsNoRequest) {
  max_requests = 1;
  begin();
  model->plays = {says("first")};
  EXPECT_EQ(turn("one"), "end_turn");
  model->plays = {fails(Kind::too_long), says("in short"), says("second")};
  EXPECT_EQ(turn("two"), "end_turn");
  EXPECT_PRED2(contains, sent(), "in short\nU two\n");
  model->plays = {fails(Kind::too_long), says("in short"), fails(Kind::too_long)};
  EXPECT_EQ(turn("three"), "-32603") << "once";
}

TEST_F(TurnTest, TheLimitOfRequestsLeavesAConversationThatGoesOn) {
  max_requests = 1;
  begin();
  model->plays = {calls({"x"})};
  EXPECT_EQ(turn("one"), "max_turn_requests");
  EXPECT_EQ(conversation(), "U one\nA call\nU result\n");
  model->plays = {says("done")};
  EXPECT_EQ(turn("go on"), "end_turn");
}

TEST_F(TurnTest, WhatWasSaidBeforeAFailureIsKept) {
  begin();
  model->plays = {fails(Kind::unreachable, "half an ans")};
  EXPECT_EQ(turn("one"), "-32603");
  EXPECT_EQ(conversation(), "U one\nA half an ans\n");
  model->plays = {fails(Kind::rate_limited)};
  EXPECT_EQ(turn("two"), "-32001");
  EXPECT_EQ(conversation(), "U one\nA half an ans\nU two\n");
  session->note({v1::NoticeSeverity::warning, "a note of a thread's"});
  model->plays = {says("three")};
  EXPECT_EQ(turn("three"), "end_turn");
  EXPECT_PRED2(contains, updates, "a note of a thread's");
}

TEST_F(TurnTest, CallsThatWereCutOffAreNotMade) {
  begin();
  model->plays = {[](const OnModelEvent& on_event, std::stop_token) {
    on_event(TextDelta{"I list"});
    on_event(ToolCallBegins{0, "x", "list"});
    on_event(ToolCallDelta{0, "{\"pa"});
    on_event(Stop{Reason::max_tokens});
  }};
  EXPECT_EQ(turn("one"), "max_tokens");
  EXPECT_EQ(conversation(), "U one\nA I list\n");
  EXPECT_PRED2(contains, updates, "\"failed\"");
  EXPECT_PRED2(lacks, updates, "in_progress");
}

TEST_F(TurnTest, ACancelledTurnKeepsWhatWasSaidAndGoesOn) {
  begin();
  acp::testing::Gate begun;
  model->plays = {[&](const OnModelEvent& on_event, std::stop_token stop) {
    on_event(TextDelta{"half"});
    on_event(ToolCallBegins{0, "x", "list"});
    begun.open();
    acp::testing::Gate stopped;
    const std::stop_callback wake(stop, [&] { stopped.open(); });
    stopped.wait("the cancellation");
    throw Cancelled();
  }};
  served->raw.prompt("7", id, "one");
  begun.wait("the answer's begin");
  served->raw.line(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":")" + id +
                   "\"}}");
  EXPECT_EQ(answer(), "cancelled");
  EXPECT_PRED2(contains, updates, "\"failed\"");
  EXPECT_EQ(conversation(), "U one\nA half\n");
  model->plays = {says("done")};
  EXPECT_EQ(turn("two"), "end_turn");
}

TEST_F(TurnTest, AModelThatTakesNoPicturesGoesOnWithoutThem) {
  info.takes_images = true;
  info.context_tokens = 100'000;
  begin();
  model->plays = {says("a cat")};
  served->raw.line(R"({"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":")" +
                   id + R"(","prompt":[{"type":"image","mimeType":"image/png","data":"AA"}]}})");
  EXPECT_EQ(answer(), "end_turn");
  EXPECT_EQ(sent(), "U media\n");
  info.takes_images = false;
  model = std::make_shared<PlayedModel>(info);
  session->set_model(model);
  model->plays = {says("fine")};
  EXPECT_EQ(turn("and now?"), "end_turn");
  EXPECT_PRED2(lacks, sent(), "media");
  EXPECT_PRED2(contains, sent(), "image/png");
}

TEST_F(TurnTest, LinkedFilesAreReadIfTheyAreInside) {
  scratch.put("a b.txt", "the text");
  scratch.put("big.txt", std::string(100'000, 'x'));
  workspace::testing::Scratch outside;
  outside.put("secret", "the secret");
  scratch.link("link", outside / "secret");
  begin();
  const auto linked = [&](const std::string& uri) {
    model->plays = {says("fine")};
    served->raw.line(
        R"({"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":")" + id +
        R"(","prompt":[{"type":"resource_link","name":"n","uri":")" + uri + R"("}]}})");
    EXPECT_EQ(answer(), "end_turn");
    const std::string all = lines({model->requests.back().messages.back()});
    return all;
  };
  const std::string here = "file://" + scratch.path().string();
  EXPECT_PRED2(contains, linked(here + "/a%20b.txt#L1"), "\nthe text\n</resource>");
  for (const std::string& uri :
       {here + "/link", here + "/../" + outside.path().filename().string() + "/secret",
        "file://" + (outside / "secret"), here + "/a%00", here + "/big.txt", here + "/nowhere",
        "file://elsewhere" + (scratch / "a b.txt")})
    EXPECT_PRED2(contains, linked(uri), "U [link: n <") << uri;
}

TEST_F(TurnTest, CommandsOfOursDoNotReachTheModel) {
  begin();
  EXPECT_EQ(turn("/compact"), "end_turn");
  EXPECT_EQ(turn("/status"), "end_turn");
  EXPECT_EQ(turn("/model nowhere/x"), "end_turn");
  EXPECT_EQ(turn("/mode yolo"), "end_turn");
  EXPECT_PRED2(contains, updates, "There is no mode");
  EXPECT_EQ(session->mode(), "code");
  EXPECT_TRUE(model->requests.empty());
  EXPECT_EQ(conversation(), "");
  model->plays = {says("what?")};
  EXPECT_EQ(turn("/unknown word"), "end_turn");
  EXPECT_EQ(sent(), "U /unknown word\n");
  scratch.put(".acp/commands/mine.md", "Do $ARGUMENTS well.");
  model->plays = {says("done")};
  EXPECT_EQ(turn("/mine it"), "end_turn");
  EXPECT_PRED2(contains, sent(), "U Do it well.\n");
}

// ---- answers without end

// Gives the event again and again; `taken` says how often it was taken.
Play endless(const std::function<ModelEvent(std::size_t)>& event, std::size_t& taken) {
  return [event, &taken](const OnModelEvent& on_event, std::stop_token) {
    for (taken = 0; taken < 200'000; ++taken) on_event(event(taken));
    on_event(Stop{Reason::end});
  };
}

TEST_F(TurnTest, TextWithoutEndIsEndedAtItsLimit) {
  info.context_tokens.reset();
  begin();
  std::size_t taken = 0;
  const std::string kilobyte(1024, 'x');
  model->plays = {endless([&](std::size_t) { return TextDelta{kilobyte}; }, taken),
                  endless([&](std::size_t) { return ThoughtDelta{kilobyte}; }, taken),
                  says("well")};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(turn("go"), "max_tokens");
    EXPECT_EQ(taken, 8u * 1024);
    EXPECT_PRED2(contains, updates,
                 "more than 8388608 bytes of text and thoughts (limits.answer_bytes)");
    EXPECT_LT(updates.size(), 9u * 1024 * 1024);
  }
  // What the model is asked with later is not spoilt by it.
  EXPECT_EQ(turn("go on"), "end_turn");
  EXPECT_LT(sent().size(), 70u * 1024);
  EXPECT_PRED2(contains, sent(), "(limits.answer_bytes)]\nU go on");
}

TEST_F(TurnTest, PartsWithoutEndCountMoreThanTheirText) {
  adjust = [](Settings& settings) { settings.answer_bytes.value = 100'000; };
  begin();
  std::size_t taken = 0;
  model->plays = {endless(
                      [](std::size_t i) {
                        return i % 2 == 0 ? ModelEvent(TextDelta{"x"})
                                          : ModelEvent(ThoughtDelta{"y"});
                      },
                      taken),
                  endless(
                      [](std::size_t) {
                        return ThoughtDelta{"", "seal"};
                      },
                      taken)};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(turn("go"), "max_tokens");
    EXPECT_LT(taken, 400u);
  }
}

TEST_F(TurnTest, ArgumentsWithoutEndAreEndedAndTheCallIsNotMade) {
  begin();
  std::size_t taken = 0;
  const std::string piece(10'000, 'x');
  model->plays = {endless(
                      [&](std::size_t i) {
                        return i == 0 ? ModelEvent(ToolCallBegins{0, "a", "write"})
                                      : ModelEvent(ToolCallDelta{0, piece});
                      },
                      taken),
                  endless(
                      [&](std::size_t i) {
                        return ToolCallBegins{i, "a", piece};
                      },
                      taken)};
  EXPECT_EQ(turn("go"), "max_tokens");
  EXPECT_EQ(taken, 16u * 1024 * 1024 / 10'000 + 1);
  EXPECT_PRED2(contains, updates, "not made: the model's answer has more than 16777216 bytes");
  EXPECT_PRED2(contains, updates, "limits.argument_bytes");
  EXPECT_EQ(conversation(),
            "U go\nA [the model's answer has more than 16777216 bytes of arguments for its calls "
            "(limits.argument_bytes)]\n");
  EXPECT_EQ(turn("go"), "max_tokens") << "names count, too";
  EXPECT_LT(updates.size(), 3u * 1024 * 1024) << "and are not shown whole";
}

TEST_F(TurnTest, CallsWithoutEndAreEndedAndNoneIsMade) {
  begin();
  std::size_t taken = 0;
  model->plays = {endless(
                      [](std::size_t i) {
                        return ToolCallBegins{i, std::to_string(i), "list"};
                      },
                      taken),
                  says("well")};
  EXPECT_EQ(turn("go"), "max_tokens");
  EXPECT_EQ(taken, 1000u);
  EXPECT_PRED2(contains, updates, "more than 1000 tool calls (limits.answer_calls)");
  std::size_t failed = 0;
  for (std::size_t at = 0; (at = updates.find("\"failed\"", at)) != std::string::npos; ++at)
    ++failed;
  EXPECT_EQ(failed, 1000u) << "each that was announced has an end";
  EXPECT_PRED2(lacks, conversation(), "call ");
  EXPECT_EQ(turn("go on"), "end_turn");
}

// Of this process alone: other programs do not count.
double cpu_seconds() {
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

TEST_F(TurnTest, ManyCallsTakeNoSquareOfTheirNumber) {
  adjust = [](Settings& settings) { settings.answer_calls.value = 100'000; };
  begin();
  const auto seconds_for = [&](std::size_t number) {
    model->plays = {[number](const OnModelEvent& on_event, std::stop_token) {
      for (std::size_t i = 0; i < number; ++i)
        on_event(
            ToolCallBegins{i, "an id that is long and the same up to its end: " + std::to_string(i),
                           "no such tool"});
      on_event(Stop{Reason::max_tokens});
    }};
    const double before = cpu_seconds();
    EXPECT_EQ(turn("go"), "max_tokens");
    return cpu_seconds() - before;
  };
  seconds_for(100);  // what is done once
  const double few = seconds_for(5'000), many = seconds_for(40'000);
  RecordProperty("few_ms", static_cast<int>(1000 * few));
  RecordProperty("many_ms", static_cast<int>(1000 * many));
  // Eight times as many: 8 times the work, or 64 times if each call looks at all others.
  EXPECT_LT(many, 24 * few) << few << " s and " << many << " s";
}

TEST_F(TurnTest, ASummaryWithoutEndIsNone) {
  begin();
  std::size_t taken = 0;
  model->plays = {says("first"),
                  endless([](std::size_t) { return TextDelta{std::string(1024, 'x')}; }, taken)};
  EXPECT_EQ(turn("go"), "end_turn");
  EXPECT_EQ(turn("/compact"), "-32603");
  EXPECT_EQ(taken, 8u * 1024);
  EXPECT_EQ(conversation(), "U go\nA first\n") << "nothing is lost";
}

TEST_F(TurnTest, CommandFilesThatAreLeftOutAreNamed) {
  scratch.put(".acp/commands/large.md", std::string(70'000, 'x'));
  std::string many;
  for (int i = 0; i < 6'000; ++i) many += "$ARGUMENTS";
  scratch.put(".acp/commands/many.md", many);
  begin();
  model->plays = {says("well"), says("well")};
  EXPECT_EQ(turn("go"), "end_turn");
  EXPECT_PRED2(contains, updates, "large.md: more than 65536 bytes (limits.command_file_bytes)");
  EXPECT_EQ(turn("go"), "end_turn");
  EXPECT_PRED2(lacks, updates, "large.md") << "once";
  EXPECT_EQ(turn("/many " + std::string(10'000, 'x')), "end_turn");
  EXPECT_PRED2(contains, updates, "limits.command_files_bytes");
  EXPECT_EQ(model->requests.size(), 2u) << "and not sent";
}

}  // namespace
}  // namespace acp::coder
