// The types as a program uses them.
#include <gtest/gtest.h>

#include "acp/json/codec.h"
#include "acp/schema/message.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp {
namespace {

using json::decode;
using json::encode;

template <class T>
std::string refusal(std::string_view text, json::Options options = {}) {
  const auto result = decode<T>(text, options);
  return result ? "accepted" : result.error().message();
}

TEST(Types, ReadLikeTheMessage) {
  const v1::PromptRequest request{
      .sessionId = "s1", .prompt = {"Hello", v1::ResourceLink{.name = "a", .uri = "file:///a"}}};
  EXPECT_EQ(encode(request),
            "{\"sessionId\":\"s1\",\"prompt\":[{\"type\":\"text\",\"text\":\"Hello\"},"
            "{\"type\":\"resource_link\",\"name\":\"a\",\"uri\":\"file:///a\"}]}");
  const v1::SessionNotification update{
      .sessionId = "s1",
      .update =
          v1::ToolCall{.toolCallId = "c1",
                       .title = "Edit",
                       .kind = v1::ToolKind::edit,
                       .content = {v1::Diff{.path = "/a", .oldText = nullptr, .newText = "x"}}}};
  EXPECT_EQ(encode(update),
            "{\"sessionId\":\"s1\",\"update\":{\"sessionUpdate\":\"tool_call\",\"toolCallId\":"
            "\"c1\",\"title\":\"Edit\","
            "\"kind\":\"edit\",\"content\":[{\"type\":\"diff\",\"path\":\"/"
            "a\",\"oldText\":null,\"newText\":\"x\"}]}}");
  EXPECT_EQ(encode(v1::SessionUpdate(v1::AgentMessageChunk{{.content = "hi"}})),
            "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":"
            "\"hi\"}}");
}

TEST(Types, NamesThatAreCppKeywordsAreSpelledAsEverOnTheWire) {
  v1::SessionCapabilities capabilities{.delete_ = v1::SessionDeleteCapabilities{}};
  EXPECT_EQ(encode(capabilities), "{\"delete\":{}}");
  EXPECT_EQ(encode(v1::EnumOption{.const_ = "c", .title = "t"}),
            "{\"const\":\"c\",\"title\":\"t\"}");
  EXPECT_EQ(encode(v1::ToolKind::delete_), "\"delete\"");
  EXPECT_EQ(encode(v1::StringMultiSelectItems{.enum_ = {"a"}}), "{\"enum\":[\"a\"]}");
  EXPECT_EQ(encode(v1::BooleanPropertySchema{.default_ = true}), "{\"default\":true}");
}

TEST(Types, EnumsHaveTheTextOfTheWire) {
  EXPECT_EQ(to_string(v1::ToolKind::delete_), "delete");
  EXPECT_EQ(to_string(v1::StopReason::max_turn_requests), "max_turn_requests");
  EXPECT_EQ(to_string(v1::StringFormat::date_time), "date-time");
  EXPECT_EQ(to_string(v1::NoticeSeverity(v1::NoticeSeverity::warning)), "warning");
  EXPECT_EQ(to_string(v1::NoticeSeverity::other_value("grave")), "grave");
  EXPECT_EQ(to_string(v2::ToolKind(v2::ToolKind::delete_)), "delete");
}

TEST(Types, NewObjectsConsentToNothing) {
  EXPECT_EQ(encode(v1::CreateElicitationResponse{}), "{\"action\":\"cancel\"}");
  EXPECT_EQ(encode(v1::RequestPermissionResponse{}), "{\"outcome\":{\"outcome\":\"cancelled\"}}");
  EXPECT_EQ(encode(v2::IdleStateUpdate{}), "{}");
  EXPECT_EQ(encode(v1::ClientCapabilities{}),
            "{\"fs\":{\"readTextFile\":false,\"writeTextFile\":false},\"terminal\":false,\"auth\":{"
            "\"terminal\":false}}");
}

TEST(Types, TextOfBlocks) {
  const std::vector<v1::ContentBlock> blocks{"one ",
                                             v1::ImageContent{.data = "", .mimeType = "image/png"},
                                             std::string("two"), std::string_view(" three")};
  EXPECT_EQ(v1::text_of(blocks), "one two three");
  EXPECT_EQ(v2::text_of(std::vector<v2::ContentBlock>{"a", "b"}), "ab");
}

struct Render {
  std::string operator()(const v1::ContentChunk& chunk) { return v1::text_of({&chunk.content, 1}); }
  std::string operator()(const v1::AgentThoughtChunk& chunk) {
    return "(" + v1::text_of({&chunk.content, 1}) + ")";
  }
  std::string operator()(const v1::ToolCall& call) { return call.title; }
  std::string operator()(const Unknown& other) { return "? " + other.tag; }
  template <class Other>
    requires(!std::is_base_of_v<v1::ContentChunk, Other>)
  std::string operator()(const Other&) {
    return "other";
  }
};

TEST(Types, AreVisitedLikeAnyVariant) {
  const auto render = [](std::string_view text) {
    return std::visit(Render(), decode<v1::SessionUpdate>(text).value());
  };
  EXPECT_EQ(render("{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\","
                   "\"text\":\"hm\"}}"),
            "(hm)");
  EXPECT_EQ(render("{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","
                   "\"text\":\"yes\"}}"),
            "yes");
  EXPECT_EQ(render("{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"1\",\"title\":\"T\"}"), "T");
  EXPECT_EQ(render("{\"sessionUpdate\":\"plan\",\"entries\":[]}"), "other");
  EXPECT_EQ(render("{\"sessionUpdate\":\"from_2030\",\"x\":1}"), "? from_2030");
}

TEST(Unions, UnknownArmsKeepTagAndPayloadAndAreReported) {
  std::vector<std::string> reports;
  json::Options options;
  options.report = [&](const json::DecodeReport& report) { reports.push_back(report.path); };
  const std::string text =
      "{\"sessionId\":\"s\",\"update\":{\"b\":[1.50,{}],\"sessionUpdate\":\"new\",\"a\":"
      "\"\\u0041\"}}";
  const auto value = decode<v1::SessionNotification>(text, options).value();
  const auto& unknown = std::get<Unknown>(value.update);
  EXPECT_EQ(unknown.tag, "new");
  EXPECT_EQ(unknown.payload.text(), "{\"b\":[1.50,{}],\"a\":\"\\u0041\"}");
  EXPECT_EQ(encode(value),
            "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"new\",\"b\":[1.50,{}],\"a\":"
            "\"\\u0041\"}}");
  EXPECT_EQ(reports, std::vector<std::string>{"update.sessionUpdate"});
  EXPECT_NE(refusal<v1::SessionNotification>(text, {.strict = true}), "accepted");
}

TEST(Unions, UnknownArmsAmongAnObjectsOwnMembersKeepAllOthers) {
  const std::string text = "{\"configId\":\"c\",\"name\":\"n\",\"type\":\"_new\",\"\":1,\"a\":2}";
  EXPECT_EQ(encode(decode<v2::SessionConfigOption>(text).value()), text);
}

TEST(Unions, TheTagMayStandAnywhereAndTheLastOneCounts) {
  const auto text = [](std::string_view json) {
    return std::get<v1::TextContent>(decode<v1::ContentBlock>(json).value()).text;
  };
  EXPECT_EQ(text("{\"text\":\"a\",\"type\":\"text\"}"), "a");
  EXPECT_EQ(text("{\"type\":\"image\",\"text\":\"a\",\"type\":\"text\"}"), "a");
  EXPECT_EQ(text("{\"t\\u0079pe\":\"te\\u0078t\",\"text\":\"a\"}"), "a");
  EXPECT_EQ(text("{ \"type\" : \"text\" , \"text\" : \"a\" }"), "a");
  EXPECT_EQ(refusal<v1::ContentBlock>("{\"type\":\"text\",\"text\":\"a\",\"type\":\"image\"}"),
            "data: expected a string, got nothing");
}

TEST(Unions, AKnownTagWithABadPayloadFailsAndSaysWhere) {
  EXPECT_EQ(refusal<v1::ContentBlock>("{\"type\":\"text\",\"text\":5}"),
            "text: expected a string, got a number");
  EXPECT_EQ(refusal<v2::ContentBlock>("{\"type\":\"text\"}"),
            "text: expected a string, got nothing");
  EXPECT_EQ(refusal<v1::ContentBlock>("{\"text\":\"x\"}"), "type: expected a string, got nothing");
  EXPECT_EQ(refusal<v1::ContentBlock>("{\"type\":7,\"text\":\"x\"}"),
            "type: expected a string, got the number 7");
  EXPECT_EQ(refusal<v1::ContentBlock>("\"text\""), "expected an object, got a string");
}

TEST(Unions, McpServersAreToldApartAsUpstreamDoes) {
  const auto index = [](std::string_view text) {
    return decode<v1::McpServer>(text).value().index();
  };
  const std::string stdio = "\"name\":\"n\",\"command\":\"/c\",\"args\":[],\"env\":[]";
  const std::string http = "\"name\":\"n\",\"url\":\"http://x\",\"headers\":[]";
  EXPECT_TRUE(
      std::holds_alternative<v1::McpServerStdio>(decode<v1::McpServer>("{" + stdio + "}").value()));
  EXPECT_TRUE(std::holds_alternative<v1::McpServerStdio>(
      decode<v1::McpServer>("{\"type\":\"stdio\"," + stdio + "}").value()));
  EXPECT_TRUE(std::holds_alternative<v1::McpServerHttp>(
      decode<v1::McpServer>("{\"type\":\"http\"," + http + "}").value()));
  EXPECT_TRUE(std::holds_alternative<v1::McpServerSse>(
      decode<v1::McpServer>("{" + http + ",\"type\":\"sse\"}").value()));
  EXPECT_TRUE(std::holds_alternative<Unknown>(
      decode<v1::McpServer>("{\"type\":\"websocket\"," + http + "}").value()));
  EXPECT_EQ(index("{" + stdio + ",\"type\":\"later\"}"), 3u);
  EXPECT_EQ(refusal<v1::McpServer>("{" + http + "}"), "command: expected a string, got nothing");
  EXPECT_EQ(refusal<v1::McpServer>("{\"type\":\"http\",\"name\":\"n\"}"),
            "url: expected a string, got nothing");
  // null for lists that must be there counts as empty.
  EXPECT_EQ(
      refusal<v1::McpServer>("{\"name\":\"n\",\"command\":\"/c\",\"args\":null,\"env\":null}"),
      "accepted");
  // In v2 stdio has its tag.
  EXPECT_TRUE(std::holds_alternative<v2::McpServerStdio>(
      decode<v2::McpServer>("{\"type\":\"stdio\",\"name\":\"n\",\"command\":\"/c\"}").value()));
}

TEST(Unions, AuthMethodsResourcesAndOptionValues) {
  EXPECT_TRUE(std::holds_alternative<v1::AuthMethodAgent>(
      decode<v1::AuthMethod>("{\"id\":\"a\",\"name\":\"A\"}").value()));
  EXPECT_TRUE(std::holds_alternative<v1::AuthMethodTerminal>(
      decode<v1::AuthMethod>("{\"type\":\"terminal\",\"id\":\"a\",\"name\":\"A\"}").value()));
  EXPECT_TRUE(std::holds_alternative<v1::TextResourceContents>(
      decode<v1::EmbeddedResourceResource>("{\"uri\":\"f\",\"text\":\"t\"}").value()));
  EXPECT_TRUE(std::holds_alternative<v1::BlobResourceContents>(
      decode<v1::EmbeddedResourceResource>("{\"uri\":\"f\",\"blob\":\"t\"}").value()));
  const auto by_id = decode<v1::SetSessionConfigOptionRequest>(
                         "{\"sessionId\":\"s\",\"configId\":\"c\",\"value\":\"v\"}")
                         .value();
  EXPECT_EQ(std::get<v1::SetSessionConfigValueId>(by_id.value).value, "v");
  const auto flag =
      decode<v1::SetSessionConfigOptionRequest>(
          "{\"sessionId\":\"s\",\"configId\":\"c\",\"type\":\"boolean\",\"value\":true}")
          .value();
  EXPECT_TRUE(std::get<v1::SetSessionConfigBoolean>(flag.value).value);
  EXPECT_EQ(encode(flag),
            "{\"sessionId\":\"s\",\"configId\":\"c\",\"type\":\"boolean\",\"value\":true}");
  EXPECT_EQ(refusal<v1::SetSessionConfigOptionRequest>(
                "{\"sessionId\":\"s\",\"configId\":\"c\",\"type\":\"boolean\",\"value\":\"true\"}"),
            "value: expected a boolean, got a string");
}

TEST(Unions, ElicitationHasOneScope) {
  const std::string form =
      "\"message\":\"m\",\"mode\":\"form\",\"requestedSchema\":{\"type\":\"object\",\"properties\":"
      "{}}";
  const auto request =
      decode<v1::CreateElicitationRequest>("{" + form + ",\"sessionId\":\"s\"}").value();
  const auto& mode = std::get<v1::ElicitationFormMode>(request.mode);
  EXPECT_EQ(std::get<v1::ElicitationSessionScope>(mode.scope).sessionId, "s");
  EXPECT_EQ(
      refusal<v2::CreateElicitationRequest>("{" + form + ",\"sessionId\":\"s\",\"requestId\":1}"),
      "expected exactly one of sessionId or requestId, got 2");
  EXPECT_EQ(refusal<v2::CreateElicitationRequest>("{" + form + "}"),
            "expected exactly one of sessionId or requestId, got none");
  EXPECT_NE(refusal<v1::CreateElicitationRequest>("{" + form + "}"), "accepted");
  // Another mode keeps what it brings, but needs a scope too.
  const std::string other =
      "{\"message\":\"m\",\"mode\":\"_voice\",\"sessionId\":\"s\",\"pitch\":3}";
  EXPECT_EQ(decode<v1::CreateElicitationRequest>(
                encode(decode<v1::CreateElicitationRequest>(other).value()))
                .value(),
            decode<v1::CreateElicitationRequest>(other).value());
  EXPECT_NE(refusal<v1::CreateElicitationRequest>("{\"message\":\"m\",\"mode\":\"_voice\"}"),
            "accepted");
}

TEST(Enums, OpenOnesKeepWhatTheyDoNotKnowAndClosedOnesDoNot) {
  const v2::ToolKind kind = decode<v2::ToolKind>("\"_paint\"").value();
  EXPECT_EQ(kind, v2::ToolKind::unknown_);
  EXPECT_EQ(kind.unlisted, "_paint");
  EXPECT_EQ(encode(kind), "\"_paint\"");
  EXPECT_EQ(decode<v2::ToolKind>("\"read\"").value(), v2::ToolKind::read);
  EXPECT_EQ(encode(v2::ToolKind::other_value("x")), "\"x\"");
  EXPECT_EQ(refusal<v1::StopReason>("\"bored\""),
            "expected one of end_turn, max_tokens, max_turn_requests, refusal, cancelled, got the "
            "string \"bored\"");
  EXPECT_EQ(refusal<v2::ToolKind>("\"paint\"", {.strict = true}).find("accepted"),
            std::string::npos);
  EXPECT_EQ(refusal<v2::ToolKind>("\"_paint\"", {.strict = true}), "accepted");
}

TEST(Results, NullIsEmptyWhereUpstreamTakesItSo) {
  EXPECT_EQ(refusal<v1::WriteTextFileResponse>("null"), "accepted");
  EXPECT_EQ(refusal<v1::LoadSessionResponse>("null"), "accepted");
  EXPECT_EQ(refusal<v1::AuthenticateResponse>("null"), "accepted");
  EXPECT_EQ(refusal<v2::LoginAuthResponse>("null"), "accepted");
  EXPECT_EQ(refusal<v1::NewSessionResponse>("null"), "expected an object, got null");
  EXPECT_EQ(refusal<v1::WriteTextFileResponse>("null", {.strict = true}),
            "expected an object, got null");
  EXPECT_EQ(encode(decode<v1::WriteTextFileResponse>("null").value()), "{}");
  int listed = 0;
  for (const Method& method : v1::methods())
    if (method.result != nullptr && method.result->kind == json::Kind::object &&
        method.result->object->null_is_empty)
      ++listed;
  EXPECT_EQ(listed, 13);
}

TEST(Ids, AreNumbersOrStringsAndInV1Null) {
  EXPECT_EQ(std::get<std::int64_t>(decode<v1::RequestId>("9007199254740993").value()),
            9007199254740993);
  EXPECT_EQ(std::get<std::string>(decode<v1::RequestId>("\"x\"").value()), "x");
  EXPECT_EQ(encode(decode<v1::RequestId>("null").value()), "null");
  EXPECT_NE(refusal<v2::RequestId>("null"), "accepted");
  EXPECT_NE(refusal<v1::RequestId>("1.5"), "accepted");
}

TEST(Bounds, AreEnforced) {
  EXPECT_EQ(refusal<v1::Notice>("{\"severity\":\"info\",\"title\":\"\"}"),
            "title: expected at least 1 character, got the string \"\"");
  EXPECT_EQ(refusal<v2::PromptRequest>("{\"sessionId\":\"s\",\"prompt\":[]}"),
            "prompt: expected at least 1 item, got none");
  EXPECT_EQ(refusal<v1::PromptRequest>("{\"sessionId\":\"s\",\"prompt\":[]}"), "accepted");
  EXPECT_EQ(refusal<v2::TerminalSize>("{\"cols\":0,\"rows\":1}"),
            "cols: expected an integer from 1 to 65535, got the number 0");
  EXPECT_EQ(refusal<v2::Icon>("{\"src\":\"no uri\"}"),
            "src: expected a URI, got the string \"no uri\"");
  EXPECT_EQ(refusal<v1::InitializeRequest>("{\"protocolVersion\":\"1\"}"),
            "protocolVersion: expected an integer, got a string");
}

TEST(Methods, AreListed) {
  const Method* prompt = find_method(v1::methods(), "session/prompt", false);
  ASSERT_NE(prompt, nullptr);
  EXPECT_EQ(prompt->params, &v1::PromptRequest::json_type);
  EXPECT_EQ(prompt->result, &v1::PromptResponse::json_type);
  EXPECT_EQ(prompt->side, Side::agent);
  EXPECT_FALSE(prompt->unstable);
  EXPECT_EQ(find_method(v1::methods(), "fs/read_text_file", false)->gate,
            "clientCapabilities.fs.readTextFile");
  // One name, two shapes.
  EXPECT_EQ(find_method(v1::methods(), "mcp/message", false)->side, Side::client);
  EXPECT_EQ(find_method(v1::methods(), "mcp/message", true)->side, Side::agent);
  EXPECT_EQ(find_method(v1::methods(), "session/set_model", false), nullptr);
}

TEST(Messages, AreCheckedByTheirMethodAndAnswersByTheirRequest) {
  MessageChecker checker(1);
  const auto check = [&](std::string_view text, json::Options options = {}) {
    const auto error = checker.check(text, options);
    return error ? error->message() : "ok";
  };
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/"
                  "prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":[{}]}}"),
            "params.prompt[0].type: expected a string, got nothing");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/"
                  "prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":[]}}"),
            "ok");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":1}}"),
            "result.stopReason: expected a string, got a number");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"end_turn\"}}"), "ok");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{\"whatever\":1}}"), "ok");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32601,\"message\":\"no\"}}"),
            "ok");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":\"x\",\"message\":\"no\"}}"),
            "error.code: expected an integer, got a string");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"_my/own\",\"params\":[1]}"), "ok");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"method\":\"session/prompt\"}"),
            "id: expected a string or a number, since this is a request, got nothing");
  EXPECT_EQ(check("{\"jsonrpc\":\"1.0\",\"method\":\"x\"}"),
            "jsonrpc: expected the string \"2.0\", got a string");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":1}"),
            "expected either result or error, got neither");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{}}"),
            "expected either result or error, got both");
  EXPECT_EQ(check("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}", {.strict = true}),
            "method: expected a method of the protocol, or a name that begins with _, got x");
  EXPECT_EQ(check("[]"), "expected an object, got an array");
  EXPECT_EQ(check("{"), "expected a key, got the end of the text at byte 1");
}

}  // namespace
}  // namespace acp
