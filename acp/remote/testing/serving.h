// A server with an agent that repeats each prompt, and requests byte by byte.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acp/agent.h"
#include "acp/remote/client.h"
#include "acp/remote/server.h"
#include "acp/remote/testing/raw_socket.h"
#include "acp/testing/gate.h"

namespace acp::remote::testing {

std::string request(const std::string& line, const std::string& headers,
                    const std::string& body = "");
std::string post(const std::string& body, const std::string& headers = "");
inline const std::string initialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}})";

struct Serving : ::testing::Test {
  Serving();
  void start();
  // What it answers to this, and then closes.
  std::string answer(const std::string& bytes);
  std::string url(const std::string& scheme) const;
  // Still at work, for both transports.
  void expect_service(const UrlOptions& how = {});
  // The header of a connection that this client has opened.
  std::string connect(RawSocket& socket, const std::string& headers = "");
  // All clients have gone, and their agents.
  void wait_until_idle();

  const acp::testing::Within limit{"a server"};
  Agent agent{"test", "1"};
  ServerOptions options;
  std::mutex mutex;
  std::vector<Access> log;
  std::optional<Server> server;
};

}  // namespace acp::remote::testing
