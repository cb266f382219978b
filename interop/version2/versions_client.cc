// A client whose agent may use its files and terminals: `versions_client 1|2|both PROMPT... --
// COMMAND...`, with an address in place of the command for an agent that is elsewhere. Prints a
// line of JSON: the version that is spoken, or why there is none; which versions were asked for;
// what the agent asked for, and what it said; what was logged.
#include <acp/client.h>
#include <acp/remote/client.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "interop/testing/fake_terminals.h"

namespace {

namespace v1 = acp::v1;
using acp::Json;

class Told {
 public:
  void asked(const std::string& method) {
    const std::lock_guard lock(mutex_);
    asked_[method] = true;
  }
  void requested(const Json& version) {
    const std::lock_guard lock(mutex_);
    requested_.append(version);
  }
  void logged(const acp::LogEntry& entry) {
    const std::lock_guard lock(mutex_);
    if (entry.level != acp::LogEntry::Level::debug) log_.append(entry.message);
  }
  void print(Json result) {
    const std::lock_guard lock(mutex_);
    Json methods = Json::array();
    for (const auto& [method, _] : asked_) methods.append(method);
    result.set("requested", requested_);
    result.set("asked", methods);
    result.set("log", log_);
    std::cout << result.text() << std::endl;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, bool> asked_;
  Json requested_ = Json::array(), log_ = Json::array();
};

void install(acp::Client& client, Told& told, interop::FakeTerminals& terminals) {
  client
      .on_read_text_file([&told](acp::ClientContext, v1::ReadTextFileRequest) {
        told.asked("fs/read_text_file");
        v1::ReadTextFileResponse response;
        response.content = "what the editor has\n";
        return response;
      })
      .on_write_text_file([&told](acp::ClientContext, v1::WriteTextFileRequest) {
        told.asked("fs/write_text_file");
      })
      .on_permission([](acp::ClientContext, v1::RequestPermissionRequest) {
        return acp::Decision(acp::PermissionOptionKind::allow_once);
      })
      .on_log([&told](const acp::LogEntry& entry) { told.logged(entry); })
      .tap([&told](const acp::Frame& frame) {
        const auto message = Json::parse(std::string(frame.text));
        if (frame.direction != acp::rpc::Direction::sent || !message) return;
        if ((*message)["method"].as_string() == "initialize")
          told.requested(Json((*message)["params"]["protocolVersion"]));
      });
  acp::TerminalHandlers handlers;
  handlers.create = [&](acp::ClientContext, v1::CreateTerminalRequest request) {
    told.asked("terminal/create");
    return terminals.create(request);
  };
  handlers.output = [&](acp::ClientContext, v1::TerminalOutputRequest request) {
    return terminals.output(request.terminalId);
  };
  handlers.wait_for_exit =
      acp::blocking([&](acp::ClientContext context, v1::WaitForTerminalExitRequest request) {
        return terminals.wait(request.terminalId, context.stop_token());
      });
  handlers.kill = [&](acp::ClientContext, v1::KillTerminalRequest request) {
    terminals.kill(request.terminalId);
  };
  handlers.release = [&](acp::ClientContext, v1::ReleaseTerminalRequest request) {
    terminals.release(request.terminalId);
  };
  client.on_terminals(std::move(handlers));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (words.empty() || dashes == words.end() || dashes + 1 == words.end()) return 2;
  const std::vector<std::string> prompts(words.begin() + 1, dashes),
      command(dashes + 1, words.end());

  Told told;
  interop::FakeTerminals terminals;
  acp::Client client("versions", "1.0");
  if (words[0] == "both")
    client.versions({1, 2});
  else
    client.versions({words[0] == "2" ? 2 : 1});
  install(client, told, terminals);
  Json result = Json::object();
  try {
    const bool elsewhere = command[0].find("://") != std::string::npos;
    const acp::AgentHandle agent = elsewhere ? client.connect(acp::remote::url(command[0])).wait()
                                             : client.spawn(command).wait();
    result.set("version", agent.info().protocolVersion);
    const acp::Session session = agent.new_session(std::filesystem::current_path()).wait();
    Json said = Json::array();
    for (const std::string& prompt : prompts) said.append(session.ask(prompt).wait().text);
    result.set("said", said);
    agent.close();
  } catch (const std::exception& failed) {
    result.set("failed", std::string(failed.what()));
  }
  told.print(std::move(result));
}
