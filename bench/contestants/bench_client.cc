// The contestant: an ordinary client on the library, with an agent at its own stdin and stdout.
// README.md says what is asked of it.
#include <acp/client.h>

#include <deque>
#include <iostream>

namespace v1 = acp::v1;

namespace {

struct Count {
  std::size_t updates = 0;
  std::size_t bytes = 0;
};

std::size_t bytes_of(const std::vector<v1::ToolCallContent>& contents) {
  std::size_t bytes = 0;
  for (const v1::ToolCallContent& content : contents)
    if (const auto* diff = std::get_if<v1::Diff>(&content)) bytes += diff->newText.size();
  return bytes;
}

void look(const acp::SessionUpdate& update, Count& count) {
  ++count.updates;
  if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update)) {
    if (const auto* text = std::get_if<v1::TextContent>(&chunk->content))
      count.bytes += text->text.size();
  } else if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update)) {
    if (change->content.has_value()) count.bytes += bytes_of(*change->content);
  } else if (const auto* call = std::get_if<v1::ToolCall>(&update)) {  // a first one of version 2
    count.bytes += bytes_of(call->content);
  }
}

}  // namespace

// On version BENCH_VERSION of the protocol.
int main(int argc, char** argv) {
  acp::Client client("bench", "1.0");
  client.keep_state(false);
  if constexpr (BENCH_VERSION == 2) client.versions({2});
  const acp::AgentHandle agent = client.connect(acp::stdio()).wait();
  const acp::Session session = agent.new_session("/tmp").wait();
  v1::SetSessionModeRequest request;
  request.sessionId = session.id();
  request.modeId = "code";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string step = argv[i];
    const std::size_t number = std::stoul(argv[i + 1]);
    Count count;
    if (step == "reqs") {
      for (std::size_t n = 0; n < number; ++n) agent.peer().request(request).wait();
    } else if (step == "pipe") {
      std::deque<acp::Task<v1::SetSessionModeResponse>> flying;
      for (std::size_t n = 0; n < number; ++n) {
        if (flying.size() == 64) {
          std::move(flying.front()).wait();
          flying.pop_front();
        }
        flying.push_back(agent.peer().request(request));
      }
      for (auto& one : flying) std::move(one).wait();
    } else {
      for (auto& event : session.prompt(step + " " + argv[i + 1]))
        if (const auto* update = std::get_if<acp::SessionUpdate>(&event)) look(*update, count);
    }
    const std::string counted =
        "done:" + std::to_string(count.updates) + ":" + std::to_string(count.bytes);
    acp::Json done = acp::Json::object({{"sessionId", session.id()}});
    if constexpr (BENCH_VERSION == 2) {
      done.set("configId", "mode");
      done.set("type", "id");
      done.set("value", counted);
      agent.peer().request("session/set_config_option", done).wait();
    } else {
      done.set("modeId", counted);
      agent.peer().request("session/set_mode", done).wait();
    }
  }
}
