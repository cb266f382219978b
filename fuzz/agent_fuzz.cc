// Any bytes to an agent, in any pieces, under a loop of our own: it writes nothing but messages,
// answers no request twice, and ends when its client has gone.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "acp/agent.h"
#include "acp/schema/v1.h"

namespace {

using namespace acp;

void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "agent_fuzz: %s\n", what);
  std::abort();
}

Agent make_agent() {
  Agent agent("fuzz", "1");
  agent.max_message_bytes(100'000);
  std::vector<v1::SessionMode> modes(1);
  modes[0].id = "m";
  agent.modes(modes, "m").commands({AvailableCommand()});
  agent.on_new_session([](SessionContext, v1::NewSessionRequest) -> Task<v1::NewSessionResponse> {
    v1::NewSessionResponse response;
    response.sessionId = "s";
    co_return response;
  });
  agent.on_load_session([](SessionContext session, v1::LoadSessionRequest) -> Task<void> {
    co_await session.user_said("replayed");
  });
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    const std::string text = turn.text();
    co_await turn.say(text);
    const ToolCall call = turn.tool_call("Working", ToolKind::execute);
    if (text.starts_with('p')) co_await call.ask_permission();
    if (text.starts_with('r')) co_await turn.say(co_await turn.read_file("/a"));
    if (text.starts_with('c')) co_await turn.run_command("true");
    if (text.starts_with('t')) throw std::runtime_error("thrown");
    if (!text.starts_with('o')) co_await call.complete();
    co_return StopReason::end_turn;
  });
  agent.on_request("_e", [](Context, Json params) -> Task<Json> { co_return params; });
  agent.on_notification("_n", [](Context context, Json params) -> Task<void> {
    co_await context.peer().request("_ask", params);
  });
  return agent;
}

const std::string beginning =
    "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":1,"
    "\"clientCapabilities\":{\"fs\":{\"readTextFile\":true,\"writeTextFile\":true},\"terminal\":"
    "true}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":\"n\",\"method\":\"session/new\",\"params\":{\"cwd\":\"/"
    "\",\"mcpServers\":[]}}\n";

// What the agent has written, as far as it is complete.
class Reader {
 public:
  void read(int descriptor) {
    char buffer[65536];
    for (ssize_t size; (size = recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT)) > 0;)
      text_.append(buffer, static_cast<std::size_t>(size));
    for (std::size_t end; (end = text_.find('\n')) != text_.npos; text_.erase(0, end + 1))
      line(std::string_view(text_).substr(0, end));
  }

 private:
  static void line(std::string_view line) {
    const auto message = Json::parse(line);
    require(message.ok(), "something sent is no JSON");
    require((*message)["jsonrpc"].as_string() == "2.0", "something sent is no message");
  }
  std::string text_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t mode = data[0], step = data[1];
  std::string input((mode & 1) != 0 ? beginning : "");
  input.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  static Agent agent = make_agent();
  auto [left, right] = memory_pair();
  {
    AgentConnection served = agent.attach(std::move(right));
    Reader reader;
    std::string_view rest = input;
    while (!rest.empty()) {
      const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + step * std::size_t{16});
      const ssize_t sent = send(left.in.get(), rest.data(), piece, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
      served.dispatch();
      if ((mode & 2) == 0) reader.read(left.in.get());
      if (sent <= 0) reader.read(left.in.get());
    }
    if ((mode & 4) == 0) {
      // The client goes: nothing is left to wait for.
      if ((mode & 8) != 0)
        shutdown(left.in.get(), SHUT_WR);
      else
        left.in.reset();
      for (int i = 0; i < 1000 && !served.finished(); ++i) {
        served.dispatch();
        if (left.in) reader.read(left.in.get());
      }
      require(served.finished(), "the client has gone, and the agent goes on");
    }
    // Otherwise the agent goes first.
  }
  return 0;
}
