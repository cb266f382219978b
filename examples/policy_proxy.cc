// Stands between an editor and an agent, and lets only some commands run in the editor's terminals.
//   policy_proxy COMMANDS AGENT [ARGUMENT…]      COMMANDS: "make,ls"; the whole line must be equal
#include <acp/proxy.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "Usage: policy_proxy COMMANDS AGENT [ARGUMENT…]\n";
    return 2;
  }
  const std::string allowed = "," + std::string(argv[1]) + ",";
  acp::Proxy proxy;
  proxy.on_request("terminal/create", [&](acp::ProxyRequest request) -> acp::Task<acp::Json> {
    const std::string command = request.params()["command"].as_string().value_or("");
    if (command.find(',') != command.npos || allowed.find("," + command + ",") == allowed.npos)
      throw acp::permission_denied("the policy does not allow this command");
    co_return co_await request.forward();
  });
  try {
    return proxy.run(acp::stdio(), std::vector<std::string>(argv + 2, argv + argc));
  } catch (const acp::StartFailed& failed) {
    std::cerr << failed.what() << "\n";
    return 1;
  }
}
