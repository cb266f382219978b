#include <acp/workspace/client_workspace.h>
#include <acp/workspace/policy_store.h>

#include <iostream>

int main() {
  acp::Client client("consumer", "1.0");
  const acp::workspace::ClientWorkspace workspace;
  workspace.install(client);
  acp::workspace::CommandLine line;
  line.command = "printf";
  line.args = {"hello"};
  line.cwd = "/";
  const std::string id = workspace.terminals().create(line, "nobody");
  const auto exit = workspace.terminals().wait(id).wait();
  std::cout << workspace.terminals().output(id).text << ", " << exit.describe() << "\n";
}
