// Any lines to a client in a turn: what its program gets does not depend on whether an update is
// read in one pass or in two, and the client writes nothing but messages.
#include <sys/socket.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "acp/client.h"
#include "acp/json/codec.h"

namespace {

using namespace acp;

void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "client_fuzz: %s\n", what);
  std::abort();
}

// What can be seen of a client from both of its sides.
struct Seen {
  std::vector<std::string> events;
  std::uint64_t changes = 0;  // of the session's state
  std::size_t sent = 0, logged = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Task<void> converse(AgentHandle agent, Seen& seen) {
  try {
    const Session session = co_await agent.new_session("/");
    Prompt prompt = session.prompt("go");
    while (std::optional<PromptEvent> event = co_await prompt.next()) {
      if (const auto* update = std::get_if<SessionUpdate>(&*event))
        seen.events.push_back(json::encode(*update));
      else
        seen.events.push_back("the end");
      session.with_state([&](const SessionState& state) { seen.changes = state.revision(); });
    }
  } catch (const Error& error) {
    seen.events.push_back("failed");
  }
}

class Agent {
 public:
  explicit Agent(Transport end) : end_(std::move(end)) {}
  void say(std::string_view text) {
    require(send(end_.in.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
                static_cast<ssize_t>(text.size()),
            "the input is larger than a socket");
  }
  // Counts the messages that the client has written.
  void hear(Seen& seen) {
    char buffer[65536];
    for (ssize_t size; (size = recv(end_.in.get(), buffer, sizeof buffer, MSG_DONTWAIT)) > 0;)
      text_.append(buffer, static_cast<std::size_t>(size));
    for (std::size_t end; (end = text_.find('\n')) != text_.npos; text_.erase(0, end + 1)) {
      const auto message = Json::parse(std::string_view(text_).substr(0, end));
      require(message.ok() && (*message)["jsonrpc"].as_string() == "2.0",
              "something sent is no message");
      ++seen.sent;
    }
  }

 private:
  Transport end_;
  std::string text_;
};

// `space` stands after the first brace of each message: with one, nothing is read in one pass.
Seen play(std::string_view input, bool whole_lines, std::string_view space) {
  Seen seen;
  Client client("fuzz", "1");
  client.on_log([&](const LogEntry&) { ++seen.logged; });
  auto [left, right] = memory_pair();
  Agent agent(std::move(left));
  const AgentHandle remote = client.attach(std::move(right));
  const auto go_on = [&] {
    for (int i = 0; i < 4; ++i) remote.dispatch();
  };
  go_on();
  agent.say("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}\n");
  go_on();
  require(remote.ready(), "the handshake is not done");
  const Running<void> conversation(converse(remote, seen));
  go_on();
  agent.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s\"}}\n");
  go_on();
  const std::string call = "\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":";
  agent.say("{" + call +
            "{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\","
            "\"content\":{\"type\":\"text\",\"text\":\"first\"}}}}\n");
  go_on();
  require(seen.events.size() == 1, "the turn has not begun");
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    std::string line(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
    if (!whole_lines)
      line = "{" + std::string(space) + call + line + "}";
    else if (line.starts_with('{'))
      line.insert(1, space);
    agent.say(line + "\n");
    remote.dispatch();
    agent.hear(seen);
  }
  agent.say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"end_turn\"}}\n");
  go_on();
  agent.hear(seen);
  remote.close();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 50'000) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool whole_lines = (data[0] & 1) != 0;
  require(play(input, whole_lines, "") == play(input, whole_lines, " "),
          "one pass and two have another result");
  return 0;
}
