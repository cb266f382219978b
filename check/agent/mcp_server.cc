#include "check/agent/mcp_server.h"

#include <cstdlib>
#include <fstream>
#include <istream>
#include <ostream>

namespace acp::check {

namespace {

Json result_of(const std::string& method, JsonView params) {
  if (method == "initialize") {
    const Json info = Json::object({{"name", "acp-check"}, {"version", "1"}});
    return Json::object({{"protocolVersion", Json(params["protocolVersion"])},
                         {"capabilities", Json::object({{"tools", Json::object()}})},
                         {"serverInfo", info}});
  }
  if (method == "tools/list") {
    const Json tool = Json::object({{"name", "acp_check_echo"},
                                    {"description", "Says nothing new."},
                                    {"inputSchema", Json::object({{"type", "object"}})}});
    return Json::object({{"tools", Json::array({tool})}});
  }
  if (method == "tools/call") {
    const Json text = Json::object({{"type", "text"}, {"text", "echo"}});
    return Json::object({{"content", Json::array({text})}});
  }
  if (method == "ping") return Json::object();
  return {};
}

}  // namespace

Json answer_mcp(JsonView message) {
  const auto method = message["method"].as_string();
  const JsonView id = message["id"];
  if (!method || id.absent()) return {};
  Json answer = Json::object({{"jsonrpc", "2.0"}, {"id", Json(id)}});
  const Json result = result_of(*method, message["params"]);
  if (result.absent())
    answer.set("error", Json::object({{"code", -32601}, {"message", "Method not found"}}));
  else
    answer.set("result", result);
  return answer;
}

int serve_mcp(std::istream& in, std::ostream& out, const std::string& record) {
  std::ofstream seen(record, std::ios::app);
  if (!seen) return 1;
  const char* const token = std::getenv("ACP_CHECK_TOKEN");
  seen << "token " << (token ? token : "") << std::endl;
  for (std::string line; std::getline(in, line);) {
    const auto message = Json::parse(line);
    if (!message) continue;
    if (const auto method = message->view()["method"].as_string()) seen << *method << std::endl;
    if (const Json answer = answer_mcp(*message); !answer.absent())
      out << answer.text() << std::endl;
  }
  return 0;
}

}  // namespace acp::check
