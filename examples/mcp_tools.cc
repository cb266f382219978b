// mcp_tools COMMAND…: starts an MCP server and lists its tools.
#include <iostream>

#include "acp/mcp/client.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  acp::v1::McpServerStdio config;
  config.name = "server";
  config.command = argv[1];
  config.args.assign(argv + 2, argv + argc);
  try {
    acp::mcp::Client client("mcp_tools", "1.0");
    for (const acp::mcp::Tool& tool : client.connect(config).wait().list_tools().wait())
      std::cout << tool.name << "\n";
  } catch (const acp::StartFailed& failed) {
    std::cerr << failed.what() << "\n";
    return 1;
  }
}
