// A client that offers its agent the files below its directory and terminals, and asks its user
// before anything is done:
//   workspace_client PROMPT COMMAND [ARGUMENT…]
// With ACP_V2=1 in the environment it speaks version 2 of the protocol with agents that do: those
// have files and terminals of their own.
#include <acp/client.h>

#include <filesystem>
#include <iostream>

#include "acp/workspace/client_workspace.h"

namespace {

namespace v1 = acp::v1;

// Asks on the terminal.
acp::Decision ask(const v1::RequestPermissionRequest& request) {
  std::cout << "\n" << request.toolCall.title.value_or("A tool") << "\n";
  for (std::size_t i = 0; i < request.options.size(); ++i)
    std::cout << "  " << i + 1 << ") " << request.options[i].name << "\n";
  std::size_t choice = 0;
  std::cout << "? " << std::flush;
  if (!(std::cin >> choice) || choice == 0 || choice > request.options.size())
    return acp::Decision::cancelled();
  return request.options[choice - 1].optionId;
}

void show(const acp::SessionUpdate& update) {
  if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update))
    std::cout << v1::text_of({&chunk->content, 1}) << std::flush;
  else if (const auto* call = std::get_if<v1::ToolCall>(&update))
    std::cout << "[" << call->title << "]\n";
}

// What commands print, as it comes.
void print(const std::string&, std::string_view text) { std::cout << text << std::flush; }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "Usage: workspace_client PROMPT COMMAND [ARGUMENT…]\n";
    return 2;
  }
  try {
    acp::Client client("workspace", "1.0");
    client.versions_from_environment();
    // On a thread of its own: the agent's updates still arrive, and its other requests are
    // answered.
    client.on_permission(acp::blocking(
        [](acp::ClientContext, v1::RequestPermissionRequest request) { return ask(request); }));
    // Files inside the session's directories and nowhere else; terminals that end with the client.
    const acp::workspace::ClientWorkspace workspace(print);
    workspace.install(client);

    const acp::AgentHandle agent = client.spawn({argv + 2, argv + argc}).wait();
    const acp::Session session = agent.new_session(std::filesystem::current_path()).wait();
    for (auto& event : session.prompt(argv[1]))
      if (const auto* update = std::get_if<acp::SessionUpdate>(&event)) show(*update);
    std::cout << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
