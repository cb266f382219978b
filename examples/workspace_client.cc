// A client that offers its agent files and terminals, and asks its user before anything is done:
//   workspace_client PROMPT COMMAND [ARGUMENT…]
#include <acp/client.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

namespace {

namespace v1 = acp::v1;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw acp::not_found(path, acp::Json::object({{"path", path}}));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The lines from `line` on, counted from 1.
std::string lines_of(const std::string& text, std::uint32_t line, std::uint32_t limit) {
  std::istringstream in(text);
  std::string result, one;
  for (std::uint32_t at = 1; std::getline(in, one) && (at < line || at - line < limit); ++at)
    if (at >= line) result += one + "\n";
  return result;
}

// Commands run to their end when they are created: enough for an example. A real client shows their
// output as it comes, and can kill them.
class Terminals {
 public:
  std::string run(const std::string& line) {
    FILE* const pipe = popen((line + " 2>&1").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("popen failed");
    Done done;
    char buffer[4096];
    while (const std::size_t size = fread(buffer, 1, sizeof buffer, pipe))
      done.output.append(buffer, size);
    const int status = pclose(pipe);
    done.code = static_cast<std::uint32_t>(status >= 0 ? (status >> 8) & 0xFF : 1);
    const std::lock_guard lock(mutex_);
    const std::string id = "terminal_" + std::to_string(next_++);
    done_[id] = std::move(done);
    return id;
  }

  struct Done {
    std::string output;
    std::uint32_t code = 0;
  };
  Done find(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const auto found = done_.find(id);
    if (found == done_.end())
      throw acp::not_found("terminal " + id, acp::Json::object({{"terminalId", id}}));
    return found->second;
  }
  void release(const std::string& id) {
    find(id);
    const std::lock_guard lock(mutex_);
    done_.erase(id);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Done> done_;
  int next_ = 0;
};

// Asks on the terminal. A plain function may block: the agent's updates still arrive.
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

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "Usage: workspace_client PROMPT COMMAND [ARGUMENT…]\n";
    return 2;
  }
  const auto terminals = std::make_shared<Terminals>();
  acp::TerminalHandlers handlers;
  handlers.create = [terminals](acp::ClientContext, v1::CreateTerminalRequest request) {
    std::string line = request.command;
    for (const std::string& argument : request.args) line += " '" + argument + "'";
    v1::CreateTerminalResponse response;
    response.terminalId = terminals->run(line);
    return response;
  };
  handlers.output = [terminals](acp::ClientContext, v1::TerminalOutputRequest request) {
    const Terminals::Done done = terminals->find(request.terminalId);
    v1::TerminalOutputResponse response;
    response.output = done.output;
    response.exitStatus.emplace();
    response.exitStatus->exitCode = done.code;
    return response;
  };
  handlers.wait_for_exit = [terminals](acp::ClientContext, v1::WaitForTerminalExitRequest request) {
    v1::WaitForTerminalExitResponse response;
    response.exitCode = terminals->find(request.terminalId).code;
    return response;
  };
  handlers.kill = [terminals](acp::ClientContext, v1::KillTerminalRequest request) {
    terminals->find(request.terminalId);
  };
  handlers.release = [terminals](acp::ClientContext, v1::ReleaseTerminalRequest request) {
    terminals->release(request.terminalId);
  };

  acp::Client client("workspace", "1.0");
  client.on_terminals(handlers)
      .on_permission(
          [](acp::ClientContext, v1::RequestPermissionRequest request) { return ask(request); })
      .on_read_text_file([](acp::ClientContext, v1::ReadTextFileRequest request) {
        const std::string text = read_file(request.path);
        const bool part = request.line.has_value() || request.limit.has_value();
        return part ? lines_of(text, request.line.value_or(1), request.limit.value_or(UINT32_MAX))
                    : text;
      })
      .on_write_text_file([](acp::ClientContext, v1::WriteTextFileRequest request) {
        std::ofstream(request.path, std::ios::binary) << request.content;
      });
  try {
    const acp::RemoteAgent agent = client.spawn({argv + 2, argv + argc});
    const acp::Session session = agent.new_session(std::filesystem::current_path());
    for (auto& event : session.prompt(argv[1]))
      if (const auto* update = std::get_if<acp::SessionUpdate>(&event)) show(*update);
    std::cout << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
