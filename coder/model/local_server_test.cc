#include "coder/model/local_server.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <map>

#include "acp/error.h"
#include "coder/model/testing/http_server.h"

namespace acp::coder {
namespace {

using namespace std::chrono_literals;
using testing::HttpServer;
using testing::response;
using Connection = HttpServer::Connection;

constexpr auto patience = 1h;

// What a server answers, by path: the status and the body. 404 otherwise.
using Answers = std::map<std::string, std::pair<std::string, std::string>>;
HttpServer::Handler answering(const Answers& answers) {
  return [answers](Connection& connection) {
    while (const auto request = connection.read()) {
      const std::string line = request->line();
      const auto found = answers.find(line.substr(4, line.find(' ', 4) - 4));
      connection.send(found == answers.end() ? response("404 Not Found", "{}")
                                             : response(found->second.first, found->second.second));
    }
  };
}

ServerFacts facts_of(const Answers& answers, const std::string& path = "/v1") {
  HttpServer server(answering(answers));
  return probe(server.url(path), {}, {}, patience);
}

const std::string models = R"({"object":"list","data":[{"id":"qwen.gguf","object":"model",)"
                           R"("owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]})";

TEST(LocalServer, LlamaServer) {
  const ServerFacts facts = facts_of(
      {{"/health", {"200 OK", R"({"status":"ok"})"}},
       {"/props",
        {"200 OK",
         R"({"default_generation_settings":{"n_ctx":8192},"chat_template":"{{ messages }}",)"
         R"("chat_template_caps":{"supports_tools":true},)"
         R"("modalities":{"vision":true,"audio":false}})"}},
       {"/v1/models", {"200 OK", models}}});
  EXPECT_TRUE(facts.ready) << facts.problem;
  EXPECT_FALSE(facts.loading);
  EXPECT_TRUE(facts.llama_server);
  ASSERT_EQ(facts.models.size(), 1u);
  EXPECT_EQ(facts.models[0].id, "qwen.gguf");
  EXPECT_EQ(facts.models[0].context_tokens, 131072u);
  // What it serves with, not what the model was made for.
  EXPECT_EQ(facts.context_of("qwen.gguf"), 8192u);
  EXPECT_EQ(facts.images, true);
  EXPECT_EQ(facts.audio, false);
  EXPECT_EQ(facts.tools, true);
}

TEST(LocalServer, WhetherTheTemplateHasTools) {
  const auto tools = [](const std::string& props) {
    return facts_of({{"/props", {"200 OK", props}}, {"/v1/models", {"200 OK", models}}}).tools;
  };
  EXPECT_EQ(tools(R"({"chat_template":"{% if tools %}","chat_template_caps":{}})"), true);
  EXPECT_EQ(tools(R"({"chat_template":"{{ messages }}"})"), false);
  EXPECT_EQ(tools(R"({"chat_template":"tools","chat_template_caps":{"supports_tools":false}})"),
            false);
  EXPECT_EQ(tools(R"({"chat_template":""})"), std::nullopt);
  EXPECT_EQ(tools(R"({"something":"else"})"), std::nullopt);
}

TEST(LocalServer, Loading) {
  const std::string loading =
      R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})";
  const ServerFacts facts = facts_of({{"/health", {"503 Service Unavailable", loading}},
                                      {"/props", {"503 Service Unavailable", loading}},
                                      {"/v1/models", {"503 Service Unavailable", loading}}});
  EXPECT_FALSE(facts.ready);
  EXPECT_TRUE(facts.loading);
  EXPECT_NE(facts.problem.find(": the model is loading"), std::string::npos) << facts.problem;
}

TEST(LocalServer, OtherServers) {
  const ServerFacts vllm = facts_of(
      {{"/v1/models", {"200 OK", R"({"data":[{"id":"a","max_model_len":4096},{"id":"b"}]})"}}},
      "/v1/");
  EXPECT_TRUE(vllm.ready);
  EXPECT_FALSE(vllm.llama_server);
  EXPECT_EQ(vllm.context_of("a"), 4096u);
  EXPECT_EQ(vllm.context_of("b"), std::nullopt);
  EXPECT_EQ(vllm.context_of("c"), std::nullopt);
  EXPECT_EQ(vllm.tools, std::nullopt);
  EXPECT_EQ(vllm.images, std::nullopt);
  const ServerFacts other = facts_of(
      {{"/api/models", {"200 OK", R"({"data":[{"id":"a","context_length":0},{"no":"id"},7]})"}}},
      "/api");
  EXPECT_EQ(other.models.size(), 1u);
  EXPECT_EQ(other.context_of("a"), std::nullopt);
}

TEST(LocalServer, Problems) {
  const auto problem = [](const Answers& answers) {
    const ServerFacts facts = facts_of(answers);
    EXPECT_FALSE(facts.ready);
    return facts.problem.substr(facts.problem.find("/v1"));
  };
  EXPECT_EQ(problem({}), "/v1/models: no list of models (HTTP 404); is the base URL right?");
  EXPECT_EQ(problem({{"/v1/models", {"200 OK", "<html>"}}}),
            "/v1/models: no list of models (HTTP 200); is the base URL right?");
  EXPECT_EQ(problem({{"/v1/models", {"401 Unauthorized", "{}"}}}),
            "/v1: the server wants another key (HTTP 401)");
  const std::string nobody = "http://127.0.0.1:" + std::to_string(testing::unused_port());
  const ServerFacts gone = probe(nobody, {}, {}, patience);
  EXPECT_FALSE(gone.ready);
  EXPECT_FALSE(gone.loading);
  EXPECT_EQ(gone.problem, "nothing answers at " + nobody + "/ (connection refused)");
}

TEST(LocalServer, TheKeyStaysWithTheServer) {
  std::promise<std::string> reached;
  HttpServer other([&](Connection& connection) {
    reached.set_value(connection.read().value().header("authorization"));
    connection.send(response("200 OK", models));
  });
  HttpServer server([&](Connection& connection) {
    const auto request = connection.read();
    EXPECT_EQ(request->header("authorization"), "Bearer sk-1");
    if (request->line().find("/v1/models") == std::string::npos)
      connection.send(response("404 Not Found", "{}"));
    else
      connection.send(response("302 Found", "", "text/plain", "Location: " + other.url() + "\r\n"));
  });
  EXPECT_TRUE(probe(server.url("/v1"), "sk-1", {}, patience).ready);
  EXPECT_EQ(reached.get_future().get(), "");
}

// All three are there before one is answered.
TEST(LocalServer, AsksAllAtOnce) {
  std::latch all(3);
  HttpServer server([&](Connection& connection) {
    connection.read();
    all.arrive_and_wait();
    connection.send(response("200 OK", models));
  });
  EXPECT_TRUE(probe(server.url("/v1"), {}, {}, patience).ready);
}

TEST(LocalServer, AServerThatHangs) {
  HttpServer server([](Connection& connection) { connection.wait_for_close(); });
  const ServerFacts facts = probe(server.url("/v1"), {}, {}, 50ms);
  EXPECT_FALSE(facts.ready);
  EXPECT_NE(facts.problem.find(": no answer in 50 ms"), std::string::npos) << facts.problem;
}

TEST(LocalServer, Stopped) {
  std::stop_source stop;
  HttpServer server([&](Connection& connection) {
    stop.request_stop();
    connection.wait_for_close();
  });
  EXPECT_THROW(probe(server.url("/v1"), {}, stop.get_token(), patience), Cancelled);
  const std::vector<UsualPort> ports = {{"a", static_cast<std::uint16_t>(server.port())}};
  EXPECT_THROW(find_local_servers(stop.get_token(), ports, patience), Cancelled);
}

TEST(LocalServer, ThoseThatAreThere) {
  HttpServer llama(answering({{"/v1/models", {"200 OK", models}}}));
  HttpServer studio(answering(
      {{"/v1/models", {"200 OK", R"({"data":[{"id":"text-embedding-x"},{"id":"chat"}]})"}}}));
  HttpServer website(answering({}));
  HttpServer empty(answering({{"/v1/models", {"200 OK", R"({"data":[]})"}}}));
  const auto port = [](const HttpServer& server) {
    return static_cast<std::uint16_t>(server.port());
  };
  const std::vector<LocalServer> found =
      find_local_servers({},
                         {{"llama-server", port(llama)},
                          {"nobody", static_cast<std::uint16_t>(testing::unused_port())},
                          {"website", port(website)},
                          {"empty", port(empty)},
                          {"lmstudio", port(studio)}},
                         patience);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "llama-server");
  EXPECT_EQ(found[0].base_url, llama.url("/v1"));
  EXPECT_EQ(found[0].models[0].id, "qwen.gguf");
  EXPECT_EQ(found[1].name, "lmstudio");
  ASSERT_EQ(found[1].models.size(), 1u);
  EXPECT_EQ(found[1].models[0].id, "chat");
}

TEST(LocalServer, UsualPorts) {
  std::string text;
  for (const UsualPort& usual : usual_ports())
    text += usual.name + " " + std::to_string(usual.port) + "\n";
  EXPECT_EQ(text, "llama-server 8080\nollama 11434\nlmstudio 1234\nvllm 8000\n");
}

}  // namespace
}  // namespace acp::coder
