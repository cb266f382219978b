#include <acp/mcp/servers.h>
#include <acp/mcp/session_servers.h>

#include <iostream>

int main() {
  acp::v1::McpServerStdio config;
  config.name = "none";
  config.command = "no-such-server";
  const acp::mcp::Client client("consumer", "1.0");
  const acp::mcp::Servers servers(client, {config});
  if (acp::mcp::SessionServers("consumer", "1.0").find("none") != nullptr) return 1;
  std::cout << servers.tools().size() << " tools, " << servers.failures().size() << " failures\n";
}
