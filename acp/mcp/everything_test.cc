// Against the reference server from npm, over each transport: every tool, resource and prompt that
// it has.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "acp/json/codec.h"
#include "acp/mcp/client.h"
#include "acp/mcp/testing/test_server.h"
#include "acp/testing/gate.h"

namespace acp::mcp {
namespace {

using acp::testing::Events;
using acp::testing::Gate;
using acp::testing::Within;
using namespace testing;  // NOLINT(google-build-using-namespace)

struct Everything : ::testing::TestWithParam<const char*> {
  Everything() {
    const std::string transport = GetParam();
    if (transport != "stdio") http.emplace(everything(transport));
    client.roots({"/home/me/my project"})
        .on_sampling([this](ServerContext, CreateMessageRequest request) {
          asked.add("sampling " + request.messages.at(0).content["text"].as_string().value_or(""));
          CreateMessageResult result;
          result.model = "a model";
          result.content = Json::object({{"type", "text"}, {"text", "sampled"}});
          return result;
        })
        .on_elicitation_form([this](ServerContext, ElicitRequest request) {
          asked.add("form " + request.message);
          ElicitResult result;
          result.action = "accept";
          result.content = with_defaults(request.requestedSchema, Json::object({{"name", "Ada"}}));
          return result;
        })
        // A coroutine will do, too.
        .on_elicitation_url([this](ServerContext, ElicitRequest request) -> Task<ElicitResult> {
          asked.add("url " + request.url.value_or(""));
          ElicitResult result;
          result.action = "decline";
          co_return result;
        })
        .on_log_message([this](ServerContext, LogMessage message) {
          asked.add("log " + message.level);
          logged.open();
        })
        .on_resource_updated([this](ServerContext, std::string uri) {
          asked.add("updated " + uri);
          updated.open();
        })
        .on_list_changed([this](ServerContext, std::string what) {
          if (std::string_view(what) == "resources") list_changed.open();
        });
    server.emplace(client.connect(transport == "stdio" ? stdio_server(everything("stdio"))
                                  : transport == "sse" ? sse_server(http->url("/sse"))
                                                       : http_server(http->url("/mcp"))).wait());
  }

  CallToolResult call(const std::string& tool, Json arguments = Json::object(),
                      CallOptions options = {}) {
    called.insert(tool);
    return server->call_tool(tool, std::move(arguments), options).wait();
  }
  std::string text(const CallToolResult& result) { return v1::text_of(result.content); }

  const Within limit{"the server that has everything"};
  Events asked;
  Gate logged, updated, list_changed;
  std::optional<HttpProgram> http;
  Client client{"test", "1"};
  std::optional<Server> server;
  std::set<std::string> called;
};

INSTANTIATE_TEST_SUITE_P(Transports, Everything,
                         ::testing::Values("stdio", "streamableHttp", "sse"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Everything, Tools) {
  const InitializeResult& info = server->info();
  EXPECT_EQ(info.protocolVersion, "2025-11-25");
  EXPECT_EQ(info.serverInfo.name, "mcp-servers/everything");
  EXPECT_TRUE(info.capabilities.tools->listChanged && info.capabilities.resources->subscribe);
  EXPECT_TRUE(info.instructions.has_value());

  EXPECT_EQ(text(call("echo", Json::object({{"message", "\u00e4 \"quoted\"\n"}}))),
            "Echo: \u00e4 \"quoted\"\n");
  EXPECT_EQ(text(call("get-sum", Json::object({{"a", 2}, {"b", 3}}))), "The sum of 2 and 3 is 5.");
  EXPECT_TRUE(call("get-sum", Json::object({{"a", "two"}})).isError);
  EXPECT_NE(text(call("get-env")).find("PATH"), std::string::npos);

  const CallToolResult annotated = call(
      "get-annotated-message", Json::object({{"messageType", "error"}, {"includeImage", true}}));
  ASSERT_EQ(annotated.content.size(), 2u);
  const auto& message = std::get<v1::TextContent>(annotated.content[0]);
  EXPECT_EQ(message.annotations->priority, 1);
  EXPECT_EQ(message.annotations->audience->size(), 2u);
  const auto& image = std::get<v1::ImageContent>(annotated.content[1]);
  EXPECT_EQ(image.mimeType, "image/png");
  EXPECT_EQ(image.annotations->audience->size(), 1u);

  const CallToolResult links = call("get-resource-links", Json::object({{"count", 2}}));
  const auto& link = std::get<v1::ResourceLink>(links.content.at(1));
  EXPECT_EQ(link.uri, "demo://resource/dynamic/blob/1");
  EXPECT_EQ(*link.mimeType, "text/plain");
  const auto reference = [&](const char* type) {
    const CallToolResult result =
        call("get-resource-reference", Json::object({{"resourceType", type}, {"resourceId", 1}}));
    return std::get<v1::EmbeddedResource>(result.content.at(1)).resource;
  };
  EXPECT_EQ(std::get<v1::TextResourceContents>(reference("Text")).uri,
            "demo://resource/dynamic/text/1");
  EXPECT_FALSE(std::get<v1::BlobResourceContents>(reference("Blob")).blob.empty());

  const CallToolResult structured =
      call("get-structured-content", Json::object({{"location", "Chicago"}}));
  EXPECT_TRUE(structured.structuredContent["temperature"].is_number());
  EXPECT_EQ(std::get<v1::ImageContent>(call("get-tiny-image").content.at(1)).mimeType, "image/png");

  // A resource that exists from now on; the server says so.
  const CallToolResult zipped = call(
      "gzip-file-as-resource",
      Json::object(
          {{"name", "a.gz"}, {"data", "data:text/plain,hello"}, {"outputType", "resourceLink"}}));
  const std::string uri = std::get<v1::ResourceLink>(zipped.content.at(0)).uri;
  EXPECT_TRUE(list_changed.wait("resources/list_changed"));
  EXPECT_TRUE(server->read_resource(uri).wait().contents.at(0).blob.has_value());

  // What the server asks of us meanwhile.
  EXPECT_NE(
      text(call("trigger-sampling-request", Json::object({{"prompt", "why?"}, {"maxTokens", 10}})))
          .find("sampled"),
      std::string::npos);
  const std::string form = text(call("trigger-elicitation-request"));
  EXPECT_NE(form.find("- Name: Ada"), std::string::npos) << form;
  EXPECT_NE(form.find("- Favorite Integer: 42"), std::string::npos) << form;  // the default
  EXPECT_NE(text(call("trigger-url-elicitation",
                      Json::object({{"url", "https://example.org/"}, {"message", "go"}})))
                .find("decline"),
            std::string::npos);
  const std::string roots = text(call("get-roots-list"));
  EXPECT_NE(roots.find("URI: file:///home/me/my%20project"), std::string::npos) << roots;

  // It works only as a task, which we do not offer.
  const CallToolResult task = call("simulate-research-query", Json::object({{"topic", "tasks"}}));
  EXPECT_TRUE(task.isError);
  EXPECT_NE(text(task).find("requires task augmentation"), std::string::npos) << text(task);

  call("trigger-long-running-operation", Json::object({{"duration", 0.1}, {"steps", 1}}));
  server->set_log_level("debug").wait();
  call("toggle-simulated-logging");
  EXPECT_TRUE(logged.wait("a log message"));
  server->subscribe("demo://resource/dynamic/text/1").wait();
  call("toggle-subscriber-updates");
  EXPECT_TRUE(updated.wait("resources/updated"));
  server->unsubscribe("demo://resource/dynamic/text/1").wait();

  std::set<std::string> offered;
  for (const Tool& tool : server->list_tools().wait()) offered.insert(tool.name);
  EXPECT_EQ(called, offered);
}

TEST_P(Everything, ResourcesAndPrompts) {
  const auto resources = server->list_resources().wait();
  const auto features =
      std::find_if(resources.begin(), resources.end(),
                   [](const Resource& resource) { return resource.name == "features.md"; });
  ASSERT_NE(features, resources.end());
  EXPECT_NE(server->read_resource(features->uri).wait().contents.at(0).text->find("# "),
            std::string::npos);
  EXPECT_EQ(server->list_resource_templates().wait().size(), 2u);
  EXPECT_TRUE(server->read_resource("demo://resource/dynamic/text/7").wait().contents.at(0).text);
  EXPECT_TRUE(server->read_resource("demo://resource/dynamic/blob/7").wait().contents.at(0).blob);
  EXPECT_THROW(server->read_resource("demo://nowhere").wait(), CallFailed);

  std::set<std::string> names;
  for (const Prompt& prompt : server->list_prompts().wait()) names.insert(prompt.name);
  EXPECT_EQ(names, (std::set<std::string>{"simple-prompt", "args-prompt", "completable-prompt",
                                          "resource-prompt"}));
  EXPECT_EQ(server->get_prompt("simple-prompt", {}).wait().messages.at(0).role, "user");
  const GetPromptResult weather =
      server->get_prompt("args-prompt", Json::object({{"city", "Rome"}})).wait();
  EXPECT_EQ(std::get<v1::TextContent>(weather.messages.at(0).content).text,
            "What's weather in Rome?");
  const Json reference = Json::object({{"type", "ref/prompt"}, {"name", "completable-prompt"}});
  const Completion completion = server->complete(reference, "department", "S").wait();
  EXPECT_EQ(completion.values, (std::vector<std::string>{"Sales", "Support"}));
  server->get_prompt("completable-prompt",
                     Json::object({{"department", "Sales"}, {"name", "Alice"}})).wait();
  const GetPromptResult embedded = server->get_prompt(
      "resource-prompt", Json::object({{"resourceType", "Text"}, {"resourceId", "1"}})).wait();
  EXPECT_TRUE(std::holds_alternative<v1::EmbeddedResource>(embedded.messages.at(1).content));
  server->ping().wait();
}

TEST_P(Everything, ProgressAndCancellation) {
  Events progress;
  CallOptions options;
  options.on_progress = [&](ServerContext, Progress step) {
    progress.add(std::to_string(static_cast<int>(step.progress)) + "/" +
                 std::to_string(static_cast<int>(step.total.value_or(0))));
  };
  call("trigger-long-running-operation", Json::object({{"duration", 0.3}, {"steps", 3}}), options);
  // Over HTTP this server sends it on another stream than the answer, which may come first.
  std::vector<std::string> expected{"1/3", "2/3", "3/3"};
  if (http) expected.resize(std::max<std::size_t>(1, progress.list().size()));
  EXPECT_EQ(progress.list(), expected);

  std::stop_source stop;
  options.stop = stop.get_token();
  options.on_progress = [&](ServerContext, Progress) { stop.request_stop(); };
  EXPECT_THROW(call("trigger-long-running-operation",
                    Json::object({{"duration", 3600}, {"steps", 36000}}), options),
               Cancelled);
  EXPECT_EQ(text(call("echo", Json::object({{"message", "still here"}}))), "Echo: still here");
  server->close();
  EXPECT_FALSE(server->connected());
}

TEST(Everything, WhatIsNotInstalledIsNotOffered) {
  const Within limit("a plain client");
  const Server server = Client("test", "1").connect(stdio_server(everything("stdio"))).wait();
  for (const Tool& tool : server.list_tools().wait()) {
    EXPECT_FALSE(tool.name.starts_with("trigger-sampling")) << tool.name;
    EXPECT_FALSE(tool.name.starts_with("trigger-elicitation")) << tool.name;
    EXPECT_NE(tool.name, "get-roots-list");
  }
}

}  // namespace
}  // namespace acp::mcp
