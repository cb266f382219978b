// Values of every kind, drawn at random from the schemas of both versions. What one becomes in the
// other version is valid there, and translating it to and fro again changes nothing any more.
#include "acp/role/versions/capabilities.h"
#include "acp/role/versions/content.h"
#include "acp/role/versions/elicitation.h"
#include "acp/role/versions/initialize.h"
#include "acp/role/versions/mcp_server.h"
#include "acp/role/versions/permission.h"
#include "acp/role/versions/recode.h"
#include "acp/role/versions/session_requests.h"
#include "acp/role/versions/testing/strict.h"
#include "acp/role/versions/tool_call.h"
#include "acp/role/versions/updates_to_v1.h"
#include "acp/role/versions/updates_to_v2.h"
#include "acp/schema/testing/random_value.h"

namespace acp::detail::versions {
namespace {

using schema_test::Draw;
using schema_test::RandomValue;
using schema_test::Tree;

#ifdef __SANITIZE_ADDRESS__
constexpr int values = 15;
#else
constexpr int values = 60;
#endif

// A result that may be missing.
template <class T>
std::optional<T> maybe(std::optional<T> value) {
  return value;
}
template <class T>
std::optional<T> maybe(T value) {
  return value;
}

// That `_meta` is null says nothing.
template <class T>
std::string text_of(const T& value) {
  std::string text = json::encode(value);
  for (const std::string_view null : {",\"_meta\":null", "\"_meta\":null,"})
    for (std::size_t at; (at = text.find(null)) != std::string::npos;) text.erase(at, null.size());
  return text;
}

class Random : public ::testing::Test {
 protected:
  // Translates `From` there, back, and there again.
  template <class From, class There, class Back>
  void to_and_fro(const Tree& schema, const char* name, There there, Back back) {
    RandomValue random(schema, 20261119);
    int translated = 0;
    for (int i = 0; i < values; ++i) {
      const Draw draw{.unknown_tags = i % 3 == 2, .always_meta = i % 3 == 1};
      const From value = from<From>(random.of(name, draw).json());
      SCOPED_TRACE(std::string(name) + " " + json::encode(value));
      const auto other = maybe(there(value));
      if (!other) continue;
      ++translated;
      tidy(*other);
      const std::string text = text_of(*other);
      const auto again = maybe(back(*other));
      ASSERT_TRUE(again.has_value()) << text;
      tidy(*again);
      const auto last = maybe(there(*again));
      ASSERT_TRUE(last.has_value()) << json::encode(*again);
      // Null is cleared, or changes nothing, and has become something else after that.
      ASSERT_TRUE(text_of(*last) == text) << text << "\nbecomes\n"
                                          << json::encode(*again) << "\nand\n"
                                          << json::encode(*last);
    }
    EXPECT_GT(translated, values / 4) << name;
  }
  template <class From, class There, class Back>
  void v1_and_back(const char* name, There there, Back back) {
    to_and_fro<From>(v1_schema, name, there, back);
  }
  template <class From, class There, class Back>
  void v2_and_back(const char* name, There there, Back back) {
    to_and_fro<From>(v2_schema, name, there, back);
  }

  const Tree v1_schema = schema_test::read_schema("v1/schema.unstable.json");
  const Tree v2_schema = schema_test::read_schema("v2/schema.unstable.json");
};

const auto up = [](auto value) { return to_v2(std::move(value)); };
const auto down = [](auto value) { return to_v1(std::move(value)); };

TEST_F(Random, ContentAndToolCalls) {
  v1_and_back<v1::ContentBlock>("ContentBlock", up, down);
  // A diff of no file, or without a change, becomes a text.
  const auto prune = [](std::vector<v1::ToolCallContent>& content) {
    std::erase_if(content, [](const v1::ToolCallContent& one) {
      const auto* diff = std::get_if<v1::Diff>(&one);
      return diff && (diff->path.empty() || (diff->oldText && *diff->oldText == diff->newText));
    });
  };
  v1_and_back<v1::ToolCallUpdate>(
      "ToolCallUpdate",
      [&](v1::ToolCallUpdate update) {
        if (update.content) prune(*update.content);
        return to_v2(update);
      },
      down);
  v1_and_back<v1::ToolCall>(
      "ToolCall",
      [&](v1::ToolCall call) {
        prune(call.content);
        if (call.title.empty()) call.title = "a name is a title, too";
        return to_v2(call);
      },
      [](auto update) { return to_v1_call(update); });
  v1_and_back<v1::SessionConfigOption>("SessionConfigOption", up, down);
  v1_and_back<v1::SetSessionConfigOptionRequest>("SetSessionConfigOptionRequest", up, down);
  v2_and_back<v2::SessionConfigOption>("SessionConfigOption", down, up);
  v2_and_back<v2::ContentBlock>("ContentBlock", down, up);
}

TEST_F(Random, WhatAConnectionBeginsWith) {
  v1_and_back<v1::McpServer>("McpServer", up, down);
  v2_and_back<v2::McpServer>("McpServer", down, up);
  v1_and_back<v1::AuthMethod>("AuthMethod", up, down);
  v1_and_back<v1::InitializeRequest>("InitializeRequest", up, down);
  v1_and_back<v1::InitializeResponse>("InitializeResponse", up, down);
  v2_and_back<v2::InitializeRequest>("InitializeRequest", down, up);
}

TEST_F(Random, Sessions) {
  v1_and_back<v1::NewSessionRequest>("NewSessionRequest", up, down);
  v2_and_back<v2::NewSessionRequest>("NewSessionRequest", down, up);
  v1_and_back<v1::ForkSessionRequest>("ForkSessionRequest", up, down);
  v2_and_back<v2::ForkSessionRequest>("ForkSessionRequest", down, up);
  v1_and_back<v1::PromptRequest>("PromptRequest", up, down);
  v2_and_back<v2::PromptRequest>("PromptRequest", down, up);
  v1_and_back<v1::ListSessionsResponse>("ListSessionsResponse", up, down);
  v2_and_back<v2::ListSessionsResponse>("ListSessionsResponse", down, up);
  const auto resumed = [](v2::ResumeSessionRequest request) {
    return std::get<v1::ResumeSessionRequest>(to_v1(std::move(request)).value());
  };
  const auto loaded = [](v2::ResumeSessionRequest request) {
    return std::get<v1::LoadSessionRequest>(to_v1(std::move(request)).value());
  };
  v1_and_back<v1::ResumeSessionRequest>("ResumeSessionRequest", up, resumed);
  v1_and_back<v1::LoadSessionRequest>("LoadSessionRequest", up, loaded);

  // An option that becomes the mode loses its name: only modes are not.
  const auto begun = [](auto response) {
    OptionsToV2 options;
    if (response.configOptions)
      std::erase_if(*response.configOptions, [](const v1::SessionConfigOption& option) {
        return option.category && *option.category == v1::SessionConfigOptionCategory::mode;
      });
    return to_v2(std::move(response), options);
  };
  const auto begun_in_v1 = [](auto response) { return to_v1(std::move(response), true).response; };
  v1_and_back<v1::NewSessionResponse>("NewSessionResponse", begun, begun_in_v1);
  v1_and_back<v1::ForkSessionResponse>("ForkSessionResponse", begun, begun_in_v1);
  v1_and_back<v1::ResumeSessionResponse>("ResumeSessionResponse", begun, begun_in_v1);
  v1_and_back<v1::LoadSessionResponse>("LoadSessionResponse", begun, [](auto response) {
    return to_v1_load(std::move(response), true).response;
  });
}

TEST_F(Random, WhatAnAgentAsks) {
  v1_and_back<v1::RequestPermissionRequest>(
      "RequestPermissionRequest",
      [](auto request) {
        if (request.toolCall.title.value_or("").empty()) request.toolCall.title = "known";
        return to_v2(std::move(request), "");
      },
      [](auto request) { return to_v1(std::move(request), {.made_id = "made"}); });
  v2_and_back<v2::CreateElicitationRequest>("CreateElicitationRequest", down, up);
  v1_and_back<v1::CreateElicitationRequest>("CreateElicitationRequest", up, down);
}

// The same on the wire: what has no function of its own.
TEST_F(Random, Recoded) {
  const auto same = [&]<class V1, class V2>(const char* name, std::in_place_type_t<V1>,
                                            std::in_place_type_t<V2>) {
    v1_and_back<V1>(
        name, [](const V1& value) { return recode<V2>(value); },
        [](const V2& value) { return recode<V1>(value); });
  };
#define SAME_AS(v1_name, v2_name) \
  same(#v1_name, std::in_place_type<v1::v1_name>, std::in_place_type<v2::v2_name>)
#define SAME(name) SAME_AS(name, name)
  SAME(ListSessionsRequest);
  SAME(DeleteSessionRequest);
  SAME(DeleteSessionResponse);
  SAME(CloseSessionRequest);
  SAME(CloseSessionResponse);
  SAME(ArchiveSessionRequest);
  SAME(ArchiveSessionResponse);
  SAME(UnarchiveSessionRequest);
  SAME(UnarchiveSessionResponse);
  SAME(SessionStatusRequest);
  SAME(SessionStatusResponse);
  SAME(SetSessionTitleRequest);
  SAME(SetSessionTitleResponse);
  SAME(AuthStatusRequest);
  SAME(AuthStatusResponse);
  SAME(AuthStatusUpdateNotification);
  SAME(CompleteElicitationNotification);
  SAME(MessageMcpRequest);
  SAME(MessageMcpResponse);
  SAME(MessageMcpNotification);
  SAME(ListProvidersRequest);
  SAME(SetProviderResponse);
  SAME(DisableProviderRequest);
  SAME_AS(AuthenticateRequest, LoginAuthRequest);
  SAME_AS(AuthenticateResponse, LoginAuthResponse);
  SAME_AS(LogoutRequest, LogoutAuthRequest);
  SAME_AS(LogoutResponse, LogoutAuthResponse);
  SAME_AS(CancelNotification, CancelSessionNotification);
#undef SAME
#undef SAME_AS
}

TEST_F(Random, AnAgentsUpdatesAreValidInVersion2) {
  RandomValue random(v1_schema, 1);
  UpdatesToV2 updates(counted_ids());
  int count = 0;
  for (int i = 0; i < values * 25; ++i) {
    const Draw draw{.unknown_tags = i % 3 == 2, .always_meta = i % 3 == 1};
    const auto update = from<v1::SessionUpdate>(random.of("SessionUpdate", draw).json());
    SCOPED_TRACE(json::encode(update));
    for (const v2::SessionUpdate& one : updates.convert(update)) {
      tidy(one);
      ++count;
    }
  }
  EXPECT_GT(count, values * 20);
}

TEST_F(Random, AClientsUpdatesAreValidInVersion1) {
  RandomValue random(v2_schema, 2);
  UpdatesToV1 updates(true, {.finished_calls = 2, .messages = 3});
  int count = 0;
  for (int i = 0; i < values * 25; ++i) {
    const Draw draw{.unknown_tags = i % 3 == 2, .always_meta = i % 3 == 1};
    const auto update = from<v2::SessionUpdate>(random.of("SessionUpdate", draw).json());
    SCOPED_TRACE(json::encode(update));
    for (const UpdatesToV1::Update& one : updates.convert(update)) {
      if (const auto* said = std::get_if<v1::SessionUpdate>(&one)) tidy(*said);
      ++count;
    }
  }
  EXPECT_GT(count, values * 10);
}

TEST_F(Random, OtherMessagesAreValid) {
  RandomValue random(v2_schema, 3), other_random(v1_schema, 3);
  for (int i = 0; i < values * 3; ++i) {
    const Draw draw{.unknown_tags = i % 3 == 2, .always_meta = i % 3 == 1};
    const auto request =
        from<v2::RequestPermissionRequest>(random.of("RequestPermissionRequest", draw).json());
    SCOPED_TRACE(json::encode(request));
    tidy(to_v1(request, {.made_id = "made"}));
    tidy(to_v1(
        from<v2::CreateElicitationResponse>(random.of("CreateElicitationResponse", draw).json())));
    tidy(to_v2(from<v1::CreateElicitationResponse>(
        other_random.of("CreateElicitationResponse", draw).json())));
    tidy(to_v1(from<v2::InitializeResponse>(random.of("InitializeResponse", draw).json())));
    if (const auto resume =
            to_v1(from<v2::ResumeSessionRequest>(random.of("ResumeSessionRequest", draw).json())))
      std::visit([](const auto& one) { tidy(one); }, *resume);
  }
}

}  // namespace
}  // namespace acp::detail::versions
