// The driver: clients of one server, which is a process of its own from its start to its end. Each
// step gives what was measured by the names in bench_remote.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/wire/child.h"

namespace bench::remote {

struct Contestant {
  std::string name;  // its column: acp, npm
  std::vector<std::string> command;
};

// How much of everything.
struct Amounts {
  int updates = 100'000;
  int diffs = 60;
  int round_trips = 5'000;
  int warm_up = 5'000;  // what npm needs until it is compiled
  int idle = 10'000;
  int clients = 500;
  int seconds = 60;
};

using Samples = std::map<std::string, double>;

// A server that has said where it listens.
class ServerProcess {
 public:
  ServerProcess(const Contestant& contestant, wire::Cores cores, const std::string& step);
  std::uint16_t port() const { return port_; }
  wire::Child& child() { return child_; }

 private:
  wire::Child child_;
  std::uint16_t port_;
};

inline std::string request(int id, const std::string& method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method +
         R"(","params":)" + params + "}";
}
inline const std::string initialize_params =
    R"({"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"bench_remote","version":"1"}})";
inline const std::string new_session_params = R"({"cwd":"/","mcpServers":[]})";
inline std::string prompt_params(const std::string& session, const std::string& text) {
  return R"({"sessionId":")" + session + R"(","prompt":[{"type":"text","text":")" + text + "\"}]}";
}

// stream-ws, stream-sse, diff-ws, diff-sse, roundtrip-ws, roundtrip-http. Throws Failure.
const std::vector<std::string>& one_client_steps();
Samples drive_one_client(const Contestant& contestant, const std::string& step,
                         const Amounts& amounts);
// idle, load
const std::vector<std::string>& many_clients_steps();
Samples drive_many_clients(const Contestant& contestant, const std::string& step,
                           const Amounts& amounts);

}  // namespace bench::remote
