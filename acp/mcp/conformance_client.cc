// mcp_conformance_client URL: a client for the scenarios of @modelcontextprotocol/conformance,
// whose name is in MCP_CONFORMANCE_SCENARIO. It calls every tool that the server has.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "acp/mcp/client.h"

namespace {

using acp::Json;
using acp::JsonView;

// Something for every argument that the tool demands.
Json arguments_for(const acp::mcp::Tool& tool) {
  Json arguments = Json::object();
  const JsonView schema = tool.inputSchema;
  for (JsonView each : schema["required"].elements()) {
    const std::string name = each.as_string().value_or("");
    const std::string type = schema["properties"][name]["type"].as_string().value_or("string");
    arguments.set(name, type == "number" || type == "integer" ? Json(5)
                        : type == "boolean"                   ? Json(true)
                                                              : Json("text"));
  }
  return arguments;
}

int run(const std::string& url) {
  acp::mcp::Client client("libacp-conformance-client", "1.0");
  client.on_log([](const acp::LogEntry& entry) { std::cerr << entry.message << "\n"; });
  client.on_elicitation_form([](acp::mcp::ServerContext, acp::mcp::ElicitRequest request) {
    acp::mcp::ElicitResult result;
    result.action = "accept";
    result.content = acp::mcp::with_defaults(request.requestedSchema, Json::object());
    return result;
  });
  acp::v1::McpServerHttp config;
  config.name = "conformance";
  config.url = url;
  const acp::mcp::Server server = client.connect(config).wait();
  std::cout << "connected to " << server.info().serverInfo.name << "\n";
  if (!server.info().capabilities.tools) return 0;
  for (const acp::mcp::Tool& tool : server.list_tools().wait())
    std::cout << tool.name << ": " << server.call_tool(tool.name, arguments_for(tool)).wait().raw.text()
              << "\n";
  server.close();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "Usage: mcp_conformance_client URL\n";
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    const char* scenario = std::getenv("MCP_CONFORMANCE_SCENARIO");
    std::cerr << "scenario " << (scenario ? scenario : "(none)") << ": " << error.what() << "\n";
    return 1;
  }
}
