#include <acp/workspace/offer.h>
#include <acp/workspace/policy_store.h>

#include <iostream>

int main() {
  acp::Client client("consumer", "1.0");
  const acp::workspace::Offer offer;
  offer.install(client);
  acp::workspace::CommandLine line;
  line.command = "printf";
  line.args = {"hello"};
  line.cwd = "/";
  const std::string id = offer.terminals().create(line, "nobody");
  const auto exit = offer.terminals().wait(id).wait();
  std::cout << offer.terminals().output(id).text << ", " << exit.describe() << "\n";
}
